"""How muscles turn joints: their moments and lever arms, by force and by how they shorten.

The moment of a muscle about a joint is that of its forces on the bones beyond the joint: those on
the side of the joint's second bone. It is positive where it would enlarge the joint's angle. A
string that keeps its tension does the work of its moment, so that its arm is minus the change of
its length with the angle: the arm by excursion, found by a virtual turn of the joint at the present
state. Nothing touches a muscle between its ends, so that what pulls there acts along a straight
line, however the muscle bulges; the string is straight there as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.measure.ends import own_tets
from vastus.measure.muscle_line import MuscleLine, Span
from vastus.measure.resultants import Resultant
from vastus.model import Model
from vastus.numerics.types import Bools, Floats
from vastus.skeleton.joints import Ball, Hinge, Joint
from vastus.state import State

Turning = Ball | Hinge


@dataclass(frozen=True, eq=False)
class Crossing:
    """A muscle that crosses a joint: it is held on both sides."""

    name: str  # of muscle and joint
    joint: Turning
    first: int  # the bone on this side
    beyond: frozenset[int]  # the bones on the other
    span: Span | None  # of the muscle's line between the two sides

    def place(self, state: State) -> tuple[Floats, dict[str, Floats]]:
        """The joint's centre (3,) [m] and its axes (3,), carried by the bone on this side."""
        pose = state.poses[self.first]
        turn = Rotation.from_matrix(pose[:, :3]).as_matrix()
        centre = pose[:, :3] @ np.asarray(self.joint.centre, float) + pose[:, 3]
        return centre, {name: turn @ axis for name, axis in _axes(self.joint).items()}

    def pull(self, on: dict[int, Resultant], centre: Floats) -> tuple[Floats, Floats]:
        """The force (3,) [N] on all bones beyond, and its moment (3,) [N m] about the centre.

        `on` are the resultants on the bones by their positions.
        """
        parts = [resultant for bone, resultant in on.items() if bone in self.beyond]
        force = np.sum([part.force for part in parts], axis=0)
        return force, np.sum([part.about(centre) for part in parts], axis=0)


def crossings(model: Model, muscle: int, line: MuscleLine) -> list[Crossing]:
    """The hinges and balls that a muscle crosses."""
    return [
        Crossing(
            f"{model.muscles[muscle].name}_{joint.name}",
            joint,
            model.bone(joint.bones[0]),
            beyond,
            line.span(vertices, (model.bone_of_vertex >= 0) | model.held.any(axis=1)),
        )
        for joint in model.joints
        if isinstance(joint, Turning)
        for beyond in [_beyond(model, joint)]
        for vertices in [np.isin(model.bone_of_vertex, list(beyond))]
        if _crosses(model, muscle, vertices)
    ]


def _axes(joint: Turning) -> dict[str, Floats]:
    if isinstance(joint, Hinge):
        return {"": joint.direction}
    return dict(zip(("_x", "_y", "_z"), np.eye(3), strict=True))


def _crosses(model: Model, muscle: int, beyond: Bools) -> bool:
    used = np.unique(model.mesh.T[own_tets(model, muscle)])
    held = (model.bone_of_vertex[used] >= 0) | model.held[used].any(axis=1)
    return bool(beyond[used].any() and (held & ~beyond[used]).any())


def _beyond(model: Model, joint: Joint) -> frozenset[int]:
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
