"""Lines drawn beside the surfaces: fibres in the muscles, and the axes of joints."""

from __future__ import annotations

import numpy as np

from vastus.app.look import Look
from vastus.fields import deformed
from vastus.io.tape import Moment
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.joints import Hinge, Joint

MOST = 3000  # fibres drawn, of all tets
AXIS, POINT = 0.12, 0.03  # of the model's extent
NONE = np.zeros((0, 2, 3))


def fibre_lines(model: Model, moment: Moment, look: Look) -> Floats:
    """(k, 2, 3) a piece of fibre in each of evenly chosen tets of the regions that are seen [m]."""
    if not look.fibres:
        return NONE
    tets = _seen(model, look)
    if look.cut is not None:
        middle = moment.x[model.mesh.T[tets]].mean(axis=1)
        tets = tets[look.cut.beyond(middle) <= 0]
    tets = tets[:: max(1, len(tets) // MOST)]
    T = model.mesh.T[tets]
    F = np.einsum("mai,maj->mij", moment.x[T], model.mesh.gradients[tets])
    length = np.cbrt(6 * np.sqrt(2) * np.abs(model.mesh.volumes[tets]))
    half = deformed(F, model.fibre[tets]) * length[:, None] / 2
    middle = moment.x[T].mean(axis=1)
    return np.stack([middle - half, middle + half], axis=1)


def _seen(model: Model, look: Look) -> Ints:
    shown = np.array([look.shows(region.name) for region in model.regions])
    return np.flatnonzero(shown[model.region] & model.fibre.any(axis=1))


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
