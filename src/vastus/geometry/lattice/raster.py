"""What of a grid is inside a surface: crossings counted along columns, in three directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Bools, Floats, Ints

SLABS = 32  # of columns, each filled by itself


def fill(
    surface: Surface, corner: Floats, cell: float, shape: tuple[int, int, int], *, votes: int = 2
) -> Bools:
    """(p, q, r) whether the nodes of a grid are inside a surface, inside out or not.

    `corner` (3,) is the first node [m]. The columns of three axes vote, so that small holes of
    the surface leave no streaks; with two `votes` of a closed surface it is exact.
    """
    tally = np.zeros(shape, np.int8)
    corners = (surface.X[surface.faces] - corner) / cell
    for axis in range(3):
        turn = np.roll(np.arange(3), -1 - axis)  # the column's axis last
        turned = np.ascontiguousarray(corners[:, :, turn])
        winding = np.zeros(tuple(shape[a] for a in turn), np.int16)
        across = turned[:, :, 0]
        order, start = slabs(across.min(axis=1), across.max(axis=1), winding.shape[0])
        _cross(turned, order, start, winding)
        _vote(winding, tally.transpose(turn))
    return np.asarray(tally >= votes)


def slabs(low: Floats, high: Floats, width: int) -> tuple[Ints, Ints]:
    """The triangles of each slab of a grid, one slab after another, and where each starts.

    They reach from `low` to `high` (t,) each along the first axis, which has `width` nodes.
    """
    size = -(-width // SLABS)
    first = np.clip(low // size, 0, SLABS - 1).astype(np.int64)
    count = np.clip(high // size, 0, SLABS - 1).astype(np.int64) - first + 1
    triangle = np.repeat(np.arange(len(low)), count)
    within = np.arange(len(triangle)) - np.repeat(np.cumsum(count) - count, count)
    slab = (first[triangle] + within).astype(np.int16)
    order = np.argsort(slab, kind="stable")
    return triangle[order], np.searchsorted(slab[order], np.arange(SLABS + 1))


@kernel
def _cross(corners, order, start, winding):  # type: ignore[no-untyped-def]
    size = -(-winding.shape[0] // SLABS)
    for slab in prange(SLABS):
        for t in range(start[slab], start[slab + 1]):
            _triangle(corners[order[t]], slab * size, (slab + 1) * size, winding)


@kernel
def _vote(winding, tally):  # type: ignore[no-untyped-def]
    """Add to tally (p, q, r) one vote for each node that its column is inside at."""
    n, m, l = winding.shape
    for i in prange(n):
        for j in range(m):
            around = 0
            for k in range(l):
                around += winding[i, j, k]
                if around != 0:
                    tally[i, j, k] += 1


@point
def _triangle(c: Any, first: int, last: int, winding: Any) -> None:
    """Add the crossings of a triangle (3, 3) with the columns whose first place is in a range."""
    n, m, depth = winding.shape
    # A hair off the nodes, so that no column runs along an edge of a modelled shape.
    e, f = 1.234567e-7, 2.345671e-7
    ax, ay = c[0, 0] - e, c[0, 1] - f
    bx, by = c[1, 0] - e, c[1, 1] - f
    cx, cy = c[2, 0] - e, c[2, 1] - f
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if area == 0.0:
        return
    sign = 1 if area > 0 else -1
    low = max(int(np.ceil(min(ax, bx, cx))), first, 0)
    high = min(int(np.floor(max(ax, bx, cx))), last - 1, n - 1)
    for i in range(low, high + 1):
        for j in range(max(int(np.ceil(min(ay, by, cy))), 0),
                       min(int(np.floor(max(ay, by, cy))), m - 1) + 1):  # fmt: skip
            u = ((bx - i) * (cy - j) - (by - j) * (cx - i)) / area
            v = ((cx - i) * (ay - j) - (cy - j) * (ax - i)) / area
            w = ((ax - i) * (by - j) - (ay - j) * (bx - i)) / area
            if u >= 0 and v >= 0 and w >= 0:
                z = u * c[0, 2] + v * c[1, 2] + w * c[2, 2]
                k = max(int(np.ceil(z)), 0)
                if k < depth:
                    winding[i, j, k] += sign
