"""The outer faces of bodies that may collide, each body with vertices of its own.

A vertex that two bodies share is there twice. Which of them may collide is told by patches: one
number a vertex, and two vertices of one number do not collide. A face and a vertex, or two edges,
are looked at if any of their vertices may collide; so what is glued is left out with one ring of
edges around it, and with it all faces that touch it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from scipy.sparse import csr_matrix

from vastus.contact.bodies import bones, soft_bodies
from vastus.geometry.penetration import Body
from vastus.model import Model
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import ContactKind


@dataclass(frozen=True, eq=False)
class CollisionSurfaces:
    """Faces of several bodies, over vertices that no two bodies share."""

    bodies: tuple[Body, ...]
    vertex: Ints  # (c,) the model's vertex of each
    body: Ints  # (c,) the body of each, ascending
    faces: Ints  # (f, 3)

    @classmethod
    def of(cls, chosen: Sequence[Body]) -> CollisionSurfaces:
        """The surfaces of some bodies."""
        vertices = [np.unique(body.faces) for body in chosen]
        starts = np.cumsum([0, *(len(v) for v in vertices)])
        faces = [
            start + np.searchsorted(own, body.faces)
            for start, own, body in zip(starts, vertices, chosen, strict=False)
        ]
        return cls(
            tuple(chosen),
            np.concatenate(vertices),
            np.repeat(np.arange(len(chosen)), np.diff(starts)),
            np.concatenate(faces),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the bodies."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def edges(self) -> Ints:
        """(e, 2) the edges of the faces, each once."""
        pairs = np.sort(self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        return np.unique(pairs, axis=0)

    @cached_property
    def starts(self) -> Ints:
        """(bodies,) the first vertex of each body."""
        return np.searchsorted(self.body, np.arange(len(self.names)))

    @cached_property
    def _beside(self) -> csr_matrix:
        """(c, c) which vertices share an edge, or are the same."""
        i, j = self.edges.T
        every = np.arange(len(self.vertex))
        rows, columns = np.concatenate([i, j, every]), np.concatenate([j, i, every])
        size = len(self.vertex)
        return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size))

    def widened(self, chosen: Bools) -> Bools:
        """(c,) the chosen vertices (c,) and all that share an edge with one."""
        return np.asarray(self._beside @ chosen.astype(float) > 0)

    def near_pairs(self, reach: float, *x: Floats) -> list[tuple[int, int]]:
        """The bodies whose boxes meet, grown by `reach` [m].

        A box is around all of several places x (n, 3) [m] of the model's vertices.
        """
        places = [y[self.vertex] for y in x]
        lower = np.min([np.minimum.reduceat(p, self.starts) for p in places], axis=0)
        upper = np.max([np.maximum.reduceat(p, self.starts) for p in places], axis=0)
        meet = (lower[:, None] <= upper[None] + reach).all(axis=2)
        return [(int(i), int(j)) for i, j in np.argwhere(np.triu(meet & meet.T, 1))]


def colliding(model: Model) -> CollisionSurfaces | None:
    """The surfaces of the bodies that a barrier keeps apart, if there are two."""
    contact = model.contact
    if contact is None or ContactKind.BARRIER not in (contact.muscles, contact.bones):
        return None
    chosen = list(soft_bodies(model))
    if contact.bones is ContactKind.BARRIER and chosen:
        chosen = [*bones(model), *chosen]
    if len(chosen) < 2 and not contact.folds:
        return None
    return CollisionSurfaces.of(chosen) if chosen else None


def patches(model: Model, surfaces: CollisionSurfaces) -> Iterator[Ints]:
    """(c,) numbers of vertices; two of one number do not collide."""
    assert model.contact is not None
    yield _within_bodies(model, surfaces)
    carried = model.bone_of_vertex[surfaces.vertex] >= 0
    if carried.any():
        yield _one_patch(carried)
    for glued in _glued(surfaces):
        yield _one_patch(glued)
    for pair in _left_alone(model, surfaces):
        yield _one_patch(np.isin(surfaces.body, pair))


def _one_patch(chosen: Bools) -> Ints:
    """Zero for the chosen, another number for each other vertex."""
    return np.where(chosen, 0, 1 + np.arange(len(chosen)))


def _within_bodies(model: Model, surfaces: CollisionSurfaces) -> Ints:
    """The body of each vertex; where a body may meet itself, each vertex is a patch."""
    assert model.contact is not None
    if not model.contact.folds:
        return surfaces.body
    soft = np.array([not model.bony(name) for name in surfaces.names])[surfaces.body]
    count = len(surfaces.names)
    return np.where(soft, count + np.arange(len(soft)), surfaces.body)


def _glued(surfaces: CollisionSurfaces) -> Iterator[Bools]:
    """For each body: its vertices, and those of others within a ring of what it has or carries."""
    for number, body in enumerate(surfaces.bodies):
        held = body.held[surfaces.vertex]
        own = surfaces.body == number
        if (held & ~own).any():
            yield own | surfaces.widened(held & ~own)


def _left_alone(model: Model, surfaces: CollisionSurfaces) -> Iterator[tuple[int, int]]:
    """The pairs of bodies that are excluded, or that another kind of contact keeps apart."""
    assert model.contact is not None
    for i, j in combinations(range(len(surfaces.names)), 2):
        one, other = surfaces.names[i], surfaces.names[j]
        kind = model.contact.kind(model.bony(one), model.bony(other))
        both_bones = model.bony(one) and model.bony(other)  # which what they carry tells
        if model.contact.excludes(one, other) or (
            kind is not ContactKind.BARRIER and not both_bones
        ):
            yield i, j
