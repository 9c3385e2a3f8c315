"""Joints that are driven: each is a weld of its bones at the coordinates of the moment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.skeleton.bones import Skeleton, Tie, image
from vastus.skeleton.coordinates import numbered, of_joint
from vastus.skeleton.freedoms import Pair
from vastus.skeleton.joints import Joint

CORNERS = np.vstack([np.zeros(3), np.eye(3)])


def driven_skeleton(model: Model, skeleton: Skeleton, coordinates: Floats) -> Skeleton:
    """The skeleton whose joints with coordinates (c,) [rad or m] are welded there; nan is free."""
    ties = tuple(_driven(model.joints[tie.joint], tie, model, coordinates) for tie in skeleton.ties)
    return replace(skeleton, ties=ties)


def _driven(joint: Joint, tie: Tie, model: Model, coordinates: Floats) -> Tie:
    own = coordinates[of_joint(model.joints, tie.joint)]
    if not len(own) or np.isnan(own).any():
        return tie
    known = np.concatenate([tie.points, tie.held])
    span = float(np.ptp(known, axis=0).max())
    points = np.asarray(joint.centre, float) + CORNERS * span
    return Tie(tie.a, tie.b, points, image(joint.motion(own), points), joint=tie.joint)


def measured(model: Model, poses: Floats) -> Floats:
    """(c,) the coordinates of a model's joints [rad or m] at poses (bones, 3, 4)."""
    values = []
    for index, freedom in numbered(model.joints):
        pair = [model.bone(name) for name in model.joints[index].bones]
        values.append(freedom.value(Pair.of(poses[pair])))
    return np.array(values)


def carried_along(model: Model, skeleton: Skeleton, poses: Floats, coordinates: Floats) -> Floats:
    """Poses near the driven coordinates: what hangs on a driven joint moves along as one.

    Without it, only the bone next to the joint would be moved, and the tissue torn.
    """
    out = poses.copy()
    for tie in skeleton.ties:
        own = coordinates[of_joint(model.joints, tie.joint)]
        if not len(own) or np.isnan(own).any():
            continue
        joint = model.joints[tie.joint]
        wanted = _product(out[tie.a], joint.motion(own))
        moved = _beyond(model, joint)
        if moved is not None:
            step = _product(wanted, _inverse(out[tie.b]))
        else:
            moved = _beyond(model, joint, side=0)
            back = _product(out[tie.b], _inverse(joint.motion(own)))
            step = _product(back, _inverse(out[tie.a]))
        for bone in moved or ():
            out[bone] = _product(step, out[bone])
    return out


def _beyond(model: Model, joint: Joint, side: int = 1) -> set[int] | None:
    """The bones on the second (or first) side of a joint; None if any of them is held.

    In a ring these are all but the one across the joint, and the ring is closed afterwards.
    """
    start, stop = joint.bones[side], joint.bones[1 - side]
    reached, waiting = {start}, [start]
    while waiting:
        bone = waiting.pop()
        others = {b for j in model.joints if j is not joint and bone in j.bones for b in j.bones}
        others -= reached | {stop}
        waiting += others
        reached |= others
    bones = {model.bone(name) for name in reached}
    held = any(model.bones[b].drive is not Drive.FREE for b in bones)
    return None if held else bones


def _product(first: Floats, second: Floats) -> Floats:
    """(3, 4) the pose that does the second and then the first."""
    return np.column_stack([first[:, :3] @ second[:, :3], image(first, second[:, 3:].T)[0]])


def _inverse(pose: Floats) -> Floats:
    A = np.linalg.inv(pose[:, :3])
    return np.column_stack([A, -A @ pose[:, 3]])
