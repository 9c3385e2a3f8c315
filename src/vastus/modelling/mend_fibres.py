"""Fibre directions that data lack, from the tets around."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from vastus.geometry.adjacency import walls
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints


def directed(mesh: TetMesh, vectors: Floats, tets: Ints) -> tuple[Floats, int]:
    """The vectors (m, 3) with a direction in all of some tets, and how many had none.

    A tet takes the mean of its neighbours among these tets, by the area that they share; then their
    neighbours follow. What no neighbour reaches takes the direction of the nearest tet.
    """
    part, own = mesh.submesh(tets)[0], np.array(vectors, float)[tets]
    bare = ~(np.linalg.norm(own, axis=1) > 0)
    if bare.all() or not bare.any():
        return vectors, 0
    own[bare] = 0.0
    out = np.array(vectors, float)
    out[tets] = _nearest(part, _spread(part, own))
    return out, int(bare.sum())


def _spread(mesh: TetMesh, own: Floats) -> Floats:
    """Means of neighbours, tet by tet away from where there are directions."""
    between = walls(mesh)
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.tile(between.areas, 2)[:, None]
    while True:
        sums = np.zeros_like(own)
        np.add.at(sums, sides[:, 0], areas * own[sides[:, 1]])
        size = np.linalg.norm(sums, axis=1, keepdims=True)
        new = (own == 0).all(axis=1) & (size[:, 0] > 0)
        if not new.any():
            return own
        own[new] = (sums / np.where(size > 0, size, 1.0))[new]


def _nearest(mesh: TetMesh, own: Floats) -> Floats:
    bare = (own == 0).all(axis=1)
    if bare.any():
        near = cKDTree(mesh.centroids[~bare]).query(mesh.centroids[bare])[1]
        own[bare] = own[~bare][near]
    return own
