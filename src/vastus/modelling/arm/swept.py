"""Solids swept along a line, as fields [mm]: shafts, ridges, bellies and tendons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

from vastus.modelling.arm.field import scaled_distance, within
from vastus.modelling.sweep import Triple, Tube
from vastus.numerics.types import Floats

Rows = Sequence[Sequence[float]]

_STEP = 2.0  # [mm] between stations
_FAR = 14.0  # [mm] from the box around the line; further away the value is this constant


@dataclass(frozen=True, eq=False)
class Swept:
    """Elliptic sections along a smooth line through `rows` (k, 5) [mm].

    A row is x, y, z, half-width along `side`, or as nearly along it as the line allows, and
    half-width across. The ends are closed by half ellipsoids that stand out by `domes`.
    """

    rows: Floats
    side: Triple = (1.0, 0.0, 0.0)
    domes: tuple[float, float] = (3.0, 3.0)

    @cached_property
    def _tube(self) -> Tube:
        return Tube(self.rows[:, :3], self.rows[:, 3:], self.side)

    @cached_property
    def _stations(self) -> tuple[Floats, Floats, Floats, KDTree]:
        """Points (s, 3), frames (s, 3, 3) and half-widths (s, 2), and a tree of the points."""
        tube = self._tube
        u = np.linspace(0.0, tube.knots[-1], 2 + int(tube.knots[-1] / _STEP))
        points = tube.curve(u)
        return points, _frames(tube.curve(u, 1), self.side), tube.widths(u), KDTree(points)

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of a box around the solid [mm]."""
        reach = self.rows[:, 3:].max() + max(self.domes)
        points = self._stations[0]
        return points.min(axis=0) - reach, points.max(axis=0) + reach

    def __call__(self, X: Floats) -> Floats:
        """The field at points X (n, 3)."""
        return within(self._near, *self.box, margin=_FAR)(X)

    def _near(self, X: Floats) -> Floats:
        points, axes, widths, tree = self._stations
        _, station = tree.query(X)
        last = len(points) - 1
        ahead = np.einsum("ni,ni->n", X - points[station], axes[station, 2])
        place = np.clip(station + ahead / self._pace, 0.0, last)
        lower = np.minimum(place.astype(int), last - 1)
        part = (place - lower)[:, None]
        centre = points[lower] + part * (points[lower + 1] - points[lower])
        frame = axes[lower] + part[:, None] * (axes[lower + 1] - axes[lower])
        radii = widths[lower] + part * (widths[lower + 1] - widths[lower])
        local = np.einsum("nki,ni->nk", frame, X - centre)
        local[:, 2] = np.where((place <= 0) | (place >= last), local[:, 2], 0.0)
        cap = np.where(place <= 0, *self.domes)
        return scaled_distance(local, np.column_stack([radii, cap]))

    @cached_property
    def _pace(self) -> float:
        points = self._stations[0]
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).mean())


def swept(
    rows: Rows, side: Triple = (1.0, 0.0, 0.0), domes: tuple[float, float] = (3.0, 3.0)
) -> Swept:
    """A swept solid from a table of rows [mm]."""
    return Swept(np.array(rows, float), side, domes)


def _frames(tangents: Floats, side: Triple) -> Floats:
    """(s, 3, 3) rows side, across, tangent."""
    t = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    sides = np.asarray(side) - t * (t @ np.asarray(side))[:, None]
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    return np.stack([sides, np.cross(t, sides), t], axis=1)
