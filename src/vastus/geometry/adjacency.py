"""Which tets are neighbours, and through which face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vastus.geometry.rows import groups
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Walls:
    """The faces between two tets: vertices (k, 3), the tets (k, 2) on both sides, areas (k,)."""

    faces: Ints
    tets: Ints
    areas: Floats  # [m^2]

    def where(self, chosen: np.ndarray) -> Walls:
        """Some of the walls, by a mask (k,)."""
        return Walls(self.faces[chosen], self.tets[chosen], self.areas[chosen])


def walls(mesh: TetMesh) -> Walls:
    """All faces between two tets of a mesh."""
    faces = mesh.T[:, FACES].reshape(-1, 3)
    one, two = _shared(faces)
    a, b, c = (mesh.X[faces[one, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    return Walls(faces[one], np.stack([one // 4, two // 4], axis=1), areas)


def neighbours(mesh: TetMesh) -> Ints:
    """(m, 4) the tet beyond each face of each tet, or -1; face `a` lies opposite vertex `a`."""
    one, two = _shared(mesh.T[:, FACES].reshape(-1, 3))
    across = np.full(4 * mesh.n_tets, -1)
    across[one], across[two] = two // 4, one // 4
    return across.reshape(-1, 4)


def _shared(faces: Ints) -> tuple[Ints, Ints]:
    """The two positions of each of the faces (4m, 3) that is there twice."""
    order, starts = groups(np.sort(faces, axis=1))
    pairs = starts[np.diff(np.append(starts, len(faces))) == 2]
    return order[pairs], order[pairs + 1]


def pieces(count: int, pairs: Ints) -> Ints:
    """(count,) the connected piece of each thing, where pairs (k, 2) are connected."""
    ones = np.ones(len(pairs))
    graph = sparse.coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)
