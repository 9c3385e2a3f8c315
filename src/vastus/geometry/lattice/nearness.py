"""How far the nodes of a grid are from triangles beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.lattice.raster import SLABS, slabs
from vastus.geometry.penetration_kernels import to_triangle
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Floats


def distances_beside(
    triangles: Floats, corner: Floats, cell: float, shape: tuple[int, int, int], reach: float
) -> np.ndarray:
    """(p, q, r) float32 distances [m] of nodes from triangles (t, 3, 3), `reach` cells at most.

    `corner` (3,) is the first node of the grid [m].
    """
    corners = (triangles - corner) / cell
    square = np.full(shape, np.float32(reach**2))
    low, high = corners[:, :, 0].min(axis=1) - reach, corners[:, :, 0].max(axis=1) + reach
    order, start = slabs(low, high, shape[0])
    _lower(corners, order, start, reach, square)
    return np.sqrt(square, out=square) * np.float32(cell)


@kernel
def _lower(corners, order, start, reach, out):  # type: ignore[no-untyped-def]
    size = -(-out.shape[0] // SLABS)
    for slab in prange(SLABS):
        for t in range(start[slab], start[slab + 1]):
            _beside(corners[order[t]], slab * size, (slab + 1) * size, reach, out)


@point
def _beside(c: Any, first: int, last: int, reach: float, out: Any) -> None:
    """Lower the squares at nodes beside a triangle (3, 3) whose first place is in a range."""
    n, m, l = out.shape
    for i in range(max(_least(c, 0, reach), first), min(_most(c, 0, reach, n), last - 1) + 1):
        for j in range(_least(c, 1, reach), _most(c, 1, reach, m) + 1):
            for k in range(_least(c, 2, reach), _most(c, 2, reach, l) + 1):
                out[i, j, k] = min(out[i, j, k], to_triangle((float(i), float(j), float(k)), c))


@point
def _least(c: Any, axis: int, reach: float) -> int:
    return max(int(np.ceil(min(c[0, axis], c[1, axis], c[2, axis]) - reach)), 0)


@point
def _most(c: Any, axis: int, reach: float, count: int) -> int:
    return min(int(np.floor(max(c[0, axis], c[1, axis], c[2, axis]) + reach)), count - 1)
