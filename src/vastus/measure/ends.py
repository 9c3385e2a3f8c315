"""What holds a muscle, and at which of its two ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.measure.centreline import distance_along, edges_of
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.parts import Drive


@dataclass(frozen=True, eq=False)
class Holder:
    """A bone, or a pin that holds all axes, with the muscle's vertices (k,) that it carries."""

    name: str
    vertices: Ints
    fixed: bool
    bone: int = -1  # its position among the bones, or -1 for a pin


@dataclass(frozen=True, eq=False)
class Ends:
    """The holders of a muscle on its two sides; a side may have none.

    The two that are farthest from each other, along the muscle, are on different sides, and each
    other one is with the nearer of them. The origin is the side that moves less.
    """

    origin: tuple[Holder, ...]
    insertion: tuple[Holder, ...]

    @property
    def all(self) -> tuple[Holder, ...]:
        """Those of both sides."""
        return self.origin + self.insertion


def own_tets(model: Model, muscle: int) -> Ints:
    """The muscle and tendon tets of a muscle."""
    return np.flatnonzero(model.muscle_of_tet == muscle)


def ends_of(model: Model, tets: Ints) -> Ends:
    """What holds these tets of one muscle, on either side."""
    found = holders(model, tets)
    if len(found) < 2:
        return Ends(tuple(found), ())
    mesh, kept = model.mesh.submesh(tets)
    sides = _sides(mesh, [np.searchsorted(kept, holder.vertices) for holder in found])
    one = tuple(h for h, side in zip(found, sides, strict=True) if side == 0)
    other = tuple(h for h, side in zip(found, sides, strict=True) if side == 1)
    moving = [any(not h.fixed for h in side) for side in (one, other)]
    return Ends(other, one) if moving == [True, False] else Ends(one, other)


def holders(model: Model, tets: Ints) -> list[Holder]:
    """The bones and pins that hold vertices of these tets; what is fixed comes first."""
    used = np.unique(model.mesh.T[tets])
    owner = model.bone_of_vertex[used]
    loose = used[owner < 0]
    found = [
        Holder(pin.name, np.intersect1d(loose, pin.vertices), fixed=True)
        for pin in model.pins
        if all(pin.axes)
    ]
    found += [
        Holder(bone.name, used[owner == index], bone.drive is Drive.PINNED, index)
        for index, bone in enumerate(model.bones)
    ]
    return sorted((h for h in found if len(h.vertices)), key=lambda h: not h.fixed)


def _sides(mesh: TetMesh, sets: list[Ints]) -> list[int]:
    """For sets of vertices of a mesh, 0 or 1 each."""
    graph = edges_of(mesh)
    apart = np.array([[distance_along(graph, a)[b].max() for b in sets] for a in sets])
    apart = np.minimum(apart, apart.T)
    first, last = np.unravel_index(int(np.argmax(np.triu(apart, 1))), apart.shape)
    sides = [int(apart[k, last] < apart[k, first]) for k in range(len(sets))]
    sides[int(first)], sides[int(last)] = 0, 1
    return sides
