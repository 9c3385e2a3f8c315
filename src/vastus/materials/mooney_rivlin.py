"""Uncoupled Mooney-Rivlin elasticity: the change of shape apart from the change of volume.

    psi = c1 (J^(-2/3) I1 - 3) + c2 (J^(-4/3) I2 - 3) + K/2 (ln J)^2,   and 1e40 where J <= 0

with I1 = F:F, I2 = cof F : cof F and J = det F. The shear modulus at rest is 2 (c1 + c2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import check_positive, register, require
from vastus.materials.functions import bulk, cofactor, det, upright
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, c1: Any, c2: Any, K: Any) -> Any:
    J, priced = upright(det(F))
    I1, I2 = np.sum(F * F), np.sum(cofactor(F) ** 2)
    s = J ** (-2 / 3)
    return priced(c1 * (s * I1 - 3) + c2 * (s * s * I2 - 3) + bulk(J, K))


@register
@dataclass(frozen=True)
class MooneyRivlin(TracedLaw):
    """Uncoupled Mooney-Rivlin solid of moduli `c1`, `c2` and bulk modulus `K` [Pa]."""

    c1: float = 1e4
    c2: float = 0.0
    K: float = 1e6

    name: ClassVar[str] = "mooney_rivlin"
    bulk_modulus: ClassVar[str | None] = "K"
    module = traced(energy)

    def __post_init__(self) -> None:
        check_positive(self.name, c1=self.c1, K=self.K)
        require(self.c2 >= 0, f"{self.name}: c2 is {self.c2:g}; it must not be negative")
