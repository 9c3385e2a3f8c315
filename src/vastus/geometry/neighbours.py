"""Which tets share a face."""

from __future__ import annotations

import numpy as np

from vastus.geometry.rows import groups
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.numerics.types import Ints


def neighbours(mesh: TetMesh) -> Ints:
    """(m, 4) the tet beyond each face of each tet, or -1; face `a` lies opposite vertex `a`."""
    order, starts = groups(np.sort(mesh.T[:, FACES].reshape(-1, 3), axis=1))
    shared = starts[np.diff(np.append(starts, len(order))) == 2]
    one, two = order[shared], order[shared + 1]
    across = np.full(4 * mesh.n_tets, -1)
    across[one], across[two] = two // 4, one // 4
    return across.reshape(-1, 4)
