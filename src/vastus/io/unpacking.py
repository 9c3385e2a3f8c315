"""Unpacking no more than a file can be meant to hold."""

from __future__ import annotations

import builtins
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path

from vastus.errors import FileError
from vastus.io.limits import PACKED, RATIO

FEWEST = 1000  # steps that any loop may take


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
