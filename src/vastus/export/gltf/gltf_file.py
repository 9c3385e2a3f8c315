"""The document of a glTF file: nodes, meshes and their animation, written and read back.

The vertices are z up and the root node turns them to y up, as the format demands.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.errors import FileError
from vastus.export.formats import Watch
from vastus.export.gltf.glb import Buffer, Glb, Json, read_glb, require_size, write_glb
from vastus.export.gltf.nodes import (
    Part,
    add_meshes,
    add_targets,
    material_of,
    node,
    parts_of,
    single,
    turns,
)
from vastus.export.regions import Copy, MeshCopy
from vastus.files.safe import replacing
from vastus.numerics.types import Floats
from vastus.results.playback import Playback

UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]  # x, y, z, w: a quarter turn that makes z y
POINT = 24  # bytes of a point and its normal in one frame


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write one `.glb` file, in metres, with one animation."""
    _require_rising(playback, path)
    parts = parts_of(playback)
    moved = sum(len(part.points) for part in parts if part.bone is None)
    require_size(path, len(playback) * moved * POINT)
    with replacing(path) as file, tempfile.TemporaryFile(dir=path.parent) as scratch:
        buffer = Buffer(scratch)
        write_glb(file, _document(playback, parts, buffer, watch), buffer)


def _document(playback: Playback, parts: list[Part], buffer: Buffer, watch: Watch) -> Json:
    meshes = add_meshes(playback, parts, buffer)
    for moment in playback:
        add_targets(playback, moment, parts, meshes, buffer)
        watch(moment.index + 1, len(playback))
    return {
        "asset": {"version": "2.0", "generator": f"vastus {version('vastus')}"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            _root(playback, len(parts)),
            *(node(playback, p, i) for i, p in enumerate(parts)),
        ],
        "meshes": meshes,
        "materials": [material_of(part) for part in parts],
        **animations(playback, parts, buffer),
    }


def _root(playback: Playback, count: int) -> Json:
    said = {"times_s": playback.times.tolist(), "length_unit": "m"}
    children = list(range(1, count + 1))
    return {"name": playback.model.name, "rotation": UP, "children": children, "extras": said}


def _require_rising(playback: Playback, path: Path) -> None:
    times = playback.times.astype(np.float32)
    if times[0] < 0 or (np.diff(times) <= 0).any():
        raise FileError(
            f"cannot write '{path}': the times of glTF must rise from 0 or more, and those of "
            f"the frames are {times[0]:g} to {times[-1]:g} s"
        )


def read(path: Path) -> Copy:
    """The meshes at the times of the file's animation, before the root turns them to y up."""
    glb = read_glb(path)
    try:
        root, *nodes = glb.document["nodes"]
        played = _played(glb)
        times = _times(glb, root)
        meshes = {
            node["extras"]["region"]: _mesh(glb, node, played.get(number, {}), len(times))
            for number, node in enumerate(nodes, 1)
        }
    except (KeyError, ValueError, IndexError):
        raise FileError(f"'{path}' is no export of a result") from None
    return Copy(times, meshes)


def _times(glb: Glb, root: Json) -> Floats:
    for animation in glb.document.get("animations", ()):
        return glb.array(animation["samplers"][0]["input"]).astype(float)
    return np.array(root["extras"]["times_s"])


def _played(glb: Glb) -> dict[int, dict[str, Floats]]:
    """The values of each animated node, by what they change."""
    found: dict[int, dict[str, Floats]] = {}
    for animation in glb.document.get("animations", ()):
        for channel in animation["channels"]:
            output = animation["samplers"][channel["sampler"]]["output"]
            target = channel["target"]
            found.setdefault(target["node"], {})[target["path"]] = glb.array(output).astype(float)
    return found


def _mesh(glb: Glb, node: Json, played: dict[str, Floats], frames: int) -> MeshCopy:
    shape = glb.document["meshes"][node["mesh"]]["primitives"][0]
    x = np.tile(glb.array(shape["attributes"]["POSITION"]).astype(float), (frames, 1, 1))
    for weights, moved in zip(
        played.get("weights", np.zeros(0)).reshape(frames, -1).T, _targets(glb, shape), strict=True
    ):
        x += weights[:, None, None] * moved
    if "rotation" in node:
        rotations = Rotation.from_quat(played.get("rotation", [node["rotation"]])).as_matrix()
        shifts = np.asarray(played.get("translation", [node["translation"]]))
        x = np.einsum("fij,fpj->fpi", rotations, x) + shifts[:, None]
    return MeshCopy(glb.array(shape["indices"]).reshape(-1, 3).astype(np.int64), x)


def _targets(glb: Glb, shape: Json) -> list[Floats]:
    return [glb.array(target["POSITION"]) for target in shape.get("targets", ())]


@dataclass
class Motion:
    """Curves over common times, and the nodes that they move."""

    buffer: Buffer
    times: int
    samplers: list[Json] = field(default_factory=list)
    channels: list[Json] = field(default_factory=list)

    def curve(self, values: Floats) -> int:
        """Add a curve: (frames, c), or (frames * c,) for weights."""
        self.samplers.append({"input": self.times, "output": self.buffer.add(single(values))})
        return len(self.samplers) - 1

    def play(self, node: int, path: str, curve: int) -> None:
        """Let a curve move a property of a node."""
        self.channels.append({"sampler": curve, "target": {"node": node, "path": path}})


def animations(playback: Playback, parts: list[Part], buffer: Buffer) -> Json:
    """One animation of all nodes, which follow the root in order; a single frame has none."""
    if len(playback) == 1:
        return {}
    motion = Motion(buffer, buffer.add(single(playback.times)))
    # In frame i only its own target counts; between frames a viewer blends two.
    if any(part.bone is None for part in parts):
        weights = motion.curve(np.eye(len(playback))[:, 1:].ravel())
    for at, part in enumerate(parts, 1):
        if part.bone is None:
            motion.play(at, "weights", weights)
        else:
            poses = playback.result.poses[:, part.bone]
            motion.play(at, "rotation", motion.curve(turns(poses)))
            motion.play(at, "translation", motion.curve(poses[:, :, 3]))
    played = {"name": "motion", "samplers": motion.samplers, "channels": motion.channels}
    return {"animations": [played]}
