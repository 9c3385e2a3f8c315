"""The part of a tet inside another, cut into tets: for loops that numba compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import point

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
