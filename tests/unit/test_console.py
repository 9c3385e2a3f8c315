"""What exports and builds show while they work."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console

from patience import patience
from vastus.cli import console
from vastus.cli.console import BuildProgress, ExportProgress, beyond_muscle
from vastus.cli.failures import interrupts_heard


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


def built(terminal: bool, seconds: float) -> str:
    """What is shown of a step that says nothing for a while, at a heartbeat of 20 ms."""
    out = io.StringIO()
    shown = Console(file=out, force_terminal=terminal, width=100)
    with BuildProgress(shown, beat=0.02) as progress:
        progress.watch("mesh: pass 3")
        time.sleep(seconds)
    text = out.getvalue()
    time.sleep(0.1)
    assert out.getvalue() == text, "nothing is said once it is over"
    return text


def test_a_slow_silent_step_repeats_what_it_does_and_for_how_long() -> None:
    lines = built(terminal=False, seconds=1.5).splitlines()
    assert len(lines) >= 3
    assert all(re.fullmatch(r"mesh: pass 3 \(\d+ s\)", line) for line in lines)
    assert lines[0].endswith("(0 s)")
    assert not lines[-1].endswith("(0 s)")


def test_a_quick_step_is_told_once() -> None:
    assert built(terminal=False, seconds=0.0) == "mesh: pass 3 (0 s)\n"


def test_a_terminal_counts_the_seconds_of_a_silent_step() -> None:
    said = built(terminal=True, seconds=patience(1.5))
    assert re.search(r"mesh: pass 3 \([1-9]\d* s\)", said)


def test_a_silent_step_is_repeated_at_least_every_half_minute() -> None:
    assert console.BEAT <= 30


def test_muscles_that_are_too_short_or_too_long_are_named() -> None:
    outputs = {"biceps_stretch": 0.45, "triceps_stretch": 1.3, "deltoid_stretch": 1.7, "x_N": 9.0}
    assert beyond_muscle(outputs) == {"biceps": 0.45, "deltoid": 1.7}


def fault(cause: BaseException | None) -> None:
    raise SystemError("returned a result with an exception set") from cause


def test_an_interrupt_that_compiled_code_hides_is_heard() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts_heard():
        fault(KeyboardInterrupt())


def test_another_fault_of_compiled_code_stays_one() -> None:
    with pytest.raises(SystemError), interrupts_heard():
        fault(None)
