"""Condensed bellies: the tension of a belly as a table over its stretch and contraction.

A belly that is held at its two ends, and touched by nothing else, pulls by its stretch l and its
contraction w alone. The tension is solved for on an even grid; between its points it is the
tensor product of cubic splines, with continuous curvature, and beyond it straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.hill import Hill, hill, sizes_of
from vastus.bellies.law import Pull, asked
from vastus.bellies.volumes import Bellies, Newton
from vastus.errors import ModelError
from vastus.numerics.jit import loop, point
from vastus.numerics.types import Floats

EXACT = 1e-8  # the tolerance of the equilibria in a table


@dataclass(frozen=True)
class Grid:
    """The stretches and contractions that a table has: from `low` to `high`, evenly."""

    low: float = 0.5
    high: float = 1.7
    stretches: int = 25
    most: float = 1.5  # contraction, which stretched fibres exceed 1 with; the least is the tone
    contractions: int = 9

    def __post_init__(self) -> None:
        if not 0.2 <= self.low < 1 < self.high:
            raise ModelError(
                f"a grid goes from {self.low:g} to {self.high:g}; it must begin between 0.2 and 1"
                " and end above 1"
            )
        if min(self.stretches, self.contractions) < 4:
            raise ModelError("a grid needs at least 4 stretches and 4 contractions")


@dataclass(frozen=True)
class Difference:
    """How far a table is from its bellies [greatest forces]: the most, and the root mean square."""

    most: float
    mean: float

    def __str__(self) -> str:
        return f"condensed against bellies: {self.most:.2e} at most, {self.mean:.2e} rms of force"


class Condensed:
    """The tables of bellies with one motor unit each: a thousand times as fast, with no shapes."""

    def __init__(
        self, bellies: Sequence[Belly], curves: Hill | None = None, grid: Grid | None = None,
        tone: float = 0.02,
    ) -> None:  # fmt: skip
        for belly in bellies:
            if len(belly.units) != 1:
                raise ModelError(
                    f"belly '{belly.name}' has {len(belly.units)} units; a table is of one"
                )
        self.bellies, self.curves, self.grid = tuple(bellies), curves or hill(), grid or Grid()
        self.units = tuple(belly.units[0] for belly in bellies)
        self._sizes, self.tone = sizes_of(self.units), tone
        self._table = self._made()
        low, high = (self.grid.low, tone), (self.grid.high, self.grid.most)
        counts = self._table.shape[1:3]
        self._axes = np.array([
            [a, (count - 1) / (b - a)] for a, b, count in zip(low, high, counts, strict=True)
        ])  # fmt: skip

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds [m/s] and activations, (m,) each."""
        length, speed, activation = asked(self.units, length, speed, activation)
        gain = self.curves.gains(length, speed, self._sizes)
        found = np.empty((len(length), 3))
        _looked_up(self._table, self._axes, length, activation, gain, self._sizes, found)
        rise = found[:, 1]
        return Pull(
            force=found[:, 0],
            by_activation=rise * gain[:, 0],
            by_length=found[:, 2] + rise * activation * gain[:, 1],
            by_speed=rise * activation * gain[:, 2],
        )

    def copy(self) -> Condensed:
        """Itself, for it remembers nothing."""
        return self

    def compare(
        self, bellies: Bellies, states: Sequence[tuple[Floats, Floats, Floats]]
    ) -> Difference:
        """How far tensions are from those of the same bellies, at lengths, speeds, activations."""
        force = np.array([unit.force for unit in self.units])
        off = np.array([
            (self.forces(*state).force - bellies.forces(*state).force) / force for state in states
        ])  # fmt: skip
        return Difference(float(np.abs(off).max()), float(np.sqrt((off**2).mean())))

    def _made(self) -> Floats:
        """(m, stretches, contractions, 4) F, dF/di, dF/dj and d2F/di dj at the points [N]."""
        grid = self.grid
        stretch = np.linspace(grid.low, grid.high, grid.stretches)
        contraction = np.linspace(self.tone, grid.most, grid.contractions)
        solved = Bellies(self.bellies, self.curves, Newton(tolerance=EXACT, tone=self.tone))
        F = np.empty((len(self.bellies), len(stretch), len(contraction)))
        optimal, ones = solved.layout.optimal, np.ones(len(self.bellies))
        # To and fro, so that each solve begins beside the one before.
        for j, w in enumerate(contraction):
            order = np.argsort(stretch)[:: 1 if j % 2 == 0 else -1]
            for i in order:
                F[:, i, j] = solved.solve(stretch[i] * optimal, w * ones).force
        return _splines(F)


