"""From a field to a closed surface: marching cubes on the blocks near it, then fewer triangles."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike
from scipy import ndimage, sparse

from vastus.errors import MissingExtra
from vastus.geometry.crossings import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.arm.field import Field
from vastus.numerics.types import Floats, Ints

_BLOCK = 3  # cells along the side of a block
_SLACK = 1.25  # fields may change faster than distances by this factor
_STEPS = (0.5, -0.53) * 6  # alternate signs keep the volume


def surface_of(
    field: Field, low: ArrayLike, high: ArrayLike, *, cell: float, faces: int
) -> Surface:
    """The surface [mm] of the largest piece of a solid that lies in a box."""
    values, corner = _sampled(field, np.asarray(low, float), np.asarray(high, float), cell)
    X, F = _marched(_largest(values), corner, cell)
    return _thinned(_smoothed(X, F), F, faces)


def _sampled(field: Field, low: Floats, high: Floats, cell: float) -> tuple[Floats, Floats]:
    """Values (p, q, r) on a lattice, exact near the surface, and the lattice's lowest corner."""
    side = _BLOCK * cell
    first = np.floor(low / side) - 1
    shape = (np.ceil(high / side) + 1 - first).astype(int).tolist()
    blocks = np.argwhere(np.ones(shape, bool))
    coarse = field(first * side + np.add(blocks, 0.5, dtype=np.float64) * side)
    values = np.kron(coarse.reshape(shape), np.ones((_BLOCK,) * 3)).astype(np.float64)
    near = np.abs(coarse) < _SLACK * (np.sqrt(3) / 2 * side) + cell
    inner = np.argwhere(np.ones((_BLOCK,) * 3, bool))
    index = (blocks[near][:, None] * _BLOCK + inner).reshape(-1, 3)
    values[tuple(index.T)] = field(first * side + index * cell)
    return values, first * side


def _largest(values: Floats) -> Floats:
    """The values with every piece but the largest moved outside, and inner holes filled."""
    pieces, count = ndimage.label(values < 0)
    if count > 1:
        largest = 1 + np.argmax(np.bincount(pieces.ravel())[1:])
        values = np.where((pieces > 0) & (pieces != largest), np.abs(values) + 1e-3, values)
    holes, count = ndimage.label(values >= 0)
    if count > 1:
        values = np.where((holes > 0) & (holes != holes[0, 0, 0]), -np.abs(values) - 1e-3, values)
    return values


def _marched(values: Floats, corner: Floats, cell: float) -> tuple[Floats, Ints]:
    # Exact zeros would give triangles without area.
    values = np.where(np.abs(values) < 1e-3 * cell, 1e-3 * cell, values)
    z, y, x = np.indices(values.shape[::-1]).reshape(3, -1)
    points = corner + cell * np.column_stack([x, y, z])
    X, F, _ = _igl().marching_cubes(values.ravel(order="F"), points, *values.shape, 0.0)
    return X, np.asarray(F)


def _smoothed(X: Floats, F: Ints) -> Floats:
    """The vertices after steps towards the mean of their neighbours and nearly as far back."""
    ends = F[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).T
    ones = np.ones(ends.shape[1])
    around = sparse.coo_array((ones, tuple(ends)), shape=(len(X), len(X))).tocsr()
    number = around.sum(axis=1)[:, None]
    for step in _STEPS:
        X = X + step * (around @ X / number - X)
    return X


def _thinned(X: Floats, F: Ints, faces: int) -> Surface:
    """Fewer triangles; the slower way that keeps them from crossing is taken where it must be."""
    for careful in (False, True):
        fewer, triangles, _, _ = _igl().qslim(
            np.asfortranarray(X), np.asfortranarray(F, np.int32), faces, careful
        )
        surface = Surface(fewer, np.asarray(triangles))
        if not len(self_intersections(surface)):
            break
    return surface if surface.volume > 0 else Surface(surface.X, surface.faces[:, ::-1])


def _igl() -> ModuleType:
    try:
        import igl
    except ImportError:
        raise MissingExtra("libigl", "mesh") from None
    return igl
