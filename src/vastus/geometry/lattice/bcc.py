"""The body-centred cubic lattice of tetrahedra, in which a point is located by a sort.

Nodes are the corners and the centres of a cubic grid of a spacing s. A tet belongs to a face of the
grid and one of its edges: its corners are the two centres beside the face and the ends of the edge,
its volume is s^3/12. Cells are triples of integers; nodes are triples of half spacings, all even
for a corner and all odd for a centre.
"""

from __future__ import annotations

import numpy as np

from vastus.numerics.jit import point
from vastus.numerics.types import Floats, Ints

TYPES = 12  # tets of a cell: three faces of four edges
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def _corners() -> Ints:
    """(12, 4, 3) the corners of the tets of cell 0 in half spacings, positively oriented."""
    found = np.zeros((TYPES, 4, 3), np.int64)
    axes = np.eye(3, dtype=np.int64)
    for a in range(3):
        for choice in range(2):
            b, c = (a + 1 + choice) % 3, (a + 2 - choice) % 3
            for up in range(2):
                edge = 1 - axes[a] + (2 * up - 1) * axes[b]
                tet = np.array([1 - 2 * axes[a], 1 + 0 * axes[a], edge - axes[c], edge + axes[c]])
                if np.linalg.det(tet[1:] - tet[0]) < 0:
                    tet[2:] = tet[:1:-1]
                found[4 * a + 2 * choice + up] = tet
    return found


CORNERS = _corners()


@point
def locate_one(x: float, y: float, z: float) -> tuple[int, int, int, int]:
    """The cell and the type of the tet that holds a point, in spacings."""
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    u, v, w = x - i - 0.5, y - j - 0.5, z - k - 0.5
    p, q, r = abs(u), abs(v), abs(w)
    if p >= q and p >= r:
        i += u > 0
        return (i, j, k, v > 0) if q >= r else (i, j, k, 2 + (w > 0))
    if q >= r:
        j += v > 0
        return (i, j, k, 4 + (w > 0)) if r >= p else (i, j, k, 6 + (u > 0))
    k += w > 0
    return (i, j, k, 8 + (u > 0)) if p >= q else (i, j, k, 10 + (v > 0))


def locate(points: Floats) -> tuple[Ints, Ints]:
    """The cells (k, 3) and types (k,) of the tets that hold points (k, 3), in spacings."""
    cell = np.floor(points).astype(np.int64)
    off = points - cell - 0.5
    order = np.argsort(-np.abs(off), axis=1, kind="stable")
    rows = np.arange(len(points))
    a, b = order[:, 0], order[:, 1]
    cell[rows, a] += off[rows, a] > 0
    choice = (b - a) % 3 == 2
    return cell, 4 * a + 2 * choice + (off[rows, b] > 0)


def corners(cell: Ints, kind: Ints) -> Ints:
    """(k, 4, 3) the corners of tets in half spacings."""
    return 2 * cell[:, None, :] + CORNERS[kind]


def _neighbours() -> Ints:
    """(12, 4, 4) the cell, as seen from cell 0, and the type of the tet beyond each face."""
    found = np.zeros((TYPES, 4, 4), np.int64)
    middle = CORNERS.mean(axis=1)
    for corner in range(4):
        face = np.delete(CORNERS, corner, axis=1).mean(axis=1)
        cell, kind = locate((face + 0.3 * (face - middle)) / 2)
        found[:, corner, :3], found[:, corner, 3] = cell, kind
    return found


NEIGHBOURS = _neighbours()
