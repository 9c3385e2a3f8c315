"""A run of an articulated body that drives the tissue of a model, one way.

Angles of the body's joints are coordinates of the model's, activations of its units those of the
model's muscles. They are inputs as any others, so that the run of the tissue is a usual one; what
its muscles do about the joints is compared with what the units did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vastus.control.plant import Plant
from vastus.coupling.skeleton import names_of
from vastus.errors import ModelError, known
from vastus.inputs import Schedule
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.schedules import from_arrays

if TYPE_CHECKING:
    from vastus.results.body_motion import BodyMotion

FPS = 30.0


class BodyJoint(NamedTuple):
    """A joint of a body: the model's coordinate is `sign` times (its value - `zero` [rad or m])."""

    name: str
    sign: float = 1.0
    zero: float = 0.0


@dataclass(frozen=True)
class Pairing:
    """Which joints of a body are those of a model, and which of its units are its muscles.

    `joints` are by the model's; a joint of several coordinates has each by itself, as
    `<joint>_<coordinate>`. A muscle for which several units stand gets the mean of their
    activations, weighted by their greatest forces.
    """

    joints: Mapping[str, BodyJoint] = field(default_factory=dict)
    muscles: Mapping[str, Sequence[str]] = field(default_factory=dict)


def driven_inputs(
    model: Model, motion: BodyMotion, pairing: Pairing, *, fps: float = FPS
) -> Schedule:
    """The inputs that let a model do what a body did, so many frames a second.

    Joints that are not paired move freely, and muscles that are not paired are relaxed.
    """
    shown = motion.frames(fps)
    joints: dict[str, Floats] = {}
    owned = [name for joint in model.joints for name in names_of(joint) if joint.freedoms]
    for name in pairing.joints:
        if name not in owned:
            raise known("coordinate of the model", name, owned)
    for joint in model.joints:
        names = names_of(joint) if joint.freedoms else []
        given = [name for name in names if name in pairing.joints]
        if not given:
            continue
        if given != names:
            raise ModelError(f"joint '{joint.name}' has {len(names)} coordinates; pair all of them")
        values = [_coordinate(shown, pairing.joints[name]) for name in names]
        scale = [freedom.scale for freedom in joint.freedoms]
        joints[joint.name] = np.column_stack(values) * scale
    return from_arrays(model, shown.times, _activations(model, shown, pairing), joints=joints)


def line_moments(motion: BodyMotion, pairing: Pairing) -> dict[str, Floats]:
    """(k,) [N m or N] the moments of the units of a pairing about its joints, by the model's joint.

    They are those of Hill lines at the lengths, speeds and activations of the motion, positive the
    way in which the model's coordinate grows.
    """
    body, units = motion.body, _units(motion, pairing)
    m, plant = body.model, Plant(body)
    dofs = {name: int(m.joint(joint.name).dofadr[0]) for name, joint in pairing.joints.items()}
    rates = np.gradient(motion.positions, motion.times, axis=0) if len(motion) > 1 else None
    found: dict[str, list[float]] = {name: [] for name in pairing.joints}
    hinges = [(int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])) for j in range(m.njnt)
              if int(m.jnt_type[j]) in (2, 3)]  # fmt: skip
    for row in range(len(motion)):
        plant.data.qpos[:] = motion.positions[row]
        plant.data.qvel[:] = 0.0
        for place, dof in hinges:
            plant.data.qvel[dof] = 0.0 if rates is None else rates[row, place]
        plant.refresh()
        force = plant.pull(motion.activations[row]).force[units]
        for name, dof in dofs.items():
            moment = -float(force @ plant.arms[units, dof])
            found[name].append(pairing.joints[name].sign * moment)
    return {name: np.array(values) for name, values in found.items()}


def _coordinate(motion: BodyMotion, joint: BodyJoint) -> Floats:
    return np.asarray(joint.sign * (motion.angles(joint.name) - joint.zero))


def _activations(model: Model, motion: BodyMotion, pairing: Pairing) -> dict[str, Floats]:
    names, forces = motion.body.names, motion.body.forces
    found = {}
    for muscle, units in pairing.muscles.items():
        own = [names.index(_known(unit, names)) for unit in units]
        level = np.clip(motion.activations[:, own] @ forces[own] / forces[own].sum(), 0.0, 1.0)
        limit = model.muscles[model.muscle(muscle)].limit
        found[muscle] = level if np.isfinite(limit) and limit >= 1.0 else level * limit
    return found


def _units(motion: BodyMotion, pairing: Pairing) -> list[int]:
    names = motion.body.names
    return [names.index(_known(u, names)) for units in pairing.muscles.values() for u in units]


def _known(unit: str, names: Sequence[str]) -> str:
    if unit not in names:
        raise known("unit", unit, names)
    return unit
