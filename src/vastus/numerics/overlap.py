"""Tets of one body inside those of another: exact volumes, and the vertices that are inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.numerics.clip import PIECES, common, height
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.search import CHUNKS, DEEP, FAN, Tree
from vastus.numerics.types import Bools, Floats, Ints

TOUCH = 1e-9  # of a tet's height; what reaches no further into it only touches it


@dataclass(frozen=True, eq=False)
class Placed:
    """Tets in their present places, with the tree of their boxes."""

    vertices: Ints  # (k, 4)
    corners: Floats  # (k, 4, 3) [m]
    planes: Floats  # (k, 4, 4) gradient [1/m] and offset of the four barycentric weights
    tree: Tree


@dataclass(frozen=True, eq=False)
class Overlap:
    """Where tets of `one` lie in tets of `other`; pairs that share a vertex have no volume here."""

    volume: Floats  # (k,) [m^3] of each tet of one
    largest: Floats  # (k,) [m^3] of the largest piece, inside one tet of other
    middle: Floats  # (k, 3) [m] of that piece; zero if there is none
    one_in: Bools  # (k, 4) whether a vertex of one is inside other
    other_in: Bools  # (l, 4) whether a vertex of other is inside one


def overlap(one: Placed, other: Placed, one_tied: Bools, other_tied: Bools) -> Overlap:
    """Clip the tets of one by those of other.

    Tets that are `tied` (k,) to the other body have no volume in it, and no vertex
    in them counts as inside.
    """
    k, l = len(one.vertices), len(other.vertices)
    zeros = np.zeros(k), np.zeros(k), np.zeros((k, 3))
    found = Overlap(*zeros, np.zeros((k, 4), bool), np.zeros((l, 4), bool))
    _overlap(
        (one.vertices, one.corners, one.planes, one_tied),
        (other.vertices, other.corners, other.planes, other_tied),
        tuple(other.tree),
        (found.volume, found.largest, found.middle, found.one_in, found.other_in),
        np.empty((CHUNKS, 2, PIECES + 1, 4, 3)),
        np.empty((CHUNKS, DEEP), np.int64),
    )
    return found


@kernel
def _overlap(one, other, tree, out, room, stacks):  # type: ignore[no-untyped-def]
    chunks = len(room)
    for chunk in prange(chunks):
        for a in range(chunk, len(one[0]), chunks):
            _search(a, one, other, tree, out, room[chunk], stacks[chunk])


@point
def _search(a: int, one: Any, other: Any, tree: Any, out: Any, room: Any, stack: Any) -> None:
    """Compare the tet a of one with all tets of other whose boxes meet its own."""
    lower, upper, items = tree
    P = one[1][a]
    first = (len(lower) - 1) // FAN  # leaf
    stack[0], waiting = 0, 1
    while waiting:
        waiting -= 1
        node = stack[waiting]
        if not _meets(P, lower[node], upper[node]):
            continue
        if node >= first:
            _compare(a, items[node - first], one, other, out, room)
        else:
            for child in range(FAN):
                stack[waiting] = FAN * node + child + 1
                waiting += 1


@point
def _meets(P: Any, lower: Any, upper: Any) -> bool:
    """Whether the box of a tet P (4, 3) meets another."""
    for i in range(3):
        low = min(min(P[0, i], P[1, i]), min(P[2, i], P[3, i]))
        high = max(max(P[0, i], P[1, i]), max(P[2, i], P[3, i]))
        if not (low < upper[i] and high > lower[i]):
            return False
    return True


@point
def _compare(a: int, b: int, one: Any, other: Any, out: Any, room: Any) -> None:
    """Note which vertices of tets a and b are inside the other, and the volume they share."""
    volume, largest, middle, one_in, other_in = out
    P, Q = one[1][a], other[1][b]
    if _apart(P, other[2][b]) or _apart(Q, one[2][a]):
        return
    if not other[3][b]:
        _note(P, other[2][b], one_in[a])
    if not one[3][a]:
        _note(Q, one[2][a], other_in[b])
    if not (one[3][a] or other[3][b] or _linked(one[0][a], other[0][b])):
        V, x, y, z = common(P, other[2][b], room)
        volume[a] += V
        if largest[a] < V:
            largest[a] = V
            middle[a, 0], middle[a, 1], middle[a, 2] = x / V, y / V, z / V


@point
def _apart(P: Any, planes: Any) -> bool:
    """Whether one of the planes (4, 4) has all corners P (4, 3) below it, or as good as on it."""
    for k in range(4):
        highest = TOUCH
        for corner in range(4):
            highest = max(highest, height(planes[k], P[corner]))
        if highest == TOUCH:
            return True
    return False


@point
def _note(P: Any, planes: Any, within: Any) -> None:
    """Note which corners P (4, 3) are above all planes (4, 4)."""
    for corner in range(4):
        lowest = 0.0
        for k in range(4):
            lowest = min(lowest, height(planes[k], P[corner]))
        if lowest > -TOUCH:
            within[corner] = True


@point
def _linked(a: Any, b: Any) -> bool:
    """Whether two tets (4,) share a vertex."""
    for i in range(4):
        for j in range(4):
            if a[i] == b[j]:
                return True
    return False
