"""Solids as fields [mm], negative inside: joined, cut, swept along lines, and made surfaces.

A field maps points X (n, 3) to values (n,): zero on the surface, near it the distance to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.spatial import KDTree

from vastus.errors import ModelError
from vastus.geometry.section import self_intersections
from vastus.geometry.signed_distance import libigl
from vastus.geometry.surface import Surface
from vastus.modelling.shapes.tube import Triple, Tube
from vastus.numerics.types import Floats, Ints

Field = Callable[[Floats], Floats]
Rows = Sequence[Sequence[float]]

_STEP = 2.0  # [mm] between stations
_FAR = 14.0  # [mm] from the box around the line; further away the value is this constant
_BLOCK = 3  # cells along the side of a block
_CRUMBS = 0.02  # of the largest piece; more than this is a part that does not touch
_SLACK = 1.25  # fields may change faster than distances by this factor
_STEPS = (0.5, -0.53) * 6  # alternate signs keep the volume


def ball(centre: ArrayLike, radius: float) -> Field:
    """A ball."""
    return lambda X: np.linalg.norm(X - np.asarray(centre), axis=1) - radius


def ellipsoid(centre: ArrayLike, radii: ArrayLike, axes: ArrayLike | None = None) -> Field:
    """An ellipsoid with half-widths along the rows of `axes` (3, 3), else along x, y, z."""
    frame = np.eye(3) if axes is None else np.asarray(axes, float)
    return lambda X: scaled_distance((X - np.asarray(centre)) @ frame.T, np.asarray(radii, float))


def cone(start: ArrayLike, r: float, end: ArrayLike, s: float) -> Field:
    """A rounded cone whose radius goes from r at `start` to s at `end`."""
    a, axis = np.asarray(start, float), np.subtract(end, start)

    def field(X: Floats) -> Floats:
        t = np.clip((X - a) @ axis / (axis @ axis), 0.0, 1.0)
        return np.linalg.norm(X - a - t[:, None] * axis, axis=1) - (r + t * (s - r))

    return field


def join(*fields: Field, blend: float = 3.0) -> Field:
    """The union, its seams filled over about `blend`."""
    return lambda X: reduce(lambda f, g: soft_min(f, g, blend), (field(X) for field in fields))


def cut(field: Field, *tools: Field, clearance: float = 0.0, blend: float = 2.0) -> Field:
    """The solid without the tools, which are grown by `clearance` first."""

    def left(X: Floats) -> Floats:
        value = field(X)
        for tool in tools:
            value = soft_max(value, clearance - tool(X), blend)
        return value

    return left


def turned(field: Field, turn: Floats) -> Field:
    """The solid after the rotation `turn` (3, 3) about the origin."""
    return lambda X: field(X @ turn)


def within(field: Field, low: ArrayLike, high: ArrayLike, margin: float = 10.0) -> Field:
    """The field of a solid in a box, a constant further than `margin` from the box: it is quick."""
    middle, half = np.add(high, low) / 2, np.subtract(high, low) / 2 + margin

    def bounded(X: Floats) -> Floats:
        value = np.full(len(X), margin)
        close = np.flatnonzero((np.abs(X - middle) < half).all(axis=1))
        value[close] = field(X[close])
        return value

    return bounded


def soft_min(f: Floats, g: Floats, blend: float) -> Floats:
    """The lower of two values, lowered by up to a quarter of `blend` where they are alike."""
    near = np.maximum(blend - np.abs(f - g), 0.0) / blend
    return np.minimum(f, g) - near**2 * blend / 4


def soft_max(f: Floats, g: Floats, blend: float) -> Floats:
    """The higher of two values, raised by up to a quarter of `blend` where they are alike."""
    return -soft_min(-f, -g, blend)


def scaled_distance(local: Floats, radii: Floats) -> Floats:
    """The distance of points (n, k) to an ellipse or ellipsoid, exact to first order near it."""
    q = local / radii
    size = np.linalg.norm(q, axis=1)
    slope = np.linalg.norm(q / radii, axis=1)
    inmost = -np.broadcast_to(radii, local.shape).min(axis=1)
    return np.where(size > 1e-6, size * (size - 1) / np.maximum(slope, 1e-12), inmost)


@dataclass(frozen=True, eq=False)
class SweptField:
    """Elliptic sections along a smooth line through `rows` (k, 5) or (k, 6) [mm].

    A row is x, y, z, half-width along `side`, or as nearly along it as the line allows, half-width
    across, and how far both are turned about the line [deg], zero if it is left out. The ends are
    closed by half ellipsoids that stand out by `domes`.
    """

    rows: Floats
    side: Triple = (1.0, 0.0, 0.0)
    domes: tuple[float, float] = (3.0, 3.0)

    @cached_property
    def _tube(self) -> Tube:
        return Tube(self.rows[:, :3], self.rows[:, 3:5], self.side)

    @cached_property
    def _stations(self) -> tuple[Floats, Floats, Floats, KDTree]:
        """Points (s, 3), frames (s, 3, 3) and half-widths (s, 2), and a tree of the points."""
        tube = self._tube
        u = np.linspace(0.0, tube.knots[-1], 2 + int(tube.knots[-1] / _STEP))
        points = tube.curve(u)
        frames = _frames(tube.curve(u, 1), self.side)
        if self.rows.shape[1] > 5:
            frames = _twisted(frames, np.radians(np.interp(u, tube.knots, self.rows[:, 5])))
        return points, frames, tube.widths(u), KDTree(points)

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of a box around the solid [mm]."""
        reach = self.rows[:, 3:5].max() + max(self.domes)
        points = self._stations[0]
        return points.min(axis=0) - reach, points.max(axis=0) + reach

    def __call__(self, X: Floats) -> Floats:
        """The field at points X (n, 3)."""
        return within(self._near, *self.box, margin=_FAR)(X)

    def _near(self, X: Floats) -> Floats:
        points, axes, widths, tree = self._stations
        _, station = tree.query(X)
        last = len(points) - 1
        ahead = np.einsum("ni,ni->n", X - points[station], axes[station, 2])
        place = np.clip(station + ahead / self._pace, 0.0, last)
        lower = np.minimum(place.astype(int), last - 1)
        part = (place - lower)[:, None]
        centre = points[lower] + part * (points[lower + 1] - points[lower])
        frame = axes[lower] + part[:, None] * (axes[lower + 1] - axes[lower])
        radii = widths[lower] + part * (widths[lower + 1] - widths[lower])
        local = np.einsum("nki,ni->nk", frame, X - centre)
        local[:, 2] = np.where((place <= 0) | (place >= last), local[:, 2], 0.0)
        cap = np.where(place <= 0, *self.domes)
        return scaled_distance(local, np.column_stack([radii, cap]))

    @cached_property
    def _pace(self) -> float:
        points = self._stations[0]
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).mean())


