"""A muscle on its way to a volume: a centre line, a radius along it, and where the belly is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.numerics.types import Floats

SPACING = 3e-3  # [m] between points of a centre line
_SMOOTHING = 10e-3  # [m]
_KINK, _ROUNDINGS = 0.5, 8  # a kink turns by more than 60 degrees from one or two points on


@dataclass(frozen=True, eq=False)
class Strand:
    """Points (k, 3) [m] evenly along a muscle with its radius (k,) [m].

    The belly lies between the two fractions `belly` of the length; the rest is tendon.
    """

    name: str
    points: Floats
    radius: Floats
    belly: tuple[float, float]
    volume: float  # of the belly, wanted [m^3]

    @property
    def share(self) -> Floats:
        """(k,) the fraction of the way from origin to insertion at each point."""
        return np.linspace(0.0, 1.0, len(self.points))

    @property
    def length(self) -> float:
        """The length of the line [m]."""
        return float(reached(self.points)[-1])

    def moved(self, points: Floats) -> Strand:
        """The strand along other points."""
        return replace(self, points=points)


def reached(points: Floats) -> Floats:
    """(k,) the length of a line (k, 3) up to each point [m]."""
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)])


def at(points: Floats, share: Floats) -> Floats:
    """(n, 3) the places of a line (k, 3) at fractions (n,) of its length."""
    s = reached(points)
    return np.column_stack([np.interp(share * s[-1], s, column) for column in points.T])


def unkinked(points: Floats) -> Floats:
    """A line rounded as often as it takes to have no kink, from the same start to the same end."""
    for _ in range(_ROUNDINGS):
        if not any(_kinked(points, stride) for stride in (1, 2)):
            break
        points = at(smooth_line(points), np.linspace(0.0, 1.0, len(points)))
    return points


def _kinked(points: Floats, stride: int) -> bool:
    way = points[stride:] - points[:-stride]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    return bool((way[stride:] * way[:-stride]).sum(axis=1).min(initial=1.0) < _KINK)


def smooth_line(points: Floats) -> Floats:
    """A line evenly sampled and rounded over a centimetre, from the same start to the same end."""
    length = reached(points)[-1]
    count = max(9, 1 + round(length / SPACING))
    even = at(points, np.linspace(0.0, 1.0, count))
    width = _SMOOTHING / (length / (count - 1))
    # Odd extension keeps the ends in place.
    pad = min(count - 1, int(4 * width) + 1)
    before = 2 * even[0] - even[pad:0:-1]
    after = 2 * even[-1] - even[-2 : -pad - 2 : -1]
    whole = gaussian_filter1d(np.concatenate([before, even, after]), width, axis=0)
    return at(whole[pad : pad + count], np.linspace(0.0, 1.0, count))
