"""Places that an author painted on surfaces with a round brush."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Bools, Floats


@dataclass(frozen=True)
class Dab:
    """A ball [m] of the brush; all that it covers is painted."""

    centre: tuple[float, float, float]
    radius: float


def beyond(dabs: Sequence[Dab], points: Floats) -> Floats:
    """(k,) how far points (k, 3) are outside all dabs [m]; zero or less inside."""
    away = np.full(len(points), np.inf)
    for dab in dabs:
        np.minimum(away, np.linalg.norm(points - dab.centre, axis=1) - dab.radius, out=away)
    return away


def covered(dabs: Sequence[Dab], points: Floats) -> Bools:
    """(k,) whether points (k, 3) are painted."""
    return np.asarray(beyond(dabs, points) <= 0)
