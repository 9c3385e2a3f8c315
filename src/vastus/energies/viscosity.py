"""Viscosity of tissue, which slows changes of strain and no rotation (theory, "Motion").

    E = s eta sum V |G - G0|^2,   P = 2 eta F G',   G' = s (G - G0)

with Green's strain G = (F^T F - 1)/2, its rate G' over a step as the scheme has it, and eta [Pa s].
F^-1 P is symmetric, so that no angular momentum is lost, and what turns or flies is not slowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.energies.elastic import Elastic
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.model import Model
from vastus.numerics.jit import kernel, prange
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats


def viscosities(model: Model, seconds: float) -> Floats:
    """(s,) eta [Pa s] of the soft tets: the shear modulus of each times so many seconds."""
    moduli = [sum(law.stiffness() for law in region.laws) for region in model.regions]
    return seconds * np.array(moduli, float)[model.region[model.soft]]


def green(F: Floats) -> Floats:
    """(s, 3, 3) Green's strains of gradients (s, 3, 3)."""
    strains = np.empty_like(F)
    _strains(F, strains)
    return strains


class Viscosity(Energy):
    """The viscosity of all soft tets over a step.

    `strain` (s, 3, 3) is the strain G0 from which none would be felt, `slope` [1/s] the rate of a
    change from there, and `eta` (s,) [Pa s] the viscosity of each tet.
    """

    label = "viscosity"

    def __init__(
        self, elastic: Elastic, scatter: Scatter, eta: Floats, strain: Floats, slope: float
    ) -> None:
        self._elastic, self._scatter, self._strain = elastic, scatter, strain
        self._stiff = 2.0 * slope * eta  # (s,) [Pa]

    def with_viscosities(self, eta: Floats, slope: float) -> Viscosity:
        """The same of other viscosities (s,) [Pa s]; forces are linear in them."""
        return Viscosity(self._elastic, self._scatter, eta, self._strain, slope)

    def _stress(self, F: Floats) -> Floats:
        """(s, 3, 3) the second Piola-Kirchhoff stress [Pa]."""
        return np.asarray(self._stiff[:, None, None] * (green(F) - self._strain))

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        change = green(q.F) - self._strain
        density = 0.5 * self._stiff * np.einsum("sij,sij->s", change, change)
        total = float(self._elastic.volumes @ density)
        self.noise = 1e-15 * total
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Hold back what changes its shape."""
        P = q.F @ self._stress(q.F) * self._elastic.volumes[:, None, None]
        corners = np.einsum("sij,saj->sai", P, self._elastic.B)
        forces.nodes += self._scatter.gather(np.ascontiguousarray(corners))
        return float(np.linalg.norm(corners))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add to the tangents of the tets."""
        _add_tangents(q.F, self._stress(q.F), 0.5 * self._stiff, stiffness.tangents)


@kernel
def _strains(F: Any, out: Any) -> None:
    for e in prange(len(F)):
        for i in range(3):
            for j in range(3):
                total = F[e, 0, i] * F[e, 0, j] + F[e, 1, i] * F[e, 1, j] + F[e, 2, i] * F[e, 2, j]
                out[e, i, j] = 0.5 * (total - (1.0 if i == j else 0.0))


@kernel
def _add_tangents(F: Any, S: Any, half: Any, H: Any) -> None:
    """Add half (F_il F_kj + (F F^T)_ik d_jl) + d_ik S_jl at row 3 i + j and column 3 k + l."""
    for e in prange(len(F)):
        c = half[e]
        for i in range(3):
            for k in range(3):
                across = 0.0
                for m in range(3):
                    across += F[e, i, m] * F[e, k, m]
                for j in range(3):
                    for m in range(3):
                        H[e, 3 * i + j, 3 * k + m] += c * F[e, i, m] * F[e, k, j]
                        if i == k:
                            H[e, 3 * i + j, 3 * k + m] += S[e, j, m]
                    H[e, 3 * i + j, 3 * k + j] += c * across
