"""Every Python example runs as it stands, on a small mesh."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def run(example: Path, folder: Path) -> list[str]:
    """The lines that an example prints."""
    command = [sys.executable, "-W", "error", str(example), "1000"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints(example: Path, tmp_path: Path) -> None:
    assert len(run(example, tmp_path)) > 2


def test_the_law_of_the_example_equals_the_built_in(tmp_path: Path) -> None:
    *_, last = run(EXAMPLES[0].with_name("own_law.py"), tmp_path)
    assert float(last.split()[1]) < 1e-10
