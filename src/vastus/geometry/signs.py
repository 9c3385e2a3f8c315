"""Signs of a field of lines over tets that agree between neighbours."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from vastus.geometry.indices import components
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import neighbours
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints


def aligned(mesh: TetMesh, field: Floats) -> Floats:
    """(m, 3) a field over the tets with signs that agree between neighbours.

    Signs spread first between the neighbours that are most nearly parallel. Each piece keeps the
    sign that most of its volume had.
    """
    pairs = _pairs(mesh)
    sign = _signs(unit(field), pairs)
    piece = components(mesh.n_tets, pairs)
    kept = np.bincount(piece, sign * mesh.volumes) >= 0
    return field * (sign * np.where(kept, 1, -1)[piece])[:, None]


def _pairs(mesh: TetMesh) -> Ints:
    """(k, 2) the tets that share a face, each pair once."""
    across = neighbours(mesh)
    tet, face = np.nonzero(across > np.arange(mesh.n_tets)[:, None])
    return np.column_stack([tet, across[tet, face]])


def _signs(d: Floats, pairs: Ints) -> Ints:
    """(m,) 1 or -1 for each direction (m, 3), which makes the most parallel pairs point alike.

    Each tet stands for its two signs. A tree over the pairs connects what goes together, which
    leaves two halves of each piece, the one the reverse of the other.
    """
    m = len(d)
    cost = 2.0 - np.abs(_cosine(d, pairs))
    tree = minimum_spanning_tree(sparse.csr_array((cost, pairs.T), shape=(m, m))).tocoo()
    i, j = tree.row, tree.col
    reverse = _cosine(d, np.column_stack([i, j])) < 0
    same = np.column_stack([i, np.where(reverse, j + m, j)])
    other = np.column_stack([i + m, np.where(reverse, j, j + m)])
    half = components(2 * m, np.vstack([same, other])).reshape(2, m)
    return np.where(half[0] < half[1], 1, -1)


def _cosine(d: Floats, pairs: Ints) -> Floats:
    return np.einsum("ki,ki->k", d[pairs[:, 0]], d[pairs[:, 1]])
