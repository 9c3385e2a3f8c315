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


def energy(F: Any, young: Any, poisson: Any) -> Any:
    mu, lam = lame(young, poisson)
    E = (F.T @ F - np.eye(3)) / 2
    return mu * np.sum(E * E) + lam / 2 * np.trace(E) ** 2


@register
@dataclass(frozen=True)
class StVenantKirchhoff(TracedLaw):
    """St. Venant-Kirchhoff solid of Young's modulus [Pa] and Poisson's ratio."""

    young: float = 6e4
    poisson: float = 0.49

    name: ClassVar[str] = "st_venant_kirchhoff"
    module = traced(energy)

    def __post_init__(self) -> None:
        check_young_poisson(self.name, self.young, self.poisson)
