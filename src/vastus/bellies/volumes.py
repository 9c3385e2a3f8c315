"""Bellies: the law of volumetric muscles, solved to equilibrium in every call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.hill import Hill, hill, sizes_of
from vastus.bellies.law import Pull, asked
from vastus.bellies.layout import layout
from vastus.bellies.newton import Answer, Memory, answer, equilibria, memory, room
from vastus.errors import ModelError, SolveError
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True)
class Newton:
    """How bellies are solved.

    `tolerance` is the force out of balance over the greatest; one more step is then taken, so that
    tensions are wrong by its square. Below `tone` a belly has the shape that it has at this
    contraction, and its tension goes on straight: one that is slack and short would buckle.
    """

    tolerance: float = 1e-4
    most: int = 30  # steps
    march: int = 40  # parts of the way from rest, where all else fails
    tone: float = 0.02

    def __post_init__(self) -> None:
        if not 0 < self.tolerance < 1:
            raise ModelError(f"the tolerance is {self.tolerance:g}; it must be between 0 and 1")
        if not 0 <= self.tone < 1:
            raise ModelError(f"the tone is {self.tone:g}; it must be at least 0 and below 1")


class Bellies:
    """Volumetric muscles, each held at its ends, which remember their shapes from call to call."""

    def __init__(
        self, bellies: Sequence[Belly], curves: Hill | None = None, newton: Newton | None = None
    ) -> None:
        if not bellies:
            raise ModelError("there are no bellies; give at least one")
        self.bellies, self.curves = tuple(bellies), curves or hill()
        self.newton = newton or Newton()
        self.units = tuple(unit for belly in self.bellies for unit in belly.units)
        self.layout = layout(self.bellies)
        self._sizes, self._room, self._answer = (
            sizes_of(self.units), room(self.layout), answer(self.layout)
        )  # fmt: skip
        self._memory, self._counts = memory(self.layout), np.zeros(2, np.int64)
        self._diagonal = _diagonal(self.layout.first_unit)
        self._slope = self._at_rest()

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds [m/s] and activations, (m,) each."""
        length, speed, activation = asked(self.units, length, speed, activation)
        gain = self.curves.gains(length, speed, self._sizes)
        self.solve(length, np.maximum(activation * gain[:, 0], self.newton.tone))
        return self._pull(length, activation, gain)

    def continued(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull near the last call of `forces`: tensions to first order, Hill's curves anew.

        What units of one belly do to each other stays as it was.
        """
        length, speed, activation = asked(self.units, length, speed, activation)
        return self._pull(length, activation, self.curves.gains(length, speed, self._sizes))

    def _pull(self, length: Floats, activation: Floats, gain: Floats) -> Pull:
        """The pull at lengths and contractions that are those of the last solution, or near."""
        says, past = self._answer, self._memory
        rise, stiff = says.by_contraction[self._diagonal], says.by_length[self._diagonal]
        w = activation * gain[:, 0]
        held = np.maximum(w, self.newton.tone)
        force = says.force + stiff * (length - past.length) + rise * (held - past.contraction)
        rise = np.where(w < held, self._slope, rise)
        return Pull(
            force=force + self._slope * (w - held),
            by_activation=rise * gain[:, 0],
            by_length=stiff + rise * activation * gain[:, 1],
            by_speed=rise * activation * gain[:, 2],
        )

    def solve(self, length: Floats, contraction: Floats, *, cold: bool = False) -> Answer:
        """The equilibria at lengths [m] and contractions w, (m,) each, from the former shapes.

        The answer is written anew by the next call. `cold` begins from rest instead.
        """
        self._equilibria(length, contraction, cold)
        self._counts += 1, self._answer.iterations.sum()
        if (self._answer.solved != 1).any():
            self._march(length, contraction)
        return self._answer

    def _equilibria(self, length: Floats, contraction: Floats, cold: bool) -> None:
        equilibria(
            self.layout, length, contraction, self.curves.passive_rows, self.newton.tolerance,
            self.newton.most, cold, self._memory, self._room, self._answer,
        )  # fmt: skip

    def _march(self, length: Floats, contraction: Floats) -> None:
        """Solve from rest on, in small steps: for jumps too large for Newton's method."""
        rest, steps = self.layout.optimal, self.newton.march
        for part in np.linspace(0.0, 1.0, steps + 1):
            w = self.newton.tone + part * (contraction - self.newton.tone)
            self._equilibria(rest + part * (length - rest), w, part == 0.0)
        failed = np.flatnonzero(self._answer.solved != 1)
        if len(failed):
            raise SolveError(self._sentence(int(failed[0]), length, contraction))

    def coupled(
        self, length: Floats, speed: Floats, activation: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """(m, m) dF_j/da_k [N], dF_j/dl_k [N/m] and dF_j/dv_k [N s/m] of all units.

        Units of one belly act on each other; those of different ones do not.
        """
        length, speed, activation = asked(self.units, length, speed, activation)
        gain = self.curves.gains(length, speed, self._sizes)
        w = activation * gain[:, 0]
        says = self.solve(length, np.maximum(w, self.newton.tone))
        rise, direct = np.zeros((2, len(w), len(w)))
        rise[self._pairs], direct[self._pairs] = says.by_contraction, says.by_length
        rise = np.where(w < self.newton.tone, np.diag(self._slope), rise)
        return (
            rise * gain[:, 0],
            direct + rise * (activation * gain[:, 1]),
            rise * (activation * gain[:, 2]),
        )

    @property
    def iterations(self) -> Ints:
        """(b,) the steps of Newton's method in the last call."""
        return self._answer.iterations.copy()

    @property
    def mean_iterations(self) -> float:
        """The steps of Newton's method that a belly needed in a call so far, in the mean."""
        calls, steps = self._counts
        return float(steps) / max(int(calls) * len(self.bellies), 1)

    def vertices(self, belly: int) -> Floats:
        """(n, 3) the vertices of a belly in its last shape [m], along the x axis."""
        first = self.layout.first_vertex
        return self._memory.x[first[belly] : first[belly + 1]].copy()

    def copy(self) -> Bellies:
        """The same bellies, in shapes of their own from here on."""
        other = object.__new__(Bellies)
        other.__dict__.update(self.__dict__)
        other._memory = Memory(*(array.copy() for array in self._memory))
        other._room = room(self.layout)
        other._answer = Answer._make(array.copy() for array in self._answer)
        other._counts = self._counts.copy()
        return other

    def _at_rest(self) -> Floats:
        """(m,) dF/dw at rest and at the tone [N]."""
        tone = np.full(len(self.units), self.newton.tone)
        says = self.solve(self.layout.optimal, tone, cold=True)
        return says.by_contraction[self._diagonal].copy()

    @property
    def _pairs(self) -> tuple[Ints, Ints]:
        """Rows and columns of the entries between units of one belly."""
        first = self.layout.first_unit
        blocks = [np.meshgrid(np.arange(a, b), np.arange(a, b), indexing="ij")
                  for a, b in pairwise(first)]  # fmt: skip
        rows, columns = (np.concatenate([block[i].ravel() for block in blocks]) for i in (0, 1))
        return rows, columns

    def _sentence(self, k: int, length: Floats, contraction: Floats) -> str:
        units = range(self.layout.first_unit[k], self.layout.first_unit[k + 1])
        stretch = ", ".join(f"{length[j] / self.layout.optimal[j]:.3g}" for j in units)
        at = ", ".join(f"{contraction[j]:.3g}" for j in units)
        return (
            f"belly '{self.bellies[k].name}' found no equilibrium at stretch {stretch} and"
            f" contraction {at}; it may be too short, or the tone too low"
        )


def _diagonal(first_unit: Ints) -> Ints:
    """(m,) where dF_j/d_j stands among the pairs of all bellies."""
    counts = np.diff(first_unit)
    starts = np.concatenate([[0], np.cumsum(counts**2)])
    return np.concatenate([
        start + np.arange(count) * (count + 1)
        for start, count in zip(starts, counts, strict=False)
    ])  # fmt: skip
