"""Limits of tests: those of a quiet machine, longer on a slow one, and never without end."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import patience


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine whose time, speed and crowd the test says."""
    machine = SimpleNamespace(now=0.0, computing=patience.QUIET, crowd=0.5)
    time = SimpleNamespace(monotonic=lambda: machine.now)
    monkeypatch.setattr(patience, "time", time)
    monkeypatch.setattr(patience, "_computing", lambda: machine.computing)
    monkeypatch.setattr(patience, "_crowd", lambda: machine.crowd)
    monkeypatch.setattr(patience, "_measured", (-patience.FRESH - 1, 1.0))
    return machine


def test_a_quiet_machine_has_the_limit_as_it_is_written(clock: SimpleNamespace) -> None:
    clock.computing = 0.1 * patience.QUIET
    assert patience.patience(30.0) == 30.0


@pytest.mark.parametrize(("computing", "crowd", "slower"), [(3, 1, 3), (1, 4, 4), (1, 999, 20)])
def test_a_limit_grows_with_what_is_slowest(
    clock: SimpleNamespace, computing: float, crowd: float, slower: float
) -> None:
    clock.computing, clock.crowd = computing * patience.QUIET, crowd
    assert patience.patience(2.0) == pytest.approx(2.0 * slower)


def test_a_deadline_passes_slowly_while_the_machine_is_slow(clock: SimpleNamespace) -> None:
    deadline = patience.Deadline(10.0)
    clock.now = 8.0
    assert not deadline.over
    clock.crowd = 4.0
    clock.now = 14.0  # 1.5 of the 2 seconds that were left
    assert not deadline.over
    clock.now = 18.0
    assert deadline.over
