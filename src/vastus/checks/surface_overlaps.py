"""How much of two surfaces' insides is common, from points of a grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from vastus.geometry.columns import inside_grid
from vastus.geometry.signed_distance import enclosed
from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

_CELLS = 8000  # of the box that two surfaces have in common
_ALONG = 150  # cells at most along a side of it
_FINER = 3  # points along each side of a cell that a surface goes through
_MOST = 128  # stretches that an edge is cut into


@dataclass(frozen=True, eq=False)
class Overlap:
    """The volume [m^3] that two parts have in common, and a place (3,) [m] inside both."""

    names: tuple[str, str]
    volume: float
    of_smaller: float  # share of the smaller part
    of_larger: float
    place: Floats


def overlaps(parts: Mapping[str, Surface]) -> list[Overlap]:
    """All overlaps of two parts, the largest first; the same at every call."""
    volumes = {name: abs(part.volume) for name, part in parts.items()}
    found = []
    for names in combinations(parts, 2):
        volume, place = _common(*(parts[name] for name in names))
        small, large = sorted(volumes[name] for name in names)
        if volume > 0 and small > 0:
            found.append(Overlap(names, volume, min(volume / small, 1.0), volume / large, place))
    return sorted(found, key=lambda overlap: -overlap.volume)


def sampled(surface: Surface, spacing: float) -> Floats:
    """(k, 3) points all over the faces, no further apart [m] than `spacing` if they can be."""
    corners = surface.X[surface.faces]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    cuts = np.clip(np.ceil(longest / spacing), 1, _MOST).astype(int)
    each = [np.einsum("wc,kci->kwi", _weights(n), corners[cuts == n]) for n in np.unique(cuts)]
    return np.concatenate([points.reshape(-1, 3) for points in each])


def within(points: Floats, low: Floats, high: Floats) -> Bools:
    """(k,) whether points (k, 3) are in a box."""
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def _weights(n: int) -> Floats:
    """(w, 3) barycentric weights of points inside a triangle, n of them along each side."""
    i, j = (a.ravel() + 1 / 3 for a in np.indices((n, n)))
    weights = np.stack([i, j, n - i - j], axis=1) / n
    return weights[weights[:, 2] > 0]


def _common(a: Surface, b: Surface) -> tuple[float, Floats]:
    """The common volume [m^3] and a place in it; cells that a surface goes through count finely."""
    low = np.maximum(a.X.min(axis=0), b.X.min(axis=0))
    high = np.minimum(a.X.max(axis=0), b.X.max(axis=0))
    if (low >= high).any():
        return 0.0, low
    even = float(np.cbrt((high - low).prod() / _CELLS))
    # Of bodies that barely touch, the common box is as thin as a sheet.
    shape = np.clip(np.ceil((high - low) / even), 1, _ALONG).astype(int)
    side = (high - low) / shape
    cells = low + side * (np.indices(shape).reshape(3, -1).T + 0.5)
    rough = np.zeros(len(cells), bool)
    for one, other in ((a, b), (b, a)):
        rough[_reached(one, other, low, side, shape)] = True
    if not rough.any():
        return 0.0, low
    fine = _refined(cells[rough], side)
    whole, parts = cells[~rough], fine
    for surface in (a, b):
        inside = _inside(surface, low, side / _FINER, shape * _FINER)
        whole, parts = whole[inside(whole)], parts[inside(parts)]
    volume = float(side.prod()) * (len(whole) + len(parts) / _FINER**3)
    points = np.concatenate([whole, parts])
    middle = np.linalg.norm(points - points.mean(axis=0), axis=1).argmin() if len(points) else None
    return volume, low if middle is None else points[middle]


def _reached(one: Surface, other: Surface, low: Floats, side: Floats, shape: Ints) -> Ints:
    """The cells in which the first surface is inside the other."""
    corners = one.X[one.faces]
    high = low + side * shape
    near = ((corners.min(axis=1) <= high) & (corners.max(axis=1) >= low)).all(axis=1)
    if not near.any():
        return np.zeros(0, np.int64)
    points = sampled(Surface(one.X, one.faces[near]), float(side.max()))
    points = points[within(points, low, high)]
    # Where the surfaces coincide, the winding number is a half.
    cell = ((points[enclosed(other, points, least=0.25)] - low) / side).astype(int)
    return np.ravel_multi_index(tuple(np.minimum(cell, shape - 1).T), tuple(shape))


def _refined(cells: Floats, side: Floats) -> Floats:
    """(27 k, 3) points spread evenly over cells with the given middles (k, 3)."""
    steps = (np.indices((_FINER,) * 3).reshape(3, -1).T + 0.5) / _FINER - 0.5
    return (cells[:, None] + side * steps).reshape(-1, 3)


def _inside(surface: Surface, low: Floats, side: Floats, shape: Ints) -> Callable[[Floats], Bools]:
    """Whether points (k, 3) in the middle of cells of a grid are inside the surface."""
    if not surface.closed:
        return partial(enclosed, surface)
    grid = inside_grid(surface, low, side, shape)
    return lambda points: grid[tuple(((points - low) / side).astype(int).T)]
