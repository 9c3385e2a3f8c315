"""Loops over points that close over a law's functions, as the element loop does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vastus.materials.base import Law, PointLaw
from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats

LOOPS: dict[PointLaw, tuple[Callable, Callable, Callable]] = {}


def loops(point: PointLaw) -> tuple[Callable, Callable, Callable]:
    """Compiled loops for the energy, stress and tangent of many points."""
    energy, stress, tangent = point.energy, point.stress, point.tangent

    @kernel
    def energies(F, d, T0, p, out):
        for e in prange(len(F)):
            out[e] = energy(F[e], d[e], T0[e], p[e])

    @kernel
    def stresses(F, d, T0, p, out):
        for e in prange(len(F)):
            stress(F[e], d[e], T0[e], p[e], out[e])

    @kernel
    def tangents(F, d, T0, p, out):
        for e in prange(len(F)):
            tangent(F[e], d[e], T0[e], p[e], out[e])

    return energies, stresses, tangents


@dataclass(frozen=True)
class Points:
    """A law evaluated at many deformation gradients with one fibre and one active stress."""

    law: Law
    d: Floats  # (3,)
    T0: float = 0.0  # [Pa]

    def energy(self, F: Floats) -> Floats:
        """(m,) energies at F (m, 3, 3)."""
        return self._run(0, F, np.zeros(len(F)))

    def stress(self, F: Floats) -> Floats:
        """(m, 3, 3) stresses at F (m, 3, 3)."""
        return self._run(1, F, np.zeros((len(F), 3, 3)))

    def tangent(self, F: Floats) -> Floats:
        """(m, 9, 9) tangents at F (m, 3, 3)."""
        return self._run(2, F, np.zeros((len(F), 9, 9)))

    def _run(self, which: int, F: Floats, out: Floats) -> Floats:
        point, m = type(self.law).point, len(F)
        if point not in LOOPS:
            LOOPS[point] = loops(point)
        d, p = np.tile(self.d, (m, 1)), np.tile(self.law.parameters(), (m, 1))
        LOOPS[point][which](np.ascontiguousarray(F), d, np.full(m, self.T0), p, out)
        return out
