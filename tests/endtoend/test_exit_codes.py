"""How a command ends: quietly if nobody reads on, with a sentence if the machine gives up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from vastus.cli import main

SCENE = """\
vastus: 1
model: {shape: bar, tets: 1000, length: 0.1, width: 0.02}
inputs: {seconds: 0.1, activation: {bar: 0.1}}
"""


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    """The words of a short run."""
    (tmp_path / "scene.yaml").write_text(SCENE)
    return ["run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out"), "--no-pictures"]


def unread(*words: str) -> tuple[int, str]:
    """The exit code and the errors of a command whose output nobody reads."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vastus", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    return process.wait(timeout=60), said


def test_lines_that_nobody_reads_end_the_command_quietly() -> None:
    assert unread("info") == (141, "")


@pytest.mark.slow
def test_a_table_that_nobody_reads_ends_the_command_quietly(run: list[str]) -> None:
    code, said = unread(*run)
    assert code == 141
    assert said.splitlines()[-1].startswith("frame 2/2")


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (MemoryError("PARDISO stopped"), "not enough memory for this model (PARDISO stopped)"),
        (MemoryError(), "not enough memory for this model; use fewer tets"),
        (ZeroDivisionError("float division by zero"), "float division by zero"),
    ],
)
def test_a_machine_that_gives_up_is_one_sentence(
    problem: Exception, says: str, run: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr("vastus.job.solve", give_up)
    done = CliRunner().invoke(main, run)
    assert done.exit_code == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert says in last
