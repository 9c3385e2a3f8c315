"""The regions of a glTF file: meshes, what they differ by in each frame, and nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.export.glb import Buffer, Json, Target
from vastus.export.gltf_bones import quaternions, require_carried, rigid_bone
from vastus.export.gltf_materials import material
from vastus.io.skin import Skin, region_skins
from vastus.io.tape import Moment, Tape
from vastus.model import Region, Tissue
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Part:
    """A region, its surface, the rigid bone that carries it, if any, and its activation."""

    region: Region
    skin: Skin
    bone: int | None
    base: Floats  # (n, 3) [m] the vertices that frames differ from
    level: Floats | None  # (frames,)

    @cached_property
    def points(self) -> Floats:
        """(p, 3) [m] the points of the mesh."""
        return self.base[self.skin.vertices]

    @cached_property
    def normals(self) -> Floats:
        """(p, 3) their normals."""
        return _normals(self.skin, self.base)

    def differences(self, moment: Moment) -> list[np.ndarray]:
        """(p, 3) of the points [m] and of their normals."""
        moved = moment.x[self.skin.vertices] - self.points
        return [single(moved), single(_normals(self.skin, moment.x) - self.normals)]


def parts_of(tape: Tape) -> list[Part]:
    """The regions of a tape: a bone is where it rests, what is soft where it is at first."""
    first, skins = tape[0].x, region_skins(tape.model, split=False)
    regions = {region.name: region for region in tape.model.regions}
    found = []
    for name, skin in skins.items():
        bone = rigid_bone(tape, name)
        base = first if bone is None else tape.model.mesh.X
        found.append(Part(regions[name], skin, bone, base, _level(tape, regions[name])))
    return found


def add_meshes(tape: Tape, parts: list[Part], buffer: Buffer) -> list[Json]:
    """A mesh for each part, in order; it lacks the targets of frames."""
    names = [f"{time:.4g} s" for time in tape.times[1:]]
    meshes = [_mesh(part, number, buffer) for number, part in enumerate(parts)]
    for part, mesh in zip(parts, meshes, strict=True):
        if names and part.bone is None:
            mesh["extras"] = {"targetNames": names}
    return meshes


def add_targets(
    tape: Tape, moment: Moment, parts: list[Part], meshes: list[Json], buffer: Buffer
) -> None:
    """Add what a frame differs by from the first, and see that bones are where they should be."""
    soft, arrays = [], []
    for part, mesh in zip(parts, meshes, strict=True):
        if part.bone is not None:
            require_carried(tape, moment, part.skin, part.bone)
        elif moment.index:
            soft.append(mesh["primitives"][0].setdefault("targets", []))
            arrays += part.differences(moment)
    numbers = buffer.add_all(arrays, Target.VERTICES) if arrays else []
    for targets, points, normals in zip(soft, numbers[::2], numbers[1::2], strict=True):
        targets.append({"POSITION": points, "NORMAL": normals})


def node(tape: Tape, part: Part, mesh: int) -> Json:
    """The node of a part."""
    said: Json = {"region": part.region.name, "tissue": part.region.tissue.value}
    if part.level is not None:
        said["activation"] = part.level.tolist()
    made: Json = {"name": part.region.name or "region", "mesh": mesh, "extras": said}
    if part.bone is not None:
        pose = tape.result.poses[:1, part.bone]
        made |= {"rotation": quaternions(pose)[0].tolist(), "translation": pose[0, :, 3].tolist()}
    return made


def material_of(part: Part) -> Json:
    """The colour of a muscle is that of its largest activation: glTF has no colours in time."""
    level = 0.0 if part.level is None else float(part.level.max())
    return material(part.region.name, part.region.tissue, level)


def single(values: Floats) -> np.ndarray:
    """The values in single precision."""
    return values.astype(np.float32)


def _mesh(part: Part, number: int, buffer: Buffer) -> Json:
    kind = np.uint16 if len(part.points) < 2**16 else np.uint32
    arrays = [single(part.points), single(part.normals)]
    points, normals = buffer.add_all(arrays, Target.VERTICES)
    faces = buffer.add(part.skin.faces.ravel().astype(kind), Target.INDICES)
    attributes = {"POSITION": points, "NORMAL": normals}
    shape: Json = {"attributes": attributes, "indices": faces, "material": number}
    return {"name": part.region.name, "primitives": [shape]}


def _level(tape: Tape, region: Region) -> Floats | None:
    """The activation (frames,) of a region of muscle tissue."""
    if region.tissue is not Tissue.MUSCLE:
        return None
    return tape.result.table.get(f"{region.muscle}_activation", np.zeros(len(tape)))


def _normals(skin: Skin, x: Floats) -> Floats:
    """(p, 3) unit normals, upwards where faces cancel."""
    normals = skin.normals(x)
    lost = np.linalg.norm(normals, axis=1) < 0.5
    normals[lost] = [0.0, 0.0, 1.0]
    return normals
