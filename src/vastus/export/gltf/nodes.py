"""The regions of a glTF file: nodes, meshes, what they differ by in each frame, and colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.errors import FileError
from vastus.export.gltf.glb import Buffer, Json, Target
from vastus.export.regions import linear
from vastus.numerics.rotation import is_rotation, quaternions
from vastus.numerics.types import Floats
from vastus.parts import Region, Tissue
from vastus.pictures.colours import TISSUE_COLOURS, muscle_colour
from vastus.pictures.skin import Skin, region_skins
from vastus.results.playback import Playback, Snapshot

VEIL = 0.35  # how opaque passive tissue is, so that what it covers is seen
NEAR = 1e-5  # of the model's size, that a vertex may be away from where its bone puts it


def rigid_bone(playback: Playback, region: str) -> int | None:
    """The bone that a region belongs to, if its poses are rigid in all frames."""
    for index, bone in enumerate(playback.model.bones):
        if region in bone.regions:
            return index if is_rotation(playback.result.poses[:, index, :, :3]) else None
    return None


def turns(poses: Floats) -> Floats:
    """(frames, 4) quaternions x, y, z, w of poses (frames, 3, 4)."""
    return np.roll(quaternions(poses[:, :, :3]), -1, axis=1)


def require_carried(playback: Playback, moment: Snapshot, skin: Skin, bone: int) -> None:
    """Refuse a frame in which the vertices are not where their bone's pose puts them."""
    pose, X = moment.poses[bone], playback.model.mesh.X
    away = X[skin.vertices] @ pose[:, :3].T + pose[:, 3] - moment.x[skin.vertices]
    if np.abs(away).max() > NEAR * np.ptp(X, axis=0).max():
        raise FileError(
            f"bone '{playback.model.bones[bone].name}' is not where its pose puts it in "
            f"'{playback.result.frames[moment.index]}'"
        )


def material(name: str, tissue: Tissue, level: float) -> Json:
    """The material of a region whose muscle is activated up to `level`."""
    colour = muscle_colour(level) if tissue is Tissue.MUSCLE else TISSUE_COLOURS[tissue]
    veiled = tissue is Tissue.PASSIVE
    made: Json = {
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [
                *linear(colour).tolist(),
                VEIL if veiled else 1.0,
            ],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.6,
        },
    }
    return made | ({"alphaMode": "BLEND"} if veiled else {})


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

    def differences(self, moment: Snapshot) -> list[np.ndarray]:
        """(p, 3) of the points [m] and of their normals."""
        moved = moment.x[self.skin.vertices] - self.points
        return [single(moved), single(_normals(self.skin, moment.x) - self.normals)]


def parts_of(playback: Playback) -> list[Part]:
    """The regions of a playback: a bone is where it rests, what is soft where it is at first."""
    first, skins = playback[0].x, region_skins(playback.model, split=False)
    regions = {region.name: region for region in playback.model.regions}
    found = []
    for name, skin in skins.items():
        bone = rigid_bone(playback, name)
        base = first if bone is None else playback.model.mesh.X
        found.append(Part(regions[name], skin, bone, base, _level(playback, regions[name])))
    return found


def add_meshes(playback: Playback, parts: list[Part], buffer: Buffer) -> list[Json]:
    """A mesh for each part, in order; it lacks the targets of frames."""
    names = [f"{time:.4g} s" for time in playback.times[1:]]
    meshes = [_mesh(part, number, buffer) for number, part in enumerate(parts)]
    for part, mesh in zip(parts, meshes, strict=True):
        if names and part.bone is None:
            mesh["extras"] = {"targetNames": names}
    return meshes


def add_targets(
    playback: Playback, moment: Snapshot, parts: list[Part], meshes: list[Json], buffer: Buffer
) -> None:
    """Add what a frame differs by from the first, and see that bones are where they should be."""
    soft, arrays = [], []
    for part, mesh in zip(parts, meshes, strict=True):
        if part.bone is not None:
            require_carried(playback, moment, part.skin, part.bone)
        elif moment.index:
            soft.append(mesh["primitives"][0].setdefault("targets", []))
            arrays += part.differences(moment)
    numbers = buffer.add_all(arrays, Target.VERTICES) if arrays else []
    for targets, points, normals in zip(soft, numbers[::2], numbers[1::2], strict=True):
        targets.append({"POSITION": points, "NORMAL": normals})


def node(playback: Playback, part: Part, mesh: int) -> Json:
    """The node of a part."""
    said: Json = {"region": part.region.name, "tissue": part.region.tissue.value}
    if part.level is not None:
        said["activation"] = part.level.tolist()
    made: Json = {"name": part.region.name or "region", "mesh": mesh, "extras": said}
    if part.bone is not None:
        pose = playback.result.poses[:1, part.bone]
        made |= {"rotation": turns(pose)[0].tolist(), "translation": pose[0, :, 3].tolist()}
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


def _level(playback: Playback, region: Region) -> Floats | None:
    """The activation (frames,) of a region of muscle tissue."""
    if region.tissue is not Tissue.MUSCLE:
        return None
    return playback.result.table.get(f"{region.muscle}_activation", np.zeros(len(playback)))


def _normals(skin: Skin, x: Floats) -> Floats:
    """(p, 3) unit normals, upwards where faces cancel."""
    normals = skin.normals(x)
    lost = np.linalg.norm(normals, axis=1) < 0.5
    normals[lost] = [0.0, 0.0, 1.0]
    return normals
