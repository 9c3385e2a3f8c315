"""Solids that bones of the trunk are made of [mm], beside those of `shapes.implicit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from vastus.modelling.shapes.implicit import Field, SweptField, soft_max, within
from vastus.modelling.shapes.tube import Triple
from vastus.numerics.types import Floats

_STEP = 1.3  # [mm] between the balls of a sheet
_FAR = 12.0  # [mm] from the box around a sheet; further away the value is this constant
_UP: Triple = (0.0, 0.0, 1.0)


def tube(
    rows: Sequence[Sequence[float]],
    side: ArrayLike = _UP,
    domes: tuple[float, float] = (2.0, 2.0),
) -> SweptField:
    """A swept solid; rows of four have round sections."""
    table = np.array(rows, float)
    if table.shape[1] == 4:
        table = np.column_stack([table, table[:, 3]])
    x, y, z = np.asarray(side, float).tolist()
    return SweptField(table, (x, y, z), domes)


@dataclass(frozen=True, eq=False)
class Sheet:
    """A curved plate through points (n, m, 3), half as thick as `half` (n, m): balls on a patch."""

    points: Floats
    half: Floats

    @cached_property
    def _balls(self) -> tuple[Floats, Floats, KDTree]:
        """Centres (k, 3) and radii (k,), and a tree of the centres."""
        from scipy.interpolate import CubicSpline  # as heavy as the rest of the package

        patch = np.concatenate([self.points, self.half[..., None]], axis=-1)
        for axis in (0, 1):
            legs = np.linalg.norm(np.diff(patch[..., :3], axis=axis), axis=-1).sum(axis=axis)
            knots = np.arange(patch.shape[axis])
            places = np.linspace(0.0, knots[-1], max(2, int(legs.max() / _STEP)))
            patch = CubicSpline(knots, patch, axis=axis, bc_type="natural")(places)
        centres = patch[..., :3].reshape(-1, 3)
        return centres, np.maximum(patch[..., 3].ravel(), 0.5), KDTree(centres)

    def __call__(self, X: Floats) -> Floats:
        """The field at points X (n, 3)."""
        centres, radii, _ = self._balls
        low, high = centres.min(axis=0) - radii.max(), centres.max(axis=0) + radii.max()
        return within(self._near, low, high, margin=_FAR)(X)

    def _near(self, X: Floats) -> Floats:
        _, radii, tree = self._balls
        far, ball = tree.query(X)
        return far - radii[ball]


def sheet(points: Sequence[object], half: Sequence[object] | float) -> Sheet:
    """A plate through a grid of points, half as thick everywhere or as at each of them."""
    grid = np.asarray(points, float)
    return Sheet(grid, np.broadcast_to(np.asarray(half, float), grid.shape[:2]))


def both(field: Field) -> Field:
    """A solid of the left side, and its mirror image."""
    return lambda X: field(np.column_stack([np.abs(X[:, 0]), X[:, 1:]]))


def plane(point: ArrayLike, normal: ArrayLike) -> Field:
    """The half-space behind a plane."""
    p, n = np.asarray(point, float), np.asarray(normal, float)
    n = n / np.linalg.norm(n)
    return lambda X: (X - p) @ n


def trimmed_by(field: Field, *planes: Field, behind: Field, blend: float = 0.5) -> Field:
    """The part of a solid that no plane cuts off, where `behind` is negative; elsewhere all."""

    def left(X: Floats) -> Floats:
        beyond = np.max([p(X) for p in planes], axis=0)
        return soft_max(field(X), np.minimum(beyond, -behind(X)), blend)

    return left


@dataclass(frozen=True, eq=False)
class Solid:
    """A field and a box around it: its lowest and highest corner (3,) [mm]."""

    field: Field
    low: Floats
    high: Floats


def solid(field: Field, low: ArrayLike, high: ArrayLike) -> Solid:
    """A solid in a box."""
    return Solid(field, np.asarray(low, float), np.asarray(high, float))
