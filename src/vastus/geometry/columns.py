"""Which points of a grid are inside a closed surface, from where columns of them cross it."""

from __future__ import annotations

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints


def inside_grid(surface: Surface, low: Floats, side: Floats, shape: Ints) -> Bools:
    """(nx, ny, nz) whether the closed surface winds around the middles of the cells of a grid.

    The grid starts at `low` (3,) [m]; its cells have the given side lengths (3,) [m]. Each column
    along the longest axis counts, from its end, how often it leaves the surface less how often it
    enters: it does so once for all its points.
    """
    longest = int(np.argmax(shape))
    axes = [(longest + 1) % 3, (longest + 2) % 3, longest]
    # Points of the grid have whole numbers for coordinates.
    X = ((surface.X - low) / side - 0.5)[:, axes]
    n = np.asarray(shape)[axes]
    face, i, j = _columns(X[surface.faces], n)
    through, height = _crossings(X, surface.faces[face], i, j)
    below = np.clip(np.ceil(height), 0, n[2]).astype(np.int64)  # how many points
    met = (through != 0) & (below > 0)
    places = np.ravel_multi_index((i[met], j[met], below[met] - 1), tuple(n))
    changes = np.bincount(places, through[met], minlength=n.prod()).reshape(n)
    wound = np.cumsum(changes[:, :, ::-1], axis=2)[:, :, ::-1] != 0
    return np.ascontiguousarray(wound.transpose(np.argsort(axes)))


def _columns(corners: Floats, n: Ints) -> tuple[Ints, Ints, Ints]:
    """The pairs of a face (k, 3, 3) and a column whose place its box covers: face, i, j."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    first = np.ceil(np.clip(low[:, :2], 0, n[:2])).astype(np.int64)
    last = np.floor(np.clip(high[:, :2], -1, n[:2] - 1)).astype(np.int64)
    wide = np.maximum(last - first + 1, 0)
    count = np.where(high[:, 2] < 0, 0, wide.prod(axis=1))  # what is below all points, none meets
    face = np.repeat(np.arange(len(corners)), count)
    place = np.arange(len(face)) - np.repeat(np.cumsum(count) - count, count)
    across = wide[face, 1]
    return face, first[face, 0] + place // across, first[face, 1] + place % across


def _crossings(X: Floats, faces: Ints, i: Ints, j: Ints) -> tuple[Floats, Floats]:
    """(p,) +1, -1 or 0: how the column at i, j crosses face p (p, 3) upward, and where (p,).

    A column counts as moved a hair along the first axis, and a hair of that along the second, so
    that none meets an edge. Both faces of an edge evaluate it from its lower vertex: they agree to
    the last bit.
    """
    sides, weights = [], []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        swap = faces[:, a] > faces[:, b]
        start = X[np.where(swap, faces[:, b], faces[:, a]), :2]
        end = X[np.where(swap, faces[:, a], faces[:, b]), :2]
        u, v = (end - start).T, (i - start[:, 0], j - start[:, 1])
        turn = u[0] * v[1] - u[1] * v[0]
        left = np.where(turn != 0, turn > 0, np.where(u[1] != 0, u[1] < 0, u[0] > 0))
        sides.append(left != swap)
        weights.append(np.abs(turn))
    up = sides[0] & sides[1] & sides[2]
    down = ~(sides[0] | sides[1] | sides[2])
    total = weights[0] + weights[1] + weights[2]
    flat = total == 0
    height = sum(
        np.where(flat, 1.0, weight) * X[faces[:, c], 2] for c, weight in enumerate(weights)
    )
    return up.astype(float) - down, height / np.where(flat, 3.0, total)
