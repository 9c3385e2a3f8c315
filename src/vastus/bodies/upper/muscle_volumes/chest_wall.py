"""The outside of the trunk's bones as a smooth wall, on which flat muscles are laid.

Places on it are given by the angle from the front, 90 degrees on the left and 180 behind, the
height, and how far they are lifted from it [mm].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import LUMBAR, THORACIC
from vastus.numerics.types import Bools, Floats

CENTRE = np.array([0.0, -95.0])  # x, y [mm] of the axis that angles are about
_LOW, _HIGH, _PACE = 790.0, 1390.0, 5.0  # [mm] heights
_TURN = 3.0  # [deg]
_SPREAD = (5, 5)  # steps of height and angle over which the wall covers gaps between bones
_SOFT = (2.5, 2.0)  # steps over which it is smoothed
_SIDE, _NEAR = 130.0, 75.0  # [deg], [mm] of what the belly is in front of
_BELLY = (820.0, 1150.0)  # [mm] its heights
_BONES = (
    *THORACIC, *LUMBAR, "sternum", "sacrum", "hipL",
    *(f"rib{k}L" for k in range(1, 13)), *(f"cart{k}L" for k in range(1, 9)),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ChestWall:
    """Radii (heights, angles) [mm] of the wall about its axis."""

    radii: Floats

    @classmethod
    def over(cls, bones: Mapping[str, Surface]) -> ChestWall:
        """The wall over bones [m] of the left half."""
        X = 1e3 * np.concatenate([_dense(bones[name]) for name in _BONES])
        X = X[X[:, 0] >= -1.0]
        flat = X[:, :2] - CENTRE
        angle = np.degrees(np.arctan2(np.maximum(flat[:, 0], 0.0), -flat[:, 1]))
        row = np.rint((X[:, 2] - _LOW) / _PACE).astype(int)
        column = np.rint(angle / _TURN).astype(int)
        rows, turns = int((_HIGH - _LOW) / _PACE) + 1, int(180 / _TURN) + 1
        radii = np.zeros((rows, turns))
        inside = (row >= 0) & (row < rows) & ~_deep(X, angle)
        np.maximum.at(radii, (row[inside], column[inside]), np.linalg.norm(flat[inside], axis=1))
        radii = ndimage.maximum_filter(radii, _SPREAD, mode="mirror")
        return cls(ndimage.gaussian_filter(_filled(radii), _SOFT, mode=("nearest", "mirror")))

    def at(self, angle: float, z: float, lift: float = 0.0) -> Floats:
        """The point (3,) at an angle [deg] and height, lifted [mm]."""
        place = [[(z - _LOW) / _PACE], [angle / _TURN]]
        radius = ndimage.map_coordinates(self.radii, place, order=1, mode="nearest")[0] + lift
        turn = np.radians(angle)
        return np.array([radius * np.sin(turn), CENTRE[1] - radius * np.cos(turn), z])


def _deep(X: Floats, angle: Floats) -> Bools:
    """(n,) the points of loins and pelvis that the belly is in front of."""
    radius = np.linalg.norm(X[:, :2] - CENTRE, axis=1)
    return (angle < _SIDE) & (radius < _NEAR) & (X[:, 2] > _BELLY[0]) & (X[:, 2] < _BELLY[1])


def _dense(surface: Surface) -> Floats:
    corners = surface.X[surface.faces]
    return np.concatenate([surface.X, corners.mean(axis=1), (corners[:, 0] + corners[:, 1]) / 2])


def _filled(radii: Floats) -> Floats:
    """Radii with gaps filled along the height."""
    heights = np.arange(len(radii))
    filled = np.empty_like(radii)
    for k, column in enumerate(radii.T):
        known = column > 0
        filled[:, k] = np.interp(heights, heights[known], column[known])
    return filled
