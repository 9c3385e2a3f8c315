"""How tets lie beside each other: wound the same way, and sharing vertices between bodies."""

from __future__ import annotations

import numpy as np

from vastus.geometry.adjacency import Walls
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.numerics.types import Ints


def facing(mesh: TetMesh, between: Walls) -> np.ndarray:
    """(k,) whether the tets on both sides of a face are wound alike: it is outward of both."""
    corners = mesh.T[between.tets[:, 1]]
    place = (corners[:, :, None] == between.faces[:, None, :]).argmax(axis=1)
    outward = FACES[6 - place.sum(axis=1)]  # the four places of a tet sum to six
    return _odd(place) != _odd(outward)


def owners(T: Ints, body: Ints) -> Ints:
    """(k, 2) each vertex with each body that it belongs to; tets of body -1 belong to none."""
    of_body = body >= 0
    pairs = np.stack([T[of_body].ravel(), np.repeat(body[of_body], 4)], axis=1)
    return np.unique(pairs, axis=0)


def _odd(rows: Ints) -> np.ndarray:
    """(k,) whether an odd number of swaps sorts the three entries of each row."""
    a, b, c = rows.T
    return ((a > b).astype(int) + (b > c) + (a > c)) % 2 == 1
