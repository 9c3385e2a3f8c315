"""Soft ties between the ends of ribs and their cartilages: points that springs hold together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.bodies.upper.joint_table import Cage, cartilage_body, rib_body
from vastus.modelling.trunk.landmarks import SIDES, Landmarks
from vastus.numerics.types import Floats

POINTS = 3  # around each rib's end
STIFFNESS = 5000.0  # [N/m] of each
RELAXATION = 0.05  # [s] damping over stiffness
_RADIUS = 0.006  # [m] of the circle they lie on


@dataclass(frozen=True, eq=False)
class TiePoint:
    """A point (3,) of the world at rest [m] that two bodies share."""

    name: str
    rib: str
    cartilage: str
    point: Floats

    @property
    def sites(self) -> tuple[str, str]:
        """The names of its sites on rib and cartilage."""
        return f"{self.name}.rib", f"{self.name}.cartilage"


@dataclass(frozen=True, eq=False)
class Ties:
    """Springs between sites: of `first` (m,) and `second` (m,), with k [N/m] and c [N s/m] (m,).

    The generalised force is -J^T (k x + c J v), where x is the site of `first` less that of
    `second` and J the difference of their Jacobians.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    stiffness: Floats
    damping: Floats


def tie_points(marks: Landmarks, cage: Cage) -> tuple[TiePoint, ...]:
    """Three points around the end of each of the ribs 1 to 10, across its middle line."""
    points = []
    for number in range(1, 11):
        for side in SIDES:
            rib = marks.ribs[number, side]
            for k, point in enumerate(_around(rib.tip, rib.tip - rib.at(0.95))):
                name = f"tie{number}{side}{k}"
                body = cartilage_body(number, side, cage)
                points.append(TiePoint(name, rib_body(number, side), body, point))
    return tuple(points)


def ties_of(points: Sequence[TiePoint], stiffness: float = STIFFNESS) -> Ties:
    """Springs of one stiffness [N/m] at all points."""
    first, second = zip(*(point.sites for point in points), strict=True)
    k = np.full(len(points), stiffness)
    return Ties(first, second, k, RELAXATION * k)


def _around(middle: Floats, along: Floats) -> Floats:
    """(3, 3) points on a circle across a direction, the first one uppermost."""
    t = along / np.linalg.norm(along)
    up = np.array([0.0, 0.0, 1.0]) - t[2] * t
    up /= np.linalg.norm(up)
    # A cross product is not mirrored with its factors: the sideways one is turned by hand.
    side = np.cross(t, up) * (1.0 if middle[0] > 0 else -1.0)
    angles = 2 * np.pi * np.arange(POINTS) / POINTS
    circle = np.cos(angles)[:, None] * up + np.sin(angles)[:, None] * side
    return middle + _RADIUS * circle
