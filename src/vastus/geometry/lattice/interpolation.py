"""Values of a grid between its nodes, for loops that numba compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange

FAR = 1e3  # the value beyond the grid


@point
def interpolated(values: Any, x: float, y: float, z: float) -> float:
    """The value at a place in cells from the first node; FAR outside."""
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    n, m, l = values.shape
    if i < 0 or j < 0 or k < 0 or i >= n - 1 or j >= m - 1 or k >= l - 1:
        return FAR
    u, v, w = x - i, y - j, z - k
    a = (1 - w) * values[i, j, k] + w * values[i, j, k + 1]
    b = (1 - w) * values[i, j + 1, k] + w * values[i, j + 1, k + 1]
    c = (1 - w) * values[i + 1, j, k] + w * values[i + 1, j, k + 1]
    d = (1 - w) * values[i + 1, j + 1, k] + w * values[i + 1, j + 1, k + 1]
    return (1 - u) * ((1 - v) * a + v * b) + u * ((1 - v) * c + v * d)


@kernel
def interpolate(values, corner, cell, points, out):  # type: ignore[no-untyped-def]
    """Write to out (k,) the values at points (k, 3), for a grid of a first node and a cell."""
    for p in prange(len(points)):
        out[p] = interpolated(
            values,
            (points[p, 0] - corner[0]) / cell,
            (points[p, 1] - corner[1]) / cell,
            (points[p, 2] - corner[2]) / cell,
        )
