"""What an exported glTF file holds, frame by frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.errors import FileError
from vastus.export.copy import Copy, MeshCopy
from vastus.export.glb import Glb, Json, read_glb
from vastus.numerics.types import Floats


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
        turns = Rotation.from_quat(played.get("rotation", [node["rotation"]])).as_matrix()
        shifts = np.asarray(played.get("translation", [node["translation"]]))
        x = np.einsum("fij,fpj->fpi", turns, x) + shifts[:, None]
    return MeshCopy(glb.array(shape["indices"]).reshape(-1, 3).astype(np.int64), x)


def _targets(glb: Glb, shape: Json) -> list[Floats]:
    return [glb.array(target["POSITION"]) for target in shape.get("targets", ())]
