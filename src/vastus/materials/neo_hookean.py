"""Neo-Hookean elasticity, compressible and stable, of Young's modulus and Poisson's ratio at rest.

The compressible law resists inversion without bound:

    psi = mu/2 (I - 3) - mu ln J + lam/2 (ln J)^2,   and 1e40 where J <= 0

with I = F:F, J = det F and Lamé's constants mu and lam. The stable law is finite when inverted and
has the exact response of Lamé's constants mu_L and lam_L at rest:

    psi = mu/2 (I - 3) + lam/2 ((J - a)^2 - (1 - a)^2) - mu/2 log((I + 1)/4)

with mu = 4/3 mu_L, lam = lam_L + 5/6 mu_L and a = 1 + 3 mu/(4 lam).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import INVERTED, Isotropic, PointLaw, lame, register
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
def scales(I: float, J: float, p: Any) -> tuple[float, float]:
    if J <= 0.0:
        return 0.0, 0.0
    return p[0], (p[1] * np.log(J) - p[0]) / J


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
    point: ClassVar[PointLaw] = PointLaw(energy, stress, tangent, scales=scales)
    logarithmic: ClassVar[bool] = True


@point
def stable_energy(F: Any, d: Any, T0: float, p: Any) -> float:
    mu, lam, a = p[0], p[1], p[2]
    x, J = square_sum(F) - 3.0, det(F)
    # Factored and log1p: the change of a small energy must not drown in round-off.
    return 0.5 * (mu * (x - np.log1p(0.25 * x)) + lam * (J - 1.0) * (J + 1.0 - 2.0 * a))


@point
def stable_stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    mu, lam, a = p[0], p[1], p[2]
    m = mu * (1.0 - 1.0 / (square_sum(F) + 1.0))
    s = lam * (det(F) - a)
    C = cofactor(F)
    for i in range(9):
        P[i // 3, i % 3] += m * F[i // 3, i % 3] + s * C[i]


@point
def stable_scales(I: float, J: float, p: Any) -> tuple[float, float]:
    return p[0] * (1.0 - 1.0 / (I + 1.0)), p[1] * (J - p[2])


@point
def stable_tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    mu, lam, a = p[0], p[1], p[2]
    r = 1.0 / (square_sum(F) + 1.0)
    for i in range(9):
        H[i, i] += mu * (1.0 - r)
    add_outers(entries(F), 2.0 * mu * r * r, cofactor(F), lam, H)
    add_cofactor_derivative(F, lam * (det(F) - a), H)


@register
@dataclass(frozen=True)
class StableNeoHookean(Isotropic):
    """Stable neo-Hookean solid of Young's modulus [Pa] and Poisson's ratio at rest."""

    name: ClassVar[str] = "stable_neo_hookean"
    point: ClassVar[PointLaw] = PointLaw(
        stable_energy, stable_stress, stable_tangent, scales=stable_scales
    )

    def parameters(self) -> tuple[float, ...]:
        mu_L, lam_L = lame(self.young, self.poisson)
        mu, lam = 4 / 3 * mu_L, lam_L + 5 / 6 * mu_L
        return mu, lam, 1 + 0.75 * mu / lam
