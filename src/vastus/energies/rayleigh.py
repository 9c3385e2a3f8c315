"""Damping in proportion to the stiffness at rest, as Rayleigh's (theory, "Motion").

    E = beta s/2 sum V (F - F0):H0:(F - F0),   so that forces are beta K0 x'

with the tangents H0 of all tets at rest, and F0 the gradients from which none would be felt. It is
for comparison: it slows what turns as if that were a strain, and so takes angular momentum.
"""

from __future__ import annotations

import numpy as np

from vastus.energies.elastic import Elastic
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats


class Rayleigh(Energy):
    """The damping over a step, from the gradients `F0` (s, 3, 3).

    A rate is `slope` [1/s] times the change from there, and `beta` [s] the damping over stiffness.
    """

    label = "Rayleigh damping"

    def __init__(
        self, elastic: Elastic, scatter: Scatter, beta: float, slope: float, F0: Floats
    ) -> None:
        self._elastic, self._scatter, self._slope, self._F0 = elastic, scatter, slope, F0
        still = np.tile(np.eye(3), (len(F0), 1, 1))
        self._tangents = beta * slope * elastic.tangent(still, np.zeros(len(F0)))

    def _stress(self, F: Floats) -> Floats:
        change = (F - self._F0).reshape(-1, 9)
        return np.asarray(np.einsum("sij,sj->si", self._tangents, change).reshape(-1, 3, 3))

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        density = 0.5 * np.einsum("sij,sij->s", self._stress(q.F), q.F - self._F0)
        total = float(self._elastic.volumes @ density)
        self.noise = 1e-15 * abs(total)
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Hold back what changes its gradient, be it by a turn."""
        P = self._stress(q.F) * self._elastic.volumes[:, None, None]
        corners = np.einsum("sij,saj->sai", P, self._elastic.B)
        forces.nodes += self._scatter.gather(np.ascontiguousarray(corners))
        return float(np.linalg.norm(corners))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add to the tangents of the tets."""
        stiffness.tangents += self._tangents

    def dissipated(self, change: Floats, seconds: float) -> float:
        """What it takes [J] while gradients change by `change` (s, 3, 3) in so many seconds."""
        flat = change.reshape(-1, 9)
        taken = np.einsum("si,sij,sj->s", flat, self._tangents, flat)
        return float(self._elastic.volumes @ taken) / (self._slope * seconds)
