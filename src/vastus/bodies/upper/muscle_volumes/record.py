"""Muscles as volumes: closed surfaces with fibres, each activated by lines of muscle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from vastus.bodies.upper.lines import Line
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import Side
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class MuscleVolume:
    """A muscle of one side: its closed surface [m], fibres, and the lines that activate it.

    `fibres` (k, 3) are directions at `points` (k, 3) [m]; `lines` are names of lines of muscle,
    none if no line of the table is in it: it is passive then.
    """

    muscle: str
    side: Side
    surface: Surface
    points: Floats
    fibres: Floats
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The muscle and its side, such as `deltoid_front_L`."""
        return f"{self.muscle}_{self.side}"


@dataclass(frozen=True, eq=False)
class MuscleVolumes:
    """All muscles of both sides, and closed surfaces [m] of what fills the skin out, by name."""

    muscles: tuple[MuscleVolume, ...]
    fillings: Mapping[str, Surface]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the muscles."""
        return tuple(muscle.name for muscle in self.muscles)

    def weights(self, lines: Sequence[Line]) -> sparse.csr_array:
        """(muscles, lines) shares of a muscle's lines by cross-section; rows sum to 1, or to 0."""
        areas = self._members(lines) * np.array([line.area for line in lines])
        total = areas.sum(axis=1)
        return sparse.csr_array(areas / np.where(total > 0, total, 1.0)[:, None])

    def _members(self, lines: Sequence[Line]) -> sparse.csr_array:
        """(muscles, lines) 1 where a muscle follows a line."""
        column = {line.name: k for k, line in enumerate(lines)}
        rows: list[int] = []
        columns: list[int] = []
        for row, muscle in enumerate(self.muscles):
            missing = next((name for name in muscle.lines if name not in column), None)
            if missing is not None:
                raise ModelError(
                    f"muscle '{muscle.name}' follows line '{missing}', which is not among the"
                    f" {len(lines)} lines given"
                )
            rows += [row] * len(muscle.lines)
            columns += [column[name] for name in muscle.lines]
        shape = (len(self.muscles), len(lines))
        return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)

    def densities(self, lines: Sequence[Line]) -> Floats:
        """(muscles,) of fibres: what a muscle's lines fill, area by length, over its own volume.

        With them a muscle does as much work as its lines where all shorten by the same strain, at
        one stress. Those without lines have 1.
        """
        filled = self._members(lines) @ np.array([line.area * line.length for line in lines])
        volumes = np.array([abs(muscle.surface.volume) for muscle in self.muscles])
        return np.where(filled > 0, filled / volumes, 1.0)

    def activations(self, levels: Floats, lines: Sequence[Line]) -> Floats:
        """(k, muscles) activations of muscles for those (k, lines) of lines, from 0 to 1."""
        return np.clip((self.weights(lines) @ np.asarray(levels, float).T).T, 0.0, 1.0)
