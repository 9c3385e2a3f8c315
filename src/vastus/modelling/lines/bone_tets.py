"""Tets of a bone from its surface, open or not: rigid bodies need no better ones.

Points are spread over the surface, Delaunay's tets between them are kept where the surface winds
around their middle, and thin ones are dropped.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import Delaunay

from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.distance import Obstacle
from vastus.numerics.types import Floats, Ints

_APART = 8e-3  # [m] between points on large faces
_CELL, _CELLS = 2.5e-3, 250  # size [m] of cells that keep one point each, and most in a row
_FLAT = 1e-4  # least volume, as a share of the cube of the longest edge
_SHAKE = 1e-6  # [m]: points in a plane or on a sphere have no one Delaunay mesh


def bone_tets(surface: Surface) -> TetMesh | None:
    """A mesh of the bone, or None if the surface encloses nothing."""
    X = _thinned(np.concatenate([surface.X, _spread(surface.X[surface.faces])]))
    if len(X) < 5 or np.linalg.matrix_rank(X - X[0], tol=1e-6) < 3:
        return None
    X = X + np.random.default_rng(0).uniform(-_SHAKE, _SHAKE, X.shape)
    T = Delaunay(X).simplices.astype(np.int64)
    T = T[_full(X[T])]
    T = T[Obstacle(surface).inside(X[T].mean(axis=1))]
    if not len(T):
        return None
    kept, numbered = np.unique(T, return_inverse=True)
    return TetMesh(X[kept], numbered.reshape(-1, 4)).oriented()


def _spread(corners: Floats) -> Floats:
    """Points on faces (k, 3, 3) whose edges are long."""
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    parts = np.ceil(edges / _APART).astype(int)
    found = [np.zeros((0, 3))]
    for n in np.unique(parts[parts > 1]).tolist():
        weights = _weights(n)
        found.append(np.einsum("pa,kai->kpi", weights, corners[parts == n]).reshape(-1, 3))
    return np.concatenate(found)


def _weights(n: int) -> Floats:
    """Barycentric weights of a triangle's points whose edges are cut into n."""
    i, j = np.indices((n + 1, n + 1)).reshape(2, -1)
    inner = i + j <= n
    return np.column_stack([i, j, n - i - j])[inner] / n


def _thinned(X: Floats) -> Floats:
    """The points without those that share a cell with an earlier one."""
    size = max(_CELL, float(np.ptp(X, axis=0).max()) / _CELLS)
    _, first = np.unique(np.floor(X / size).astype(np.int64), axis=0, return_index=True)
    return X[np.sort(first)]


def _full(corners: Floats) -> Ints:
    """Which tets (m, 4, 3) are not flat."""
    edges = corners[:, 1:] - corners[:, :1]
    longest = np.linalg.norm(corners[:, :, None] - corners[:, None], axis=3).max(axis=(1, 2))
    return np.flatnonzero(np.abs(np.linalg.det(edges)) / 6 > _FLAT * longest**3)
