"""A result as a tape: its moments one by one, read when they are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.io.frame_arrays import POINTS, read_arrays
from vastus.io.result import Result, read_result
from vastus.model import Model
from vastus.numerics.types import Floats

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


class Tape:
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


def read_tape(folder: str | Path, fields: Collection[str] = FIELDS) -> Tape:
    """The tape of a result folder with at least one finished frame."""
    tape = Tape(read_result(folder), fields)
    if not len(tape):
        raise FileError(f"the result '{folder}' has no finished frame yet")
    return tape
