"""Patches: small groups of tets that share faces, and whose volume is looked at as a whole."""

from __future__ import annotations

import numpy as np

from vastus.geometry.rows import groups
from vastus.geometry.tetmesh import FACES
from vastus.numerics.types import Ints

ROUNDS = 3  # of pairing: patches of about eight tets


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
    order, starts = groups(np.sort(T[:, FACES].reshape(-1, 3), axis=1))
    shared = starts[np.diff(np.append(starts, len(order))) == 2]
    sides = np.sort(np.stack([order[shared] // 4, order[shared + 1] // 4], axis=1), axis=1)
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
