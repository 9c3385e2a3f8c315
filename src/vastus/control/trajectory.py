"""Smooth curves through measured coordinates, with their speeds and accelerations.

Samples of a motion are noisy, and two derivatives make noise large. A Butterworth filter of third
order, run forwards and backwards so that nothing is delayed, takes away what is faster than a
cut-off frequency. The ends are continued by the samples turned about them. Through the samples runs
the natural spline of degree five, whose second derivative is smooth. This is what OpenSim does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline
from scipy.signal import butter, filtfilt

from vastus.materials.base import require
from vastus.numerics.types import Floats

ORDER = 3  # of the filter
EVEN = 1e-3  # by how much of itself the time between samples may differ
FEWEST = 6  # samples of a curve of degree five


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Coordinates (c,) over time [s]."""

    curve: BSpline

    @classmethod
    def through(cls, times: Floats, values: Floats, cutoff: float | None = None) -> Trajectory:
        """The curve through values (k, c) at times (k,) [s], filtered above `cutoff` [Hz]."""
        if cutoff is not None:
            times, values = _continued(times, values)
            values = _filtered(times, values, cutoff)
        none = np.zeros(values.shape[1])
        if len(times) >= FEWEST:
            ends = [(3, none), (4, none)]
            return cls(make_interp_spline(times, values, k=5, bc_type=(ends, ends)))
        if len(times) > 2:
            still = [(2, none)]
            return cls(make_interp_spline(times, values, k=3, bc_type=(still, still)))
        return cls(make_interp_spline(times, values, k=1))

    def at(self, times: Floats, derivative: int = 0) -> Floats:
        """(k, c) the coordinates at times (k,) [s], or a derivative of them by time."""
        if derivative > self.curve.k:
            return np.zeros((len(times), self.curve.c.shape[1]))
        return np.asarray(self.curve(times, nu=derivative))


def _continued(times: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Half as many samples more on each side, turned about the first and the last one."""
    n = len(times) // 2
    before, after = slice(n, 0, -1), slice(-2, -n - 2, -1)
    return (
        np.concatenate([2 * times[0] - times[before], times, 2 * times[-1] - times[after]]),
        np.concatenate([2 * values[0] - values[before], values, 2 * values[-1] - values[after]]),
    )


def _filtered(times: Floats, values: Floats, cutoff: float) -> Floats:
    steps = np.diff(times)
    step = float(steps.mean())
    require(
        bool((np.abs(steps - step) < EVEN * step + 1e-7).all()),
        "a motion is filtered only if its samples are evenly spaced in time",
    )
    require(
        0 < cutoff < 0.5 / step,
        f"a cut-off of {cutoff:g} Hz is not between 0 and {0.5 / step:g} Hz, half the samples a "
        "second",
    )
    b, a = butter(ORDER, cutoff, fs=1.0 / step)
    return np.asarray(filtfilt(b, a, values, axis=0, padlen=0))
