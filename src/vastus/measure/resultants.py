"""The forces of muscles on the bones and pins that hold them, as vectors at points with moments.

A tet of volume V pulls its vertex a by -V P B_a. The sum over a muscle's own tets and over the
vertices that a bone carries is what the bone gets from that muscle: exact, and doing the work that
the bone's motion does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from vastus.energies.guides import guided
from vastus.geometry.indices import components
from vastus.measure.ends import Holder, own_tets
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.state import State

AXES = "xyz"


@dataclass(frozen=True, eq=False)
class Resultant:
    """A force (3,) [N] at a point (3,) [m], and its moment (3,) [N m] about that point."""

    force: Floats
    point: Floats
    moment: Floats

    def about(self, centre: Floats) -> Floats:
        """(3,) the moment [N m] about another point."""
        return self.moment + np.cross(self.point - centre, self.force)

    def columns(self, name: str) -> dict[str, float]:
        """Size, force, point and moment as scalars, called after `name`."""
        parts = (("", self.force, "N"), ("_at", self.point, "m"), ("_moment", self.moment, "Nm"))
        return {f"{name}_N": float(np.linalg.norm(self.force))} | {
            f"{name}{part}_{axis}_{unit}": float(values[k])
            for part, values, unit in parts
            for k, axis in enumerate(AXES)
        }


class Attachment:
    """How a muscle's tets pull at one thing that holds it; the point is the mean of its vertices.

    `tets` are positions among the muscle's own.
    """

    def __init__(self, model: Model, own: Ints, holder: Holder) -> None:
        self.holder = holder
        held = np.isin(model.mesh.T[own], holder.vertices)
        self._tets = np.flatnonzero(held.any(axis=1))
        chosen = own[self._tets]
        self._corners = model.mesh.T[chosen]
        pulls = model.mesh.gradients[chosen] * -model.mesh.volumes[chosen, None, None]
        self._pulls = pulls * held[self._tets][:, :, None]

    def of(self, x: Floats, P: Floats) -> Resultant:
        """The resultant for vertices x (n, 3) [m] and stresses P (k, 3, 3) [Pa] of own tets."""
        forces = np.einsum("kij,kaj->kai", P[self._tets], self._pulls)
        point = x[self.holder.vertices].mean(axis=0)
        moment = np.cross(x[self._corners] - point, forces).sum(axis=(0, 1))
        return Resultant(forces.sum(axis=(0, 1)), point, moment)


def added(parts: list[Resultant]) -> Resultant:
    """One resultant in place of several, at the mean of their points."""
    point = np.mean([part.point for part in parts], axis=0)
    moment = np.sum([part.about(point) for part in parts], axis=0)
    return Resultant(np.sum([part.force for part in parts], axis=0), point, moment)


def guide_resultants(model: Model, muscle: str, state: State) -> dict[int, Resultant]:
    """What the guides of a muscle do to the bones that they are on, by the bones' positions."""
    found: dict[int, list[Resultant]] = {}
    for guide in model.guides:
        if guide.muscle == muscle:
            bone = model.bone(guide.bone)
            pose = state.poses[bone]
            item = guided(guide, pose, state.x)
            points, point = item.place @ item.R.T + pose[:, 3], pose[:, :3] @ guide.point
            point = point + pose[:, 3]
            moment = np.cross(points - point, item.push).sum(axis=0)
            found.setdefault(bone, []).append(Resultant(item.push.sum(axis=0), point, moment))
    return {bone: added(parts) for bone, parts in found.items()}


def fused(model: Model) -> list[tuple[int, ...]]:
    """The groups of two or more muscles that share vertices which no bone carries and no pin holds.

    What one of them pulls with may reach a bone through another.
    """
    loose = (model.bone_of_vertex < 0) & ~model.held.any(axis=1)
    count, n = len(model.muscles), model.mesh.n_vertices
    touched = np.zeros((count, n), bool)
    for muscle in range(count):
        touched[muscle, model.mesh.T[own_tets(model, muscle)]] = True
    shared = (
        sparse.csr_array(touched * loose, dtype=np.int64) @ sparse.csr_array(touched.T * 1)
    ).tocoo()
    pairs = np.column_stack([shared.row, shared.col])
    label = components(count, pairs) if count else np.zeros(0, np.int64)
    groups = [tuple(np.flatnonzero(label == each).tolist()) for each in np.unique(label)]
    return [group for group in groups if len(group) > 1]


def group_name(model: Model, group: tuple[int, ...]) -> str:
    """What columns of a group are called: its muscles, or the first of many."""
    names = [model.muscles[muscle].name for muscle in group]
    return "+".join(names) if len(names) <= 3 else f"{names[0]}+{len(names) - 1}"
