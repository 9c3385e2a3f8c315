"""Studies in one process: nothing is computed twice, and what fails is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from studied import of_function, small_scene, square
from vastus.errors import FileError, ModelError, VastusError
from vastus.model import Model
from vastus.studies.analysis import Indices, indices
from vastus.studies.folder import StudyFolder
from vastus.studies.records import RECORDS, read_records
from vastus.studies.study import Options, Study
from vastus.studies.study_call import saltelli, study
from vastus.studies.tasks import Outcome, Status, Work, perform


@pytest.fixture(scope="module")
def scene(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_scene(tmp_path_factory.mktemp("study"), bar_model)


def computed(made: Study, folder: Path, **options: object) -> int:
    """How many variants a study computes in a folder."""
    progress = list(made.carry_out(folder, Options(**options)))  # type: ignore[arg-type]
    return sum(at.last is not None for at in progress)


def test_variants_of_a_scene_differ_as_their_values_do(scene: Path, tmp_path: Path) -> None:
    varied = {"muscles.belly.strength": [1e5, 2e5], "inputs.activation.belly": [0.02, 0.04]}
    made = study(scene, varied, outputs="f=belly_force_N")
    force = made.run(tmp_path / "out")["f"]
    assert (np.diff(force) > 0).tolist() == [True, False, True]
    assert force[1] == pytest.approx(force[2], rel=1e-6), "twice as strong is twice as active"
    known = read_records(tmp_path / "out" / RECORDS)
    again = study(scene, varied, outputs="f=belly_force_N")
    fresh = {o.key: o for o in reversed(list(again.outcomes()))}
    assert {k: (o.outputs, o.state) for k, o in fresh.items()} == {
        k: (o.outputs, o.state) for k, o in known.items()
    }, "the same bits, whatever was kept from the variant before"


@pytest.mark.parametrize("kind", ["dynamic", "quasi_newton"])
def test_any_scene_is_studied_with_the_same_bits_in_any_order(
    bar_model: Model, tmp_path: Path, kind: str
) -> None:
    scene = small_scene(tmp_path, bar_model)
    text = scene.read_text(encoding="utf-8").replace("newton", kind)
    scene.write_text(
        text.replace("seconds: 1, fps: 1", "seconds: 0.004, fps: 250"), encoding="utf-8"
    )
    varied = {"inputs.activation.belly": [0.1, 0.05], "muscles.belly.strength": [1e5, 2e5]}
    made = study(scene, varied, outputs=["belly_force_N@max"])
    there = {o.key: (o.status, o.outputs, o.state) for o in made.outcomes()}
    works = [work for work in reversed(made.works) if isinstance(work, Work)]
    back = {o.key: (o.status, o.outputs, o.state) for o in map(perform, works)}
    assert there == back
    assert {status for status, _, _ in there.values()} == {Status.DONE}


def test_nothing_is_computed_twice_and_a_larger_study_only_what_is_new(tmp_path: Path) -> None:
    assert computed(of_function(square, 3), tmp_path) == 3
    assert computed(of_function(square, 3), tmp_path) == 0
    assert computed(of_function(square, 5), tmp_path) == 2
    table = of_function(square, 5).table(tmp_path)
    assert table["square"].tolist() == [0, 1, 4, 9, 16]


def test_equal_rows_are_computed_once(tmp_path: Path) -> None:
    made = study(square, {"number": [2, 2, 3]})
    assert computed(made, tmp_path) == 2
    assert made.table(tmp_path)["square"].tolist() == [4, 4, 9]


def test_a_line_that_was_cut_off_is_computed_again(tmp_path: Path) -> None:
    computed(of_function(square, 3), tmp_path)
    path = tmp_path / RECORDS
    path.write_bytes(path.read_bytes()[:-20])
    assert computed(of_function(square, 3), tmp_path) == 1
    assert len(of_function(square, 3).table(tmp_path)) == 3


def picky(number: int) -> float:
    if number == 1:
        raise ModelError("one is too few")
    return float(number)


def test_a_variant_that_fails_is_recorded_with_its_sentence(tmp_path: Path) -> None:
    table = of_function(picky, 3).run(tmp_path)
    assert table["picky"].tolist() == [0, 2]
    assert [(o.status, o.sentence) for o in table.failed] == [(Status.FAILED, "one is too few")]
    assert computed(of_function(picky, 3), tmp_path) == 0
    assert computed(of_function(picky, 3), tmp_path, retry_failed=True) == 1
    with pytest.raises(VastusError, match="the study stops at number = 1: one is too few"):
        computed(of_function(picky, 3), tmp_path / "other", stop=True)


def test_a_refused_value_fails_by_itself(scene: Path, tmp_path: Path) -> None:
    made = study(scene, {"materials.muscle.poisson": [0.45, 0.7]}, outputs="belly_force_N")
    (failed,) = made.run(tmp_path).failed
    assert failed.sentence.startswith("materials.muscle.poisson = 0.7: stable_neo_hookean: ")
    assert failed.status is Status.REFUSED
    with pytest.raises(ModelError, match=r"the study stops at .*poisson = 0\.7"):
        made.run(tmp_path / "other", stop=True)


def test_an_output_that_no_table_has_is_refused_before_anything_runs(scene: Path) -> None:
    with pytest.raises(ModelError, match="unknown column 'belly_fore_N'; did you mean"):
        study(scene, {"muscles.belly.strength": [1e5]}, outputs="belly_fore_N")


@pytest.mark.parametrize("at", [-0.5, 1.5])
def test_a_moment_that_no_variant_has_is_refused_before_anything_runs(
    scene: Path, at: float
) -> None:
    kept = {"force": {"column": "belly_force_N", "at": {"time": at}}}
    sentence = f"output 'force' is wanted at {at:g} s, but the scene runs from 0 to 1 s"
    with pytest.raises(ModelError, match=sentence):
        study(scene, {"muscles.belly.strength": [1e5]}, outputs=kept)
    study(scene, {"inputs.seconds": [1, 2]}, outputs=kept)  # may come in some variants


def test_parts_share_the_variants_and_a_folder(tmp_path: Path) -> None:
    made = of_function(square, 5)
    assert computed(made, tmp_path, part=(1, 2)) == 3
    assert computed(made, tmp_path, part=(2, 2)) == 2
    assert len(made.table(tmp_path)) == 5
    assert len(list(tmp_path.glob("records_*_of_2.jsonl"))) == 2


def test_a_folder_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    going = of_function(square, 3).carry_out(tmp_path, Options())
    next(going)
    with pytest.raises(FileError, match="is being written by"):
        computed(of_function(square, 3), tmp_path)
    going.close()
    assert json.loads((tmp_path / "provenance.json").read_text())["status"] == "interrupted"


def test_a_key_is_of_the_scene_its_files_and_the_outputs(scene: Path, tmp_path: Path) -> None:
    varied = {"muscles.belly.strength": [1e5]}

    def key(scene: Path, outputs: str = "belly_force_N") -> str:
        return study(scene, varied, outputs=outputs).keys[0]

    copy = tmp_path / "bar.yaml"
    copy.write_text(scene.read_text(encoding="utf-8") + "# a remark\n", encoding="utf-8")
    (tmp_path / "bar.npz").write_bytes((scene.parent / "bar.npz").read_bytes())
    assert key(copy) == key(scene), "remarks and folders make no difference"
    assert key(copy, "belly_stretch") != key(scene)
    copy.write_text(scene.read_text(encoding="utf-8").replace("0.05", "0.06"), encoding="utf-8")
    assert key(copy) != key(scene)


def test_an_unknown_engine_or_part_of_its_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no engine 'clud'; engines: serial, local, dask"):
        of_function(square, 2).run(tmp_path, on="clud")
    with pytest.raises(ModelError, match="names no number of workers"):
        of_function(square, 2).run(tmp_path, on="local:many")
    with pytest.raises(ModelError, match="a worker has one thread, but 4 were asked for"):
        of_function(square, 2).run(tmp_path, on="local:2", threads=4)


def test_a_function_takes_only_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no argument of square 'numbr'"):
        study(square, {"numbr": [1]})


def ishigami(a: float, b: float, c: float) -> float:
    """Its first-order indices are .3139, .4424 and 0."""
    return float(np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a))


def test_the_indices_of_a_grid_are_exact() -> None:
    rows = [{"a": a, "b": b} for a in range(3) for b in range(4)]
    outcomes = [
        Outcome(str(k), r, Status.DONE, "", {"y": 3.0 * r["a"] + r["b"]})
        for k, r in enumerate(rows)
    ]
    folder = StudyFolder(Path(), "f", ("a", "b"), "grid", tuple(rows), tuple(outcomes), {})
    found = indices(folder, "y").indices
    first, second = 2 / 3 * 9, 5 / 4  # variances of 3 a and b
    assert [one.first for one in found] == pytest.approx(
        [first / (first + second), second / (first + second)]
    )
    with pytest.raises(ModelError, match="this design is grid; take means"):
        indices(folder, "y", "rbd_fast")
    drawn = StudyFolder(Path(), "f", ("a", "b"), "lhs", tuple(rows), tuple(outcomes), {})
    with pytest.raises(ModelError, match="12 rows are too few for indices; 40 are needed"):
        indices(drawn, "y")


def test_the_indices_of_a_known_function_are_found_and_failed_blocks_left_out() -> None:
    spread = (-float(np.pi), float(np.pi))
    rows = study(ishigami, saltelli(dict.fromkeys("abc", spread), n=512)).rows
    outcomes = [
        Outcome(str(k), r, Status.DONE, "", {"y": ishigami(**r)}) for k, r in enumerate(rows)
    ]

    def found(outcomes: list[Outcome]) -> Indices:
        names = ("a", "b", "c")
        folder = StudyFolder(Path(), "f", names, "saltelli", tuple(rows), tuple(outcomes), {})
        return indices(folder, "y")

    whole = found(outcomes)
    assert [one.first for one in whole.indices] == pytest.approx([0.314, 0.442, 0.0], abs=0.06)
    assert whole.doubts == ()
    fewer = found([Outcome("0", rows[0], Status.LOST, "gone"), *outcomes[1:]])
    assert fewer.rows == whole.rows - 5
    assert fewer.doubts == ("1 of 512 blocks of 5 rows are left out",)