def swept(
    rows: Rows, side: Triple = (1.0, 0.0, 0.0), domes: tuple[float, float] = (3.0, 3.0)
) -> SweptField:
    """A swept solid from a table of rows [mm]."""
    return SweptField(np.array(rows, float), side, domes)


def _frames(tangents: Floats, side: Triple) -> Floats:
    """(s, 3, 3) rows side, across, tangent."""
    t = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    sides = np.asarray(side) - t * (t @ np.asarray(side))[:, None]
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    return np.stack([sides, np.cross(t, sides), t], axis=1)


def _twisted(frames: Floats, angles: Floats) -> Floats:
    """Frames (s, 3, 3) whose first two axes are turned about the third by angles (s,)."""
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    side, across = frames[:, 0], frames[:, 1]
    return np.stack([c * side + s * across, c * across - s * side, frames[:, 2]], axis=1)


def surface_of(
    field: Field, low: ArrayLike, high: ArrayLike, *, cell: float, faces: int
) -> Surface:
    """The surface [mm] of a solid that lies in a box, without crumbs that do not touch it."""
    values, corner = sampled(field, np.asarray(low, float), np.asarray(high, float), cell)
    return contoured(_largest(values), corner, cell, faces)


def contoured(
    values: Floats, corner: Floats, cell: float, faces: int, *, careful: bool = True
) -> Surface:
    """The surface [mm] of values (p, q, r) on a lattice, smoothed, of about so many triangles.

    Without care triangles may cross each other here and there, which is quicker.
    """
    X, F = _marched(values, corner, cell)
    return _thinned(_smoothed(X, F), F, faces, careful)


def sampled(field: Field, low: Floats, high: Floats, cell: float) -> tuple[Floats, Floats]:
    """Values (p, q, r) on a lattice, exact near the surface, and the lattice's lowest corner.

    Corners are at multiples of three cells, so that lattices of one cell fit each other.
    """
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
    from scipy import ndimage  # as heavy as the rest of the package

    pieces, count = ndimage.label(values < 0)
    if count > 1:
        sizes = np.bincount(pieces.ravel())[1:]
        largest = 1 + np.argmax(sizes)
        if sizes.sum() - sizes.max() > _CRUMBS * sizes.max():
            raise ModelError(f"a solid is in {count} pieces: its parts must touch")
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
    X, F, _ = libigl().marching_cubes(values.ravel(order="F"), points, *values.shape, 0.0)
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


def _thinned(X: Floats, F: Ints, faces: int, careful: bool = True) -> Surface:
    """Fewer triangles; the slower way that keeps them from crossing is taken where it must be."""
    for slowly in (False, True) if careful else (False,):
        fewer, triangles, _, _ = libigl().qslim(
            np.asfortranarray(X), np.asfortranarray(F, np.int32), faces, slowly
        )
        surface = Surface(fewer, np.asarray(triangles))
        if careful and not len(self_intersections(surface)):
            break
    return surface if surface.volume > 0 else Surface(surface.X, surface.faces[:, ::-1])
