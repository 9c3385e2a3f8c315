"""Which stretches of a muscle are tendon: those with a surface of their own, or its thin ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.errors import ModelError
from vastus.geometry.adjacency import Walls
from vastus.model import Tissue
from vastus.modelling.anatomy.attachment import End
from vastus.modelling.anatomy.parts import Part
from vastus.numerics.types import Floats, Ints

BINS = 25
THIN = 0.3  # of the largest cross-section
LEAST = 0.03  # of the length


def with_tendons(labels: Ints, parts: Sequence[Part], between: Walls) -> Ints:
    """(m,) the labels with each tendon that has a surface of its own given to its muscle.

    Of several heads it goes to the one that it shares most area with.
    """
    labels = labels.copy()
    for i, part in enumerate(parts):
        if part.tissue is Tissue.TENDON:
            heads = [k for k, p in enumerate(parts) if _head(p, part)]
            areas = [_shared(labels, between, i, head) for head in heads]
            if not areas or max(areas) == 0:
                raise ModelError(f"tendon '{part.name}' touches no part of muscle '{part.muscle}'")
            labels[labels == i] = heads[int(np.argmax(areas))]
    return labels


def _head(part: Part, tendon: Part) -> bool:
    return part.tissue is Tissue.MUSCLE and part.muscle == tendon.muscle


def _shared(labels: Ints, between: Walls, a: int, b: int) -> float:
    """The area [m^2] between two parts."""
    pair = np.sort(labels[between.tets], axis=1) == sorted((a, b))
    return float(between.areas[pair.all(axis=1)].sum())


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


def spanned(s: Floats) -> tuple[float, float]:
    """How much of the length tendon takes at each end, from the coordinates (m,) of its tets."""
    ends = [end.along(s)[end.along(s) < 0.5] for end in End]
    first, last = (float(np.quantile(near, 0.95)) if len(near) else 0.0 for near in ends)
    return first, last


def in_tendon(s: Floats, fractions: tuple[float, float]) -> np.ndarray:
    """(m,) which tets with coordinates s (m,) are tendon."""
    tendon = np.zeros(len(s), bool)
    for end in End:
        tendon |= end.along(s) < fractions[end]
    return tendon
