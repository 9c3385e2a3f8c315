"""Some arrays of a frame's file, without the rest: what playing and exporting need is a tenth.

A result as a playback: its moments one by one, read when they are asked for.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.files.safe import read_bytes
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.results.result import Result, read_result

POINTS = "Points"
_TYPES = {b"Float64": np.float64, b"Float32": np.float32, b"Int64": np.int64, b"Int32": np.int32}
_HEAD = re.compile(
    rb'<DataArray type="(\w+)" Name="([^"]*)"(?: NumberOfComponents="(\d+)")? format="binary">'
)


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, np.ndarray]:
    """The named data of a frame, (k,) or (k, c) each; `Points` are the vertices [m].

    Only files as `vastus.results.result` writes them are understood.
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


FIELDS = ("activation", "fibre_stretch", "von_mises", "volume_ratio")  # one number a tet


@dataclass(frozen=True, eq=False)
class Moment:
    """One frame: vertices x (n, 3) [m], poses (bones, 3, 4) with x = A X + t, fields on tets."""

    index: int
    time: float  # [s]
    x: Floats
    poses: Floats
    activation: Floats  # (muscles,)
    fields: dict[str, Floats]  # (m,) each


class Playback:
    """The moments of a result, in order; `fields` are read with each."""

    def __init__(self, result: Result, fields: Collection[str] = FIELDS) -> None:
        self.result = result
        self._fields = tuple(fields)

    @property
    def model(self) -> Model:
        """The model that moves."""
        return self.result.model

    @property
    def times(self) -> Floats:
        """(frames,) [s]"""
        return self.result.times

    def __len__(self) -> int:
        return len(self.result.frames)

    def __iter__(self) -> Iterator[Moment]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int, /) -> Moment:
        index = range(len(self))[index]
        path = self.result.frames[index]
        arrays = read_arrays(path, (POINTS, *self._fields))
        x = arrays.pop(POINTS)
        self._require(path, POINTS, x, (self.model.mesh.n_vertices, 3))
        for name, values in arrays.items():
            self._require(path, name, values, (self.model.mesh.n_tets,))
        return Moment(
            index,
            float(self.times[index]),
            x,
            self.result.poses[index],
            self._levels(index),
            arrays,
        )

    def _levels(self, index: int) -> Floats:
        table, muscles = self.result.table, self.model.muscles
        none = np.zeros(len(self))
        return np.array([table.get(f"{m.name}_activation", none)[index] for m in muscles])

    @staticmethod
    def _require(path: Path, name: str, values: np.ndarray, shape: tuple[int, ...]) -> None:
        if values.shape != shape or not np.isfinite(values).all():
            raise FileError(
                f"'{path}': '{name}' must be {shape} finite numbers; it has shape {values.shape}"
            )


def read_playback(folder: str | Path, fields: Collection[str] = FIELDS) -> Playback:
    """The playback of a result folder with at least one finished frame."""
    playback = Playback(read_result(folder), fields)
    if not len(playback):
        raise FileError(f"the result '{folder}' has no finished frame yet")
    return playback
