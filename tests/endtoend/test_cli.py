"""The command line from a scene file to a result folder."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from vastus import cli
from vastus.cli import COMMANDS, main
from vastus.cli.show import print_table
from vastus.files.model_file import save_model
from vastus.model import Model, Muscle
from vastus.results.result import read_result
from vastus.skeleton.joints import Hinge

EXAMPLES = Path(__file__).parents[2] / "examples"
SCENE = """\
vastus: 1
name: small
model: {shape: bar, tets: 1000, length: 0.1, width: 0.02}
gravity: [0, 0, 0]
inputs:
  seconds: 1
  fps: 8
  activation: {bar: 1}
output: {movie: false}
"""


def call(*words: object, code: int = 0) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE)
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "scene.yaml").write_text(SCENE)
    words = ("run", folder / "scene.yaml", "-o", folder / "out", "--no-pictures", "--threads", 1)
    done = call(*words)
    (folder / "said").write_text(done.stdout)
    (folder / "told").write_text(done.stderr)
    return folder / "out"


def test_help_is_light() -> None:
    code = "import sys; import vastus.cli; print({'numpy', 'numba', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_help_says_what_the_exit_codes_mean() -> None:
    assert "130" in call("--help").output


@pytest.mark.parametrize("collecting", [True, False])
def test_loading_leaves_the_collector_of_garbage_as_it_was(collecting: bool) -> None:
    seen = []
    (gc.enable if collecting else gc.disable)()
    try:
        with cli.loading():
            seen.append(gc.isenabled())
        seen.append(gc.isenabled())
        with pytest.raises(ImportError), cli.loading():
            import_module("vastus.nothing")
        seen.append(gc.isenabled())
    finally:
        gc.unfreeze()
        gc.enable()
    assert seen == [False, collecting, collecting]


def test_the_help_of_a_command_is_light() -> None:
    heavy = ("check", "experiment", "export")  # they mend, or list, what is registered
    code = (
        "import sys; from vastus.cli import COMMANDS, main\n"
        f"for name in set(COMMANDS) - set({heavy}): main([name, '--help'], standalone_mode=False)\n"
        "print({'numba', 'scipy', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_command_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(limit=60) == COMMANDS[name][1]


def test_every_command_is_listed() -> None:
    for module in (info.name for info in iter_modules(cli.__path__)):
        members = vars(import_module(f"vastus.cli.{module}")).values()
        commands = {m for m in members if isinstance(m, click.Command) and defined_in(m, module)}
        parts = {c for m in commands if isinstance(m, click.Group) for c in m.commands.values()}
        listed = {name for name, (home, _) in COMMANDS.items() if home == module}
        assert {command.name for command in commands - parts} == listed


def defined_in(command: click.Command, module: str) -> bool:
    """Whether a command is a function of this module, which has not only imported it."""
    return getattr(command.callback, "__module__", None) == f"vastus.cli.{module}"


@pytest.mark.parametrize(
    ("word", "meant"), [("rnu", "run"), ("veiw", "view"), ("reprodcue", "reproduce")]
)
def test_a_misspelt_command_is_told_the_right_one(word: str, meant: str) -> None:
    assert f"No such command '{word}'. Did you mean '{meant}'?" in call(word, code=2).stderr


def test_run_writes_frames_table_and_provenance(finished: Path) -> None:
    assert (finished / "result.pvd").is_file()
    record = json.loads((finished / "provenance.json").read_text())
    assert record["status"] == "finished"
    assert record["solver"]["name"] == "QuasiNewton"
    result = read_result(finished)
    assert len(result.frames) == 9
    assert result.table["bar_activation"][-1] == 1
    assert result.table["bar_stretch"][-1] < 0.9


def test_run_prints_a_table_and_where_the_result_is(finished: Path) -> None:
    said, told = ((finished.parent / name).read_text() for name in ("said", "told"))
    head = said.splitlines()[:2]
    for word in ("time", "activation", "volume %", "iterations", "residual"):
        assert word in head[0] + head[1]
    table = said.split("\n\n")[0].splitlines()
    assert len(table) == 2 + 9
    assert max(len(line) for line in table) <= 100
    assert "result.pvd" in said
    assert "frame 9/9" in told


@pytest.mark.parametrize("width", [20, 40, 60, 80])
def test_the_table_drops_columns_where_there_is_no_room(
    width: int,
    bar_model: Model,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hinge = Hinge("elbow", ("base", "tip"), np.zeros(3), np.array([0.0, 1.0, 0.0]))
    names = ["time_s", "elbow_angle_deg", "iterations", "residual_N"]
    names += [f"belly_{output}" for output in ("activation", "force_N", "volume_change")]
    console = partial(Console, force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr("vastus.cli.console.Console", console)
    print_table(bar_model.with_(joints=(hinge,)), {name: np.array([-123.456]) for name in names})
    said = capsys.readouterr().out
    assert "…" not in said
    assert max(len(line) for line in said.splitlines()) <= width
    table, _, absent = said.partition("no room for ")
    words = ["time", "elbow", "activation", "belly", "volume", "iterations", "residual"]
    shown = [word in table for word in words]
    assert shown == sorted(shown, reverse=True)
    assert sum(shown) == {20: 4, 40: 4, 60: 6, 80: 7}[width]
    for word, there in zip(words[4:], shown[4:], strict=True):
        assert (word in absent) != there
    assert ("see table.csv" in " ".join(absent.split())) == (width < 80)


@pytest.mark.parametrize("width", [80, 100])
def test_the_table_has_every_active_muscle_by_its_whole_name(
    width: int,
    bar_model: Model,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"extensor_carpi_radialis_{end}" for end in ("longus", "brevis")]
    names += [f"musculus_{letter}_interosseus" for letter in "abcdefg"] + ["brachioradialis"]
    regions = [replace(r, muscle=names[0] if r.muscle else None) for r in bar_model.regions]
    bellies = [replace(regions[2], name=n, muscle=n) for n in [*names[1:], "idle_muscle"]]
    muscles = tuple(Muscle(name) for name in [*names, "idle_muscle"])
    region = bar_model.region.copy()
    region[np.flatnonzero(region == 2)[: len(bellies)]] = len(regions) + np.arange(len(bellies))
    model = bar_model.with_(regions=(*regions, *bellies), region=region, muscles=muscles)
    table = {"time_s": np.linspace(0, 1, 30)}
    for name in names:
        table |= {f"{name}_activation": table["time_s"], f"{name}_force_N": 1e3 * table["time_s"]}
    console = partial(Console, force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr("vastus.cli.console.Console", console)
    print_table(model, table | {"idle_muscle_activation": np.zeros(30)})
    said = capsys.readouterr().out
    assert max(len(line) for line in said.splitlines()) <= width
    for name in names:
        words = name.replace("_", "_ ").split()
        assert all(said.count(word) >= 2 for word in words), name
    assert said.count("activation") == said.count(" N ") == len(names)
    assert "idle" not in said
    assert "…" not in said


def test_a_run_without_a_folder_writes_beside_the_scene(scene: Path) -> None:
    scene.write_text(SCENE.replace("fps: 8", "fps: 1").replace("{bar: 1}", "{bar: 0.1}"))
    done = call("run", scene, "--no-pictures")
    folder = scene.with_name("scene_result")
    assert f"writing to '{folder}'; -o names another folder" in done.stderr
    assert len(read_result(folder).frames) == 2
    refused = call("run", scene, "--no-pictures", code=2)
    assert f"'{folder}' holds a result already" in refused.stderr


def test_a_build_without_a_folder_writes_beside_the_scene(scene: Path) -> None:
    done = call("build", scene, "--no-pictures")
    folder = scene.with_name("scene_model")
    assert f"writing to '{folder}'" in done.stderr
    assert (folder / "model.npz").is_file()
    assert str(folder / "scene.yaml") in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("command", ["run", "build"])
def test_a_folder_beside_the_scene_that_cannot_be_written_is_a_sentence(
    command: str, scene: Path
) -> None:
    for name in ("scene_result", "scene_model"):
        scene.with_name(name).write_text("a file, not a folder")
    done = call(command, scene, "--no-pictures", code=2)
    (said,) = done.stderr.splitlines()
    assert said.startswith(f"error: cannot write to '{scene.with_name('scene_')}")
    assert said.endswith("is not a folder; name another folder with -o")


@pytest.mark.parametrize("command", [["run"], ["build"], ["experiment", "isometric"]])
def test_a_refused_scene_is_one_sentence_and_no_folder(command: list[str], scene: Path) -> None:
    scene.write_text(SCENE.replace("{bar: 1}", "{baar: 1}"))
    done = call(*command, scene, code=2)
    (said,) = done.output.splitlines()
    assert said.startswith("error: ")
    assert said.endswith("(inputs.activation.baar): no muscle 'baar'; muscles: bar")
    assert list(scene.parent.iterdir()) == [scene]


@pytest.mark.parametrize("command", ["run", "build"])
def test_a_scene_that_is_not_there_is_named_before_its_folder(command: str, tmp_path: Path) -> None:
    done = call(command, tmp_path / "none.yaml", code=2)
    assert done.stderr == f"error: there is no file '{tmp_path / 'none.yaml'}'\n"
    assert not list(tmp_path.iterdir())


def test_run_draws_what_the_scene_asks_for(scene: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="pictures need the extra 'viz'")
    scene.write_text(SCENE.replace("fps: 8", "fps: 2"))
    done = call("run", scene, "-o", tmp_path / "out")
    assert (tmp_path / "out" / "contact_sheet.png").stat().st_size > 1000
    assert "contact_sheet.png" in done.stdout
    assert not (tmp_path / "out" / "movie.mp4").exists()


def test_run_refuses_to_replace_a_result_unless_told(finished: Path) -> None:
    scene = finished.parent / "scene.yaml"
    done = call("run", scene, "-o", finished, code=2)
    assert "--resume" in done.stderr
    assert "--overwrite" in done.stderr


def test_resume_of_a_finished_run_solves_nothing(finished: Path) -> None:
    before = (finished / "state.npz").read_bytes()
    done = call("run", finished.parent / "scene.yaml", "-o", finished, "--resume", "--no-pictures")
    assert "frame" not in done.stderr.replace("frames;", "")
    assert (finished / "state.npz").read_bytes() == before


def test_resume_refuses_a_scene_that_has_changed(finished: Path, scene: Path) -> None:
    scene.write_text(SCENE.replace("bar: 1}", "bar: 0.5}"))
    done = call("run", scene, "-o", finished, "--resume", code=2)
    assert "scene" in done.stderr


@pytest.mark.parametrize(
    "sent", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
def test_a_run_that_is_stopped_goes_on_where_it_was(
    sent: signal.Signals, finished: Path, scene: Path, tmp_path: Path
) -> None:
    """Stopped after three frames and resumed, it ends as if it had not been."""
    output = tmp_path / "out"
    process = start(scene, output)
    wait_for_frames(output, 3, process)
    process.send_signal(sent)
    _, said = process.communicate(timeout=60)
    if sent is signal.SIGINT:
        assert process.returncode == 130
        assert "--resume" in said.splitlines()[-1]
        assert "Traceback" not in said
        assert json.loads((output / "provenance.json").read_text())["status"] == "interrupted"
    assert 3 <= len(read_result(output).frames) < 9
    call("run", scene, "-o", output, "--resume", "--no-pictures", "--threads", 1)
    resumed, whole = read_result(output), read_result(finished)
    assert resumed.provenance["status"] == "finished"
    assert not [path for path in output.rglob("*") if path.name.startswith(".")]
    for i in range(9):
        np.testing.assert_allclose(resumed.frame(i).mesh.X, whole.frame(i).mesh.X, atol=1e-12)
    np.testing.assert_allclose(resumed.table["bar_stretch"], whole.table["bar_stretch"], atol=1e-11)


@pytest.mark.slow
def test_two_runs_do_not_mix_in_one_folder(scene: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    process = start(scene, output)
    wait_for_frames(output, 1, process)
    for flag in ("--resume", "--overwrite"):
        done = call("run", scene, "-o", output, flag, "--no-pictures", code=2)
        said = done.stderr.splitlines()[-1]
        assert f"error: '{output}' is being written by process {process.pid}" in said
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert len(read_result(output).frames) == 9


def start(scene: Path, output: Path) -> subprocess.Popen[str]:
    """A run in a process of its own, which waits a little after each frame."""
    code = (
        "import time, vastus.results.writer as w\n"
        "add = w.ResultWriter.add\n"
        "w.ResultWriter.add = lambda self, frame: (add(self, frame), time.sleep(0.3))\n"
        "from vastus.cli import main; main()"
    )
    words = ["run", str(scene), "-o", str(output), "--no-pictures", "--threads", "1"]
    # Python ignores SIGINT if it starts in the background; the shell's default is what users have.
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )


def wait_for_frames(output: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many frames are finished."""
    last = output / "frames" / f"frame_{count - 1:04d}.vtu"
    for _ in range(600):
        if last.exists() and (output / "state.npz").exists():
            time.sleep(0.1)
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError(f"no {last}")


