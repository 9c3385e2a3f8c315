"""Bones as fields [mm], joined and cut, and the nets that make surfaces of them.

Solids with holes, as a skull has, are no sweeps; their surface is found on a lattice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from vastus.bodies.bones.solids import rows_of
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

Field = Callable[[Floats], Floats]  # of points (n, 3): negative inside, near the surface a distance


def ellipsoid(centre: ArrayLike, radii: ArrayLike) -> Field:
    """The field of an ellipsoid, a distance to first order near its surface."""
    middle, size = np.asarray(centre, float), np.asarray(radii, float)

    def field(X: Floats) -> Floats:
        q = (X - middle) / size
        far = np.linalg.norm(q, axis=1)
        return far * (far - 1.0) / np.maximum(np.linalg.norm(q / size, axis=1), 1e-9)

    return field


def cone(start: ArrayLike, r: float, end: ArrayLike, s: float) -> Field:
    """The field of a rounded cone whose radius goes from r at `start` to s at `end`."""
    a, axis = np.asarray(start, float), np.subtract(end, start)

    def field(X: Floats) -> Floats:
        t = np.clip((X - a) @ axis / (axis @ axis), 0.0, 1.0)
        return np.linalg.norm(X - a - t[:, None] * axis, axis=1) - (r + t * (s - r))

    return field


def melted(fields: Sequence[Field], holes: Sequence[Field], blend: float) -> Field:
    """Solids joined and holes cut, the seams rounded over about `blend` [mm]."""

    def least(f: Floats, g: Floats) -> Floats:
        near = np.maximum(blend - np.abs(f - g), 0.0) / blend
        return np.minimum(f, g) - near**2 * blend / 4

    def field(X: Floats) -> Floats:
        whole = reduce(least, (f(X) for f in fields))
        return reduce(lambda f, g: -least(-f, g), (h(X) for h in holes), whole)

    return field


def netted(field: Field, low: ArrayLike, high: ArrayLike, cell: float) -> Surface:
    """The surface of a solid in a box by nets: a vertex in each cell that it passes through.

    The vertex is the mean of where the surface cuts the cell's edges.
    """
    axes = [
        np.arange(a, b + cell, cell) for a, b in zip(np.array(low), np.array(high), strict=True)
    ]
    shape = tuple(len(axis) for axis in axes)
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    values = field(places.reshape(-1, 3)).reshape(shape)
    cells = tuple(n - 1 for n in shape)
    total, number = np.zeros((*cells, 3)), np.zeros(cells)
    for axis in range(3):
        for p, q in ((0, 0), (0, 1), (1, 0), (1, 1)):
            start = np.insert([p, q], axis, 0)
            end = start + np.eye(3, dtype=int)[axis]
            f, g = _corner(values, start, cells), _corner(values, end, cells)
            cuts = (f < 0) != (g < 0)
            part = np.where(cuts, f / np.where(cuts, f - g, 1.0), 0.0)
            total += cuts[..., None] * (start + part[..., None] * (end - start))
            number += cuts
    active = number > 0
    index = np.full(cells, -1)
    index[active] = np.arange(active.sum())
    corner = np.array([axis[0] for axis in axes])
    X = corner + cell * (np.argwhere(active) + total[active] / number[active][:, None])
    return Surface(X, np.concatenate([_quads(values < 0, index, axis) for axis in range(3)]))


def _corner(values: Floats, start: Ints, cells: tuple[int, ...]) -> Floats:
    return values[tuple(slice(s, s + n) for s, n in zip(start, cells, strict=True))]


def _quads(inside: np.ndarray, index: Ints, axis: int) -> Ints:
    """Two triangles between the four cells around each edge along an axis that is cut."""
    inside, index = np.moveaxis(inside, axis, 0), np.moveaxis(index, axis, 0)
    ahead = inside[:-1, 1:-1, 1:-1]
    edges = np.argwhere(ahead != inside[1:, 1:-1, 1:-1])
    i, j, k = edges.T
    a, b, c, d = (index[i, j + p, k + q] for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)))
    # Moving an axis to the front keeps the turn of the others for x and z, and reverses it for y.
    turn = ahead[i, j, k] == (axis != 1)
    b, d = np.where(turn, b, d), np.where(turn, d, b)
    return np.concatenate([rows_of(a, b, c), rows_of(a, c, d)])
