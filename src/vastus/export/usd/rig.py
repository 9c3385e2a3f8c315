"""Bones: a skeleton with its animation, and meshes that follow it.

The joint of a bone is where the bone turns about its parent, its y axis along the bone. Matrices
have columns, x = M X; USD's have rows.

A mesh that follows is at rest, is skinned to its joint, and has the pose of its bone as its own
transform as well. Programs that skin ignore that transform, as `UsdSkel` demands; programs that
do not skin use it; so both put the mesh where it belongs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.export.regions import Clock
from vastus.export.usd.prims import TOP
from vastus.files.identifiers import identifiers, readable
from vastus.model import Model
from vastus.numerics.rotation import is_rotation, nearest_rotations, quaternions
from vastus.numerics.types import Floats, Ints
from vastus.results.playback import Playback
from vastus.skeleton.joints import Joint

ROOT = -1
BONES = f"{TOP}/Bones"


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
        found[..., :3, :3] = nearest_rotations(own[..., :3]) @ self.bind[:, :3, :3]
        found[..., :3, 3], found[..., 3, 3] = head, 1.0
        return found


def skeleton(model: Model) -> Skeleton:
    """The skeleton of a model's bones; joints that make no tree leave them side by side."""
    above = _parents(model)
    order = np.argsort([_depth(above, b) for b in range(len(above))], kind="stable")
    place = np.append(np.argsort(order), ROOT)  # the last is what ROOT picks
    bind = [_rest(model, b) for b in order]
    return Skeleton(order, place[np.array(above, int)[order]], np.array(bind).reshape(-1, 4, 4))


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
    return np.asarray(joint.centre, float)


def _along(direction: Floats) -> Floats:
    """(3, 3) a rotation whose y axis has this direction (3,)."""
    length = np.linalg.norm(direction)
    if length < 1e-9:
        return np.eye(3)
    y = direction / length
    x = np.cross(y, np.eye(3)[np.argmin(np.abs(y))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, y, np.cross(x, y)])


class Rig:
    """The skeleton of a stage, to which meshes are bound."""

    def __init__(self, stage: Any, playback: Playback, clock: Clock) -> None:
        from pxr import UsdSkel

        self._clock, self._poses = clock, playback.result.poses
        self._skeleton = skeleton(playback.model)
        UsdSkel.Root.Define(stage, BONES)
        self._prim = UsdSkel.Skeleton.Define(stage, f"{BONES}/Skeleton")
        names = [playback.model.bones[b].name for b in self._skeleton.bones]
        joints = _paths(names, self._skeleton)
        _define_rest(self._prim, joints, names, self._skeleton)
        motion = UsdSkel.Animation.Define(stage, f"{BONES}/Skeleton/Motion")
        motion.CreateJointsAttr(joints)
        self._animate(motion)
        api = UsdSkel.BindingAPI.Apply(self._prim.GetPrim())
        api.CreateAnimationSourceRel().SetTargets([motion.GetPath()])

    def is_rigid(self, bone: int) -> bool:
        """Whether a bone keeps its shape in all frames, as a skeleton demands."""
        return is_rotation(self._poses[:, bone, :, :3])

    def carry(self, mesh: Any, bone: int, points: int) -> None:
        """Let a mesh of so many points, which is at rest, follow a bone."""
        from pxr import Gf, UsdGeom, UsdSkel

        place = int(np.flatnonzero(self._skeleton.bones == bone)[0])
        api = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
        api.CreateSkeletonRel().SetTargets([self._prim.GetPath()])
        api.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
        api.CreateJointIndicesPrimvar(False, 1).Set([place] * points)
        api.CreateJointWeightsPrimvar(False, 1).Set([1.0] * points)
        own = UsdGeom.Xformable(mesh).AddTransformOp()
        for code, pose in zip(self._clock.codes, self._poses[:, bone], strict=True):
            own.Set(_matrix(np.vstack([pose, [0.0, 0.0, 0.0, 1.0]])), code)

    def _animate(self, motion: Any) -> None:
        from pxr import Gf, Vt

        local = self._skeleton.local(self._skeleton.world(self._poses))
        turns = quaternions(local[..., :3, :3])
        moves, turned = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
        motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1.0)] * local.shape[1]))
        for code, M, quats in zip(self._clock.codes, local, turns, strict=True):
            moves.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(M[:, :3, 3], np.float32)), code)
            turned.Set(Vt.QuatfArray([Gf.Quatf(*q) for q in quats.tolist()]), code)


def _paths(names: list[str], bones: Skeleton) -> list[str]:
    """The joints as the format names them: below their parents."""
    found: list[str] = []
    for name, parent in zip(identifiers(names).values(), bones.parents, strict=True):
        found.append(name if parent == ROOT else f"{found[parent]}/{name}")
    return found


def _define_rest(prim: Any, joints: list[str], names: list[str], bones: Skeleton) -> None:
    from pxr import Vt

    prim.CreateJointsAttr(joints)
    prim.CreateJointNamesAttr([readable(name) for name in names])
    prim.CreateBindTransformsAttr(Vt.Matrix4dArray([_matrix(M) for M in bones.bind]))
    rest = bones.local(bones.bind)
    prim.CreateRestTransformsAttr(Vt.Matrix4dArray([_matrix(M) for M in rest]))


def _matrix(M: Floats) -> Any:
    """USD's matrix, which multiplies rows, of one (4, 4) that multiplies columns."""
    from pxr import Gf

    return Gf.Matrix4d(*M.T.ravel().tolist())
