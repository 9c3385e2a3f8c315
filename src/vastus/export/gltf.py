"""Binary glTF: soft regions as morph targets, one a frame; bones as nodes that move.

The vertices are z up and the root node turns them to y up, as the format demands.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.export.glb import Buffer, Json, require_size, write_glb
from vastus.export.gltf_animation import animations
from vastus.export.gltf_parts import Part, add_meshes, add_targets, material_of, node, parts_of
from vastus.export.gltf_reading import read
from vastus.export.registry import Watch
from vastus.io.files import replacing
from vastus.io.tape import Tape

__all__ = ["read", "write"]

UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]  # x, y, z, w: a quarter turn that makes z y
POINT = 24  # bytes of a point and its normal in one frame


def write(tape: Tape, path: Path, watch: Watch) -> None:
    """Write one `.glb` file, in metres, with one animation."""
    _require_rising(tape, path)
    parts = parts_of(tape)
    moved = sum(len(part.points) for part in parts if part.bone is None)
    require_size(path, len(tape) * moved * POINT)
    with replacing(path) as file, tempfile.TemporaryFile(dir=path.parent) as scratch:
        buffer = Buffer(scratch)
        write_glb(file, _document(tape, parts, buffer, watch), buffer)


def _document(tape: Tape, parts: list[Part], buffer: Buffer, watch: Watch) -> Json:
    meshes = add_meshes(tape, parts, buffer)
    for moment in tape:
        add_targets(tape, moment, parts, meshes, buffer)
        watch(moment.index + 1, len(tape))
    return {
        "asset": {"version": "2.0", "generator": f"vastus {version('vastus')}"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [_root(tape, len(parts)), *(node(tape, p, i) for i, p in enumerate(parts))],
        "meshes": meshes,
        "materials": [material_of(part) for part in parts],
        **animations(tape, parts, buffer),
    }


def _root(tape: Tape, count: int) -> Json:
    said = {"times_s": tape.times.tolist(), "length_unit": "m"}
    children = list(range(1, count + 1))
    return {"name": tape.model.name, "rotation": UP, "children": children, "extras": said}


def _require_rising(tape: Tape, path: Path) -> None:
    times = tape.times.astype(np.float32)
    if times[0] < 0 or (np.diff(times) <= 0).any():
        raise FileError(
            f"cannot write '{path}': the times of glTF must rise from 0 or more, and those of "
            f"the frames are {times[0]:g} to {times[-1]:g} s"
        )
