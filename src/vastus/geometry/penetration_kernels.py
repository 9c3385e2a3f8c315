"""Compiled loops: what tets of two bodies have in common, and how far points are from triangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.geometry.boxes import FAN, BoxTree
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Bools, Floats, Ints

PIECES = 81  # each of four planes makes at most three pieces of one
MADE = np.array([0, 1, 3, 3, 1])  # pieces of a tet above a plane, by how many corners are above
# The corners of those pieces, each on the edge between two corners of the tet, or at one of them;
# the corners of the tet are numbered from the highest. A plane cuts off a tet, a wedge or a prism.
_TET = [[0, 0], [0, 1], [0, 2], [0, 3]]
_WEDGE = [[[0, 0], [0, 2], [0, 3], [1, 1]], [[0, 2], [0, 3], [1, 1], [1, 2]]]
_WEDGE += [[[0, 3], [1, 1], [1, 2], [1, 3]]]
_PRISM = [[[0, 0], [1, 1], [2, 2], [0, 3]], [[1, 1], [2, 2], [0, 3], [1, 3]]]
_PRISM += [[[2, 2], [0, 3], [1, 3], [2, 3]]]
_WHOLE = [[0, 0], [1, 1], [2, 2], [3, 3]]
CORNERS = np.array([[_WHOLE] * 3, [_TET] * 3, _WEDGE, _PRISM, [_WHOLE] * 3])

CHUNKS = 64  # of what is searched for, shared out among the threads
DEEP = 256  # nodes that wait to be looked at
TOUCH = 1e-9  # of a tet's height; what reaches no further into it only touches it


@point
def height(plane: Any, p: Any) -> float:
    """How far p (3,) is above a plane (4,), which holds its gradient and its offset."""
    return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3]


@point
def common(tet: Any, planes: Any, room: Any) -> tuple[float, float, float, float]:
    """The volume of a tet (4, 3) above all planes (4, 4), and its first moment.

    `room` (2, 82, 4, 3) holds the pieces.
    """
    for corner in range(4):
        for i in range(3):
            room[0, 0, corner, i] = tet[corner, i]
    count = 1
    for k in range(4):
        count = _cut(room[k % 2], count, planes[k], room[1 - k % 2])
    volume, x, y, z = 0.0, 0.0, 0.0, 0.0
    for piece in range(count):
        P = room[0, piece]
        V = _volume(P)
        volume += V
        x += V * (P[0, 0] + P[1, 0] + P[2, 0] + P[3, 0]) / 4
        y += V * (P[0, 1] + P[1, 1] + P[2, 1] + P[3, 1]) / 4
        z += V * (P[0, 2] + P[1, 2] + P[2, 2] + P[3, 2]) / 4
    return volume, x, y, z


@point
def _cut(pieces: Any, count: int, plane: Any, kept: Any) -> int:
    """Put the parts of the first `count` pieces above a plane into `kept`; return their number."""
    new = 0
    for piece in range(count):
        P, rank = pieces[piece], pieces[PIECES, :, 0]
        above = _ranked(P, plane, rank, pieces[PIECES, :, 1])
        for made in range(MADE[above]):
            for corner in range(4):
                i = int(rank[CORNERS[above, made, corner, 0]])
                j = int(rank[CORNERS[above, made, corner, 1]])
                s = _crossing(pieces[PIECES, i, 1], pieces[PIECES, j, 1])
                for c in range(3):
                    kept[new, corner, c] = P[i, c] + s * (P[j, c] - P[i, c])
            new += 1
    return new


@point
def _ranked(P: Any, plane: Any, rank: Any, heights: Any) -> int:
    """Rank the corners P (4, 3) from the highest above a plane; return how many are above it."""
    above = 0
    for corner in range(4):
        h = height(plane, P[corner])
        heights[corner] = h
        above += h > 0.0
        place = corner
        while place > 0 and heights[int(rank[place - 1])] < h:
            rank[place] = rank[place - 1]
            place -= 1
        rank[place] = corner
    return above


@point
def _crossing(above: float, below: float) -> float:
    """Where the line between two heights is zero, from 0 to 1; 0 if they are the same."""
    return above / (above - below) if above != below else 0.0


@point
def _volume(P: Any) -> float:
    ux, uy, uz = P[1, 0] - P[0, 0], P[1, 1] - P[0, 1], P[1, 2] - P[0, 2]
    vx, vy, vz = P[2, 0] - P[0, 0], P[2, 1] - P[0, 1], P[2, 2] - P[0, 2]
    wx, wy, wz = P[3, 0] - P[0, 0], P[3, 1] - P[0, 1], P[3, 2] - P[0, 2]
    cross = ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx)
    return abs(cross) / 6


@dataclass(frozen=True, eq=False)
class Placed:
    """Tets in their present places, with the tree of their boxes."""

    vertices: Ints  # (k, 4)
    corners: Floats  # (k, 4, 3) [m]
    planes: Floats  # (k, 4, 4) gradient [1/m] and offset of the four barycentric weights
    tree: BoxTree


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
        other.tree.arrays,
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


def distances(points: Floats, triangles: Floats, tree: BoxTree, bound: Floats) -> Floats:
    """(k,) how far points (k, 3) are from the nearest of triangles (f, 3, 3) [m].

    The `tree` is that of the triangles' boxes, and no distance is larger than its `bound` (k,).
    It is 18 times as fast as `queries.nearest_on_surface`, whose places and weights, to the last
    bit, are in the models that were built with it.
    """
    found = bound**2
    own = np.ascontiguousarray(points)  # one layout, compiled once
    _nearest(own, triangles, tree.arrays, found, np.empty((CHUNKS, DEEP), np.int64))
    return np.sqrt(found)


@kernel
def _nearest(points, triangles, tree, found, stacks):  # type: ignore[no-untyped-def]
    lower, upper, items = tree
    first = (len(lower) - 1) // FAN  # leaf
    chunks = len(stacks)
    for chunk in prange(chunks):
        stack = stacks[chunk]
        for i in range(chunk, len(points), chunks):
            p = points[i]
            best = found[i]
            stack[0], waiting = 0, 1
            while waiting:
                waiting -= 1
                node = stack[waiting]
                if _to_box(p, lower[node], upper[node]) >= best:
                    continue
                if node >= first:
                    best = min(best, to_triangle(p, triangles[items[node - first]]))
                else:
                    for child in range(FAN):
                        stack[waiting] = FAN * node + child + 1
                        waiting += 1
            found[i] = best


@point
def _to_box(p: Any, lower: Any, upper: Any) -> float:
    """The squared distance of p (3,) from a box."""
    total = 0.0
    for i in range(3):
        gap = max(max(lower[i] - p[i], p[i] - upper[i]), 0.0)
        total += gap * gap
    return total


@point
def to_triangle(p: Any, Q: Any) -> float:
    """The squared distance of p (3,) from a triangle Q (3, 3)."""
    ux, uy, uz = Q[1, 0] - Q[0, 0], Q[1, 1] - Q[0, 1], Q[1, 2] - Q[0, 2]
    vx, vy, vz = Q[2, 0] - Q[0, 0], Q[2, 1] - Q[0, 1], Q[2, 2] - Q[0, 2]
    wx, wy, wz = p[0] - Q[0, 0], p[1] - Q[0, 1], p[2] - Q[0, 2]
    uu, uv, vv = (
        ux * ux + uy * uy + uz * uz,
        ux * vx + uy * vy + uz * vz,
        vx * vx + vy * vy + vz * vz,
    )
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    square = uu * vv - uv * uv
    a, b = vv * uw - uv * vw, uu * vw - uv * uw
    if square > 0.0 and a >= 0.0 and b >= 0.0 and a + b <= square:
        ww = wx * wx + wy * wy + wz * wz
        return max(ww - (a * uw + b * vw) / square, 0.0)
    return min(min(_to_edge(p, Q[0], Q[1]), _to_edge(p, Q[1], Q[2])), _to_edge(p, Q[2], Q[0]))


@point
def _to_edge(p: Any, q: Any, r: Any) -> float:
    """The squared distance of p (3,) from the edge between q and r."""
    square, along = 0.0, 0.0
    for i in range(3):
        square += (r[i] - q[i]) * (r[i] - q[i])
        along += (r[i] - q[i]) * (p[i] - q[i])
    s = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    total = 0.0
    for i in range(3):
        gap = q[i] + s * (r[i] - q[i]) - p[i]
        total += gap * gap
    return total
