"""Meshes that meshio reads, which believes whatever a file announces."""

from __future__ import annotations

import lzma
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.io.announced import require_xml
from vastus.io.foreign import existing, loaded
from vastus.io.limits import PACKED, RATIO

VTU = "vtu"
_one_at_a_time = threading.Lock()


def read_raw(path: Path, module: str) -> Any:
    """What meshio's module makes of a file, in bounded memory."""
    read = import_module(f"meshio.{module}").read
    if module != VTU:
        return loaded(existing(path), read)
    require_xml(str(existing(path)))
    with _bounded(path):
        return loaded(path, read)


@contextmanager
def _bounded(path: Path) -> Iterator[None]:
    """While it lasts, meshio unpacks no more than a file of this size may hold."""
    inside: Any = import_module("meshio.vtu._vtu")
    limit = _Limit(path, max(PACKED, RATIO * path.stat().st_size))
    with _one_at_a_time:
        inside.zlib, inside.lzma = _Zlib(limit), _Lzma(limit)
        try:
            yield
        finally:
            inside.zlib, inside.lzma = zlib, lzma


@dataclass
class _Limit:
    """How many bytes may still be unpacked."""

    path: Path
    left: int

    def taken(self, data: bytes, done: bool) -> bytes:
        self.left -= len(data)
        if not done:
            raise FileError(f"'{self.path}' unpacks to far more than its size, or is cut off")
        return data


@dataclass(frozen=True)
class _Zlib:
    limit: _Limit

    def decompress(self, data: bytes) -> bytes:
        stream = zlib.decompressobj()
        return self.limit.taken(stream.decompress(data, self.limit.left + 1), stream.eof)


@dataclass(frozen=True)
class _Lzma:
    limit: _Limit

    def decompress(self, data: bytes) -> bytes:
        stream = lzma.LZMADecompressor(memlimit=PACKED)
        return self.limit.taken(stream.decompress(data, self.limit.left + 1), stream.eof)
