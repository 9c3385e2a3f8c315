"""A `Model` of lofted muscles and the bones that they move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from vastus.errors import ModelError, known
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Bone, Drive, Model, Muscle, Region
from vastus.modelling.lines.bone_tets import bone_tets
from vastus.modelling.lines.holds import holds
from vastus.modelling.lines.loft import Loft
from vastus.modelling.lines.parts import JointKind, LineBone, Lines
from vastus.modelling.lines.tets import fibres
from vastus.modelling.tissues import Materials, bone_region
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.joints import Ball, Hinge, Joint, Weld


def model_of(
    lines: Lines,
    lofts: Sequence[Loft],
    *,
    free: Sequence[str] = (),
    materials: Materials | None = None,
) -> Model:
    """The model; the joints `free` move by the forces and all others are held as they are.

    A muscle's strength is its greatest force by the mean area of its muscle tissue.
    """
    materials = materials or Materials()
    require_joints(lines, free)
    solids = {bone.name: bone_tets(bone.surface) for bone in lines.bones if bone.surface}
    parts = _Parts()
    for name, mesh in solids.items():
        if mesh is not None:
            parts.add(mesh.X, mesh.T, [bone_region(name)], np.zeros(mesh.n_tets, int))
    attached: dict[str, list[Ints]] = {bone.name: [] for bone in lines.bones}
    roots = rigid_roots(lines, free)
    for item in lofts:
        start = _add(parts, item, materials)
        for bone, vertices in holds(item, roots):
            attached[bone].append(vertices + start)
    moving = {bone.name for bone in lines.bones if roots[bone.name] != _base(lines, bone).name}
    return Model(
        mesh=TetMesh(np.concatenate(parts.X), np.concatenate(parts.T)),
        region=np.concatenate(parts.region),
        regions=tuple(parts.regions),
        fibre=np.concatenate(parts.fibre),
        muscles=tuple(Muscle(i.muscle.name, strength=i.muscle.force / i.section) for i in lofts),
        bones=tuple(_bone(b, solids, attached, moving) for b in lines.bones),
        joints=tuple(_joints(lines, free, moving)),
        gravity=lines.gravity,
        name=lines.name,
    )


def rigid_roots(lines: Lines, free: Sequence[str]) -> dict[str, str]:
    """For each bone the first one on the way up that it moves with."""
    roots = {}
    for bone in lines.bones:
        at = bone
        while at.parent is not None and not (at.joint and at.joint.name in free):
            at = lines.bone(at.parent)
        roots[bone.name] = at.name
    return roots


def joint_names(lines: Lines) -> list[str]:
    """The joints that can be free: hinges and balls."""
    joints = [bone.joint for bone in lines.bones if bone.joint is not None]
    return [joint.name for joint in joints if joint.kind is not JointKind.OTHER]


class _Parts:
    """Solids put side by side, with the regions that they bring."""

    def __init__(self) -> None:
        self.X: list[Floats] = []
        self.T: list[Ints] = []
        self.region: list[Ints] = []
        self.fibre: list[Floats] = []
        self.regions: list[Region] = []
        self._vertices = 0

    def add(
        self, X: Floats, T: Ints, regions: list[Region], region: Ints, fibre: Floats | None = None
    ) -> int:
        """Add a solid and return the number of its first vertex."""
        start = self._vertices
        self.X.append(X)
        self.T.append(T + start)
        self.region.append(region + len(self.regions))
        self.fibre.append(np.zeros((len(T), 3)) if fibre is None else fibre)
        self.regions += regions
        self._vertices += len(X)
        return start


def _add(parts: _Parts, item: Loft, materials: Materials) -> int:
    name, solid = item.muscle.name, item.solid
    regions = [materials.belly(name), materials.sinew(f"{name} tendon", name)]
    return parts.add(solid.X, solid.T, regions, (solid.segment != 1).astype(int), fibres(solid))


def _base(lines: Lines, bone: LineBone) -> LineBone:
    while bone.parent is not None:
        bone = lines.bone(bone.parent)
    return bone


def _bone(
    bone: LineBone,
    solids: Mapping[str, TetMesh | None],
    attached: Mapping[str, list[Ints]],
    moving: set[str],
) -> Bone:
    regions = (bone.name,) if solids.get(bone.name) is not None else ()
    drive = Drive.FREE if bone.name in moving else Drive.PINNED
    none = np.zeros(0, np.int64)
    return Bone(bone.name, regions, drive, np.unique(np.concatenate([none, *attached[bone.name]])))


def _joints(lines: Lines, free: Sequence[str], moving: set[str]) -> list[Joint]:
    """The free joints, and welds between what moves together."""
    found: list[Joint] = []
    for bone in lines.bones:
        if bone.name not in moving or bone.parent is None or bone.joint is None:
            continue
        joint, pair = bone.joint, (bone.parent, bone.name)
        if joint.name not in free:
            found.append(Weld(f"{bone.name} weld", pair, joint.centre))
        elif joint.kind is JointKind.HINGE:
            found.append(Hinge(joint.name, pair, joint.centre, joint.axis))
        else:
            found.append(Ball(joint.name, pair, joint.centre))
    return found


def require_joints(lines: Lines, free: Sequence[str]) -> None:
    """Refuse to free what is no hinge or ball."""
    others = {bone.joint.name for bone in lines.bones if bone.joint} - set(joint_names(lines))
    for name in free:
        if name in others:
            raise ModelError(f"joint '{name}' cannot be free: it is neither a hinge nor a ball")
        if name not in joint_names(lines):
            raise known("joint", name, joint_names(lines))
