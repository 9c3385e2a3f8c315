"""Cross-sections of a muscle from its surface alone."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.geometry.surface import Surface
from vastus.modelling.anatomy.tendons import BINS
from vastus.numerics.types import Floats, Ints

_LEVELS = 2  # in each bin


def sections(surface: Surface, s: Floats) -> Floats:
    """(BINS,) the area [m^2] inside the lines of equal s (n,) on a closed surface, smoothed."""
    levels = (np.arange(BINS * _LEVELS) + 0.5) / (BINS * _LEVELS)
    low, high = s[surface.faces].min(axis=1), s[surface.faces].max(axis=1)
    crossed = [surface.faces[(low < level) & (high >= level)] for level in levels]
    areas = np.array(
        [_area(surface.X, f, s - level) for f, level in zip(crossed, levels, strict=True)]
    )
    means = areas.reshape(BINS, _LEVELS).mean(axis=1)
    return np.asarray(gaussian_filter1d(means, 1.0, mode="nearest"))


def _area(X: Floats, faces: Ints, rise: Floats) -> float:
    """The area that the line through faces (k, 3) where rise (n,) vanishes surrounds.

    From each corner that is alone on its side of the line it leaves by p and q: `|sum p x q| / 2`.
    """
    if not len(faces):
        return 0.0
    above = rise[faces] >= 0
    corner = (above == (above.sum(axis=1) == 1)[:, None]).argmax(axis=1)
    a, b, c = (faces[np.arange(len(faces)), (corner + i) % 3] for i in range(3))
    p, q = _crossing(X, rise, a, b), _crossing(X, rise, a, c)
    sign = np.where(rise[a] >= 0, 1.0, -1.0)[:, None]
    centre = p.mean(axis=0)
    return float(np.linalg.norm((sign * np.cross(p - centre, q - centre)).sum(axis=0))) / 2


def _crossing(X: Floats, rise: Floats, a: Ints, b: Ints) -> Floats:
    """(k, 3) where the rise between vertices a and b vanishes."""
    t = (rise[a] / (rise[a] - rise[b]))[:, None]
    return X[a] + t * (X[b] - X[a])
