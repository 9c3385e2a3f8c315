"""Tets in patches that lie together, each with its own numbers of the vertices it needs.

A patch copies its vertices, adds the forces of its tets to its copies, and afterwards each vertex
sums its copies: so patches run in parallel without races, with the same result on any number of
threads, and what a patch reads and writes fits into the fastest memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Floats, Ints

LANES = 16  # tets that are computed side by side
LARGEST, SMALLEST = 1600, 320  # tets of a patch; multiples of the lanes
PATCHES = 16  # that a group is divided into if they need not be smaller or larger


@dataclass(frozen=True, eq=False)
class Patches:
    """Patches of tets, group after group; rows are filled up to whole lanes with the last tet."""

    group: Ints  # (patches,) which group a patch is of
    row_start: Ints  # (patches + 1,) first row of each patch
    filled: Ints  # (patches,) how many rows of a patch are tets of their own
    tet: Ints  # (rows,) which tet
    corners: Ints  # (rows, 4) numbers of its corners in the patch, unsigned 32 bit
    slot_start: Ints  # (patches + 1,) first copy of each patch
    slot_vertex: Ints  # (slots,) the vertex that is copied
    vertex_start: Ints  # (n + 1,)
    slot: Ints  # (slots,) the copies of each vertex

    @classmethod
    def of(cls, T: Ints, X: Floats, groups: Sequence[Ints]) -> Patches:
        """Patches of the tets T (m, 4) of each group, which lie together at X (n, 3)."""
        parts: list[Ints] = []
        group: list[int] = []
        for number, tets in enumerate(groups):
            divided = _divided(tets[_order(X[T[tets]].mean(axis=1))])
            parts, group = parts + divided, group + [number] * len(divided)
        rows, corners, vertices = [], [], []
        for part in parts:
            whole = np.append(part, np.repeat(part[-1:], -len(part) % LANES))
            own, local = np.unique(T[whole], return_inverse=True)
            rows.append(whole)
            corners.append(local.reshape(-1, 4))
            vertices.append(own)
        copied = _joined(vertices)
        return cls(
            np.array(group, np.int64),
            _starts(rows),
            np.array([len(part) for part in parts], np.int64),
            _joined(rows),
            np.concatenate([np.zeros((0, 4), np.int64), *corners]).astype(np.uint32),
            _starts(vertices),
            copied,
            np.concatenate([[0], np.cumsum(np.bincount(copied, minlength=len(X)))]),
            np.argsort(copied, kind="stable"),
        )

    def side_by_side(self, numbers: Floats) -> Floats:
        """(blocks, k, lanes) of numbers (m, k) of all tets."""
        rows = numbers[self.tet].reshape(-1, LANES, numbers.shape[1])
        return np.ascontiguousarray(rows.transpose(0, 2, 1))


def _divided(tets: Ints) -> list[Ints]:
    """Parts of about equal size."""
    size = min(LARGEST, max(SMALLEST, len(tets) // PATCHES))
    count = max(1, round(len(tets) / size))
    return np.array_split(tets, count) if len(tets) else []


def _order(places: Floats) -> Ints:
    """An order in which places (k, 3) that follow each other are near: bits of x, y, z in turn."""
    if not len(places):
        return np.zeros(0, np.int64)
    low, size = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-300)
    cells = ((places - low) / size * 1023).astype(np.int64)
    key = np.zeros(len(places), np.int64)
    for bit in range(10):
        for axis in range(3):
            key |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.argsort(key, kind="stable")


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _starts(parts: Sequence[Ints]) -> Ints:
    return np.cumsum([0, *(len(part) for part in parts)])