def _splines(F: Floats) -> Floats:
    """(m, i, j, 4) the values and slopes at the points of the splines through F (m, i, j)."""
    from scipy.interpolate import CubicSpline  # as heavy as the rest of the package

    by_i = CubicSpline(np.arange(F.shape[1]), F, axis=1)(np.arange(F.shape[1]), 1)
    columns = np.arange(F.shape[2])
    by_j = CubicSpline(columns, F, axis=2)(columns, 1)
    both = CubicSpline(columns, by_i, axis=2)(columns, 1)
    return np.ascontiguousarray(np.stack([F, by_i, by_j, both], axis=-1))


@point
def _weights(t: float) -> tuple[float, float, float, float]:
    """Hermite's weights of the two values and slopes of a piece."""
    s = 1.0 - t
    return (1.0 + 2.0 * t) * s * s, t * s * s, t * t * (3.0 - 2.0 * t), -t * t * s


@point
def _rises(t: float) -> tuple[float, float, float, float]:
    """Their derivatives."""
    s = 1.0 - t
    return -6.0 * t * s, s * (1.0 - 3.0 * t), 6.0 * t * s, t * (3.0 * t - 2.0)


@point
def _piece(u: float, count: int) -> tuple[int, float, float]:
    """The piece that u lies in, where in it, and how far beyond the table it is."""
    held = min(max(u, 0.0), count - 1.0)
    i = min(int(held), count - 2)
    return i, held - i, u - held


@loop
def _looked_up(
    table: Any, axes: Any, length: Any, activation: Any, gain: Any, sizes: Any, out: Any
) -> None:
    """Write F [N], dF/dw [N] and dF/dl [N/m] to out (m, 3)."""
    for k in range(len(length)):
        u = (length[k] / sizes[k, 0] - axes[0, 0]) * axes[0, 1]
        v = (activation[k] * gain[k, 0] - axes[1, 0]) * axes[1, 1]
        i, s, more_i = _piece(u, table.shape[1])
        j, t, more_j = _piece(v, table.shape[2])
        a, da = _weights(s), _rises(s)
        b, db = _weights(t), _rises(t)
        f, fi, fj, fij = 0.0, 0.0, 0.0, 0.0
        for p in range(2):
            for q in range(2):
                at = table[k, i + p, j + q]
                a0, a1 = (a[0], a[1]) if p == 0 else (a[2], a[3])
                d0, d1 = (da[0], da[1]) if p == 0 else (da[2], da[3])
                b0, b1 = (b[0], b[1]) if q == 0 else (b[2], b[3])
                e0, e1 = (db[0], db[1]) if q == 0 else (db[2], db[3])
                f += b0 * (a0 * at[0] + a1 * at[1]) + b1 * (a0 * at[2] + a1 * at[3])
                fi += b0 * (d0 * at[0] + d1 * at[1]) + b1 * (d0 * at[2] + d1 * at[3])
                fj += e0 * (a0 * at[0] + a1 * at[1]) + e1 * (a0 * at[2] + a1 * at[3])
                fij += e0 * (d0 * at[0] + d1 * at[1]) + e1 * (d0 * at[2] + d1 * at[3])
        # Beyond the table the slopes of its border go on.
        out[k, 0] = f + fi * more_i + fj * more_j + fij * more_i * more_j
        out[k, 1] = (fj + fij * more_i) * axes[1, 1]
        out[k, 2] = (fi + fij * more_j) * axes[0, 1] / sizes[k, 0]
