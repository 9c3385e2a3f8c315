"""`vastus run --referee`: from the scene to the distances, whatever happened to the run."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from vastus.cli import main
from vastus.job import Job
from vastus.results.result import Result, read_result
from vastus.solvers.newton import Newton

SCENE = """\
vastus: 1
model: {shape: elbow, tets: 2000}
inputs: {seconds: 1, fps: 2, activation: {biceps: 1}}
solver: {kind: quasi_newton}
"""


# For what does not depend on the model or how far it moves.
SMALL = """\
vastus: 1
model: {shape: bar, tets: 1000}
gravity: [0, 0, 0]
inputs: {seconds: 1, fps: 2, activation: {bar: 0.02}}
solver: {kind: quasi_newton}
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The words of a short run."""
    return words_of(SCENE, tmp_path)


@pytest.fixture
def short_words(tmp_path: Path) -> list[str]:
    """The words of a run of a moment."""
    return words_of(SMALL, tmp_path)


def words_of(scene: str, tmp_path: Path) -> list[str]:
    (tmp_path / "scene.yaml").write_text(scene)
    return ["run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out"), "--no-pictures"]


def ended(*words: str, code: int = 0) -> tuple[str, str]:
    """What a command prints on stdout and stderr."""
    done = CliRunner().invoke(main, words)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code == code, done.stderr
    return done.stdout, done.stderr


def ended_process(*words: str) -> str:
    """What a command prints on stdout, in a process of its own."""
    command = [sys.executable, "-m", "vastus", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def judged(folder: Path) -> tuple[Result, list[int]]:
    """A result, and the frames in it that the referee has judged."""
    result = read_result(folder / "out")
    return result, [v.frame for v in result.verdicts]


@pytest.mark.slow
def test_the_summary_shows_distance_and_speed(words: list[str], tmp_path: Path) -> None:
    said = ended_process(*words, "--threads", "1", "--referee")
    for word in ("Distance to Newton (tolerance 1e-08)", "max %", "mean %", "times", "in elbow"):
        assert word in said
    assert "no compiling" in said
    result, frames = judged(tmp_path)
    assert frames == [0, 1, 2]
    for verdict in result.verdicts:
        assert verdict.distance is not None
        assert verdict.distance.largest < 1e-3
        assert verdict.seconds == result.table["seconds"][verdict.frame]
        assert verdict.ratio is not None
    record = json.loads((tmp_path / "out" / "referee.json").read_text())
    assert (record["referee"]["name"], record["referee"]["tolerance"]) == ("Newton", 1e-8)


@pytest.mark.parametrize(
    ("solver", "far"),
    [("{kind: newton, bones: affine}", 1e-12), ("{kind: emu, alpha: 1000}", 0.02)],
)
def test_any_solver_is_judged(solver: str, far: float, words: list[str], tmp_path: Path) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text(SCENE.replace("2000", "1000").replace("{kind: quasi_newton}", solver))
    ended(*words, "--referee", "last")
    (verdict,) = judged(tmp_path)[0].verdicts
    assert verdict.distance is not None
    assert verdict.distance.largest < far


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (["--referee", "first"], "--referee 'first' names no frames; give all, last, every:5"),
        (["--referee="], "--referee '' names no frames"),
        (["--referee", "0,3"], "--referee names frame 3, but the scene has 3 frames: 0 to 2"),
    ],
)
def test_a_bad_choice_is_one_sentence_and_writes_nothing(
    choice: list[str], says: str, short_words: list[str], tmp_path: Path
) -> None:
    _, said = ended(*short_words, *choice, code=2)
    assert len(said.splitlines()) == 1
    assert said.startswith(f"error: {says}")
    assert not (tmp_path / "out").exists()


def test_a_scene_taken_for_frames_is_told_what_to_do(short_words: list[str]) -> None:
    _, said = ended("run", "--referee", *short_words[1:], code=2)
    assert "--referee as the last word for all" in said


def test_a_finished_run_is_judged_later_but_not_timed(
    short_words: list[str], tmp_path: Path
) -> None:
    ended(*short_words)
    said, _ = ended(*short_words, "--resume", "--referee", "1")
    assert "times not compared: 1 of 1 frames come from a run without --referee" in said
    assert "as fast" not in said
    (verdict,) = judged(tmp_path)[0].verdicts
    assert (verdict.frame, verdict.seconds, verdict.ratio) == (1, None, None)
    assert verdict.distance is not None
    assert verdict.distance.largest < 1e-3


def test_frames_are_judged_once_and_forgotten_with_their_run(
    short_words: list[str], tmp_path: Path
) -> None:
    ended(*short_words, "--referee", "0,2")
    before = judged(tmp_path)[0].verdicts
    said, told = ended(*short_words, "--resume", "--referee", "every:1")
    assert [line for line in told.splitlines() if "judged" in line] == ["frame 1 judged: converged"]
    after, frames = judged(tmp_path)
    assert frames == [0, 1, 2]
    assert (after.verdicts[0], after.verdicts[2]) == before
    assert "steps alone" in said
    ended(*short_words, "--overwrite")
    assert judged(tmp_path)[1] == []


@pytest.mark.parametrize("after", [0, 1])
def test_ctrl_c_keeps_frames_and_verdicts(
    after: int, short_words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted while the referee works, the run is whole and the referee goes on later."""
    with monkeypatch.context() as patched:
        patched.setattr("vastus.job.Referee.judge", stopping(after))
        done = CliRunner().invoke(main, [*short_words, "--referee", "every:2"])
    assert done.exit_code == 130
    last = done.stderr.splitlines()[-1]
    assert "3 of 3 frames are in" in last
    assert last.endswith("--resume --referee every:2")
    result, frames = judged(tmp_path)
    assert result.provenance["status"] == "finished"
    assert frames == [0, 2][:after]
    ended(*short_words, "--resume", "--referee", "every:2")
    result, frames = judged(tmp_path)
    assert frames == [0, 2]
    assert all(v.ratio for v in result.verdicts)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.name.startswith(".")]


def stopping(after: int):  # type: ignore[no-untyped-def]
    """A way to judge that is interrupted after so many frames."""
    from vastus.referee import Referee

    judge, count = Referee.judge, iter(range(after))

    def inner(self: Referee, *given: object) -> object:
        if next(count, None) is None:
            raise KeyboardInterrupt
        return judge(self, *given)  # type: ignore[arg-type]

    return inner


def test_ctrl_c_of_the_run_says_how_to_go_on_with_the_referee(
    short_words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vastus.job.solve", stopped)
    done = CliRunner().invoke(main, [*short_words, "--referee"])
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1].endswith("--resume --referee all")


def test_a_referee_that_finds_no_equilibrium_is_reported(
    short_words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hopeless = property(lambda self: Newton(tolerance=1e-300, max_iterations=1))
    monkeypatch.setattr(Job, "referee", hopeless)
    done = CliRunner().invoke(main, [*short_words, "--referee", "last"])
    assert done.exit_code == 0, done.output
    assert "frame 2: Newton failed: no equilibrium at" in done.stdout
    (verdict,) = judged(tmp_path)[0].verdicts
    assert verdict.distance is None
    assert "no equilibrium" in verdict.sentence


def test_the_summary_fits_a_terminal(
    short_words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    console = partial(Console, force_terminal=True, color_system=None, width=80)
    monkeypatch.setattr("vastus.cli.console.Console", console)
    done = CliRunner().invoke(main, [*short_words, "--referee"])
    summary = done.stdout.split("\n\n")[1]
    assert summary.startswith("Distance to Newton")
    assert max(len(line) for line in summary.splitlines()) <= 80
    assert "…" not in summary
