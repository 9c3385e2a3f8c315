"""Some arrays of a frame's file, without the rest: what playing and exporting need is a tenth."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.io.limits import read_bytes

POINTS = "Points"
_TYPES = {b"Float64": np.float64, b"Float32": np.float32, b"Int64": np.int64, b"Int32": np.int32}
_HEAD = re.compile(
    rb'<DataArray type="(\w+)" Name="([^"]*)"(?: NumberOfComponents="(\d+)")? format="binary">'
)


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The named data of a frame, (k,) or (k, c) each; `Points` are the vertices [m].

    Only files as `vastus.io.result` writes them are understood.
    """
    contents = read_bytes(path)
    if not contents.rstrip().endswith(b"</VTKFile>"):
        raise FileError(f"'{path}' is cut off: it does not end as a frame does")
    heads = {head[2].decode("utf-8", "replace"): head for head in _HEAD.finditer(contents)}
    found = {}
    for name in names:
        if name not in heads:
            raise FileError(f"'{path}' has no array '{name}'")
        found[name] = _array(path, name, contents, heads[name])
    return found


def _array(path: Path, name: str, contents: bytes, head: re.Match[bytes]) -> np.ndarray:
    end = contents.find(b"</DataArray>", head.end())
    try:
        raw = base64.b64decode(contents[head.end() : end].strip())
        size = int.from_bytes(raw[:4], "little")
        if end < 0 or size != len(raw) - 4:
            raise ValueError
        values = np.frombuffer(raw, _TYPES[head[1]], offset=4)
        return values.reshape(-1, int(head[3])) if head[3] else values
    except (binascii.Error, ValueError, KeyError):
        raise FileError(f"'{path}' is damaged: its array '{name}' is not whole") from None
