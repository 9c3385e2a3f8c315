"""Bones as joints of a skeleton: who carries whom, and where each is in time.

The joint of a bone is where the bone turns about its parent, its y axis along the bone.
Matrices have columns, x = M X; USD's have rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.joints import Joint

ROOT = -1


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Bones in an order in which parents come first."""

    bones: Ints  # (b,) positions in the model's bones
    parents: Ints  # (b,) positions in `bones`, or ROOT
    bind: Floats  # (b, 4, 4) at rest, in the world

    def local(self, world: Floats) -> Floats:
        """(..., b, 4, 4) seen from the parents, for matrices in the world (..., b, 4, 4)."""
        carried = self.parents != ROOT
        found = world.copy()
        above = world[..., self.parents[carried], :, :]
        found[..., carried, :, :] = np.linalg.inv(above) @ world[..., carried, :, :]
        return found

    def world(self, poses: Floats) -> Floats:
        """(f, b, 4, 4) of the nearest rotations, for poses (f, bones, 3, 4)."""
        own = poses[:, self.bones]
        head = np.einsum("fbij,bj->fbi", own, self.bind[:, :, 3])
        found = np.zeros((*own.shape[:2], 4, 4))
        found[..., :3, :3] = nearest_rotation(own[..., :3]) @ self.bind[:, :3, :3]
        found[..., :3, 3], found[..., 3, 3] = head, 1.0
        return found


def skeleton(model: Model) -> Skeleton:
    """The skeleton of a model's bones; joints that make no tree leave them side by side."""
    above = _parents(model)
    order = np.argsort([_depth(above, b) for b in range(len(above))], kind="stable")
    place = np.append(np.argsort(order), ROOT)  # the last is what ROOT picks
    bind = [_rest(model, b) for b in order]
    return Skeleton(order, place[np.array(above, int)[order]], np.array(bind).reshape(-1, 4, 4))


def nearest_rotation(A: Floats) -> Floats:
    """(..., 3, 3) the rotation nearest to each A (..., 3, 3)."""
    U, _, Vt = np.linalg.svd(A)
    U[..., 2] *= np.sign(np.linalg.det(U @ Vt))[..., None]
    return np.asarray(U @ Vt)


def quaternions(matrices: Floats) -> Floats:
    """(f, b, 4) wxyz of rotations (f, b, 3, 3), without jumps of sign from frame to frame."""
    frames, bones = matrices.shape[:2]
    found = Rotation.from_matrix(matrices.reshape(-1, 3, 3)).as_quat().reshape(frames, bones, 4)
    turns = np.sign(np.einsum("fbi,fbi->fb", found[1:], found[:-1]))
    signs = np.cumprod(np.vstack([np.ones((1, bones)), np.where(turns < 0, -1.0, 1.0)]), axis=0)
    return np.roll(found * signs[..., None], 1, axis=2)


def _parents(model: Model) -> list[int]:
    """The bone that carries each bone by the joints, or ROOT; all ROOT if that is no tree."""
    found = [ROOT] * len(model.bones)
    flat = list(found)
    for joint in model.joints:
        first, second = (model.bone(name) for name in joint.bones)
        if found[second] not in (ROOT, first):
            return flat
        found[second] = first
    return flat if any(_depth(found, b) > len(found) for b in range(len(found))) else found


def _depth(above: list[int], bone: int) -> int:
    """How many bones are above this one; more than there are, if they go round in a circle."""
    depth = 0
    while above[bone] != ROOT and depth <= len(above):
        bone, depth = above[bone], depth + 1
    return depth


def _rest(model: Model, bone: int) -> Floats:
    """(4, 4) where a bone's joint is at rest."""
    name, middle = model.bones[bone].name, _middle(model, bone)
    into = [_centre(j) for j in model.joints if j.bones[1] == name]
    out = [_centre(j) for j in model.joints if j.bones[0] == name]
    far = 2 * middle
    head = into[0] if into else far - out[0] if out else middle
    tail = out[0] if out else far - head
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = _along(tail - head), head
    return frame


def _middle(model: Model, bone: int) -> Floats:
    own = model.bone_of_vertex == bone
    return model.mesh.X[own].mean(axis=0) if own.any() else np.zeros(3)


def _centre(joint: Joint) -> Floats:
    return joint.points(0.0)[0]


def _along(direction: Floats) -> Floats:
    """(3, 3) a rotation whose y axis has this direction (3,)."""
    length = np.linalg.norm(direction)
    if length < 1e-9:
        return np.eye(3)
    y = direction / length
    x = np.cross(y, np.eye(3)[np.argmin(np.abs(y))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, y, np.cross(x, y)])
