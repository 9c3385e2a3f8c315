"""Solids as fields [mm]: negative inside, zero on the surface, near it the distance to it.

A field maps points X (n, 3) to values (n,). Solids are joined, cut and rounded by soft minima.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from vastus.numerics.types import Floats

Field = Callable[[Floats], Floats]


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
