"""The container of binary glTF: a JSON text and one buffer, and the arrays in it."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import IO, Any

import numpy as np

from vastus.errors import FileError
from vastus.files.foreign import existing, loaded

Json = dict[str, Any]

_MAGIC, _VERSION, _JSON, _BIN = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
_HEAD, _CHUNK = struct.Struct("<3I"), struct.Struct("<2I")
LARGEST = 2**32 - 1  # bytes, of the file
_COMPONENTS: dict[np.dtype[Any], int] = {
    np.dtype("u1"): 5121,
    np.dtype("<u2"): 5123,
    np.dtype("<u4"): 5125,
    np.dtype("<f4"): 5126,
}
_DTYPES = {code: dtype for dtype, code in _COMPONENTS.items()}
_SHAPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
_WIDTHS = {shape: width for width, shape in _SHAPES.items()}


class Target(IntEnum):
    """What a graphics card uses a part of the buffer for."""

    VERTICES = 34962
    INDICES = 34963


@dataclass
class Buffer:
    """The buffer as it grows in a file, and what describes it; arrays are named by a number."""

    file: IO[bytes]
    length: int = 0
    views: list[Json] = field(default_factory=list)
    accessors: list[Json] = field(default_factory=list)

    def add(self, values: np.ndarray, target: Target | None = None) -> int:
        """Write an array (n,) or (n, c), and return its number."""
        return self.add_all([values], target)[0]

    def add_all(self, arrays: Sequence[np.ndarray], target: Target | None = None) -> list[int]:
        """Write arrays of the same width as one part of the buffer."""
        view: Json = {"buffer": 0, "byteOffset": self.length}
        if target:
            view["target"] = int(target)
        if target is Target.VERTICES:
            view["byteStride"] = arrays[0].dtype.itemsize * arrays[0].shape[1]
        start = len(self.accessors)
        for values in arrays:
            self.accessors.append(self._described(values, self.length - view["byteOffset"]))
            self.length += self.file.write(np.ascontiguousarray(values).data.cast("B"))
        view["byteLength"] = self.length - view["byteOffset"]
        self.views.append(view)
        self.length += self.file.write(b"\0" * (-self.length % 4))
        return list(range(start, len(self.accessors)))

    def _described(self, values: np.ndarray, offset: int) -> Json:
        rows = values.reshape(len(values), -1)
        return {
            "bufferView": len(self.views),
            "byteOffset": offset,
            "componentType": _COMPONENTS[values.dtype],
            "count": len(values),
            "type": _SHAPES[rows.shape[1]],
            "min": rows.min(axis=0).tolist(),
            "max": rows.max(axis=0).tolist(),
        }


def write_glb(path: Path, document: Json, buffer: Buffer) -> None:
    """Write a document with its buffer, to which it need not point itself."""
    head = _heads(document, buffer)
    require_size(path, len(head) + buffer.length)
    with path.open("wb") as file:
        file.write(head)
        buffer.file.seek(0)
        shutil.copyfileobj(buffer.file, file, 1 << 20)


def glb_bytes(document: Json, buffer: Buffer) -> bytes:
    """The contents of a file of a document with its buffer, to which it need not point itself."""
    buffer.file.seek(0)
    return _heads(document, buffer) + buffer.file.read()


def _heads(document: Json, buffer: Buffer) -> bytes:
    """All that comes before the contents of the buffer."""
    described = {
        "buffers": [{"byteLength": buffer.length}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    text = json.dumps(document | described, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    total = _HEAD.size + 2 * _CHUNK.size + len(text) + buffer.length
    # A size that the format cannot hold is refused by whoever writes the file.
    head = _HEAD.pack(_MAGIC, _VERSION, min(total, LARGEST))
    body = _CHUNK.pack(min(buffer.length, LARGEST), _BIN)
    return b"".join([head, _CHUNK.pack(len(text), _JSON), text, body])


def require_size(path: Path, size: int) -> None:
    """Refuse what does not fit into one file."""
    if size > LARGEST:
        raise FileError(
            f"'{path}' would have {size / 1e9:.1f} GB, but a .glb file holds at most 4.29; "
            "give fewer frames by --frames, or another format"
        )


@dataclass(frozen=True, eq=False)
class Glb:
    """A binary glTF file in memory."""

    document: Json
    buffer: bytes

    def array(self, number: int) -> np.ndarray:
        """The array (n,) or (n, c) of that number."""
        accessor = self.document["accessors"][number]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = _WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        dtype, count = _DTYPES[accessor["componentType"]], accessor["count"] * width
        values = np.frombuffer(self.buffer, dtype, count, start)
        return values if width == 1 else values.reshape(-1, width)


def read_glb(path: Path) -> Glb:
    """The parts of a binary glTF file."""
    glb: Glb = loaded(existing(path), lambda name: _parsed(Path(name).read_bytes()))
    return glb


def _parsed(contents: bytes) -> Glb:
    magic, version, total = _HEAD.unpack_from(contents)
    if (magic, version, total) != (_MAGIC, _VERSION, len(contents)):
        raise ValueError("another kind of file, or cut off")
    size, _ = _CHUNK.unpack_from(contents, _HEAD.size)
    start = _HEAD.size + _CHUNK.size
    return Glb(json.loads(contents[start : start + size]), contents[start + size + _CHUNK.size :])
