"""A law at many points, by the loops over elements that the energies use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.energies.loops import loops
from vastus.materials.base import Law
from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Points:
    """A law evaluated at many deformation gradients with one fibre and one active stress."""

    law: Law
    d: Floats  # (3,)
    T0: float = 0.0  # [Pa]

    def energy(self, F: Floats) -> Floats:
        """(m,) energies at F (m, 3, 3)."""
        return self._run("energy", F, np.zeros(len(F)))

    def stress(self, F: Floats) -> Floats:
        """(m, 3, 3) stresses at F (m, 3, 3)."""
        return self._run("stress", F, np.zeros((len(F), 3, 3)))

    def tangent(self, F: Floats) -> Floats:
        """(m, 9, 9) tangents at F (m, 3, 3)."""
        return self._run("tangent", F, np.zeros((len(F), 9, 9)))

    def _run(self, what: str, F: Floats, out: Floats) -> Floats:
        m, p = len(F), np.array([self.law.parameters()], float)
        d, T0 = np.tile(self.d, (m, 1)), np.full(m, self.T0)
        loop = getattr(loops((self.law.point, self.law.slots)), what)
        loop(np.arange(m), np.ascontiguousarray(F), d, T0, np.zeros(m, int), p, out)
        return out
