"""Which faces and edges of bodies are near each other, found by the IPC Toolkit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from vastus.contact.collision import CollisionSurfaces
from vastus.energies.energy import Stiffness
from vastus.errors import MissingExtra
from vastus.geometry.indices import components
from vastus.numerics.types import Bools, Floats, Ints

SLACK = 0.5  # median edges, that vertices may move before pairs are sought again
ROUNDS = 12  # of leaving out what touches at rest, and what is beside it


@cache
def toolkit() -> Any:
    """The IPC Toolkit, silent and on one thread, on which its sums are the same every time."""
    try:
        import ipctk
    except ImportError:
        raise MissingExtra("ipctk", "contact") from None
    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    ipctk.set_num_threads(1)
    return ipctk


def available() -> bool:
    """Whether there is a barrier on this machine."""
    try:
        toolkit()
    except MissingExtra:
        return False
    return True


class Candidates(NamedTuple):
    """The pairs that may be within a reach, as long as no coordinate moves further than `room`."""

    vertices: Floats  # (c, 3) [m] where they were sought
    room: float  # [m] the reach included: half of it is taken from the way
    pairs: Any

    def hold(self, reach: float, places: Sequence[Floats]) -> bool:
        """Whether no other pair is nearer than `reach` [m] at any of places (c, 3) [m]."""
        return max(map(self.way, places)) + 0.5 * reach <= self.room

    def way(self, place: Floats) -> float:
        """How far the coordinate that moves furthest is at a place (c, 3) from where it was [m]."""
        return float(np.abs(place - self.vertices).max(initial=0.0))


class Detector:
    """Finds which faces and edges of some surfaces are near each other.

    What is nearer than `touch` [m] at rest, at X (n, 3) [m], is left out; see `patches`.
    """

    def __init__(
        self, surfaces: CollisionSurfaces, X: Floats, patches: Sequence[Ints], touch: float
    ) -> None:
        self.surfaces = surfaces
        self.mesh = toolkit().CollisionMesh(
            np.asfortranarray(X[surfaces.vertex]),
            np.asfortranarray(surfaces.edges, dtype=np.int32),
            np.asfortranarray(surfaces.faces, dtype=np.int32),
        )
        ends = self.mesh.rest_positions[surfaces.edges]
        self.edge = float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))  # [m]
        self.left_out: Ints = np.zeros(0, np.int64)  # vertices that touch another body at rest
        self._patches = list(patches)
        self._known: Candidates | None = None
        self._filter()
        self._leave_out(X, touch)

    def place(self, x: Floats) -> Floats:
        """(c, 3) the vertices of the surfaces when those of the model are at x (n, 3) [m]."""
        return np.asfortranarray(x[self.surfaces.vertex])

    def within(self, vertices: Floats, reach: float) -> Any:
        """The pairs that are nearer than `reach` [m]."""
        found = toolkit().NormalCollisions()
        found.use_area_weighting = True
        found.collision_set_type = toolkit().NormalCollisions.IPC
        found.build(self._candidates(reach, vertices), self.mesh, vertices, reach)
        return found

    def _candidates(self, reach: float, start: Floats, end: Floats | None = None) -> Any:
        """The pairs that may be nearer than `reach` [m] at vertices (c, 3) [m] or on a way there.

        Most of the time of a search is for the tree of all faces, and between two iterations they
        hardly move: then pairs are sought for a little more room, and anew when that is used up.
        """
        places = [start] if end is None else [start, end]
        known, slack = self._known, SLACK * self.edge
        if known is not None and known.hold(reach, places):
            return known.pairs
        pairs = toolkit().Candidates()
        room = 0.5 * reach + (slack if known is not None and known.way(start) <= slack else 0.0)
        fresh = Candidates(start, room, pairs)
        if fresh.hold(reach, places):
            pairs.build(self.mesh, start, 1.01 * room, broad_phase=toolkit().LBVH())
            self._known = fresh
        else:
            pairs.build(self.mesh, start, end, 0.5 * reach, broad_phase=toolkit().LBVH())
        return pairs

    def least(self, x: Floats, reach: float) -> float:
        """The smallest distance [m] at x (n, 3) [m], or `reach` where that is less."""
        vertices = self.place(x)
        found = self.within(vertices, reach)
        if not len(found):
            return reach
        return float(found.compute_minimum_distance(self.mesh, vertices)) ** 0.5

    def free_part(self, start: Floats, end: Floats) -> float:
        """How much of the straight way from start to end (c, 3) [m] is free of touch, at most 1."""
        return float(
            self._candidates(0.0, start, end).compute_collision_free_stepsize(
                self.mesh, start, end, narrow_phase_ccd=toolkit().AdditiveCCD()
            )
        )

    def add_blocks(self, matrix: Any, stiffness: Stiffness) -> None:
        """Add second derivatives (3 c, 3 c) [N/m] by the vertices of the surfaces."""
        blocks = matrix.tobsr((3, 3))
        rows = np.repeat(np.arange(len(self.surfaces.vertex)), np.diff(blocks.indptr))
        i, j = (self.surfaces.vertex[c] for c in (rows, blocks.indices))
        # Copies of one vertex may be coupled: their blocks, both ways, are all its own.
        upper = i <= j
        stiffness.add(i[upper], j[upper], blocks.data[upper])

    def crossing(self, vertices: Floats) -> Ints:
        """(k, 5) the vertices of edges, and of the faces that they cross."""
        if not toolkit().has_intersections(self.mesh, vertices, toolkit().LBVH()):
            return np.zeros((0, 5), np.int64)
        search = toolkit().LBVH()
        search.can_vertices_collide = self.mesh.can_collide
        search.build(
            vertices,
            np.asfortranarray(self.surfaces.edges, dtype=np.int32),
            np.asfortranarray(self.surfaces.faces, dtype=np.int32),
        )
        pairs = [(c.edge_id, c.face_id) for c in search.detect_edge_face_candidates()]
        edges, faces = np.array(pairs, np.int64).reshape(-1, 2).T
        found = np.hstack([self.surfaces.edges[edges], self.surfaces.faces[faces]])
        found = found[self._colliding(found[:, :2], found[:, 2:])]
        return np.asarray(found[crossed(vertices[found])])

    def _filter(self) -> None:
        """Let those pairs of vertices collide that no patch has both of."""
        filters = [toolkit().make_vertex_patches_filter(p.astype(np.int32)) for p in self._patches]
        self.mesh.can_collide = reduce(lambda one, other: one & other, filters)
        self._known = None

    def _colliding(self, edges: Ints, faces: Ints) -> Bools:
        """(k,) whether no vertex of edges (k, 2) or of faces (k, 3) is glued to the other's body.

        One that is may pass through what is beside it.
        """
        apart = np.ones((len(edges), 2, 3), bool)
        for patch in self._patches:
            apart &= patch[edges][:, :, None] != patch[faces][:, None, :]
        return np.all(apart.any(axis=2), axis=1) & np.all(apart.any(axis=1), axis=1)

    def _leave_out(self, X: Floats, touch: float) -> None:
        """Leave out what touches or crosses at rest, and what shares an edge with it."""
        vertices, members = self.place(X), []
        joined = np.arange(len(vertices))
        given = self._patches
        for _ in range(ROUNDS):
            close = self.within(vertices, touch)
            stencils = [vertices_of(c, self.mesh) for c in close]
            stencils += [row.tolist() for row in self.crossing(vertices)]
            if not stencils:
                break
            members += stencils
            joined = self._joined(members)
            self._patches = [*given, joined]
            self._filter()
        counts = np.bincount(joined, minlength=len(vertices))
        self.left_out = np.flatnonzero(counts[joined] > 1)

    def _joined(self, stencils: Sequence[Sequence[int]]) -> Ints:
        """(c,) patches in which the vertices of each stencil, and their neighbours, are one."""
        pairs = [(stencil[0], other) for stencil in stencils for other in stencil]
        touched = np.zeros(len(self.surfaces.vertex), bool)
        touched[[v for pair in pairs for v in pair]] = True
        edges = self.surfaces.edges
        beside = edges[touched[edges].any(axis=1)]
        return components(len(touched), np.concatenate([np.array(pairs), beside]))


def vertices_of(collision: Any, mesh: Any) -> list[int]:
    """The vertices of a pair, of the surfaces."""
    return [v for v in collision.vertex_ids(mesh.edges, mesh.faces) if v >= 0]


def crossed(corners: Floats) -> np.ndarray:
    """(k,) whether edges cross triangles: corners (k, 5, 3), first those of the edge."""
    p, q, a, b, c = corners.transpose(1, 0, 2)

    def side(u: Floats, v: Floats, w: Floats, at: Floats) -> Floats:
        return np.asarray(np.einsum("ki,ki->k", np.cross(v - u, w - u), at - u))

    apart = side(a, b, c, p) * side(a, b, c, q) <= 0
    turns = np.sign([side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)])
    return np.asarray(apart & (np.abs(turns.sum(axis=0)) == 3))
