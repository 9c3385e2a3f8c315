"""How muscles turn joints: their moments and lever arms, by force and by how they shorten.

The moment of a muscle about a joint is that of its forces on the bones beyond the joint: those on
the side of the joint's second bone. It is positive where it would enlarge the joint's angle. A
string that keeps its tension does the work of its moment, so that its arm is minus the change of
its length with the angle; for a muscle this holds as far as its length is that of such a string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.measure.fields import Fields
from vastus.model import Model, Tissue
from vastus.numerics.types import Bools, Floats, Ints
from vastus.skeleton.joints import Ball, Hinge, Joint
from vastus.state import State

TOO_WEAK = 1e-3  # of what a muscle can pull with; less gives no arm

Turning = Ball | Hinge


class Arms:
    """The moments and moment arms of a model's muscles about the joints that they cross.

    For a hinge they are `<muscle>_<joint>_moment_Nm` and `<muscle>_<joint>_arm_m`, about its axis.
    For a ball there are three of each, such as `_moment_x_Nm`, about the axes x, y and z of the
    model at rest, carried along by the joint's first bone. An arm is the moment divided by the
    muscle's `_force_N`. It is nan where that force is less than `TOO_WEAK` of the muscle's strength
    times its volume over its length, or than the force that the solver left unbalanced.
    """

    def __init__(self, model: Model) -> None:
        self._model, self._fields = model, Fields(model)
        self._crossings = crossings(model)
        self._work = [_most_work(model, index) for index in range(len(model.muscles))]

    def of(self, state: State, row: Mapping[str, float]) -> dict[str, float]:
        """The moments and arms by name, for a state and its scalar outputs."""
        P = self._fields.stress(self._model.mesh.deformation(state.x), state)
        out: dict[str, float] = {}
        for crossing in self._crossings:
            force = self._divisor(crossing.muscle, row)
            for axis, moment in crossing.moments(state, P).items():
                out[f"{crossing.name}_moment{axis}_Nm"] = moment
                out[f"{crossing.name}_arm{axis}_m"] = moment / force
        return out

    def _divisor(self, index: int, row: Mapping[str, float]) -> float:
        """The muscle's force [N], or nan if it is too small to divide by."""
        name = self._model.muscles[index].name
        force, length = (row.get(f"{name}_{what}", np.nan) for what in ("force_N", "length_m"))
        could = self._work[index] / length
        strong = abs(force) > TOO_WEAK * could and abs(force) > row.get("residual_N", 0.0)
        return force if strong else np.nan


@dataclass(frozen=True, eq=False)
class Crossing:
    """A muscle that crosses a joint: its tets that touch bones beyond, with their shape."""

    name: str  # of muscle and joint
    muscle: int
    joint: Turning
    first: int  # the bone on this side
    tets: Ints  # (k,)
    corners: Ints  # (k, 4) vertices
    levers: Floats  # (k, 4, 3) [m^2] on the stress; zero at corners that are not beyond

    def moments(self, state: State, P: Floats) -> dict[str, float]:
        """The moment [N m] about each axis, for the stresses P [Pa] of all tets (m, 3, 3)."""
        pose = state.poses[self.first]
        turn = Rotation.from_matrix(pose[:, :3]).as_matrix()
        centre = pose[:, :3] @ np.asarray(self.joint.centre, float) + pose[:, 3]
        forces = np.einsum("kij,kaj->kai", P[self.tets], self.levers)
        total = np.cross(state.x[self.corners] - centre, forces).sum(axis=(0, 1))
        return {axis: float(total @ turn @ d) for axis, d in _axes(self.joint).items()}


def crossings(model: Model) -> list[Crossing]:
    """Each muscle with each hinge and ball that it crosses: it is held on both sides."""
    return [
        _crossing(model, index, joint, beyond)
        for joint in model.joints
        if isinstance(joint, Turning)
        for beyond in [_beyond(model, joint)]
        for index in range(len(model.muscles))
        if _crosses(model, index, beyond)
    ]


def _crossing(model: Model, index: int, joint: Turning, beyond: Bools) -> Crossing:
    own = np.flatnonzero(model.muscle_of_tet == index)
    tets = own[beyond[model.mesh.T[own]].any(axis=1)]
    corners = model.mesh.T[tets]
    # A tet of volume V pulls its vertex a by -V P B_a.
    pulls = model.mesh.gradients[tets] * -model.mesh.volumes[tets, None, None]
    name = f"{model.muscles[index].name}_{joint.name}"
    first = model.bone(joint.bones[0])
    return Crossing(name, index, joint, first, tets, corners, pulls * beyond[corners][:, :, None])


def _most_work(model: Model, index: int) -> float:
    """Strength times volume of a muscle [N m]; over its length, the force that it can pull with."""
    tets = (model.muscle_of_tet == index) & model.is_tissue(Tissue.MUSCLE)
    return float(model.stress[index] * model.mesh.volumes[tets].sum())


def _axes(joint: Turning) -> dict[str, Floats]:
    if isinstance(joint, Hinge):
        return {"": joint.direction}
    return dict(zip(("_x", "_y", "_z"), np.eye(3), strict=True))


def _crosses(model: Model, index: int, beyond: Bools) -> bool:
    used = np.unique(model.mesh.T[model.muscle_of_tet == index])
    held = (model.bone_of_vertex[used] >= 0) | model.held[used].any(axis=1)
    return bool(beyond[used].any() and (held & ~beyond[used]).any())


def _beyond(model: Model, joint: Joint) -> Bools:
    """(n,) the vertices of the bones that the joint's second bone carries.

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
    return np.isin(model.bone_of_vertex, [model.bone(name) for name in carried])


LEAST = np.radians(0.1)  # [rad] that a joint must turn from the frame before to the one after
ALONE = 0.1  # of its turn, that other joints may turn meanwhile


def excursion_arms(model: Model, table: Mapping[str, Floats]) -> dict[str, Floats]:
    """`<muscle>_<joint>_excursion_m`: -dL/dtheta (frames,) [m] for the hinges that muscles cross.

    It is taken between the frames before and after, and nan where the joint hardly turns or is
    not the only one that turns.
    """
    columns = {j.name: table.get(f"{j.name}_angle_deg") for j in model.joints}
    turns = {n: np.radians(_change(c)) for n, c in columns.items() if c is not None}
    out = {}
    for crossing in crossings(model):
        if isinstance(crossing.joint, Hinge):
            length = table[f"{model.muscles[crossing.muscle].name}_length_m"]
            turn = turns[crossing.joint.name]
            others = [np.abs(t) for name, t in turns.items() if name != crossing.joint.name]
            most = np.max(others, axis=0, initial=0.0) if others else np.zeros(len(turn))
            usable = (np.abs(turn) > LEAST) & (most < ALONE * np.abs(turn))
            out[f"{crossing.name}_excursion_m"] = -_ratio(_change(length), turn, usable)
    return out


def _change(values: Floats) -> Floats:
    """(frames,) from the frame before to the one after, or as much of that as there is."""
    index = np.arange(len(values))
    return values[np.minimum(index + 1, len(values) - 1)] - values[np.maximum(index - 1, 0)]


def _ratio(above: Floats, below: Floats, usable: Bools) -> Floats:
    return np.divide(above, below, out=np.full(len(above), np.nan), where=usable)
