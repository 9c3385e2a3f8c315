"""Motions of joints that a USD stage animates (UsdSkel): how far each joint turns from its rest.

A joint's turn is a rotation vector, of which `<joint>.Xrotation`, `.Yrotation` and `.Zrotation` are
the components [deg], in the axes of the joint at rest. A joint that turns about one axis has its
angle in one column, up to half a turn.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.errors import FileError, MissingExtra
from vastus.files.foreign import existing, loaded
from vastus.files.motion_files import TIME, Motion, checked
from vastus.numerics.types import Floats


def read_usd_motion(path: Path) -> Motion:
    """The turns of all joints of the only animation of a stage, over time [s]."""
    try:
        from pxr import Usd, UsdSkel
    except ImportError:
        raise MissingExtra("usd-core", "usd") from None
    stage = loaded(existing(path), Usd.Stage.Open)
    animations = [UsdSkel.Animation(p) for p in stage.Traverse() if p.IsA(UsdSkel.Animation)]
    if len(animations) != 1:
        raise FileError(f"'{path}' has {len(animations)} animations of skeletons; one can be read")
    (animation,) = animations
    codes = animation.GetRotationsAttr().GetTimeSamples()
    joints = [str(joint) for joint in animation.GetJointsAttr().Get() or ()]
    if len(codes) < 2 or not joints:
        raise FileError(f"'{path}' animates no joint: its rotations have {len(codes)} times")
    turned = np.array([_quaternions(animation.GetRotationsAttr().Get(c), path) for c in codes])
    if turned.shape[1] != len(joints):
        raise FileError(f"'{path}' has {turned.shape[1]} rotations for {len(joints)} joints")
    rest = _rest(stage, UsdSkel, joints)
    vectors = np.stack(
        [
            (rest[k].inv() * Rotation.from_quat(turned[:, k])).as_rotvec(degrees=True)
            for k in range(len(joints))
        ],
        axis=1,
    )
    names = [f"{joint}.{axis}rotation" for joint in _short(joints) for axis in "XYZ"]
    times = np.array(codes) / stage.GetTimeCodesPerSecond()
    table = np.column_stack([times, vectors.reshape(len(codes), -1)])
    return checked(path, [TIME, *names], table)


def _quaternions(given: Any, path: Path) -> Floats:
    """(joints, 4) xyzw."""
    found = np.array([[*q.GetImaginary(), q.GetReal()] for q in given], float).reshape(-1, 4)
    if not found.any(axis=1).all():
        raise FileError(f"'{path}' has a rotation that is no quaternion")
    return found


def _rest(stage: Any, UsdSkel: Any, joints: list[str]) -> list[Rotation]:
    """The rotation of each joint at rest; none where no skeleton has the joint."""
    found: dict[str, Rotation] = {}
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Skeleton):
            skeleton = UsdSkel.Skeleton(prim)
            names = skeleton.GetJointsAttr().Get() or ()
            places = skeleton.GetRestTransformsAttr().Get() or ()
            for name, place in zip(names, places, strict=False):
                # A matrix of USD acts on rows.
                matrix = np.array(place, float)[:3, :3].T
                found[str(name)] = Rotation.from_matrix(matrix)
    return [found.get(joint, Rotation.identity()) for joint in joints]


def _short(joints: list[str]) -> list[str]:
    """The last words of the joints' paths, where they are not those of another."""
    ends = [joint.rsplit("/", 1)[-1] for joint in joints]
    count = Counter(ends)
    return [e if count[e] == 1 else joint for e, joint in zip(ends, joints, strict=True)]
