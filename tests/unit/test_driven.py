"""Runs of bodies as inputs of models: angles, activations and moments of the lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

import vastus
from swinging_body import swinging_motion
from vastus.cli import main
from vastus.coupling import Pairing, driven_inputs, line_moments
from vastus.coupling.driven import BodyJoint
from vastus.errors import VastusError
from vastus.model import Model
from vastus.results.body_motion import write_body_motion


@pytest.fixture(scope="module")
def elbow() -> Model:
    return vastus.shapes.elbow(tets=1000)


def test_inputs_are_the_angles_and_activations_of_the_run(elbow: Model) -> None:
    motion = swinging_motion(rows=101)
    pairing = Pairing({"elbow": BodyJoint("elbow", 1.0, 0.3)}, {"biceps": ["flexor"]})
    inputs, shown = driven_inputs(elbow, motion, pairing, fps=25.0), motion.frames(25.0)
    assert [one.time for one in inputs] == pytest.approx(shown.times.tolist())
    angles = np.array([one.joints for one in inputs])[:, 0]
    assert np.abs(angles - (shown.positions[:, 0] - 0.3)).max() < 1e-12
    levels = np.array([one.excitation for one in inputs])
    assert np.array_equal(levels[:, 0], shown.activations[:, 0])
    assert not levels[:, 1].any()
    turned = Pairing({"elbow": BodyJoint("elbow", -1.0, 0.8)})
    early = motion.at(range(10))
    assert driven_inputs(elbow, early, turned)[0].joints == pytest.approx([0.6])


@pytest.mark.parametrize(
    ("pairing", "sentence"),
    [
        (Pairing({"knee": BodyJoint("elbow")}), "no coordinate of the model 'knee'"),
        (Pairing({"elbow": BodyJoint("knee")}), "no joint 'knee'; joints: elbow"),
        (Pairing({}, {"biceps": ["brachialis"]}), "no unit 'brachialis'"),
        (Pairing({}, {"soleus": ["flexor"]}), "no muscle 'soleus'"),
        (Pairing({"elbow": BodyJoint("elbow", 1.0, 5.0)}), "beyond its range"),
    ],
)
def test_what_cannot_be_paired_is_named(elbow: Model, pairing: Pairing, sentence: str) -> None:
    with pytest.raises(VastusError, match=sentence):
        driven_inputs(elbow, swinging_motion(), pairing)


def test_moments_of_lines_are_forces_times_arms() -> None:
    motion = swinging_motion()
    still = motion.at([5])
    pairing = Pairing({"elbow": BodyJoint("elbow")}, {"biceps": ["flexor"]})
    moment = line_moments(still, pairing)["elbow"][0]
    data, away = motion.body.data(), 1e-6
    lengths = []
    for way in (away, -away):
        q = still.positions[0].copy()
        q[0] += way
        lengths.append(motion.body.data(q).ten_length[0])
    arm = -(lengths[0] - lengths[1]) / (2 * away)
    assert data.ten_length[0] > 0
    assert np.sign(moment) == np.sign(arm)
    turned = Pairing({"elbow": BodyJoint("elbow", -1.0)}, {"biceps": ["flexor"]})
    assert line_moments(still, turned)["elbow"][0] == pytest.approx(-moment)
    assert 0 < moment / arm < 2 * motion.body.forces[0]


def call(*words: object) -> object:
    return CliRunner().invoke(main, ["drive", *map(str, words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "swing"
    made.mkdir()
    write_body_motion(made, swinging_motion(rows=51))
    (tmp_path / "elbow.yaml").write_text(
        "vastus: 1\nname: driven\nmodel: {shape: elbow, tets: 1000}\ncontact: none\n"
    )
    return made


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "--joint is missing"),
        (["--joint", "elbow"], "--joint 'elbow' is not of the form"),
        (["--joint", "elbow=elbow@x"], "is not of the form"),
        (["--joint", "elbow=elbow", "--muscle", "biceps"], "--muscle 'biceps' is not of the form"),
        (["--joint", "elbow=elbow", "--from", "9"], "goes from 0 to 0.1 s"),
        (["--joint", "elbow=elbow", "--fps", "0"], "more than 0 frames"),
    ],
)
def test_wrong_words_are_one_sentence(folder: Path, words: list[str], sentence: str) -> None:
    done = call(folder, folder.parent / "elbow.yaml", *words)
    assert done.exit_code == 2  # type: ignore[attr-defined]
    assert sentence in done.output  # type: ignore[attr-defined]
    assert not (folder.parent / "elbow_driven").exists()


@pytest.mark.slow
def test_a_run_drives_the_elbow(folder: Path) -> None:
    out = folder.parent / "out"
    words = ["--joint", "elbow=elbow@10", "--muscle", "biceps=flexor", "--fps", 20, "-o", out]
    done = call(folder, folder.parent / "elbow.yaml", *words, "--no-pictures")
    assert done.exit_code == 0, done.output  # type: ignore[attr-defined]
    result = vastus.read_result(out)
    motion = swinging_motion(rows=51).frames(20.0)
    wanted = np.degrees(motion.positions[:, 0]) - 10.0
    assert np.abs(result.table["elbow_angle_deg"] - wanted).max() < 1e-6
    rows = np.genfromtxt(out / "moments.csv", delimiter=",", names=True)
    assert rows["elbow_tissue_Nm"][-1] > rows["elbow_tissue_Nm"][0]
    assert np.allclose(rows["elbow_lines_Nm"], line_moments(motion, Pairing(
        {"elbow": BodyJoint("elbow")}, {"biceps": ["flexor"]}))["elbow"])  # fmt: skip
