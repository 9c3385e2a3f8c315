"""How long a test may wait: limits of a quiet machine, which grow with how slow this one is now."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

COUNT = 100_000  # steps of the small computation that tells how slow the machine is
QUIET = 0.02  # [s] that it takes where nothing else runs
FRESH = 1.0  # [s] for which a measurement is taken for the present
SLOWEST = 20.0  # beyond it a test is stuck rather than slow

_measured = (-FRESH, 1.0)  # when [s], and how slow


def slowness() -> float:
    """How many times slower than a quiet one this machine is now, at least 1."""
    global _measured
    if time.monotonic() - _measured[0] > FRESH:
        _measured = time.monotonic(), min(max(1.0, _computing() / QUIET, _crowd()), SLOWEST)
    return _measured[1]


def patience(seconds: float) -> float:
    """The limit [s] for what takes so many seconds at most on a quiet machine."""
    return seconds * slowness()


def until(happened: Callable[[], bool], seconds: float, pause: float = 0.02) -> bool:
    """Whether something happens in so many seconds of a quiet machine; asks until it does."""
    deadline = Deadline(seconds)
    while not (done := happened()) and not deadline.over:
        time.sleep(pause)
    return done


class Deadline:
    """So many seconds of a quiet machine; they last longer while this one is slow."""

    def __init__(self, seconds: float) -> None:
        self._left, self._last = seconds, time.monotonic()

    @property
    def over(self) -> bool:
        """Whether they have passed; to be asked often, for each part passes at its own pace."""
        now = time.monotonic()
        self._left -= (now - self._last) / slowness()
        self._last = now
        return self._left <= 0


def _computing() -> float:
    """The time [s] of a small computation, which waits with all others for a processor."""
    began, total = time.perf_counter(), 0
    for number in range(COUNT):
        total += number * number
    return time.perf_counter() - began


def _crowd() -> float:
    """How many processes wanted each processor in the last minute."""
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0
