"""A body as a function on a grid, negative inside: interpolated, offset, smoothed, contoured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import ndimage

from vastus.errors import ModelError
from vastus.geometry.lattice.interpolation import interpolate
from vastus.geometry.signed_distance import libigl
from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

# (8, 3) the corners of a cube as marching cubes count them.
CUBE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0),
                 (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])  # fmt: skip


@dataclass(frozen=True, eq=False)
class LevelSet:
    """Values (p, q, r) [m] at the nodes of a grid; `corner` (3,) is the first, `cell` apart [m]."""

    corner: Floats
    cell: float
    values: np.ndarray  # float32

    def at(self, points: Floats) -> Floats:
        """(k,) the values at points (k, 3) [m], linear between nodes, and large beyond the grid."""
        out = np.empty(len(points))
        interpolate(self.values, self.corner, self.cell, np.ascontiguousarray(points), out)
        return out

    @property
    def high(self) -> Floats:
        """(3,) the last node [m]."""
        return np.asarray(self.corner + self.cell * (np.array(self.values.shape) - 1))

    @property
    def volume(self) -> float:
        """The volume inside [m^3], of cells that are in or out."""
        return float(np.count_nonzero(self.values < 0)) * self.cell**3

    def dilated(self, distance: float) -> LevelSet:
        """The body grown by a distance [m]."""
        return replace(self, values=(self.values - np.float32(distance)))

    def smoothed(self, cells: float) -> LevelSet:
        """The body after a Gaussian of a width in cells."""
        return replace(self, values=ndimage.gaussian_filter(self.values, cells))

    def whole(self) -> LevelSet:
        """The largest piece, its cavities filled."""
        inside = without_holes(_largest(self.values < 0))
        small = np.float32(1e-3 * self.cell)
        values = np.where(inside, np.minimum(self.values, -small), np.maximum(self.values, small))
        return replace(self, values=values)

    def surface(self) -> Surface:
        """Its surface by marching cubes, outward [m]."""
        values = np.pad(self.values, 1, constant_values=self.cell)
        small = np.float64(1e-3 * self.cell)  # exact zeros would give triangles without area
        inside = values <= -small
        if not inside.any():
            raise ModelError("there is no inside of which a surface could be made")
        nodes, cubes = _crossed(inside)
        depth = values[np.unravel_index(nodes, values.shape)].astype(float)
        depth = np.where(np.abs(depth) < small, small, depth)
        places = np.stack(np.unravel_index(nodes, values.shape), axis=1)
        points = self.corner - self.cell + self.cell * places
        X, F, _ = libigl().marching_cubes(depth, points, cubes, 0.0)
        surface = Surface(X, np.asarray(F))
        return surface if surface.volume > 0 else Surface(X, np.asarray(F)[:, ::-1])


def _crossed(inside: Bools) -> tuple[Ints, Ints]:
    """The nodes (n,) of cubes that a surface passes through, by place, and these cubes (c, 8)."""
    some, every = inside, inside
    for axis in range(3):
        n = inside.shape[axis] - 1
        low, high = (slice(0, n), slice(1, n + 1))
        ends = [tuple(side if a == axis else slice(None) for a in range(3)) for side in (low, high)]
        some, every = some[ends[0]] | some[ends[1]], every[ends[0]] & every[ends[1]]
    cubes = np.argwhere((some & ~every).transpose(2, 1, 0))[:, ::-1]  # as the whole grid would be
    corners = np.ravel_multi_index(tuple((cubes[:, None] + CUBE).transpose(2, 0, 1)), inside.shape)
    used = np.zeros(inside.size, bool)
    used[corners] = True
    nodes = np.flatnonzero(used)
    number = np.empty(inside.size, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    return nodes, number[corners].astype(np.int64)


def grid_over(low: Floats, high: Floats, cell: float) -> tuple[Floats, tuple[int, int, int]]:
    """The first node and the shape of a grid over a box, its nodes at multiples of the cell."""
    first = np.floor(np.asarray(low) / cell)
    shape = (np.ceil(np.asarray(high) / cell) - first).astype(int) + 1
    return first * cell, (int(shape[0]), int(shape[1]), int(shape[2]))


def sampled(field: Any, low: Floats, high: Floats, cell: float) -> LevelSet:
    """The level set of a function of points (k, 3) [m] that gives (k,) [m], over a box."""
    corner, shape = grid_over(low, high, cell)
    nodes = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1)
    values = field(corner + cell * nodes.reshape(-1, 3)).reshape(shape)
    return LevelSet(corner, cell, values.astype(np.float32))


def _largest(inside: Bools) -> Bools:
    pieces, count = ndimage.label(inside)
    if count <= 1:
        return inside
    return np.asarray(pieces == 1 + np.argmax(np.bincount(pieces.ravel())[1:]))


def without_holes(inside: Bools) -> Bools:
    """(p, q, r) what is inside, and what cannot be got to from the border of the grid."""
    pieces, count = ndimage.label(~inside)
    outside = np.zeros(count + 1, bool)
    for axis in range(3):
        for end in (0, -1):
            outside[np.take(pieces, end, axis=axis)] = True
    outside[0] = False  # the inside itself
    return np.asarray(~outside[pieces])


def distance_to(inside: Bools, cell: float) -> np.ndarray:
    """(p, q, r) signed distances [m] of all nodes to the surface of what is inside, float32."""
    out = ndimage.distance_transform_edt(~inside).astype(np.float32)
    into = ndimage.distance_transform_edt(inside).astype(np.float32)
    half = np.float32(0.5)
    return np.asarray(np.float32(cell) * np.where(inside, half - into, out - half))
