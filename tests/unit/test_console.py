"""What an export shows while it writes."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from vastus.cli import console
from vastus.cli.console import ExportProgress


def told(terminal: bool) -> str:
    out = io.StringIO()
    with ExportProgress(Console(file=out, force_terminal=terminal, width=100)) as progress:
        for done in range(1, 4):
            progress.watch(done, 3)
    return out.getvalue()


def test_a_terminal_shows_a_bar_with_the_last_frame() -> None:
    text = told(terminal=True)
    assert "100%" in text
    assert "frame 3/3" in text


def test_a_quick_export_says_nothing_elsewhere() -> None:
    assert told(terminal=False) == ""


def test_a_slow_export_says_now_and_then_how_long_it_will_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 10_000, 15))
    monkeypatch.setattr(console.time, "monotonic", lambda: float(next(clock)))
    assert "frame 1/3, about " in told(terminal=False)
