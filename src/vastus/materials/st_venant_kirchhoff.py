"""St. Venant-Kirchhoff elasticity: linear in Green's strain; it softens and fails when compressed.

    psi = mu E:E + lam/2 tr(E)^2,   E = (F^T F - I)/2

with Lamé's constants mu, lam of Young's modulus and Poisson's ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import check_young_poisson, lame, register
from vastus.materials.traced import TracedLaw, traced
from vastus.numerics.jit import point


def energy(F: Any, young: Any, poisson: Any) -> Any:
    mu, lam = lame(young, poisson)
    E = (F.T @ F - np.eye(3)) / 2
    return mu * np.sum(E * E) + lam / 2 * np.trace(E) ** 2


@point
def second(G: Any, p: Any) -> tuple[Any, ...]:
    """2 mu G + lam tr(G) I, with mu = p[0] and lam = p[2] of what the energy was traced to."""
    twice, bulk = 2.0 * p[0], p[2] * (G[0] + G[1] + G[2])
    return (
        twice * G[0] + bulk,
        twice * G[1] + bulk,
        twice * G[2] + bulk,
        twice * G[3],
        twice * G[4],
        twice * G[5],
    )


@register
@dataclass(frozen=True)
class StVenantKirchhoff(TracedLaw):
    """St. Venant-Kirchhoff solid of Young's modulus [Pa] and Poisson's ratio."""

    young: float = 6e4
    poisson: float = 0.49

    name: ClassVar[str] = "st_venant_kirchhoff"
    module = traced(energy)
    second = staticmethod(second)

    def __post_init__(self) -> None:
        check_young_poisson(self.name, self.young, self.poisson)
