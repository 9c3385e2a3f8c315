"""The bones and joints of a model as an articulated body on MuJoCo.

A bone has the frame of the world as the model is made, and the mass of its own tets; joints are in
the order of the model, and their angles are its coordinates. Tissue, its weight and that of the
bones are left to whoever solves the tissue: nothing weighs here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.bodies.body import Body, mujoco_package
from vastus.energies.inertia import Masses
from vastus.energies.joints import dampers
from vastus.errors import ModelError
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.joints import Hinge, Joint, Slider, Universal, Weld


def skeleton_of(model: Model) -> Body:
    """The skeleton of a model whose bones hang on pinned ones by hinges, sliders and the like."""
    mujoco = mujoco_package()
    spec = mujoco.MjSpec()
    spec.modelname = model.name
    spec.compiler.degree = False
    spec.option.gravity = [0.0, 0.0, 0.0]
    masses, damping = Masses.of(model), dampers(model)
    made = {
        bone.name: spec.worldbody.add_body(name=bone.name)
        for bone in model.bones
        if bone.drive is not Drive.FREE
    }
    waiting = [j for j in range(len(model.joints)) if not set(model.joints[j].bones) <= set(made)]
    while waiting:
        ready = [j for j in waiting if model.joints[j].bones[0] in made]
        if not ready:
            joint = model.joints[waiting[0]]
            raise ModelError(
                f"joint '{joint.name}' hangs on no pinned bone: bones must form a tree from pinned"
                " ones on, each joint naming the nearer bone first"
            )
        joint = model.joints[ready[0]]
        first, second = joint.bones
        if second in made:
            raise ModelError(f"joint '{joint.name}' closes a ring of bones, which has no skeleton")
        made[second] = _bone(made[first], second, masses.bones[model.bone(second)])
        own = damping[of_joint(model.joints, ready[0])]
        _add_joint(made[second], joint, own)
        waiting.remove(ready[0])
    loose = [bone.name for bone in model.bones if bone.name not in made]
    if loose:
        raise ModelError(f"bone '{loose[0]}' hangs on nothing; a joint must tie it to another")
    compiled = spec.compile()
    return Body(compiled, (), (), np.array(compiled.qpos0), spec)


def names_of(joint: Joint) -> list[str]:
    """What the hinges and slides of a joint are called in its skeleton, one for a coordinate."""
    if len(joint.freedoms) == 1:
        return [joint.name]
    return [f"{joint.name}_{freedom.name}" for freedom in joint.freedoms]


def _bone(parent: Any, name: str, moments: Floats) -> Any:
    """A body with the mass of a bone, of moments (4, 4) int rho (X, 1)(X, 1)^T dV."""
    mass = float(moments[3, 3])
    if not mass > 0:
        raise ModelError(f"bone '{name}' has no mass; its regions need tets and a density")
    centre = moments[:3, 3] / mass
    second = moments[:3, :3] - mass * np.outer(centre, centre)
    I = np.trace(second) * np.eye(3) - second
    full = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    return parent.add_body(
        name=name, mass=mass, ipos=centre.tolist(), fullinertia=full, explicitinertial=True
    )


def _add_joint(body: Any, joint: Joint, damping: Floats) -> None:
    kinds = mujoco_package().mjtJoint
    if isinstance(joint, Hinge | Slider):
        kind = kinds.mjJNT_HINGE if isinstance(joint, Hinge) else kinds.mjJNT_SLIDE
        axes = [np.asarray(joint.direction)]
    elif isinstance(joint, Universal):
        kind, axes = kinds.mjJNT_HINGE, [np.asarray(joint.axis), np.asarray(joint.second_axis)]
    elif isinstance(joint, Weld):
        return
    else:
        raise ModelError(
            f"joint '{joint.name}' is a {joint.kind}, which has no coordinates to drive tissue by;"
            " a skeleton takes hinges, sliders, universal joints and welds"
        )
    for name, axis, d in zip(names_of(joint), axes, damping, strict=True):
        body.add_joint(
            name=name, type=kind, axis=axis.tolist(), pos=np.asarray(joint.centre, float).tolist(),
            damping=float(d),
        )  # fmt: skip
