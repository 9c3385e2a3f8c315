"""The outer faces of soft bodies, and the points of them at which contact is felt.

A bone that is sharper than the points are dense slips between them. So a face is cut into n x n
triangles of its own shape, as many as the bone's distance has detail for, with six points each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from vastus.numerics.types import Floats, Ints

# Barycentric coordinates and weights of six points that are exact for polynomials of degree four
# (Dunavant 1985).
_A, _B = 0.445948490915965, 0.091576213509771
_WA, _WB = 0.223381589678011, 0.109951743655322
SHARES = np.array(
    [np.roll([1 - 2 * s, s, s], k) for s in (_A, _B) for k in range(3)],
)
WEIGHTS = np.repeat([_WA, _WB], 3)
WIDEST = 3.0  # details that an edge of a triangle with six points may be long
MOST = 4  # triangles along an edge


@dataclass(frozen=True, eq=False)
class Faces:
    """Triangles of vertices, with points on each; `body` tells which soft body a face is of."""

    triangles: Ints  # (f, 3)
    body: Ints  # (f,)
    face: Ints  # (p,) the face of each point, ascending
    shares: Floats  # (p, 3) and its barycentric coordinates there
    weights: Floats  # (p,) the area of each point at rest [m^2]

    @classmethod
    def of_surface(cls, X: Floats, triangles: Ints, body: Ints, detail: float) -> Faces:
        """Faces of a mesh at rest at X (n, 3) [m], with points for a detail [m] of bones."""
        a, b, c = X[triangles].transpose(1, 0, 2)
        longest = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
        cuts = np.clip(np.ceil(longest / (WIDEST * detail)).astype(int), 1, MOST)
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        face = np.repeat(np.arange(len(cuts)), len(WEIGHTS) * cuts**2)
        shares = np.concatenate([np.zeros((0, 3)), *(points_of(int(n)) for n in cuts)])
        weights = np.resize(WEIGHTS, len(face)) * (areas / cuts**2)[face]
        return cls(triangles, body, face, shares, weights)

    @cached_property
    def first(self) -> Ints:
        """(f + 1,) the first point of each face, and the number of all."""
        return np.searchsorted(self.face, np.arange(len(self.triangles) + 1))

    def points(self, x: Floats, rows: Ints) -> Floats:
        """(k, 3) where some points are when the vertices are at x (n, 3) [m]."""
        corners = x[self.triangles[self.face[rows]]]
        return np.asarray(np.einsum("ka,kai->ki", self.shares[rows], corners))

    def of(self, rows: Ints) -> tuple[Ints, Floats]:
        """(k, 3) the vertices of some points, and (k, 3) their shares."""
        return self.triangles[self.face[rows]], self.shares[rows]

    def groups(self, rows: Ints) -> Ints:
        """(g,) where in ascending rows (k,) of points each run begins that is of one face."""
        return np.flatnonzero(np.diff(self.face[rows], prepend=-1))

    @cached_property
    def of_bodies(self) -> tuple[Ints, Ints, Ints]:
        """The vertices of body after body, where those of each begin, and (f,) the faces' bodies.

        Bodies are counted among those that have faces here.
        """
        _, of = np.unique(self.body, return_inverse=True)
        pairs = np.column_stack([np.repeat(of, 3), self.triangles.ravel()])
        body, vertex = np.unique(pairs, axis=0).T
        return vertex, np.flatnonzero(np.diff(body, prepend=-1)), of

    def vertex_areas(self, count: int) -> Floats:
        """(count,) a third of the faces around each of so many vertices, at rest [m^2]."""
        areas = np.bincount(self.face, self.weights, minlength=len(self.triangles)) / 3
        sums = np.bincount(self.triangles.ravel(), np.repeat(areas, 3), minlength=count)
        return np.asarray(sums, float)

    def body_of(self, rows: Ints) -> Ints:
        """(k,) the soft bodies of some points."""
        return self.body[self.face[rows]]


@cache
def points_of(n: int) -> Floats:
    """(6 n^2, 3) barycentric coordinates of six points in each of n x n equal triangles."""
    i, j = (k.ravel() for k in np.meshgrid(range(n), range(n)))
    i, j = i[i + j < n], j[i + j < n]
    upright = np.stack([[i, j], [i + 1, j], [i, j + 1]])  # (3, 2, k) corners
    inner = i + j < n - 1
    i, j = i[inner], j[inner]
    turned = np.stack([[i + 1, j + 1], [i, j + 1], [i + 1, j]])
    corners = np.concatenate([upright, turned], axis=2).transpose(2, 0, 1) / n
    shares = np.concatenate([corners, 1.0 - corners.sum(axis=2, keepdims=True)], axis=2)
    return np.asarray(SHARES @ shares).reshape(-1, 3)
