"""Surfaces of bones [mm]: sections swept along lines, ellipsoids and plates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from vastus.geometry.surface import Surface
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints

Rows = Sequence[Sequence[float]] | Floats
_STEP = 7.0  # [mm] between sections
_DOME = (0.38, 0.72, 0.95)  # sections of a rounded end, as parts of its length from the tip


def swept(
    rows: Rows,
    side: ArrayLike = (1.0, 0.0, 0.0),
    domes: tuple[float, float] = (4.0, 4.0),
    *,
    around: int = 14,
    step: float = _STEP,
) -> Surface:
    """Elliptic sections along a smooth line through rows x, y, z, half-width, half-width [mm].

    The first half-width is along `side`, or as nearly as the line allows, the second across. Ends
    are rounded and stand out by `domes`.
    """
    table = np.array(rows, float)
    knots = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(table[:, :3], axis=0), axis=1)))
    u = np.linspace(0.0, knots[-1], max(len(rows), 2 + int(knots[-1] / step)))
    values, slopes = _through(knots, table, u)
    points, sizes, t = values[:, :3], np.maximum(values[:, 3:], 0.5), unit(slopes[:, :3])
    a = unit(np.asarray(side, float) - t * (t @ np.asarray(side, float))[:, None])
    rings = [
        *(_dome(points[0], -t[0], sizes[0], domes[0])),
        *zip(points, sizes, strict=True),
        *(_dome(points[-1], t[-1], sizes[-1], domes[1])[::-1]),
    ]
    frames = [a[0]] * len(_DOME) + list(a) + [a[-1]] * len(_DOME)
    lines = [t[0]] * len(_DOME) + list(t) + [t[-1]] * len(_DOME)
    angle = 2 * np.pi * np.arange(around) / around
    X = [
        centre
        + size[0] * np.outer(np.cos(angle), s)
        + size[1] * np.outer(np.sin(angle), np.cross(d, s))
        for (centre, size), s, d in zip(rings, frames, lines, strict=True)
    ]
    ends = [points[0] - domes[0] * t[0], points[-1] + domes[1] * t[-1]]
    return Surface(np.concatenate([*X, ends]), _closed_tube(len(rings), around))


def _through(knots: Floats, rows: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Values and slopes at u of cubics through rows at knots, each slope that of the neighbours."""
    m = np.gradient(rows, knots, axis=0)
    k = np.clip(np.searchsorted(knots, u, side="right") - 1, 0, len(knots) - 2)
    h = (knots[k + 1] - knots[k])[:, None]
    s = (u - knots[k])[:, None] / h
    p, q, v, w = rows[k], rows[k + 1], h * m[k], h * m[k + 1]
    value = p + s * v + s**2 * (3 * (q - p) - 2 * v - w) + s**3 * (2 * (p - q) + v + w)
    slope = v + 2 * s * (3 * (q - p) - 2 * v - w) + 3 * s**2 * (2 * (p - q) + v + w)
    return value, slope / h


def _dome(centre: Floats, out: Floats, size: Floats, height: float) -> list[tuple[Floats, Floats]]:
    """Sections of half an ellipsoid from its tip to the end of the line."""
    return [
        (centre + (1.0 - s) * height * out, size * np.sqrt(1.0 - (1.0 - s) ** 2)) for s in _DOME
    ]


def _closed_tube(rings: int, around: int) -> Ints:
    """Triangles of rings of vertices, then the vertices that close the first and the last."""
    k, j = np.arange(around), (np.arange(around) + 1) % around
    bands = [
        np.concatenate([
            np.column_stack([r * around + k, r * around + j, (r + 1) * around + j]),
            np.column_stack([r * around + k, (r + 1) * around + j, (r + 1) * around + k]),
        ])
        for r in range(rings - 1)
    ]  # fmt: skip
    first, last = rings * around, rings * around + 1
    foot = np.column_stack([np.full(around, first), j, k])
    top = (rings - 1) * around
    head = np.column_stack([np.full(around, last), top + k, top + j])
    return np.concatenate([*bands, foot, head])


def knob(centre: ArrayLike, radii: ArrayLike | float, *, around: int = 16) -> Surface:
    """An ellipsoid."""
    up, radii = np.array([0.0, 0.0, 1.0]), np.broadcast_to(np.asarray(radii, float), 3)
    polar = np.linspace(0.0, np.pi, around // 2 + 1)[1:-1]
    angle = 2 * np.pi * np.arange(around) / around
    circle = np.array([np.cos(angle), np.sin(angle)])
    rings = [np.column_stack([*(np.sin(p) * circle), np.full(around, -np.cos(p))]) for p in polar]
    X = np.concatenate([*rings, [-up, up]]) * radii + np.asarray(centre, float)
    return Surface(X, _closed_tube(len(polar), around))


def sheet(grid: ArrayLike, thickness: float, *, fine: int = 4) -> Surface:
    """A plate of a thickness [mm] through a grid of points (rows, columns, 3), drawn smoothly."""
    X = np.array(grid, float)
    for axis in (0, 1):
        k = np.arange(X.shape[axis], dtype=float)
        u = np.linspace(0.0, k[-1], fine * (len(k) - 1) + 1)
        flat = np.moveaxis(X, axis, 0)
        values, _ = _through(k, flat.reshape(len(k), -1), u)
        X = np.moveaxis(values.reshape(len(u), *flat.shape[1:]), 0, axis)
    n = unit(np.cross(np.gradient(X, axis=0), np.gradient(X, axis=1)).reshape(-1, 3))
    r, c = X.shape[:2]
    index = np.arange(r * c).reshape(r, c)
    a, b, d, e = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    top = np.concatenate([rows_of(a, b, d), rows_of(a, d, e)])
    rim = np.concatenate([index[0, ::-1], index[1:, 0], index[-1, 1:], index[-2:0:-1, -1]])
    after, low = np.roll(rim, -1), r * c
    wall = np.concatenate([rows_of(rim, after + low, after), rows_of(rim, rim + low, after + low)])
    flat = X.reshape(-1, 3)
    both_sides = np.concatenate([flat + thickness / 2 * n, flat - thickness / 2 * n])
    whole = Surface(both_sides, np.concatenate([top, top[:, ::-1] + low, wall]))
    return whole if whole.volume > 0 else Surface(whole.X, whole.faces[:, ::-1])


def rows_of(*corners: Ints) -> Ints:
    """(k, 3) triangles from arrays of their corners."""
    return np.column_stack([np.ravel(corner) for corner in corners])


def joined(*surfaces: Surface) -> Surface:
    """Several closed surfaces as one; they may overlap."""
    starts = np.cumsum([0, *(s.n_vertices for s in surfaces)])
    faces = [s.faces + start for s, start in zip(surfaces, starts, strict=False)]
    return Surface(np.concatenate([s.X for s in surfaces]), np.concatenate(faces))


def reflected(surface: Surface) -> Surface:
    """The mirror image across the plane between left and right."""
    return Surface(surface.X * [1.0, -1.0, 1.0], surface.faces[:, ::-1])


def both(surface: Surface) -> Surface:
    """A surface and its mirror image."""
    return joined(surface, reflected(surface))


def moved(surface: Surface, by: ArrayLike) -> Surface:
    """The surface shifted by a vector [mm]."""
    return Surface(surface.X + np.asarray(by, float), surface.faces)