def test_a_solve_that_fails_keeps_the_last_good_state(scene: Path, tmp_path: Path) -> None:
    heavy = SCENE.replace("gravity: [0, 0, 0]\n", "")
    scene.write_text(heavy + "solver: {kind: newton, tolerance: 1e-300, max_iterations: 1}\n")
    done = call("run", scene, "-o", tmp_path / "out", "--no-pictures", code=1)
    assert done.stderr.splitlines()[-1].startswith("error: frame 0 of 9")
    assert (tmp_path / "out" / "last_good.vtu").is_file()
    assert "failed" in call("info", tmp_path / "out").output


def test_check_prints_findings_and_goes_on(scene: Path) -> None:
    heavy = SCENE.replace("gravity: [0, 0, 0]", "gravity: [0, 0, -9810]")
    scene.write_text(heavy + "muscles: {bar: {strength: 10}}\n")
    done = call("check", scene)
    assert "warning: gravity is 9.81e+03 m/s^2" in done.output
    assert "warning: muscle 'bar' has strength 10 Pa" in done.output
    assert "ready to run" in done.output
    assert "2 warnings" in done.output


def test_info_shows_the_installation() -> None:
    said = call("info").output
    for word in ("vastus", "factorisation", "threads", "extras", "licences"):
        assert word in said


