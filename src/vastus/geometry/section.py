"""Cuts: what a plane leaves of surfaces and tets, and faces of a surface that cross others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

_EDGES = ((0, 1), (1, 2), (2, 0))
_ROUNDING = 1e-10  # of the cube of an edge; less volume is none


@dataclass(frozen=True, eq=False)
class Cut:
    """Triangles with three corners of their own, each on an edge of the mesh.

    A corner (q, 3) lies at `(1 - t) a + t b` between vertices a and b; `source` (q,) is the face
    or tet that a triangle comes from.
    """

    a: Ints
    b: Ints
    t: Floats
    source: Ints

    def at(self, values: Floats) -> Floats:
        """(q, 3, ...) values (n, ...) of vertices at the corners."""
        t = self.t.reshape(*self.t.shape, *[1] * (values.ndim - 1))
        return np.asarray((1 - t) * values[self.a] + t * values[self.b])


def clipped(faces: Ints, d: Floats) -> tuple[np.ndarray, Cut]:
    """Which faces (k, 3) lie wholly where d (n,) <= 0, as a mask, and what is left of the others.

    `d` is the distance of each vertex from the plane, positive on the side that is taken away.
    """
    inside = d[faces] <= 0
    count = inside.sum(axis=1)
    tips, rest = np.flatnonzero(count == 1), np.flatnonzero(count == 2)
    v, w = _lone_first(faces[tips], inside[tips]), _lone_first(faces[rest], ~inside[rest])
    pieces = [
        (tips, [(v[:, 0], v[:, 0]), (v[:, 0], v[:, 1]), (v[:, 0], v[:, 2])]),
        (rest, [(w[:, 1], w[:, 1]), (w[:, 2], w[:, 2]), (w[:, 2], w[:, 0])]),
        (rest, [(w[:, 1], w[:, 1]), (w[:, 2], w[:, 0]), (w[:, 1], w[:, 0])]),
    ]
    return count == 3, _cut(pieces, d)


def section(T: Ints, d: Floats) -> Cut:
    """Where the plane d (n,) = 0 passes through tets T (m, 4), in no order of the corners."""
    inside = d[T] <= 0
    count = inside.sum(axis=1)
    ones = np.flatnonzero((count == 1) | (count == 3))
    lone = np.where((count[ones] == 1)[:, None], inside[ones], ~inside[ones])
    v = _lone_first(T[ones], lone)
    pairs = np.flatnonzero(count == 2)
    w = np.take_along_axis(T[pairs], np.argsort(~inside[pairs], axis=1, kind="stable"), axis=1)
    near, far = (w[:, 0], w[:, 1]), (w[:, 2], w[:, 3])
    pieces = [
        (ones, [(v[:, 0], v[:, k]) for k in (1, 2, 3)]),
        (pairs, [(near[0], far[0]), (near[0], far[1]), (near[1], far[1])]),
        (pairs, [(near[0], far[0]), (near[1], far[1]), (near[1], far[0])]),
    ]
    return _cut(pieces, d)


def _lone_first(rows: Ints, lone: np.ndarray) -> Ints:
    """The rows (k, c) turned, not reflected, so that the one marked vertex comes first."""
    width = rows.shape[1]
    turn = (lone.argmax(axis=1)[:, None] + np.arange(width)) % width
    return np.take_along_axis(rows, turn, axis=1)


def _cut(pieces: list[tuple[Ints, list[tuple[Ints, Ints]]]], d: Floats) -> Cut:
    source = np.concatenate([who for who, _ in pieces])
    a, b = (
        np.concatenate([np.stack([edge[end] for edge in edges], axis=1) for _, edges in pieces])
        for end in (0, 1)
    )
    drop = d[a] - d[b]
    t = np.divide(d[a], drop, out=np.zeros(a.shape), where=drop != 0)
    return Cut(a, b, np.clip(t, 0.0, 1.0), source)


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
