"""How deep bodies of tets lie in each other, and how much of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

from vastus.geometry.placing import placed, tree
from vastus.numerics.nearest import distances
from vastus.numerics.overlap import Overlap, Placed, overlap
from vastus.numerics.search import Tree
from vastus.numerics.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Penetration:
    """Two bodies in each other: the deepest place [m], and the volume [m^3] they have in common."""

    one: str
    other: str
    depth: float
    volume: float


@dataclass(frozen=True, eq=False)
class Body:
    """A named body: its tets, its outer faces, and the vertices of others that move with it."""

    name: str
    T: Ints  # (k, 4)
    faces: Ints  # (f, 3)
    carried: Bools  # (n,) whether a vertex is another's, and moves with this body

    @cached_property
    def own(self) -> Ints:
        """The vertices of its tets."""
        return np.unique(self.T)

    @cached_property
    def held(self) -> Bools:
        """(n,) whether a vertex is the body's own or moves with it."""
        held = self.carried.copy()
        held[self.own] = True
        return held


class Presence:
    """A body where its vertices x (n, 3) [m] are; tets that are flat or not finite are left out."""

    def __init__(self, body: Body, x: Floats) -> None:
        self.body, self.x = body, x
        points = x[body.own]
        points = points[np.isfinite(points).all(axis=1)]
        self.lower = points.min(axis=0, initial=np.inf)
        self.upper = points.max(axis=0, initial=-np.inf)

    def meets(self, other: Presence, reach: float = 0.0) -> bool:
        """Whether the boxes around both meet, one of them grown by `reach` [m]."""
        lower, upper = np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper)
        return bool((lower < upper + reach).all())

    def overlap(self, other: Presence) -> Overlap:
        """Where the tets lie in those of the other body."""
        return overlap(self.placed, other.placed, self._tied(other), other._tied(self))

    def deepest(self, points: Floats, least: float) -> float:
        """The largest distance [m] of points (k, 3) from the outer faces, but `least` at least."""
        if not len(points):
            return least
        # The nearest corner of a face bounds the distance, which leaves few points to look at.
        bound = self._corners.query(points)[0]
        few = bound > least
        away = distances(points[few], self._faces, self._boxes, bound[few])
        return float(away.max(initial=least))

    @cached_property
    def placed(self) -> Placed:
        """The tets that have a volume."""
        return placed(self.body.T, self.x)

    @cached_property
    def _faces(self) -> Floats:
        """(f, 3, 3) the outer faces that are finite."""
        faces = self.x[self.body.faces]
        return np.asarray(faces[np.isfinite(faces).all(axis=(1, 2))])

    @cached_property
    def _boxes(self) -> Tree:
        return tree(self._faces)

    @cached_property
    def _corners(self) -> KDTree:
        return KDTree(self._faces.reshape(-1, 3))

    def _tied(self, other: Presence) -> Bools:
        """(k,) whether the placed tets have a vertex that moves with the other body."""
        vertices, carried = self.placed.vertices, other.body.carried
        if not carried.any():
            return np.zeros(len(vertices), bool)
        return np.asarray(carried[vertices].any(axis=1))


def penetration(one: Presence, other: Presence, least: float = 0.0) -> Penetration | None:
    """How two bodies lie in each other; None if that is no deeper than `least` [m]."""
    if not one.meets(other):
        return None
    found = one.overlap(other)
    depth = other.deepest(one.x[entered(one, found.one_in, other)], least)
    depth = one.deepest(other.x[entered(other, found.other_in, one)], depth)
    # Where edges cross, no vertex is inside, but the middle of a piece is inside both.
    for body in (one, other):
        depth = body.deepest(found.middle[found.largest > 0], depth)
    names = one.body.name, other.body.name
    return Penetration(*names, depth, float(found.volume.sum())) if depth > least else None


def entered(one: Presence, inside: Bools, other: Presence) -> Ints:
    """The vertices of one that are `inside` (k, 4) tets of other, and not held by it."""
    vertices = np.unique(one.placed.vertices[inside])
    return np.asarray(vertices[~other.body.held[vertices]])
