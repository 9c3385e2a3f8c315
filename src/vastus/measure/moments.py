"""How muscles turn joints: their moments and lever arms, by force and by how they shorten.

The moment of a muscle about a joint is that of its forces on the bones beyond the joint: those on
the side of the joint's second bone. It is positive where it would enlarge the joint's angle. A
string that keeps its tension does the work of its moment, so that its arm is minus the change of
its length with the angle: the arm by excursion, found by a virtual turn of the joint at the present
state. Between its ends what pulls acts along a straight line, however the muscle bulges; the string
is straight there as well. Its ends are where tension passes into what holds the muscle: where a
current would, if the muscle were a conductor. Where contact bends a muscle over a bone, neither the
string nor the moment of the attachments knows of it: the lengths of two states tell the arm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu
from scipy.spatial.transform import Rotation

from vastus.measure.ends import own_tets
from vastus.measure.resultants import Resultant
from vastus.model import Model
from vastus.numerics.types import Bools, Floats, Ints
from vastus.skeleton.joints import Ball, Hinge, Joint
from vastus.state import State

Turning = Ball | Hinge


@dataclass(frozen=True, eq=False)
class String:
    """A straight string across a joint, between means of held vertices on either side."""

    near: Ints  # (k,) vertices
    far: Ints  # (l,)
    near_weights: Floats  # (k,), summing to 1
    far_weights: Floats  # (l,)

    def arm(self, x: Floats, centre: Floats, axis: Floats) -> float:
        """-dL/dangle [m]: how much it shortens with a virtual turn of its far end about an axis.

        Vertices are at x (n, 3) [m], and the unit axis (3,) passes through the centre (3,).
        """
        start, end = self.near_weights @ x[self.near], self.far_weights @ x[self.far]
        pull = start - end
        return float(axis @ np.cross(end - centre, pull) / np.linalg.norm(pull))


@dataclass(frozen=True, eq=False)
class Crossing:
    """A muscle that crosses a joint: it is held on both sides."""

    name: str  # of muscle and joint
    joint: Turning
    first: int  # the bone on this side
    beyond: frozenset[int]  # the bones on the other
    string: String

    def place(self, state: State) -> tuple[Floats, dict[str, Floats]]:
        """The joint's centre (3,) [m] and its axes (3,), carried by the bone on this side."""
        return joint_place(self.joint, state.poses[self.first])

    def pull(self, on: dict[int, Resultant], centre: Floats) -> tuple[Floats, Floats]:
        """The force (3,) [N] on all bones beyond, and its moment (3,) [N m] about the centre.

        `on` are the resultants on the bones by their positions.
        """
        parts = [resultant for bone, resultant in on.items() if bone in self.beyond]
        force = np.sum([part.force for part in parts], axis=0)
        return force, np.sum([part.about(centre) for part in parts], axis=0)


def crossings(model: Model, muscle: int) -> list[Crossing]:
    """The hinges and balls that a muscle crosses."""
    return [
        Crossing(
            f"{model.muscles[muscle].name}_{joint.name}",
            joint,
            model.bone(joint.bones[0]),
            beyond,
            _string(model, muscle, vertices),
        )
        for joint in model.joints
        if isinstance(joint, Turning)
        for beyond in [bones_beyond(model, joint)]
        for vertices in [np.isin(model.bone_of_vertex, list(beyond))]
        if _crosses(model, muscle, vertices)
    ]


def middle_arm(model: Model, muscle: str, joint: Turning, axis: Floats) -> float | None:
    """The arm [m] of a guided muscle's middle at rest, where it passes nearest to the joint.

    None for a muscle without guides, whose middle the model does not know.
    """
    guide = next((g for g in model.guides if g.muscle == muscle), None)
    if guide is None:
        return None
    middle = model.mesh.X[guide.sections].mean(axis=1)
    off = middle - np.asarray(joint.centre, float)
    near = int(np.argmin(np.linalg.norm(np.cross(off, axis), axis=1)))
    way = np.gradient(middle, axis=0)[near]
    far = np.isin(model.bone_of_vertex[guide.sections[0]], list(bones_beyond(model, joint))).any()
    pull = way if far else -way
    return float(axis @ np.cross(off[near], pull) / np.linalg.norm(pull))


def joint_place(joint: Turning, pose: Floats) -> tuple[Floats, dict[str, Floats]]:
    """A joint's centre (3,) [m] and its axes (3,), on its first bone at a pose (3, 4)."""
    turn = Rotation.from_matrix(pose[:, :3]).as_matrix()
    centre = pose[:, :3] @ np.asarray(joint.centre, float) + pose[:, 3]
    return centre, {name: turn @ axis for name, axis in _axes(joint).items()}


def _axes(joint: Turning) -> dict[str, Floats]:
    if isinstance(joint, Hinge):
        return {"": joint.direction}
    return dict(zip(("_x", "_y", "_z"), np.eye(3), strict=True))


def _crosses(model: Model, muscle: int, beyond: Bools) -> bool:
    used = np.unique(model.mesh.T[own_tets(model, muscle)])
    held = (model.bone_of_vertex[used] >= 0) | model.held[used].any(axis=1)
    return bool(beyond[used].any() and (held & ~beyond[used]).any())


def bones_beyond(model: Model, joint: Joint) -> frozenset[int]:
    """The bones that the joint's second bone carries, by their positions.

    If bones form a ring, cutting the joint frees none of them; then it is the second bone alone.
    """
    first, second = joint.bones
    reached, waiting = {second}, [second]
    while waiting:
        bone = waiting.pop()
        others = {b for j in model.joints if j is not joint and bone in j.bones for b in j.bones}
        waiting += others - reached
        reached |= others
    carried = {second} if first in reached else reached
    return frozenset(model.bone(name) for name in carried)


def _string(model: Model, muscle: int, beyond: Bools) -> String:
    """The string of a muscle across a joint, of which the vertices `beyond` (n,) turn.

    A field that is 1 there, 0 at what else is held and harmonic between has sources and sinks at
    held vertices only: these are the weights.
    """
    mesh, kept = model.mesh.submesh(own_tets(model, muscle))
    held = (model.bone_of_vertex[kept] >= 0) | model.held[kept].any(axis=1)
    value, free = beyond[kept].astype(float), np.flatnonzero(~held)
    weight = sparse.diags_array(np.repeat(np.abs(mesh.volumes), 3))
    L = sparse.csr_array(mesh.D.T @ weight @ mesh.D)
    if len(free):
        # A piece that nothing holds has any value.
        least = 1e-12 * float(L.diagonal().max()) * sparse.eye_array(len(free))
        inner = sparse.csc_matrix(L[free][:, free] + least)
        value[free] = splu(inner).solve(-(L[free] @ value))
    flux = L @ value
    far, near = np.flatnonzero(beyond[kept]), np.flatnonzero(held & ~beyond[kept])
    weights = [np.maximum(sign * flux[side], 0.0) for side, sign in ((near, -1.0), (far, 1.0))]
    one, other = (w / w.sum() if w.any() else np.full(len(w), 1 / len(w)) for w in weights)
    return String(kept[near], kept[far], one, other)
