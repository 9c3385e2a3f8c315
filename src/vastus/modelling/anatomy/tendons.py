"""Which stretches of a muscle are tendon: those that are thin, from each end on."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.modelling.anatomy.attach import End
from vastus.numerics.types import Floats

BINS = 25
THIN = 0.3  # of the largest cross-section
LEAST = 0.03  # of the length


def cross_sections(s: Floats, volumes: Floats, length: float) -> Floats:
    """(BINS,) the cross-section [m^2] of a muscle along its length [m], smoothed.

    Its tets have the coordinates s (m,) and volumes (m,) [m^3].
    """
    inside = np.clip((s * BINS).astype(int), 0, BINS - 1)
    areas = np.bincount(inside, volumes, BINS) / (length / BINS)
    return np.asarray(gaussian_filter1d(areas, 1.0, mode="nearest"))


def tendon_fractions(areas: Floats) -> tuple[float, float]:
    """How much of the length is tendon at the origin and at the insertion, from cross-sections."""
    thick = np.flatnonzero(areas >= THIN * areas.max())
    ends = (thick[0] / len(areas), 1.0 - (thick[-1] + 1) / len(areas))
    return max(LEAST, float(ends[0])), max(LEAST, float(ends[1]))


def in_tendon(s: Floats, fractions: tuple[float, float]) -> np.ndarray:
    """(m,) which tets with coordinates s (m,) are tendon."""
    tendon = np.zeros(len(s), bool)
    for end in End:
        tendon |= end.along(s) < fractions[end]
    return tendon
