"""Every Python example runs as it stands, on a small mesh."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from vastus.materials.base import LAWS, load_library

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
# Quick tests build the one's scene, and look its names up; the other solves 14 equilibria.
LONG = {"two_bones", "soft_gripper"}


@pytest.fixture
def _own_laws() -> Iterator[None]:
    """Forget the laws that an example registers."""
    load_library()
    kept = dict(LAWS)
    yield
    LAWS.clear()
    LAWS.update(kept)


@pytest.mark.usefixtures("_own_laws")
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in LONG else [], id=path.stem)
        for path in EXAMPLES
    ],
)
def test_an_example_runs_and_prints(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example), "1000"])
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 2
    if example.stem == "soft_gripper":  # both of its conditions are met, with nothing left
        assert printed[-2].split()[-2:] == ["8.0000", "6.0000"]
    if example.stem == "own_law":  # it equals the built-in one
        assert float(printed[-1].split()[1]) < 1e-10
