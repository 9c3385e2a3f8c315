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
    monkeypatch.setattr(command, "_dynamics", lambda slack_ratio: made)


def move(*words: object) -> Result:
    return CliRunner().invoke(main, ["upper-body", *map(str, words)])


def test_a_curl_is_written_with_poses_and_activations(tmp_path: Path) -> None:
    done = move("curl", "--seconds", 0.3, "--sensor", 5, "-o", tmp_path / "made")
    assert done.exit_code == 0, done.output
    arrays = read_npz(tmp_path / "made" / "motion.npz")
    assert arrays["poses"].shape == (10, len(arrays["bodies"]), 3, 4)
    assert arrays["activations"].shape == (10, len(arrays["muscles"]))
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
