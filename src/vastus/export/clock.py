"""Time codes: frames are at whole numbers where their times allow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.errors import FileError
from vastus.numerics.types import Floats

USUAL = 24.0  # time codes a second, of a single frame
CLOSE = 1e-6  # of a time code: times are rounded numbers
FINEST = 10  # time codes in the smallest step


@dataclass(frozen=True, eq=False)
class Clock:
    """The time code of each frame: its time [s] times `rate`."""

    rate: float  # [1/s]
    codes: Floats  # (frames,)


def clock(times: Floats) -> Clock:
    """The clock of frames at `times` (frames,) [s], which must increase."""
    if not (np.diff(times) > 0).all():
        late = int(np.argmin(np.diff(times) > 0))
        raise FileError(
            f"frame {late + 1} at {times[late + 1]:g} s must be later than frame {late} "
            f"at {times[late]:g} s"
        )
    rate = _rate(times)
    codes = times * rate
    return Clock(rate, codes.round() if _are_whole(codes) else codes)


def _rate(times: Floats) -> float:
    """The smallest rate of some that puts all frames at whole numbers, or else the usual step."""
    if len(times) < 2:
        return USUAL
    steps = np.diff(times)
    rates = [_rounded(count / steps.min()) for count in range(1, FINEST + 1)]
    return next((r for r in rates if _are_whole(times * r)), _rounded(1.0 / np.median(steps)))


def _are_whole(codes: Floats) -> bool:
    return bool(np.abs(codes - codes.round()).max() < CLOSE)


def _rounded(rate: float) -> float:
    return float(round(rate)) if abs(rate - round(rate)) < CLOSE * rate else float(rate)