def test_info_shows_scenes_models_and_results(
    scene: Path, finished: Path, bar_model: Model, tmp_path: Path
) -> None:
    assert "muscle  bar" in call("info", scene).output
    save_model(tmp_path / "bar.npz", bar_model)
    assert "insertion: tendon" in call("info", tmp_path / "bar.npz").output
    assert "finished" in call("info", finished).output
    call("info", tmp_path / "nothing.txt", code=2)


def test_info_shows_fibres_at_the_optimal_stretch_of_their_muscle(tmp_path: Path) -> None:
    path = tmp_path / "bar.yaml"
    words = "muscles: {bar: {optimal: 0.9}}\n"
    path.write_text(f"vastus: 1\nmodel: {{shape: bar, tets: 1000}}\n{words}", encoding="utf-8")
    assert "lam_max 1.4 optimal 0.9)" in call("info", path).output


def test_a_law_of_the_users_own_is_used_by_name(scene: Path, tmp_path: Path) -> None:
    law = tmp_path / "mine.py"
    law.write_text(
        "import vastus\n"
        "@vastus.law\n"
        "def spongy(F, mu=2e4, lam=1e5):\n"
        "    J = vastus.materials.det(F)\n"
        "    return mu / 2 * ((F * F).sum() - 3) - mu * (J - 1) + lam / 2 * (J - 1) ** 2\n"
    )
    scene.write_text(SCENE.replace("output", "materials: {muscle: {law: spongy}}\noutput"))
    call("check", scene, code=2)
    assert "spongy" in call("info", scene, "--laws", law).output


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem == "torus" else [], id=path.stem)
        for path in sorted(EXAMPLES.glob("*.yaml"))
        if "\nscene: " not in path.read_text()  # studies and fits, of scenes in files of their own
    ],
)
def test_examples_have_no_findings_but_bones_in_each_other(example: Path) -> None:
    said = call("check", example).output.splitlines()
    warnings = [line for line in said if line.startswith("warning:")]
    assert all("'humerus' and 'forearm'" in line for line in warnings)
    # A forearm that is moved by an animation is not in the way of forces.
    jointed = "shape: elbow" in example.read_text() and "scripted" not in example.read_text()
    assert ("1 warning" if jointed else "no warnings") in said[-1]


def test_the_example_with_a_mesh_runs(tmp_path: Path) -> None:
    call("run", EXAMPLES / "strap.yaml", "-o", tmp_path / "out", "--no-pictures")
    table = read_result(tmp_path / "out").table
    assert table["belly_stretch"][-1] < 0.8
    # The weight of 5 N and the bone's own hang on the muscle, however it contracts; the default
    # solver is asked for a thousandth.
    np.testing.assert_allclose(table["belly_on_tip_N"], table["belly_on_tip_N"][0], rtol=1e-3)


def test_a_model_file_is_a_scene_s_model(bar_model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "bar.npz", bar_model)
    path = tmp_path / "scene.yaml"
    path.write_text("vastus: 1\nmodel: {file: bar.npz}\ninputs: {activation: {belly: 1}}\n")
    assert "2 bones" in call("check", path).output
    os.rename(tmp_path / "bar.npz", tmp_path / "other.npz")
    call("check", path, code=2)
