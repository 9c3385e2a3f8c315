"""A result folder holds every finished frame, whatever happened to the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from vastus.errors import FileError, SolveError
from vastus.export.export import write
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.results.provenance import Provenance, command
from vastus.results.result import read_result
from vastus.results.writer import ResultWriter
from vastus.schedules import ramp
from vastus.state import Frame, Report, State


@dataclass(frozen=True)
class Solver:
    """Settings like those of any solver."""

    tolerance: float = 1e-8


def frames(model: Model, count: int = 4, first: int = 0) -> Iterator[Frame]:
    """The bar shortening by a hand-made motion; no solver."""
    outputs = Outputs(model)
    for i, inputs in enumerate(ramp(model, belly=1.0, seconds=1.0, fps=count - 1)[first:], first):
        squeeze = 1.0 - 0.3 * inputs.time / 3.0
        x = model.mesh.X * [squeeze, 1.0, 1.0]
        state = State.still(inputs.time, x, inputs.poses.copy(), inputs.excitation)
        report = Report(True, i + 3, 1e-9 / 3, 1.0, 0.1 * i, seconds=0.01)
        yield Frame(i, state, report, outputs.of(state))


def interrupted(model: Model, folder: Path, after: int) -> None:
    """A run stopped by Ctrl-C after some frames."""

    def broken() -> Iterator[Frame]:
        yield from list(frames(model))[:after]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(folder, model, broken())


def test_a_result_is_read_back_as_written(bar_model: Model, tmp_path: Path) -> None:
    written = list(frames(bar_model))
    write(tmp_path / "out", bar_model, written)
    result = read_result(tmp_path / "out")
    np.testing.assert_array_equal(result.times, [f.time for f in written])
    assert result.model.digest == bar_model.digest
    for name, column in result.table.items():
        if name in written[0].outputs:
            np.testing.assert_array_equal(column, [f.outputs[name] for f in written])
    assert result.table["residual_N"][0] == 1e-9 / 3
    np.testing.assert_array_equal(result.frame(2).mesh.X, written[2].state.x)
    assert result.state is not None
    np.testing.assert_array_equal(result.state.x, written[-1].state.x)
    np.testing.assert_array_equal(result.state.activation, [1.0])


def test_every_frame_opens_in_vtk_with_its_fields(bar_model: Model, tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs the viz extra")
    write(tmp_path, bar_model, frames(bar_model))
    grid = pyvista.read(tmp_path / "frames" / "frame_0003.vtu")
    assert grid.n_cells == len(bar_model.soft)
    rest_of_it = bar_model.mesh.X[grid["vertex"]]
    np.testing.assert_allclose(grid.points - grid["displacement"], rest_of_it, atol=1e-12)
    fields = {"fibre", "activation", "fibre_stretch", "von_mises", "volume_ratio", "tissue"}
    assert fields | {"region"} <= set(grid.cell_data)
    assert grid["activation"].max() == 1.0


def test_frames_of_a_motion_have_velocities(bar_model: Model, tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs the viz extra")
    still, *_ = frames(bar_model)
    v = np.random.default_rng(0).normal(size=bar_model.mesh.X.shape)
    moving = replace(still, index=1, state=replace(still.state, time=1.0, v=v))
    write(tmp_path, bar_model, iter([still, moving]))
    one, other = (pyvista.read(tmp_path / "frames" / f"frame_000{k}.vtu") for k in (0, 1))
    assert "velocity" not in one.point_data
    np.testing.assert_array_equal(other["velocity"], v[other["vertex"]])


def test_the_collection_gives_each_frame_its_time(bar_model: Model, tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista", reason="needs the viz extra")
    write(tmp_path, bar_model, frames(bar_model))
    reader = pyvista.get_reader(tmp_path / "result.pvd")
    np.testing.assert_allclose(reader.time_values, [0, 1 / 3, 2 / 3, 1])
    reader.set_active_time_value(1.0)
    assert reader.read()[0]["activation"].max() == 1.0


def test_the_provenance_tells_what_ran(bar_model: Model, tmp_path: Path) -> None:
    provenance = Provenance(Solver(tolerance=1e-6), scene="abc", seed=7)
    with ResultWriter(tmp_path, bar_model, provenance) as writer:
        for frame in frames(bar_model):
            writer.add(frame)
    told = json.loads((tmp_path / "provenance.json").read_text())
    assert (told["status"], told["scene"], told["seed"]) == ("finished", "abc", 7)
    assert (told["solver"]["name"], told["solver"]["tolerance"]) == ("Solver", 1e-6)
    assert told["model"] == bar_model.digest
    assert [r["iterations"] for r in read_result(tmp_path).reports] == [3, 4, 5, 6]
    assert told["started"] <= told["finished"]
    assert {"numpy", "numba"} <= set(told["packages"])


def test_a_failed_run_keeps_its_frames_and_its_sentence(bar_model: Model, tmp_path: Path) -> None:
    def failing() -> Iterator[Frame]:
        yield from list(frames(bar_model))[:2]
        raise SolveError("no equilibrium at 0.6 s")

    with pytest.raises(SolveError):
        write(tmp_path, bar_model, failing())
    result = read_result(tmp_path)
    assert len(result.frames) == 2
    assert result.provenance["status"] == "failed"
    assert result.provenance["sentence"] == "no equilibrium at 0.6 s"


def test_an_interrupted_run_resumes_to_the_same_result(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path / "whole", bar_model, frames(bar_model))
    interrupted(bar_model, tmp_path / "parts", after=2)
    assert read_result(tmp_path / "parts").provenance["status"] == "interrupted"
    with ResultWriter(tmp_path / "parts", bar_model, resume=True) as writer:
        assert writer.state is not None
        np.testing.assert_array_equal(writer.state.x, list(frames(bar_model))[1].state.x)
        for frame in frames(bar_model, first=writer.finished):
            writer.add(frame)
    for name in ("table.csv", "reports.jsonl", "result.pvd", "frames/frame_0003.vtu"):
        whole, parts = (tmp_path / folder / name for folder in ("whole", "parts"))
        assert whole.read_bytes() == parts.read_bytes()


def test_what_a_killed_run_left_half_done_is_dropped(bar_model: Model, tmp_path: Path) -> None:
    interrupted(bar_model, tmp_path, after=2)
    (tmp_path / "frames" / "frame_0002.vtu").write_text("half")
    with (tmp_path / "table.csv").open("a") as file:
        file.write("2,0.66,0.0")
    with (tmp_path / "reports.jsonl").open("a") as file:
        file.write('{"converged": tr')
    assert len(read_result(tmp_path).reports) == 2
    assert len(read_result(tmp_path).times) == 2
    writer = ResultWriter(tmp_path, bar_model, resume=True)
    assert writer.finished == 2
    assert not (tmp_path / "frames" / "frame_0002.vtu").exists()
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 3
    assert len((tmp_path / "reports.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("resume", [True, False])
def test_what_killed_runs_were_writing_is_removed(
    resume: bool, bar_model: Model, tmp_path: Path
) -> None:
    interrupted(bar_model, tmp_path, after=2)
    half = [".state-abcd1_23.npz", ".provenance-abcd1_23.json", "frames/.frame_0001-abcd1_23.vtu"]
    for name in half:
        (tmp_path / name).write_text("half")
    (tmp_path / ".state-of-mine").write_text("mine")
    ResultWriter(tmp_path, bar_model, resume=resume)
    assert not any((tmp_path / name).exists() for name in half)
    assert (tmp_path / ".state-of-mine").exists()


def test_a_frame_costs_the_same_however_many_there_are(bar_model: Model, tmp_path: Path) -> None:
    """No file that grows with the frames is written again, and each is complete in between."""
    with ResultWriter(tmp_path, bar_model) as writer:
        before = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
        for number, frame in enumerate(frames(bar_model), 1):
            writer.add(frame)
            sets = ElementTree.parse(tmp_path / "result.pvd").findall("Collection/DataSet")
            # Tets, bones that move, bones that are pinned.
            assert len(sets) / 3 == len(read_result(tmp_path).reports) == number
        after = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    assert {"result.pvd", "provenance.json"} <= set(before)
    assert before.items() <= after.items()
    assert len((tmp_path / "provenance.json").read_text()) < 2000


def test_a_folder_has_one_writer_at_a_time(bar_model: Model, tmp_path: Path) -> None:
    with ResultWriter(tmp_path, bar_model) as writer:
        for resume in (True, False):
            with pytest.raises(FileError, match=rf"is being written by process {os.getpid()} on"):
                ResultWriter(tmp_path, bar_model, resume=resume)
        for frame in frames(bar_model):
            writer.add(frame)
    ResultWriter(tmp_path, bar_model, resume=True).close()
    assert len(read_result(tmp_path).times) == 4


def test_a_writer_that_is_refused_or_forgotten_holds_nothing(
    bar_model: Model, tmp_path: Path
) -> None:
    write(tmp_path, bar_model, frames(bar_model))
    with pytest.raises(FileError, match="cannot resume"):
        ResultWriter(tmp_path, bar_model.with_(name="rod"), resume=True)
    ResultWriter(tmp_path, bar_model, resume=True)
    ResultWriter(tmp_path, bar_model, resume=True).close()


HOLDER = """
import sys, time
from pathlib import Path
from vastus.results.writer import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(600)
"""


def test_the_lock_of_another_process_ends_with_it(bar_model: Model, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FileError, match=f"is being written by process {holder.pid} on"):
            ResultWriter(tmp_path, bar_model)
        holder.kill()
    assert (tmp_path / ".lock").exists()
    write(tmp_path, bar_model, frames(bar_model))
    assert not list(tmp_path.glob(".lock*"))


@pytest.mark.parametrize(
    "text",
    ["1 another-host", f"{os.getpid()} here", "", "\0" * 9],
    ids=["elsewhere", "here", "empty", "zeros"],
)
def test_a_file_that_nobody_holds_is_no_lock(text: str, bar_model: Model, tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text(text)
    write(tmp_path, bar_model, frames(bar_model))
    assert not list(tmp_path.glob(".lock*"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["/a/bin/vastus", "run", "/b/s.yaml", "-o", "out"], "vastus run s.yaml -o out"),
        (["/a/vastus/__main__.py", "run", "--output=/c/my out"], "vastus run '--output=my out'"),
        (["vastus.exe", "run", r"C:\b\s.yaml"], "vastus run s.yaml"),
        (["/a/study.py", "--key", "secret"], "study.py"),
        (["/a/pytest/__main__.py", "-q"], "pytest"),
        (["-c"], "-c"),
    ],
)
def test_the_command_is_told_without_machine_paths(words: list[str], told: str) -> None:
    assert command(words) == told


def test_a_run_without_frames_resumes_from_the_start(bar_model: Model, tmp_path: Path) -> None:
    interrupted(bar_model, tmp_path, after=0)
    writer = ResultWriter(tmp_path, bar_model, resume=True)
    assert (writer.finished, writer.state) == (0, None)
    assert len(read_result(tmp_path).times) == 0


@pytest.mark.parametrize("change", ["model", "scene"])
def test_another_run_is_not_resumed(change: str, bar_model: Model, tmp_path: Path) -> None:
    interrupted(bar_model, tmp_path, after=2)
    model = bar_model.with_(name="rod") if change == "model" else bar_model
    scene = "changed" if change == "scene" else ""
    with pytest.raises(FileError, match=f"cannot resume .*its {change} was another or has changed"):
        ResultWriter(tmp_path, model, Provenance(scene=scene), resume=True)
    assert len(read_result(tmp_path).times) == 2


def test_a_new_run_replaces_the_old_one(bar_model: Model, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, bar_model, frames(bar_model))
    write(tmp_path, bar_model, list(frames(bar_model))[:2])
    assert len(list((tmp_path / "frames").glob("frame_*"))) == len(read_result(tmp_path).times) == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_folder_without_a_result_is_refused(bar_model: Model, tmp_path: Path) -> None:
    for read in (read_result, lambda f: ResultWriter(f, bar_model, resume=True)):
        with pytest.raises(FileError, match="is not a result folder: it has no"):
            read(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_missing_frame_is_named(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path, bar_model, frames(bar_model))
    (tmp_path / "frames" / "frame_0001.vtu").unlink()
    with pytest.raises(FileError, match=r"lacks frames/frame_0001\.vtu"):
        read_result(tmp_path)


def test_an_impossible_folder_is_refused_before_anything_is_written(
    bar_model: Model, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is not a folder"):
        ResultWriter(tmp_path / "file" / "out", bar_model)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_write_protected_folder_is_refused(
    bar_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(FileError, match="is write-protected"):
        ResultWriter(tmp_path / "out", bar_model)
    assert not list(tmp_path.iterdir())


def test_an_unknown_suffix_lists_the_known_ones(bar_model: Model, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"suffix '\.xyz'; supported are \.mp4, \.png"):
        write(tmp_path / "a.xyz", bar_model, [])


def test_inputs_survive_bit_by_bit(bar_model: Model, tmp_path: Path) -> None:
    inputs = Inputs(1 / 3, np.array([1 / 7]), np.random.default_rng(0).normal(size=(2, 3, 4)))
    state = State.still(inputs.time, bar_model.mesh.X / 3, inputs.poses / 3, inputs.excitation)
    write(tmp_path, bar_model, [Frame(0, state, Report(True, 1, 0.0, 0.0, 0.0))])
    back = read_result(tmp_path).state
    assert back is not None
    assert (back.x == state.x).all()
    assert (back.poses == state.poses).all()
    assert (back.time, back.activation[0]) == (1 / 3, 1 / 7)
