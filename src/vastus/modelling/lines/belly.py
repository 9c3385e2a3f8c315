"""How large a muscle is and how thick along its line, from its Hill parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.modelling.lines.distance import Obstacle
from vastus.modelling.lines.parts import LineMuscle
from vastus.modelling.lines.strand import Strand, smooth_line
from vastus.numerics.types import Floats

STRESS = 5e5  # [Pa] of muscle at full activation: force by area across the fibres
_TENDON_STRESS = 40e6  # [Pa] that a tendon is as thick as to bear
_THINNEST = 2.5e-3  # [m] radius of a tendon
_SLENDER = 8.0  # least ratio of a belly's length to its radius
_SHORTENING = 0.55  # largest share of its length that a belly loses over the joints' range
_MOST = 0.88  # largest share of the line that is belly
_FULLNESS = 0.8  # exponent of the sine that is a belly's outline
_BLUR = 0.06  # of the outline, as a fraction of the belly's length
_PROXIMAL = 0.4  # share of the tendon's length at the origin, if bones do not mind


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


def strand_of(muscle: LineMuscle, bones: Obstacle) -> Strand:
    """The muscle as a strand on its own line, whatever is in its way."""
    size = size_of(muscle)
    points = smooth_line(muscle.points)
    share = np.linspace(0.0, 1.0, len(points))
    part = size.length / muscle.length
    clearance = bones.signed(points)[0]

    def profile(start: float) -> Floats:
        return radius(share, (start, start + part), size, muscle.length)

    def cost(proximal: float) -> float:
        r = profile(proximal * (1 - part))
        blocked = (r * np.maximum(0.0, r - clearance)).sum() / (r * r).sum()
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
