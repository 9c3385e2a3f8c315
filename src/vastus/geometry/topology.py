"""How tets lie beside each other: their common faces, and patches of a few neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.indices import components, groups
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.numerics.types import Floats, Ints

ROUNDS = 3  # of pairing: patches of about eight tets


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


def pieces_of(labels: Ints, between: Walls) -> Ints:
    """(m,) the piece of each tet; pieces hang together by faces inside a label."""
    same = labels[between.tets[:, 0]] == labels[between.tets[:, 1]]
    return components(len(labels), between.tets[same])


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


def patches(T: Ints, region: Ints) -> Ints:
    """(m,) the patch of each of the tets T (m, 4), from 0; none reaches over regions (m,).

    Neighbours are paired, then pairs, then fours; what is left over joins the patch it shares most
    faces with. A patch is smaller than half the usual only if its region has no more tets there.
    """
    links = _links(T, region)
    patch = np.arange(len(T))
    for _ in range(ROUNDS):
        patch = _renamed(_paired(_ranked(patch[links]), patch.max(initial=-1) + 1)[patch])
    while True:
        joined = _renamed(_absorbed(patch, links)[patch])
        if joined.max(initial=-1) == patch.max(initial=-1):
            return joined
        patch = joined


def _links(T: Ints, region: Ints) -> Ints:
    """(k, 2) the tets on either side of each face inside a region."""
    one, two = _shared(T[:, FACES].reshape(-1, 3))
    sides = np.sort(np.stack([one // 4, two // 4], axis=1), axis=1)
    return sides[region[sides[:, 0]] == region[sides[:, 1]]]


def _ranked(links: Ints) -> Ints:
    """(k, 2) pairs of patches: those with most faces in common first, then the least connected."""
    links = np.sort(links[links[:, 0] != links[:, 1]], axis=1)
    degree = np.bincount(links.ravel())
    keys, shared = np.unique(links[:, 0] * len(degree) + links[:, 1], return_counts=True)
    pairs = np.stack(np.divmod(keys, max(len(degree), 1)), axis=1)
    return pairs[np.lexsort((degree[pairs].sum(axis=1), -shared))]


def _paired(pairs: Ints, count: int) -> Ints:
    """(count,) the patch that each patch becomes part of, when pairs join in this order."""
    owner = list(range(count))
    free = [True] * count
    for i, j in pairs.tolist():
        if free[i] and free[j]:
            free[i] = free[j] = False
            owner[j] = i
    return np.array(owner, np.int64)


def _absorbed(patch: Ints, links: Ints) -> Ints:
    """(patches,) the patch that each patch becomes part of, when small ones join larger ones."""
    small = np.bincount(patch) < 2 ** (ROUNDS - 1)
    owner = np.arange(len(small))
    pairs = _ranked(patch[links])
    for i, j in pairs[small[pairs].any(axis=1)].tolist():
        inner, outer = (i, j) if small[i] else (j, i)
        if small[inner] and owner[outer] == outer:
            owner[inner] = outer
            small[inner] = small[outer] = False
    return owner


def _renamed(patch: Ints) -> Ints:
    return np.unique(patch, return_inverse=True)[1].astype(np.int64)
