"""What a file announces or unpacks to, compared with what it can hold, before it is believed."""

from __future__ import annotations

import builtins
import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from vastus.errors import FileError
from vastus.files.safe import DAMAGED, GEOMETRY, MIB, PACKED, RATIO, TEXT, read_bytes

MOST = 10**8  # corners of triangles, once each mesh stands wherever a scene puts it
_GLB_HEAD = 20  # bytes before the JSON text of a GLB file
_ELEMENT = re.compile(rb"^element\s+(\S+)\s+(\d+)\s*$", re.MULTILINE)
_NUMBER = re.compile(rb'\bNumberOf(\w+)\s*=\s*["\']\s*(\d+)')
FEWEST = 1000  # steps that any loop may take


def require_ply(name: str) -> None:
    """Each element of a PLY file takes at least a byte."""
    contents = read_bytes(name)
    head = contents[: contents.find(b"end_header")]
    for element in _ELEMENT.finditer(head):
        if int(element[2][:20]) > len(contents):
            raise _too_many(name, f"{element[2].decode()} elements '{element[1].decode()}'")


def require_xml(name: str) -> None:
    """No file of VTK declares entities, nor has more points or cells than bytes."""
    contents = read_bytes(name)
    if b"\0" in contents[:4] or b"<!DOCTYPE" in contents or b"<!ENTITY" in contents:
        raise FileError(f"'{name}' declares entities or a document type, which is not read")
    most = len(contents) * (RATIO if b"compressor" in contents[:1000] else 1)
    for number in _NUMBER.finditer(contents):
        if int(number[2][:20]) > most:
            raise _too_many(name, f"{number[2].decode()} {number[1].decode().lower()}")


def require_gltf(name: str, said: Any) -> None:
    """The buffers are there, the accessors fit in them, and the nodes are a tree."""
    try:
        size = Path(name).stat().st_size + sum(_beside(name, said))
        if max((a["count"] for a in said.get("accessors", ())), default=0) > size:
            raise _too_many(name, "numbers in an accessor")
        children = Counter(child for node in _nodes(said) for child in node.get("children", ()))
        if max(children.values(), default=0) > 1:
            raise FileError(f"'{name}' has a node with two parents")
        if sum(_corners(said)) > MOST:
            raise FileError(f"'{name}' shows more than {MOST} corners of triangles")
    except FileError:
        raise
    except DAMAGED:
        raise FileError(
            f"'{name}' is truncated or not a {Path(name).suffix.lower()} file"
        ) from None


def glb_text(name: str) -> Any:
    """What the JSON part of a GLB file says."""
    contents = read_bytes(name)
    length = int.from_bytes(contents[12:16], "little")
    return _parsed(name, contents[_GLB_HEAD : _GLB_HEAD + length])


def gltf_text(name: str) -> Any:
    """What a GLTF file says."""
    return _parsed(name, read_bytes(name, TEXT))


def _parsed(name: str, text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise FileError(
            f"'{name}' is truncated or not a {Path(name).suffix.lower()} file"
        ) from None


def _nodes(said: Any) -> list[dict[str, Any]]:
    return list(said.get("nodes", ()))


def _beside(name: str, said: Any) -> Iterator[int]:
    """The sizes of the files that hold the buffers; one that is missing is told apart."""
    for buffer in said.get("buffers", ()):
        uri = buffer.get("uri", "data:")
        if uri.startswith("data:"):
            continue
        file = Path(name).parent / unquote(uri)
        if not file.is_file():
            raise FileError(f"'{name}' needs the file '{unquote(uri)}' beside it")
        if file.stat().st_size > GEOMETRY:
            raise FileError(f"'{file}' has more than {GEOMETRY / MIB:.0f} MiB")
        yield file.stat().st_size


def _corners(said: Any) -> Iterator[int]:
    """How many corners each node shows."""
    counts = [accessor["count"] for accessor in said.get("accessors", ())]
    meshes = [
        sum(
            counts[part.get("indices", part["attributes"]["POSITION"])]
            for part in mesh["primitives"]
        )
        for mesh in said.get("meshes", ())
    ]
    return (meshes[node["mesh"]] for node in _nodes(said) if "mesh" in node)


def _too_many(name: str, what: str) -> FileError:
    return FileError(f"'{name}' announces {what}, more than it has bytes")


@dataclass
class Limit:
    """How many bytes may still be made of a file."""

    path: Path
    size: int
    left: int

    @classmethod
    def of(cls, path: Path) -> Limit:
        """What a file of this size may hold."""
        size = path.stat().st_size
        return cls(path, size, max(PACKED, RATIO * size))

    def require(self, size: int) -> None:
        """Refuse what a file cannot hold."""
        if size > self.left:
            raise FileError(f"'{self.path}' announces or unpacks to far more than its size")

    def range(self, *ends: int) -> builtins.range:
        """A range that ends in time."""
        numbers = builtins.range(*ends)
        if len(numbers) > max(self.size, FEWEST):
            raise FileError(f"'{self.path}' announces more than it has bytes")
        return numbers

    def taken(self, data: bytes, done: bool) -> bytes:
        """What was unpacked, if it is all."""
        self.require(len(data))
        self.left -= len(data)
        if not done:
            raise FileError(f"'{self.path}' is damaged: what is packed in it breaks off")
        return data


@dataclass(frozen=True)
class Zlib:
    """`zlib` within a limit."""

    limit: Limit
    compress = staticmethod(zlib.compress)

    def decompress(self, data: bytes) -> bytes:
        """What is packed, if it is whole and not too much."""
        stream = zlib.decompressobj()
        return self.limit.taken(stream.decompress(data, self.limit.left + 1), stream.eof)


@dataclass(frozen=True)
class Lzma:
    """`lzma` within a limit."""

    limit: Limit
    compress = staticmethod(lzma.compress)

    def decompress(self, data: bytes) -> bytes:
        """What is packed, if it is whole and not too much."""
        stream = lzma.LZMADecompressor(memlimit=PACKED)
        return self.limit.taken(stream.decompress(data, self.limit.left + 1), stream.eof)
