"""Lines drawn beside the surfaces: the axes and centres of joints."""

from __future__ import annotations

import numpy as np

from vastus.app.look import Look
from vastus.io.tape import Moment
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Hinge, Joint

AXIS, POINT = 0.12, 0.03  # of the model's extent
NONE = np.zeros((0, 2, 3))


def joint_lines(model: Model, moment: Moment, look: Look) -> Floats:
    """(k, 2, 3) the axis of each hinge, and a small cross at each other joint [m]."""
    if not look.joints or not model.joints:
        return NONE
    extent = float(np.ptp(model.mesh.X, axis=0).max())
    lines = [_moved(_lines(joint, extent), _pose(model, joint, moment)) for joint in model.joints]
    return np.concatenate(lines)


def _lines(joint: Joint, extent: float) -> Floats:
    if isinstance(joint, Hinge):
        return joint.points(AXIS * extent)[None]
    centre = joint.points(0.0)[0]
    return centre + np.stack([-np.eye(3), np.eye(3)], axis=1) * POINT * extent / 2


def _pose(model: Model, joint: Joint, moment: Moment) -> Floats:
    return np.asarray(moment.poses[model.bone(joint.bones[0])])


def _moved(lines: Floats, pose: Floats) -> Floats:
    return np.asarray(lines @ pose[:, :3].T + pose[:, 3])
