"""Which regions move as one rigid body, so that a node can carry them."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.errors import FileError
from vastus.io.skin import Skin
from vastus.io.tape import Moment, Tape
from vastus.numerics.types import Floats

EXACT = 1e-6  # the largest entry of |A^T A - I| of a bone that is rigid
NEAR = 1e-5  # of the model's size, that a vertex may be away from where its bone puts it


def rigid_bone(tape: Tape, region: str) -> int | None:
    """The bone that a region belongs to, if its poses are rigid in all frames."""
    for index, bone in enumerate(tape.model.bones):
        if region in bone.regions:
            A = tape.result.poses[:, index, :, :3]
            strain = np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3)).max()
            return index if strain < EXACT and (np.linalg.det(A) > 0).all() else None
    return None


def quaternions(poses: Floats) -> Floats:
    """(frames, 4) x, y, z, w of poses (frames, 3, 4), none far from the one before."""
    q = Rotation.from_matrix(poses[:, :, :3]).as_quat()
    turns = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0
    return np.asarray(q * np.cumprod(np.where(np.append(False, turns), -1.0, 1.0))[:, None])


def require_carried(tape: Tape, moment: Moment, skin: Skin, bone: int) -> None:
    """Refuse a frame in which the vertices are not where their bone's pose puts them."""
    pose, X = moment.poses[bone], tape.model.mesh.X
    away = X[skin.vertices] @ pose[:, :3].T + pose[:, 3] - moment.x[skin.vertices]
    if np.abs(away).max() > NEAR * np.ptp(X, axis=0).max():
        raise FileError(
            f"bone '{tape.model.bones[bone].name}' is not where its pose puts it in "
            f"'{tape.result.frames[moment.index]}'"
        )
