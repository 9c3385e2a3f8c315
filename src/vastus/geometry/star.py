"""The tets around a vertex, and where the vertex would be best for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from vastus.geometry.quality import quality
from vastus.geometry.tetmesh import FACES
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Star:
    """The tets at a vertex: how high it is above the opposite face of each."""

    place: Floats  # (3,) of the vertex [m]
    heights: Floats  # (k,) [m], negative where a tet is inverted
    slopes: Floats  # (k, 3) how each height grows with the place
    reach: float  # [m] the mean distance to the vertices around

    @classmethod
    def of(cls, X: Floats, T: Ints, vertex: int) -> Star:
        """The star of a vertex, from the vertices X (n, 3) [m] and its tets T (k, 4)."""
        corner = np.equal(T, vertex).argmax(axis=1)
        a, b, c = X[np.take_along_axis(T, FACES[corner], axis=1)].transpose(1, 0, 2)
        inward = np.cross(c - a, b - a)
        size = np.linalg.norm(inward, axis=1, keepdims=True)
        slopes = np.divide(inward, size, out=np.zeros_like(inward), where=size > 0)
        x = X[vertex]
        reach = float(np.linalg.norm(np.stack([a, b, c]) - x, axis=2).mean())
        return cls(x, np.einsum("ki,ki->k", slopes, x - a), slopes, reach)

    def best(self) -> tuple[Floats, float]:
        """The step (3,) [m], within reach along each axis, that makes the lowest height greatest.

        The heights are linear in the place, so this is a linear programme; also the height [m].
        """
        table = np.column_stack([-self.slopes, np.ones(len(self.heights))])
        found = linprog(
            [0, 0, 0, -1],
            A_ub=table,
            b_ub=self.heights / self.reach,
            bounds=[(-1, 1)] * 3 + [(None, None)],
        )
        if found.x is None:
            return np.zeros(3), float(self.heights.min())
        step = found.x[:3] * self.reach
        return step, float((self.heights + self.slopes @ step).min())

    def least(self, step: Floats, height: float) -> Floats:
        """The shortest part (3,) of a step after which no height is below `height` [m].

        All heights must be so at the end of the step.
        """
        low = self.heights < height
        gain = (self.slopes @ step)[low]
        share = np.divide(height - self.heights[low], gain, out=np.ones_like(gain), where=gain > 0)
        return step * min(float(share.max(initial=0.0)), 1.0)


def volumes(X: Floats, T: Ints) -> Floats:
    """(k,) the signed volumes [m^3] of tets T (k, 4)."""
    a, b, c, d = X[T].transpose(1, 0, 2)
    return np.einsum("ki,ki->k", np.cross(b - a, c - a), d - a) / 6


def smallest_angles(X: Floats, T: Ints) -> Floats:
    """(k,) the smallest dihedral angle [deg] of tets T (k, 4); -1 where inverted or flat."""
    corners = X[T]
    edges = corners[:, 1:] - corners[:, :1]
    areas = np.empty((len(T), 4, 3))
    areas[:, 1:] = np.cross(edges[:, [2, 0, 1]], edges[:, [1, 2, 0]]) / 2
    areas[:, 0] = -areas[:, 1:].sum(axis=1)
    size = volumes(X, T)
    return np.where(size > 0, quality(corners, areas, size).min_dihedral, -1.0)
