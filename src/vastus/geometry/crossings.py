"""Faces of a surface that pass through each other."""

from __future__ import annotations

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

_EDGES = ((0, 1), (1, 2), (2, 0))
_ROUNDING = 1e-10  # of the cube of an edge; less volume is none


def self_intersections(surface: Surface) -> Ints:
    """The faces that cross others, in order.

    Faces that only touch, lie in one plane, or share an edge do not count.
    """
    first, second = _close_pairs(surface)
    crossing = np.zeros(len(first), bool)
    for one, other in ((first, second), (second, first)):
        for edge in _EDGES:
            crossing |= _pierces(surface, surface.faces[one][:, edge], surface.faces[other])
    return np.unique(np.concatenate([first[crossing], second[crossing]]))


def _close_pairs(surface: Surface) -> tuple[Ints, Ints]:
    """Pairs of faces without a common edge whose boxes meet and whose planes do not part them."""
    corners = surface.X[surface.faces]
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    reach = np.linalg.norm(upper - lower, axis=1) / 2
    first, second = surface.boxes.near((lower + upper) / 2, reach)
    once = first < second
    first, second = first[once], second[once]
    meet = ((lower[first] <= upper[second]) & (lower[second] <= upper[first])).all(axis=1)
    first, second = first[meet], second[meet]
    common = surface.faces[first][:, :, None] == surface.faces[second][:, None, :]
    apart = common.sum(axis=(1, 2)) < 2
    first, second = first[apart], second[apart]
    met = _met(corners[first], corners[second]) & _met(corners[second], corners[first])
    return first[met], second[met]


def _met(triangles: Floats, others: Floats) -> Bools:
    """(p,) whether the plane of each triangle (p, 3, 3) has corners of the other on both sides."""
    a = triangles[:, 0]
    normal = np.cross(triangles[:, 1] - a, triangles[:, 2] - a)
    height = np.einsum("pi,pci->pc", normal, others - a[:, None])
    return (height.min(axis=1) <= 0) & (height.max(axis=1) >= 0)


def _pierces(surface: Surface, edges: Ints, faces: Ints) -> Bools:
    """(p,) whether each edge (p, 2) goes through its face (p, 3) without a vertex in common."""
    p, q = (surface.X[edges[:, i]] for i in range(2))
    a, b, c = (surface.X[faces[:, i]] for i in range(3))
    size = np.linalg.norm([q - p, b - a, c - b, a - c], axis=2).max(axis=0)
    slack = _ROUNDING * size**3
    above, below = _volume(a, b, c, p), _volume(a, b, c, q)
    through = (np.minimum(above, below) < -slack) & (np.maximum(above, below) > slack)
    around = np.stack([_volume(p, q, a, b), _volume(p, q, b, c), _volume(p, q, c, a)])
    hit = (around > slack).all(axis=0) | (around < -slack).all(axis=0)
    shared = (edges[:, :, None] == faces[:, None, :]).any(axis=(1, 2))
    return through & hit & ~shared


def _volume(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """(p,) six times the signed volume of each tet [m^3]."""
    return np.einsum("pi,pi->p", np.cross(b - a, c - a), d - a)
