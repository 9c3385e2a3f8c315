"""How deep bodies of tets lie in each other, and how much of them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

from vastus.geometry.boxes import BoxTree
from vastus.geometry.penetration_kernels import TOUCH, Overlap, Placed, distances, overlap
from vastus.numerics.types import Bools, Floats, Ints

FLAT = 1e-12  # a tet of less than this share of the cube on its edges has no inside


def placed(T: Ints, x: Floats, like: BoxTree | None = None) -> Placed:
    """The tets T (k, 4) that have a volume when their vertices are at x (n, 3) [m].

    `like` is the tree of the same tets elsewhere, if there is one.
    """
    T = _finite(T, x)
    edges = x[T[:, 1:]] - x[T[:, :1]]
    areas = np.cross(edges[:, [1, 2, 0]], edges[:, [2, 0, 1]])
    volume = np.einsum("ki,ki->k", edges[:, 0], areas[:, 0])
    solid = np.abs(volume) > FLAT * np.einsum("kai,kai->k", edges, edges) ** 1.5
    T = T[solid]
    planes = _planes(x[T[:, 0]], areas[solid] / volume[solid, None, None])
    corners = x[T]
    return Placed(T, corners, planes, BoxTree.around(corners, like))


def _finite(T: Ints, x: Floats) -> Ints:
    finite = np.isfinite(x)
    return T if finite.all() else T[finite[T].all(axis=(1, 2))]


def _planes(first: Floats, gradients: Floats) -> Floats:
    """(k, 4, 4) gradients [1/m] and offsets of the four barycentric weights of tets.

    Given are the first corners (k, 3), and the gradients (k, 3, 3) of the other three weights.
    """
    planes = np.empty((len(first), 4, 4))
    planes[:, 1:, :3] = gradients
    planes[:, 1:, 3] = -np.einsum("kai,ki->ka", gradients, first)
    planes[:, 0] = -planes[:, 1:].sum(axis=1)
    planes[:, 0, 3] += 1
    return planes


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
    def outer(self) -> Ints:
        """The vertices of its outer faces."""
        return np.unique(self.faces)

    @cached_property
    def edges(self) -> Ints:
        """(e, 2) the edges of its outer faces, each once."""
        pairs = np.sort(self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        return np.unique(pairs, axis=0)

    @cached_property
    def held(self) -> Bools:
        """(n,) whether a vertex is the body's own or moves with it."""
        held = self.carried.copy()
        held[self.own] = True
        return held


class Presence:
    """A body where its vertices x (n, 3) [m] are; tets that are flat or not finite are left out.

    Trees of boxes are made after those of the body as it was `before`, if that is given.
    """

    def __init__(self, body: Body, x: Floats, before: Presence | None = None) -> None:
        self.body, self.x = body, x
        self._trees: dict[str, BoxTree] = before._trees if before else {}
        points = x[body.own]
        points = points[np.isfinite(points).all(axis=1)]
        self.lower = points.min(axis=0, initial=np.inf)
        self.upper = points.max(axis=0, initial=-np.inf)

    def at(self, x: Floats) -> Presence:
        """The same body, which has not moved, with all other vertices at x (n, 3) [m]."""
        same = copy(self)
        same.x = x
        return same

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
        bound = self.corner_tree.query(points)[0]
        few = bound > least
        away = distances(points[few], self.face_corners, self.face_tree, bound[few])
        return float(away.max(initial=least))

    def holding(self, points: Floats, other: Presence) -> tuple[Ints, Ints, Floats]:
        """Which points (k, 3) of the other body are inside; (h, 4) tets and weights that hold them.

        Tets that are tied to the other body hold nothing of it.
        """
        who, tet = self.placed.tree.near(points, np.zeros(len(points)))
        planes = self.placed.planes[tet]
        weights = np.einsum("pai,pi->pa", planes[:, :, :3], points[who]) + planes[:, :, 3]
        lowest = np.where(self._tied(other)[tet], -1.0, weights.min(axis=1, initial=1.0))
        order = np.lexsort((-lowest, who))
        order = order[lowest[order] > -TOUCH]
        held, first = np.unique(who[order], return_index=True)
        chosen = order[first]
        return held, self.placed.vertices[tet[chosen]], weights[chosen]

    @cached_property
    def placed(self) -> Placed:
        """The tets that have a volume."""
        found = placed(self.body.T, self.x, self._trees.get("tets"))
        self._trees["tets"] = found.tree
        return found

    @cached_property
    def face_vertices(self) -> Ints:
        """(f, 3) the outer faces that are finite."""
        finite = np.isfinite(self.x[self.body.faces]).all(axis=(1, 2))
        return np.asarray(self.body.faces[finite])

    @cached_property
    def face_corners(self) -> Floats:
        """(f, 3, 3) where they are [m]."""
        return np.asarray(self.x[self.face_vertices])

    @cached_property
    def face_normals(self) -> Floats:
        """(f, 3, 3) unit normals outward at their corners, which neighbours share."""
        a, b, c = self.face_corners.transpose(1, 0, 2)
        vertices, index = np.unique(self.face_vertices, return_inverse=True)
        total = np.zeros((len(vertices), 3))
        np.add.at(total, index.reshape(-1, 3), np.cross(b - a, c - a)[:, None])
        size = np.linalg.norm(total, axis=1, keepdims=True)
        unit = np.divide(total, size, out=np.zeros_like(total), where=size > 0)
        return np.asarray(unit[index.reshape(-1, 3)])

    @cached_property
    def face_tree(self) -> BoxTree:
        """The boxes around them."""
        self._trees["faces"] = BoxTree.around(self.face_corners, self._trees.get("faces"))
        return self._trees["faces"]

    @cached_property
    def corner_tree(self) -> KDTree:
        """Their corners."""
        return KDTree(self.x[np.unique(self.face_vertices)])

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
