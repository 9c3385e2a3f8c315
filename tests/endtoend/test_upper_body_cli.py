"""`vastus upper-body` as it is used, on a small trunk in place of the whole one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

pytest.importorskip("mujoco")

from small_trunk import small_trunk
from vastus.cli import main
from vastus.cli.bodies import upper_body as command
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.simulation import Simulation
from vastus.files.motion_files import read_motion
from vastus.files.npz import read_npz


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Dynamics(small_trunk())
    monkeypatch.setattr(command, "dynamics_of", lambda options: made)


def move(*words: object) -> Result:
    return CliRunner().invoke(main, ["upper-body", *map(str, words)])


def test_a_curl_is_written_with_poses_and_activations(tmp_path: Path) -> None:
    done = move("curl", "--seconds", 0.3, "--sensor", 5, "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    arrays = read_npz(tmp_path / "made" / "motion.npz")
    assert arrays["poses"].shape == (10, len(arrays["bodies"]), 3, 4)
    assert arrays["activations"].shape == (10, len(arrays["muscles"]))
    assert list(arrays["load_bodies"]) == ["handL", "handR"]
    assert arrays["load_masses"].tolist() == [[2.0, 2.0]] * 10
    table = read_motion(tmp_path / "made" / "motion.csv")
    elbow = list(arrays["joints"]).index("elbowL")
    assert table.columns["elbowL"] == pytest.approx(np.degrees(arrays["q"][:, elbow]), abs=1e-6)
    assert "biceps_L0_activation" in table.columns
    record = json.loads((tmp_path / "made" / "provenance.json").read_text())
    assert record["status"] == "finished"
    assert record["outcome"]["missing_Nm"] < 1e-3
    for name in ("plot.png", "sheet.png", "movie.mp4"):
        assert (tmp_path / "made" / name).stat().st_size > 5_000, name


def test_an_interrupted_run_goes_on_to_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("curl", "--seconds", 0.3, "--no-pictures", "-o")
    assert move(*words, tmp_path / "whole").exit_code == 0
    frames = Simulation.frames

    def stopped(self: Simulation, moment: object = None) -> object:
        for count, frame in enumerate(frames(self, moment)):  # type: ignore[arg-type]
            if count == 4:
                raise KeyboardInterrupt
            yield frame

    with monkeypatch.context() as patched:
        patched.setattr(Simulation, "frames", stopped)
        done = move(*words, tmp_path / "part")
    assert done.exit_code == 130
    assert "--resume" in done.output
    assert move(*words, tmp_path / "part").exit_code == 2
    assert move(*words, tmp_path / "part", "--resume").exit_code == 0
    whole, part = (read_npz(tmp_path / name / "motion.npz") for name in ("whole", "part"))
    for key in ("q", "activations", "poses"):
        assert np.array_equal(whole[key], part[key])
    other = move(*words, tmp_path / "part", "--resume", "--mass", 3)
    assert other.exit_code == 2
    assert "another exercise" in other.output


def test_a_motion_file_is_followed(tmp_path: Path) -> None:
    t = np.linspace(0, 0.3, 16)
    rows = "\n".join(f"{x:.4f},{20 * np.sin(4 * x) ** 2:.6f}" for x in t)
    (tmp_path / "lift.csv").write_text(f"time,shoulderL_abd\n{rows}\n")
    done = move(tmp_path / "lift.csv", "--no-pictures", "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    table = read_motion(tmp_path / "made" / "motion.csv")
    wanted = 20 * np.sin(4 * table.times) ** 2
    assert np.abs(table.columns["shoulderL_abd"] - wanted).max() < 1.0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("curls",), "no motion 'curls'"),
        (("pose",), "a pose needs a goal"),
        (("curl", "--coactivation", "leg=0.5"), "no part 'leg'"),
        (("curl", "--coactivation", "much"), "give a number"),
        (("curl", "--limit", "0"), "a greatest activation of 0"),
        (("curl", "--mass", "-1"), "it cannot be below 0"),
        (("pose", "--head", "0", "0", "170"), "cannot be"),
        (("curl", "--cartilages", "2 3 x"), "give ribs and ranges"),
        (("curl", "--seconds", "-1"), "lasts above 0"),
        (("curl", "--sensor", "0"), "a sensor of 0 1/s"),
        (("curl", "--steps", "0"), "0 steps a frame"),
        (("breathing", "--period", "0"), "a breath of 0 s"),
        (("absent.csv",), "absent.csv"),
        (("curl", "--resume", "--overwrite"), "give only one"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    done = move(*words, "-o", tmp_path / "made")
    assert done.exit_code == 2, done.output
    assert says in done.output
    assert done.output.count("error:") == 1
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("name", "text", "words", "says"),
    [
        ("odd.csv", "time,elbowL,elbwR\n0,0,0\n1,5,5\n", (), "a column 'elbwR', which is no joint"),
        ("odd.csv", "time,sternum_rx\n0,0\n1,5\n", (), "'sternum_rx' follows the others"),
        ("odd.csv", "time,left\n0,0\n1,5\n", ("--map", "left=elbow"), "no coordinate 'elbow'"),
        ("odd.csv", "time,left\n0,0\n1,5\n", ("--map", "right=elbowL"), "no column 'right'"),
        ("odd.csv", "time,left\n0,0\n1,5\n", ("--map", "left"), "give COLUMN=JOINT"),
        ("odd.bvh", "HIERARCHY\n", (), "is no BVH file"),
    ],
)
def test_a_motion_that_does_not_fit_is_one_sentence_and_writes_nothing(
    tmp_path: Path, name: str, text: str, words: tuple[str, ...], says: str
) -> None:
    (tmp_path / name).write_text(text)
    done = move(tmp_path / name, *words, "-o", tmp_path / "made")
    assert done.exit_code == 2, done.output
    assert says in done.output
    assert done.output.count("error:") == 1
    assert not (tmp_path / "made").exists()


BVH = """HIERARCHY
ROOT Hips
{{
  OFFSET 0 0 0
  CHANNELS 3 Xposition Yposition Zposition
  JOINT LeftForeArm
  {{
    OFFSET 0 10 0
    CHANNELS 1 Xrotation
    End Site
    {{
      OFFSET 0 10 0
    }}
  }}
}}
MOTION
Frames: {count}
Frame Time: 0.02
{rows}
"""


@pytest.mark.parametrize("kind", ["bvh", "mot"])
def test_columns_of_other_names_are_mapped_to_joints(tmp_path: Path, kind: str) -> None:
    angles = 20 * np.sin(4 * 0.02 * np.arange(16)) ** 2
    if kind == "bvh":
        rows = "\n".join(f"0 90 0 {angle:.6f}" for angle in angles)
        text, column = BVH.format(count=16, rows=rows), "LeftForeArm.Xrotation"
    else:
        rows = "\n".join(f"{0.02 * k:.2f}\t{angle:.6f}\t0" for k, angle in enumerate(angles))
        head = "lift\nversion=1\nnRows=16\nnColumns=3\ninDegrees=yes\nendheader\n"
        text, column = f"{head}time\tarm_flex_l\tpelvis_tx\n{rows}\n", "arm_flex_l"
    (tmp_path / f"lift.{kind}").write_text(text)
    words = ("--map", f"-{column}=elbowL", "--no-pictures", "-o", tmp_path / "made")
    done = move(tmp_path / f"lift.{kind}", *words)
    assert done.exit_code == 0, done.output
    table = read_motion(tmp_path / "made" / "motion.csv")
    wanted = -20 * np.sin(4 * table.times) ** 2
    assert np.abs(table.columns["elbowL"] - wanted).max() < 1.0
    again = move(tmp_path / "made" / "motion.csv", "--no-pictures", "-o", tmp_path / "again")
    assert again.exit_code == 0, again.output


def test_a_folder_without_a_rib_and_a_table_that_does_not_add_up_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    (tmp_path / "bones").mkdir()
    done = move("curl", "--bones", tmp_path / "bones", "-o", tmp_path / "made")
    assert done.exit_code == 2
    assert "has no surface of" in done.output
    done = move("curl", "--cartilages", "2 3 5-10", "-o", tmp_path / "made")
    assert done.exit_code == 2
    assert "do not add up: the ribs 2 to 10" in done.output
    assert not (tmp_path / "made").exists()


def test_a_run_that_ends_early_keeps_its_frames_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vastus.control.upper_body.simulation.BEYOND", 0.25)
    done = move("curl", "--seconds", 0.5, "--mass", 0, "--mass", 30, "--change", 0.2,
                "--no-pictures", "-o", tmp_path / "made")  # fmt: skip
    assert done.exit_code == 1
    assert "out of the muscles' reach" in done.output
    record = json.loads((tmp_path / "made" / "provenance.json").read_text())
    assert record["status"] == "failed"
    assert len(read_npz(tmp_path / "made" / "motion.npz")["times"]) >= 1
