"""How far points are from triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.search import CHUNKS, DEEP, FAN, Tree
from vastus.numerics.types import Floats


def distances(points: Floats, triangles: Floats, tree: Tree, bound: Floats) -> Floats:
    """(k,) how far points (k, 3) are from the nearest of triangles (f, 3, 3) [m].

    The `tree` is that of the triangles' boxes, and no distance is larger than its `bound` (k,).
    """
    found = bound**2
    _nearest(points, triangles, tuple(tree), found, np.empty((CHUNKS, DEEP), np.int64))
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
                    best = min(best, _to_triangle(p, triangles[items[node - first]]))
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
def _to_triangle(p: Any, Q: Any) -> float:
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
