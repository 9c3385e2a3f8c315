"""The bodies of a model, which can touch: bones, muscles with their tendons, other tissue."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.errors import known
from vastus.geometry.penetration import Body
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.types import Bools, Ints
from vastus.parts import Contact, ContactKind


def bodies(model: Model) -> Iterator[Body]:
    """The bodies of a model: bones, then muscles, then regions of neither."""
    yield from bones(model)
    yield from soft_bodies(model)


def bones(model: Model) -> Iterator[Body]:
    """The bones that have a shape."""
    for index, bone in enumerate(model.bones):
        tets = model.tets_of(bone.regions)
        if len(tets):
            yield _body(model, bone.name, tets, model.bone_of_vertex == index)


def soft_bodies(model: Model) -> Iterator[Body]:
    """Muscles with their tendons, then regions of neither muscle nor bone."""
    nothing = np.zeros(model.mesh.n_vertices, bool)
    for index, muscle in enumerate(model.muscles):
        yield _body(model, muscle.name, np.flatnonzero(model.muscle_of_tet == index), nothing)
    bony = {name for bone in model.bones for name in bone.regions}
    for index, region in enumerate(model.regions):
        if region.muscle is None and region.name not in bony:
            yield _body(model, region.name, np.flatnonzero(model.region == index), nothing)


def check_pairs(model: Model, contact: Contact) -> None:
    """Refuse to exclude bodies that there are not, or between which there is no contact."""
    names = [body.name for body in bodies(model)] if contact.exclude else []
    for one, other in contact.exclude:
        for name in (one, other):
            if name not in names:
                raise known("body", name, names)
        require(
            contact.kind(model.bony(one), model.bony(other)) is not ContactKind.NONE,
            f"'{one}' and '{other}' cannot be excluded: there is no contact between them",
        )


def pieces(model: Model, body: Body) -> Iterator[Ints]:
    """(f, 3) the outer faces of each piece of a body; pieces have no vertex in common."""
    mesh = TetMesh(model.mesh.X[body.own], np.searchsorted(body.own, body.T))
    for piece in range(int(mesh.components.max(initial=-1)) + 1):
        part, kept = mesh.submesh(mesh.components == piece)
        yield body.own[kept[part.boundary]]


def _body(model: Model, name: str, tets: Ints, held: Bools) -> Body:
    mesh, kept = model.mesh.submesh(tets)
    carried = held.copy()
    carried[kept] = False
    return Body(name, model.mesh.T[tets], kept[mesh.boundary], carried)
