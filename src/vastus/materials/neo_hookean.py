"""Compressible neo-Hookean elasticity, which resists inversion without bound.

    psi = mu/2 (I - 3) - mu ln J + lam/2 (ln J)^2,   and 1e40 where J <= 0

with I = F:F, J = det F and Lamé's constants mu, lam of Young's modulus and Poisson's ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import INVERTED, Isotropic, PointLaw, register
from vastus.numerics.jit import point
from vastus.numerics.small import (
    add_cofactor_derivative,
    add_outers,
    cofactor,
    det,
    entries,
    square_sum,
)


@point
def energy(F: Any, d: Any, T0: float, p: Any) -> float:
    mu, lam, J = p[0], p[1], det(F)
    if J <= 0.0:
        return INVERTED
    log_J = np.log(J)
    return mu * (0.5 * (square_sum(F) - 3.0) - log_J) + 0.5 * lam * log_J * log_J


@point
def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    mu, lam, J = p[0], p[1], det(F)
    if J > 0.0:
        s = (lam * np.log(J) - mu) / J
        C = cofactor(F)
        for i in range(9):
            P[i // 3, i % 3] += mu * F[i // 3, i % 3] + s * C[i]


@point
def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    mu, lam, J = p[0], p[1], det(F)
    if J > 0.0:
        s = (lam * np.log(J) - mu) / J
        for i in range(9):
            H[i, i] += mu
        add_outers(entries(F), 0.0, cofactor(F), (lam / J - s) / J, H)
        add_cofactor_derivative(F, s, H)


@register
@dataclass(frozen=True)
class NeoHookean(Isotropic):
    """Compressible neo-Hookean solid of Young's modulus [Pa] and Poisson's ratio at rest."""

    name: ClassVar[str] = "neo_hookean"
    point: ClassVar[PointLaw] = PointLaw(energy, stress, tangent)
    logarithmic: ClassVar[bool] = True
