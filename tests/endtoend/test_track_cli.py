"""`vastus track` as it is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from vastus.bodies import juggler
from vastus.cli import main
from vastus.files.motion_files import Motion, read_table, write_motion
from vastus.numerics.types import Floats

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

EXAMPLES = Path(__file__).parents[2] / "examples"
BVH = """HIERARCHY
ROOT Forearm
{
  OFFSET 0 0 0
  CHANNELS 1 Xrotation
  End Site
  {
    OFFSET 0 0 1
  }
}
MOTION
Frames: 9
Frame Time: 0.05
"""


def track(*words: object) -> Result:
    return CliRunner().invoke(main, ["track", *map(str, words)])


def swing(path: Path, duration: float = 0.5) -> list[str]:
    """Write a swing of all joints of the upper body about its home pose."""
    body, rng = juggler(), np.random.default_rng(1)
    names = [body.dof_names[d] for arm in body.arms for d in arm.dofs]
    size, rate = rng.uniform(0.1, 0.2, 14), 2 * np.pi * rng.uniform(0.6, 1.1, 14)
    times = np.linspace(0.0, duration, 51)
    q = np.degrees(body.home + size * (1 - np.cos(rate * times[:, None])))
    write_motion(path, Motion(times, dict(zip(names, q.T, strict=True))))
    return names


def error(table: Motion, joint: str) -> Floats:
    """[deg] rms of a joint."""
    off = table.columns[f"{joint}_deg"] - table.columns[f"{joint}_wanted_deg"]
    return np.sqrt((off**2).mean())


def test_muscles_alone_follow_at_200_hz(tmp_path: Path) -> None:
    motion, folder = tmp_path / "swing.csv", tmp_path / "made"
    names = swing(motion)
    done = track("juggler", motion, "-o", folder, "--rate", 200, "--no-plot")
    assert done.exit_code == 0, done.output
    table = read_table(folder / "tracking.csv")
    errors = np.array([error(table, name) for name in names])
    assert np.sqrt((errors**2).mean()) < 0.2
    assert "14 joints follow 0.5 s of motion" in done.output
    assert "warning" not in done.output
    assert len(table.times) == 101
    given = read_table(motion)
    for name in names:  # what was wanted is what the file says
        wanted = np.interp(given.times, table.times, table.columns[f"{name}_wanted_deg"])
        np.testing.assert_allclose(wanted, given.columns[name], atol=1e-2)
        assert not table.columns[f"{name}_reserve_Nm"].any()
        assert np.abs(table.columns[f"{name}_missing_Nm"]).max() < 0.01
    activations = read_table(folder / "activations.sto").columns
    assert set(activations) == set(juggler().names)
    for name, a in activations.items():
        np.testing.assert_array_equal(a, table.columns[f"{name}_activation"])
        assert 0.0 < a.min() <= a.max() < 1.0
    assert max(table.columns["r_DELT1_force_N"]) > 10.0
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert record["status"] == "finished"
    assert set(record["outcome"]["rms"]) == set(names)
    again = track("juggler", motion, "-o", folder)
    assert again.exit_code == 2
    assert "holds a tracked motion; --overwrite replaces it" in again.output


def test_a_body_of_a_file_follows_the_channel_of_a_bvh(tmp_path: Path) -> None:
    motion, folder = tmp_path / "curl.bvh", tmp_path / "made"
    rows = [f"{-30 - 10 * (1 - np.cos(8.0 * k * 0.05))}" for k in range(9)]
    motion.write_text(BVH + "\n".join(rows) + "\n", encoding="utf-8")
    done = track(
        EXAMPLES / "little_arm.xml", motion, "-o", folder, "--hand", "lower", "--no-plot",
        "--column", "elbow=-Forearm.Xrotation", "--rest", "elbow=10",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    table = read_table(folder / "tracking.csv")
    assert table.columns["elbow_wanted_deg"][0] == pytest.approx(20.0)
    assert error(table, "elbow") < 0.2


def test_a_motion_that_muscles_cannot_follow_fails_and_says_where(tmp_path: Path) -> None:
    motion, folder = tmp_path / "wild.csv", tmp_path / "made"
    times = np.linspace(0.0, 0.4, 41)
    angle = 45.0 + 60.0 * np.sin(2 * np.pi * 12.0 * times)
    write_motion(motion, Motion(times, {"elbow": angle}))
    done = track(EXAMPLES / "little_arm.xml", motion, "-o", folder, "--hand", "lower", "--no-plot")
    assert done.exit_code == 1, done.output
    assert "the body does not follow the motion: it is off at elbow by" in done.output
    assert "warning: elbow lacks" in done.output
    assert "warning: the motion leads elbow 5.0 deg past its limit" in done.output
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert record["status"] == "failed"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--hand", "lower", "--column", "knee=elbow"], "no coordinate 'knee'; coordinates: elbow"),
        (["--hand", "lower", "--column", "elbow=knee"], "no column 'knee'; columns: elbow"),
        (["--hand", "lower", "--rest", "knee=3"], "no joint 'knee'; joints: elbow"),
        (["--hand", "lower", "--rest", "elbow=x"], "'x' is not an angle in degrees"),
        (["--hand", "lower", "--rate", "0"], "--rate 0: it must be between 1 and 1000 Hz"),
        (["--hand", "lower", "--reserve", "-1"], "--reserve -1: it cannot be below 0 N m"),
        (["--hand", "foot"], "has no hand 'foot': no site and no body has that name"),
        ([], "has no palm; name what each limb ends in by --hand: upper, lower"),
    ],
)
def test_what_cannot_be_tracked_is_one_sentence(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    folder = tmp_path / "made"
    done = track(EXAMPLES / "little_arm.xml", EXAMPLES / "curl.mot", "-o", folder, *words)
    assert done.exit_code == 2, done.output
    assert len(done.output.strip().splitlines()) == 1
    assert sentence in done.output
    assert not folder.exists()


def test_a_motion_of_other_joints_is_refused(tmp_path: Path) -> None:
    done = track("juggler", EXAMPLES / "curl.mot", "-o", tmp_path / "made")
    assert done.exit_code == 2
    assert "no column of the motion is called as a coordinate" in done.output
    assert "its columns are elbow" in done.output
    other = track("jugler", EXAMPLES / "curl.mot", "-o", tmp_path / "made")
    assert "'jugler' is neither an MJCF file (.xml) nor 'juggler'" in other.output


@pytest.mark.slow
def test_a_plot_of_tracking(tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="the extra 'viz' is absent")
    arm, curl = EXAMPLES / "little_arm.xml", EXAMPLES / "curl.mot"
    done = track(arm, curl, "-o", tmp_path / "made", "--hand", "lower")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "made" / "plot.png").stat().st_size > 10_000
