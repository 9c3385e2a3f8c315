"""`vastus activations`: files in, activations out, and a scene that takes them."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import vastus
from builders import hinge, pair
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


HELD = """vastus: 1
model: {file: pair.npz}
inputs: {seconds: 1, fps: 2}
contact: none
solver: {kind: newton, tolerance: 1e-10}
"""


def held(folder: Path) -> Path:
    """A scene of two bones, a hinge 'AB' and a muscle 'm'."""
    vastus.save(folder / "pair.npz", pair(hinge()))
    (folder / "pair.yaml").write_text(HELD)
    return folder / "pair.yaml"


def test_a_scene_takes_the_activations_that_bring_its_outputs_to_targets(tmp_path: Path) -> None:
    scene, table = held(tmp_path), tmp_path / "wanted.csv"
    table.write_text("time,AB_angle_deg\n0.5,2\n1,4\n")
    done = call("activations", scene, "--targets", table, "-o", tmp_path / "new/a.sto")
    assert "for one moment" in done.stdout
    assert "AB_angle_deg at 2 moments" in done.stderr
    assert (tmp_path / "new/a.png").exists()
    account = read_table(tmp_path / "new/a_outputs.csv")
    assert account.columns["AB_angle_deg"] == pytest.approx([2.0, 4.0], abs=1e-6)
    assert account.columns["equilibria"].max() <= 8
    scene.write_text(HELD.replace("fps: 2", "fps: 2, activation_file: new/a.sto"))
    call("run", scene, "-o", tmp_path / "run", "--no-pictures")
    angles = read_result(tmp_path / "run").table["AB_angle_deg"]
    assert angles[1:] == pytest.approx([2.0, 4.0], abs=1e-5)


def test_a_marker_is_brought_to_a_place_and_the_rest_is_told(tmp_path: Path) -> None:
    scene = held(tmp_path)
    marker = ["--marker", "end=0.24,0,0", "--muscle", "m", "--no-plot"]
    reached = call("activations", scene, "--target", "end_z_m=-0.006", "-o", tmp_path / "a.csv",
                   *marker)  # fmt: skip
    assert "marker 'end' is vertex" in reached.stderr
    assert list(read_table(tmp_path / "a.csv").columns) == ["m"]
    account = (tmp_path / "a_outputs.csv").read_text().splitlines()
    assert account[0] == "time,end_z_m_wanted,end_z_m,equilibria"
    assert float(account[1].split(",")[2]) == pytest.approx(-0.006, abs=1e-6)
    far = call("activations", scene, "--target", "end_z_m=5", "-o", tmp_path / "b.csv", *marker)
    assert "warning: at 1 s out of reach: it misses end_z_m by" in far.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "AB_angle=4"], "no output 'AB_angle'"),
        (["--target", "AB_angle_deg=far"], "AB_angle_deg: 'far' is not a number"),
        (["--target", "AB_angle_deg"], "is not of the form OUTPUT=VALUE"),
        (["--marker", "end=0,1", "--target", "end_x_m=0"], "is no point; give x,y,z"),
        (["--target", "AB_angle_deg=4", "--motion", "x.csv"], "--motion is for a motion"),
        (["--target", "AB_angle_deg=4", "--muscle", "n"], "no muscle 'n'"),
        (["--targets", "none.csv"], "there is no file 'none.csv'"),
        (["--target", "AB_angle_deg=4", "--target", "AB_angle_deg=5"], "is given twice"),
        (["--marker", "end=0,1,0"], "where the marker 'end' is to be is not said; give --target"),
    ],
)
def test_targets_that_cannot_be_asked_are_told_in_one_sentence(
    tmp_path: Path, words: list[str], said: str
) -> None:
    scene = held(tmp_path)
    done = call("activations", scene, *words, "-o", tmp_path / "a.sto", code=2)
    assert said in done.stderr
    assert [line for line in done.stderr.splitlines() if "error" in line] == [
        done.stderr.splitlines()[-1]
    ]
    assert {path.name for path in tmp_path.iterdir()} == {"pair.npz", "pair.yaml"}


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
