"""Bones: a skeleton with its animation, and meshes that follow it.

A mesh that follows is at rest, is skinned to its joint, and has the pose of its bone as its own
transform as well. Programs that skin ignore that transform, as `UsdSkel` demands; programs that
do not skin use it; so both put the mesh where it belongs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.export.clock import Clock
from vastus.export.identifiers import identifiers, readable
from vastus.export.usd_skeleton import ROOT, Skeleton, quaternions, skeleton
from vastus.export.usd_stage import TOP
from vastus.io.tape import Tape
from vastus.numerics.types import Floats

BONES = f"{TOP}/Bones"
STIFF = 1e-6  # how far A^T A of a pose may be from one: below, the bone is taken as rigid


class Rig:
    """The skeleton of a stage, to which meshes are bound."""

    def __init__(self, stage: Any, tape: Tape, clock: Clock) -> None:
        from pxr import UsdSkel

        self._clock, self._poses = clock, tape.result.poses
        self._skeleton = skeleton(tape.model)
        UsdSkel.Root.Define(stage, BONES)
        self._prim = UsdSkel.Skeleton.Define(stage, f"{BONES}/Skeleton")
        names = [tape.model.bones[b].name for b in self._skeleton.bones]
        joints = _paths(names, self._skeleton)
        _define_rest(self._prim, joints, names, self._skeleton)
        motion = UsdSkel.Animation.Define(stage, f"{BONES}/Skeleton/Motion")
        motion.CreateJointsAttr(joints)
        self._animate(motion)
        api = UsdSkel.BindingAPI.Apply(self._prim.GetPrim())
        api.CreateAnimationSourceRel().SetTargets([motion.GetPath()])

    def is_rigid(self, bone: int) -> bool:
        """Whether a bone keeps its shape in all frames, as a skeleton demands."""
        A = self._poses[:, bone, :, :3]
        strain = np.abs(np.swapaxes(A, 1, 2) @ A - np.eye(3)).max(initial=0.0)
        return bool(strain < STIFF and (np.linalg.det(A) > 0).all())

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
