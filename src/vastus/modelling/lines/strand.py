"""A muscle on its way to a volume: a centre line and a radius, from its Hill parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.geometry.signed_distance import Obstacle
from vastus.modelling.lines.lines import LineJoint, LineMuscle
from vastus.numerics.types import Floats

SPACING = 3e-3  # [m] between points of a centre line
_SMOOTHING = 10e-3  # [m]
_KINK, _ROUNDINGS = 0.5, 8  # a kink turns by more than 60 degrees from one or two points on
STRESS = 5e5  # [Pa] of muscle at full activation: force by area across the fibres
_TENDON_STRESS = 40e6  # [Pa] that a tendon is as thick as to bear
_THINNEST = 2.5e-3  # [m] radius of a tendon
_SLENDER = 8.0  # least ratio of a belly's length to its radius
_SHORTENING = 0.55  # largest share of its length that a belly loses over the joints' range
_MOST = 0.8  # largest share of the line that is belly
_FULLNESS = 0.8  # exponent of the sine that is a belly's outline
_BLUR = 0.06  # of the outline, as a fraction of the belly's length
_NEAR, _MATTERS = 50e-3, 4.0  # [m] from a joint, where lacking room counts so much more
_PROXIMAL = 0.4  # share of the tendon's length at the origin, if bones do not mind


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


@dataclass(frozen=True)
class Size:
    """Volume [m^3] and length [m] of a belly, and radius of its tendons [m]."""

    volume: float
    length: float
    tendon: float


def size_of(muscle: LineMuscle) -> Size:
    """The size of a muscle's belly."""
    L, L0 = muscle.length, muscle.fibre_length
    volume = muscle.force / STRESS * min(L0, 0.85 * L)
    by_fibres = float(np.clip(L - muscle.tendon_length, 0.8 * L0, 1.2 * L0))
    by_shape = (volume * _SLENDER**2 / (np.pi * _mean_square())) ** (1 / 3)
    by_range = (L - muscle.shortest) / _SHORTENING
    length = min(max(by_fibres, by_shape, by_range), _MOST * L)
    tendon = max(_THINNEST, float(np.sqrt(muscle.force / _TENDON_STRESS / np.pi)))
    return Size(volume, length, tendon)


def strand_of(muscle: LineMuscle, bones: Obstacle, joint: LineJoint | None = None) -> Strand:
    """The muscle as a strand on its own line, whatever is in its way.

    A belly that has too little room at a `joint` would change its moment arm there.
    """
    size = size_of(muscle)
    points = smooth_line(muscle.points)
    share = np.linspace(0.0, 1.0, len(points))
    part = size.length / muscle.length
    clearance = bones.signed(points)[0]
    weight = np.ones(len(points))
    if joint is not None:
        near = np.linalg.norm(points - joint.centre, axis=1) / _NEAR
        weight += _MATTERS * np.exp(-(near**2))

    def profile(start: float) -> Floats:
        return radius(share, (start, start + part), size, muscle.length)

    def cost(proximal: float) -> float:
        r = profile(proximal * (1 - part))
        blocked = (weight * r * np.maximum(0.0, r - clearance)).sum() / (r * r).sum()
        return float(blocked + 0.2 * abs(proximal - _PROXIMAL))

    start = min(np.linspace(0.1, 0.9, 17), key=cost) * (1 - part)
    return Strand(muscle.name, points, profile(start), (start, start + part), size.volume)


def radius(share: Floats, belly: tuple[float, float], size: Size, length: float) -> Floats:
    """(k,) the radius [m] at fractions (k,) of the line: a belly of the volume, and tendons."""
    along = np.clip((share - belly[0]) / (belly[1] - belly[0]), 0.0, 1.0)
    outline = np.sin(np.pi * along) ** _FULLNESS
    step = (share[1] - share[0]) / (belly[1] - belly[0])
    outline = gaussian_filter1d(outline, _BLUR / step, mode="nearest")
    inside = (share >= belly[0]) & (share <= belly[1])
    slab = length * (share[1] - share[0])
    widest = float(np.sqrt(size.volume / (np.pi * slab * (outline[inside] ** 2).sum())))
    for _ in range(20):  # the tendon's radius at the ends takes its part of the volume
        r = np.maximum(widest * outline, size.tendon)
        widest *= float(np.sqrt(size.volume / (np.pi * slab * (r[inside] ** 2).sum())))
    return np.maximum(widest * outline, size.tendon)


def _mean_square() -> float:
    along = np.linspace(0.0, 1.0, 201)
    return float((np.sin(np.pi * along) ** (2 * _FULLNESS)).mean())
