"""Distances of all nodes of a grid from the nearest of some: an exact Euclidean transform.

The nearest node is found along one axis after another, each time as the lower envelope of parabolas
along a line (Felzenszwalb and Huttenlocher 2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Bools

NONE = -1  # where no node of the line is one of them


def spread(seeds: Bools, values: np.ndarray, cell: float) -> np.ndarray:
    """(p, q, r) float32 the distance [m] from each node to the nearest of `seeds`, and its value.

    Both are added. At least one of the seeds (p, q, r) must be true; `values` (p, q, r) [m] matter
    only there, `cell` [m] is between nodes.
    """
    z = np.empty(seeds.shape, np.int16)
    _along_z(seeds, z)
    y = np.empty(seeds.shape, np.int16)
    _along_y(z, y)
    out = np.empty(seeds.shape, np.float32)
    _along_x(z, y, values, cell, out)
    return out


@kernel
def _along_z(seeds, z):  # type: ignore[no-untyped-def]
    """Write to z the nearest seed of each line along the last axis."""
    n, m, l = seeds.shape
    for i in prange(n):
        for j in range(m):
            last = NONE
            for k in range(l):
                if seeds[i, j, k]:
                    last = k
                z[i, j, k] = last
            last = NONE
            for k in range(l - 1, -1, -1):
                if seeds[i, j, k]:
                    last = k
                before = z[i, j, k]
                if last != NONE and (before == NONE or last - k < k - before):
                    z[i, j, k] = last


@kernel
def _along_y(z, y):  # type: ignore[no-untyped-def]
    """Write to y the line along the last axis in which the nearest seed of its plane is."""
    n, m, l = z.shape
    for i in prange(n):
        height, place, border = np.empty(m), np.empty(m, np.int64), np.empty(m)
        for k in range(l):
            for j in range(m):
                found = z[i, j, k]
                height[j] = -1.0 if found == NONE else float(k - found) ** 2
            count = _envelope(height, place, border)
            at = 0
            for j in range(m):
                at = _valley(border, count, at, j)
                y[i, j, k] = place[at] if count else NONE


@kernel
def _along_x(z, y, values, cell, out):  # type: ignore[no-untyped-def]
    """Write to out the distance from the nearest seed of all, and its value."""
    n, m, l = z.shape
    for j in prange(m):
        height, place, border = np.empty(n), np.empty(n, np.int64), np.empty(n)
        for k in range(l):
            for i in range(n):
                b = y[i, j, k]
                height[i] = -1.0 if b == NONE else float(j - b) ** 2 + float(k - z[i, b, k]) ** 2
            count = _envelope(height, place, border)
            at = 0
            for i in range(n):
                at = _valley(border, count, at, i)
                a = place[at]
                b = y[a, j, k]
                far = cell * np.sqrt(height[a] + float(i - a) ** 2)
                out[i, j, k] = far + values[a, b, z[a, b, k]]


@point
def _envelope(height: Any, place: Any, border: Any) -> int:
    """Find which parabolas, of heights (n,) that are not negative, are lowest somewhere.

    Their number is returned, their places are written to `place`, where each begins to `border`.
    """
    count = 0
    for q in range(len(height)):
        if height[q] < 0.0:
            continue
        begin = -np.inf
        while count:
            p = place[count - 1]
            begin = (height[q] - height[p] + float(q * q - p * p)) / (2.0 * (q - p))
            if begin > border[count - 1]:
                break
            count -= 1
        if count == 0:
            begin = -np.inf
        place[count], border[count] = q, begin
        count += 1
    return count


@point
def _valley(border: Any, count: int, at: int, place: int) -> int:
    """Which of so many parabolas is lowest at a place, from that of the place before."""
    while at + 1 < count and border[at + 1] < place:
        at += 1
    return at
