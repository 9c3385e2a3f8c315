"""Joints through the command line: driven, resumed, locked in a ring, and bones held by nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from builders import hinge, pair, row
from vastus.cli import main
from vastus.files.model_file import save_model
from vastus.model import Model
from vastus.parts import Drive
from vastus.results.result import read_result

SCENE = """\
vastus: 1
name: driven
model: {{file: model.npz}}
inputs:
  seconds: {seconds}
  fps: 4
  activation: {{m: [[0, 0.05], [1, 0.05]]}}
  joints: {joints}
output: {{movie: false}}
"""


def call(*words: object, code: int = 0) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def written(folder: Path, model: Model, joints: str = "{AB: [[0, 0], [1, -12]]}") -> Path:
    """A scene that drives a saved model."""
    save_model(folder / "model.npz", model)
    path = folder / "scene.yaml"
    path.write_text(SCENE.format(joints=joints, seconds=1))
    return path


def test_a_joint_is_driven_and_its_reaction_is_in_the_table(tmp_path: Path) -> None:
    scene = written(tmp_path, pair(hinge()))
    call("run", scene, "-o", tmp_path / "out", "--no-pictures")
    result = read_result(tmp_path / "out")
    angles = result.table["AB_angle_deg"]
    np.testing.assert_allclose(angles[[0, -1]], [0.0, -12.0], atol=1e-12)
    assert (np.diff(angles) < 0).all()
    assert np.isfinite(result.table["AB_reaction_Nm"]).all()
    rows = (tmp_path / "out" / "inputs.jsonl").read_text().splitlines()
    driven = [json.loads(line)["joints"][0] for line in rows]
    np.testing.assert_allclose(np.degrees(driven), angles, atol=1e-12)


def test_a_driven_run_goes_on_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    from vastus.job import prepare, solve
    from vastus.scene.read import read

    job = prepare(read(written(tmp_path, row((hinge(), hinge(("B", "C"), 0.28))))))
    whole = list(solve(job, tmp_path / "whole"))
    frames = solve(job, tmp_path / "part")
    for _ in range(2):
        next(frames)
    frames.close()
    *_, last = solve(job, tmp_path / "part", resume=True)
    np.testing.assert_array_equal(last.state.x, whole[-1].state.x)
    table = read_result(tmp_path / "part").table
    assert table["AB_reaction_Nm"][-1] == whole[-1].outputs["AB_reaction_Nm"]
    assert "BC_reaction_Nm" not in table


@pytest.mark.parametrize(
    ("joints", "sentence"),
    [
        ("{AC: 10}", "no joint 'AC'; joints: AB"),
        (
            "{AB: [[0, 0], [1, 100]]}",
            "'AB' is driven to 100 deg, beyond its range of -30 to 60 deg",
        ),
        ("{AB: [[0, [0, 1]], [1, [2, 3]]]}", "the key frames of 'AB' must be pairs of a time and"),
    ],
)
def test_what_cannot_be_driven_is_one_sentence(tmp_path: Path, joints: str, sentence: str) -> None:
    from vastus.skeleton.passive import Passive

    limited = replace(hinge(), passive=(Passive((np.radians(-30), np.radians(60))),))
    done = call("check", written(tmp_path, pair(limited), joints), code=2)
    assert sentence in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_a_ring_that_cannot_move_is_named_by_check_and_build(tmp_path: Path) -> None:
    joints = (hinge(), hinge(("B", "C"), 0.28), hinge(("C", "A"), 0.2, 0.08))
    scene = written(tmp_path, row(joints), "{}")
    sentence = (
        "warning: joints 'AB', 'BC' and 'CA' cannot move, because the bones 'A', 'B' and 'C' form "
        "a ring that leaves them no degree of freedom; leave one joint of the ring out, or make it "
        "a ball"
    )
    checked = call("check", scene).output
    assert sentence in checked
    assert "the joints leave the bones 0 degrees of freedom" in checked
    assert sentence in call("build", scene, "-o", tmp_path / "built", "--no-pictures").output


def test_a_bone_that_nothing_holds_is_named(tmp_path: Path) -> None:
    model = pair(hinge())
    loose = model.with_(bones=tuple(replace(bone, drive=Drive.FREE) for bone in model.bones))
    for words in (["check"], ["build", "--no-pictures", "-o", tmp_path / "built"]):
        done = call(words[0], written(tmp_path, loose, "{}"), *words[1:], code=2)
        assert "bones 'A' and 'B' are held by nothing; pin or script a bone" in done.output
