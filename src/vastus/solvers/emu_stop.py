"""The stopping rule of the EMU paper, for its experiments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.minimise import Objective, Point, Rule
from vastus.numerics.types import Floats
from vastus.solvers.emu_energy import Pieces


@dataclass(frozen=True)
class EnergyChange(Rule):
    """Stop also where an iteration changed the energy by less than `change` [J].

    It says nothing about forces: results may be several per cent off.
    """

    change: float = 1e-2

    def gauge(self, objective: Objective[Point], q: Point, g: Floats) -> tuple[float, float]:
        """The residual, and a target that it meets where the energy has stopped changing."""
        residual, target = super().gauge(objective, q, g)
        assert isinstance(q, Pieces)
        stopped = abs(q.value - q.before) < self.change
        return residual, max(target, residual) if stopped and np.isfinite(residual) else target
