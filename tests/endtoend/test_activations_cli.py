"""`vastus activations`: files in, activations out, and a scene that takes them."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.files.motion_files import read_table
from vastus.results.result import read_result

EXAMPLES = Path(__file__).parents[2] / "examples"


def call(*words: object, code: int = 0) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.slow  # thirteen poses of volumes, twice
def test_a_scene_takes_the_activations_that_hold_its_own_joints(tmp_path: Path) -> None:
    """The example, in fewer tets and frames: in the table of the run no reaction is left."""
    shutil.copy(EXAMPLES / "curl.mot", tmp_path)
    text = (EXAMPLES / "curl.yaml").read_text().replace("tets: 3000", "tets: 1000")
    text = text.replace("seconds: 3", "seconds: 0.5").replace("fps: 4", "fps: 2")
    (tmp_path / "curl.yaml").write_text(text + "solver: {kind: newton}\n")
    done = call("activations", tmp_path / "curl.yaml", "-o", tmp_path / "curl.sto", "--no-plot")
    assert "elbow" in done.stdout
    found = read_table(tmp_path / "curl.sto")
    assert list(found.columns) == ["biceps", "triceps"]
    text = text.replace("# activation_file", "activation_file")
    (tmp_path / "curl.yaml").write_text(text + "solver: {kind: newton}\n")
    call("run", tmp_path / "curl.yaml", "-o", tmp_path / "run", "--no-pictures")
    table = read_result(tmp_path / "run").table
    assert table["elbow_angle_deg"] == pytest.approx([10.0, 25.0], abs=1e-6)
    assert table["biceps_activation"] == pytest.approx(found.columns["biceps"], abs=1e-9)
    with (tmp_path / "curl_torques.csv").open() as file:
        torques = [float(row["elbow_torque_Nm"]) for row in csv.DictReader(file)]
    assert np.abs(table["elbow_reaction_Nm"]).max() < 1e-4 * min(torques)


def test_line_muscles_follow_a_motion(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="bodies of MJCF are placed by MuJoCo")
    arm, motion = EXAMPLES / "little_arm.xml", EXAMPLES / "curl.mot"
    words = ["activations", arm, "--motion", motion, "-o", tmp_path / "a.sto", "--no-plot"]
    moving = call(*words)
    assert "flexor" in moving.stdout
    assert "warning" not in moving.stderr
    still = call(*words[:-3], "-o", tmp_path / "b.csv", "--static", "--fps", 10, "--no-plot")
    assert still.exit_code == 0
    one, other = read_table(tmp_path / "a.sto"), read_table(tmp_path / "b.csv")
    assert (len(one.times), len(other.times)) == (13, 31)
    assert one.columns["flexor"].max() > 0.001
    # At the top of the curl the forearm speeds downwards, which its weight does for nothing.
    assert one.columns["flexor"][6] < 0.99 * other.columns["flexor"][15]
    refused = call(*words, code=2)
    assert "exists already; replace it with --overwrite" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["little_arm.xml"], "name the motion by --motion"),
        (["little_arm.xml", "--motion", "curl.mot", "--column", "elbow"], "of the form JOINT=..."),
        (
            ["little_arm.xml", "--motion", "curl.mot", "--column", "elb=elbow"],
            "no coordinate 'elb'",
        ),
        (["little_arm.xml", "--motion", "curl.mot", "--rest", "elbow=x"], "'x' is not an angle"),
        (
            ["little_arm.xml", "--motion", "curl.mot", "--rest", "x=1"],
            "no driven joint 'x'; driven joints: elbow",
        ),
        (["little_arm.xml", "--motion", "curl.mot", "--lines"], "--lines is for the volumes"),
        (["little_arm.xml", "--motion", "curl.mot", "--muscle", "x"], "no muscle 'x'"),
        (["little_arm.xml", "--motion", "curl.mot", "-o", "a.png"], "supported are .csv, .sto"),
        (["elbow.yaml"], "drives no joint under 'inputs: joints'; name a --motion"),
        (["curl.mot"], "is neither line muscles (.osim, .xml) nor a scene (.yaml)"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_sentence(
    tmp_path: Path, words: list[str], said: str
) -> None:
    pytest.importorskip("mujoco", reason="bodies of MJCF are placed by MuJoCo")
    given = [EXAMPLES / word if (EXAMPLES / word).is_file() else word for word in words]
    output = [] if "-o" in words else ["-o", tmp_path / "out.sto"]
    done = call("activations", *given, *output, code=2)
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())
