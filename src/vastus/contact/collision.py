"""The outer faces of bodies that may collide.

A vertex that a bone shares with soft bodies is there twice. Which may collide is told by patches:
one number a vertex, and two vertices of one number do not collide. A face and a vertex, or two
edges, are looked at if any of their vertices may collide; so what is glued to a bone is left out
with one ring of edges around it, and with it all faces that touch it. Soft bodies have what they
share in common, as the faces of one body have: beside it they close, but do not enter each other.
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
    """Faces of several bodies, first of bones, each over its own vertices, then of soft bodies."""

    bodies: tuple[Body, ...]
    bones: int  # how many of the bodies are
    vertex: Ints  # (c,) the model's vertex of each
    body: Ints  # (c,) the body of each, ascending; the first of those that share it
    faces: Ints  # (f, 3)

    @classmethod
    def of(cls, bones: Sequence[Body], soft: Sequence[Body]) -> CollisionSurfaces:
        """The surfaces of some bodies."""
        numbered = [_numbered([body]) for body in bones] + [_numbered(soft)]
        starts = np.cumsum([0, *(len(vertex) for vertex, _, _ in numbered)])
        firsts = np.arange(len(numbered))
        return cls(
            (*bones, *soft),
            len(bones),
            np.concatenate([vertex for vertex, _, _ in numbered]),
            np.concatenate([k + body for k, (_, body, _) in zip(firsts, numbered, strict=True)]),
            np.concatenate([k + f for k, (_, _, f) in zip(starts, numbered, strict=False)]),
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
    def bony(self) -> Bools:
        """(c,) whether vertices are of bones."""
        return self.body < self.bones

    @cached_property
    def _outer(self) -> tuple[Ints, Ints]:
        """The model's vertices of body after body, and (bodies,) where those of each begin."""
        counts = [len(body.outer) for body in self.bodies]
        return np.concatenate([b.outer for b in self.bodies]), np.cumsum([0, *counts[:-1]])

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
        outer, starts = self._outer
        places = [y[outer] for y in x]
        lower = np.min([np.minimum.reduceat(p, starts) for p in places], axis=0)
        upper = np.max([np.maximum.reduceat(p, starts) for p in places], axis=0)
        meet = (lower[:, None] <= upper[None] + reach).all(axis=2)
        return [(int(i), int(j)) for i, j in np.argwhere(np.triu(meet & meet.T, 1))]


def _numbered(bodies: Sequence[Body]) -> tuple[Ints, Ints, Ints]:
    """(c,) the vertices of bodies, each once, (c,) their bodies, and (f, 3) the faces over them."""
    outer = np.concatenate([np.zeros(0, np.int64), *(body.outer for body in bodies)])
    body = np.repeat(np.arange(len(bodies)), [len(body.outer) for body in bodies])
    found, first = np.unique(outer, return_index=True)
    order = np.sort(first)
    index = np.searchsorted(np.sort(first), first)
    faces = np.concatenate([np.zeros((0, 3), np.int64), *(b.faces for b in bodies)])
    return outer[order], body[order], index[np.searchsorted(found, faces)]


def colliding(model: Model) -> CollisionSurfaces | None:
    """The surfaces of the bodies that a barrier keeps apart, if there are two."""
    contact = model.contact
    if contact is None or ContactKind.BARRIER not in (contact.muscles, contact.bones):
        return None
    soft = list(soft_bodies(model))
    hard = list(bones(model)) if contact.bones is ContactKind.BARRIER else []
    if not soft or (len(hard) + len(soft) < 2 and not contact.folds):
        return None
    return CollisionSurfaces.of(hard, soft)


def patches(model: Model, surfaces: CollisionSurfaces) -> Iterator[Ints]:
    """(c,) numbers of vertices; two of one number do not collide."""
    assert model.contact is not None
    yield _within_bodies(model, surfaces)
    carried = model.bone_of_vertex[surfaces.vertex] >= 0
    if carried.any():
        yield _one_patch(carried)
    for glued in _glued(surfaces, folds=model.contact.folds):
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


def _glued(surfaces: CollisionSurfaces, *, folds: bool) -> Iterator[Bools]:
    """For each body: its vertices, and those of bones, or for bones of soft bodies, beside them.

    They are within a ring of what the body has or carries.
    """
    for number, body in enumerate(surfaces.bodies):
        held, bony = body.held[surfaces.vertex], number < surfaces.bones
        own = held & (surfaces.body == number if bony else ~surfaces.bony)
        others = held & ~own
        if others.any():
            yield own | surfaces.widened(others)
        elif (surfaces.body[own] != number).any() and not folds:
            yield own


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
