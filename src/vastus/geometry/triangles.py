"""The nearest place of a triangle to a point."""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Floats

_EDGES = ((0, 1), (1, 2), (2, 0))


def nearest_on_triangles(corners: Floats, points: Floats) -> Floats:
    """(p, 3) barycentric weights of the place of triangle p (p, 3, 3) nearest to point p (p, 3)."""
    weights = _on_plane(corners, points)
    best = np.where(weights.min(axis=1, initial=1.0) >= 0, _gap(corners, points, weights), np.inf)
    for a, b in _EDGES:
        on_edge = _on_edge(corners, points, a, b)
        gap = _gap(corners, points, on_edge)
        nearer = gap < best
        weights[nearer], best[nearer] = on_edge[nearer], gap[nearer]
    return weights


def _on_plane(corners: Floats, points: Floats) -> Floats:
    """(p, 3) weights of the foot of each point; negative somewhere if outside the triangle."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(u, v)
    square = np.einsum("pi,pi->p", normal, normal)
    offset = points - corners[:, 0]
    # A sliver has no foot of its own; its edges will do.
    scale = np.divide(1.0, square, out=np.zeros_like(square), where=square > 1e-300)
    second = np.einsum("pi,pi->p", np.cross(offset, v), normal) * scale
    third = np.einsum("pi,pi->p", np.cross(u, offset), normal) * scale
    return np.stack([1 - second - third, second, third], axis=1)


def _on_edge(corners: Floats, points: Floats, a: int, b: int) -> Floats:
    """(p, 3) weights of the nearest place of the edge a-b."""
    u = corners[:, b] - corners[:, a]
    square = np.einsum("pi,pi->p", u, u)
    along = np.einsum("pi,pi->p", points - corners[:, a], u)
    s = np.divide(along, square, out=np.zeros_like(square), where=square > 0).clip(0, 1)
    weights = np.zeros((len(points), 3))
    weights[:, a], weights[:, b] = 1 - s, s
    return weights


def _gap(corners: Floats, points: Floats, weights: Floats) -> Floats:
    """(p,) squared distance [m^2] from each point to the place with the given weights."""
    away = np.einsum("pa,pai->pi", weights, corners) - points
    return np.einsum("pi,pi->p", away, away)
