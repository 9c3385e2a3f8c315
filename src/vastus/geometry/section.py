"""What a plane leaves of surfaces and tets: the faces on its far side, and the face of the cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Floats, Ints


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
