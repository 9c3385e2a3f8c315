"""The matrix of flesh: Mooney-Rivlin elasticity whose resistance to swelling does not give way.

    psi = c1 (J^(-2/3) I1 - 3) + c2 (J^(-4/3) I2 - 3) + K/2 v^2,   v = ln J below 1, J - 1 above

and 1e40 where J <= 0. With v = ln J throughout, as in `mooney_rivlin`, the tension K ln(J)/J falls
beyond J = e: tets between the end of a muscle and a bone are torn open, six times as large as at
rest, and Newton's method finds no definite stiffness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.functions import cofactor, det, upright, where
from vastus.materials.traced import TracedLaw, traced


def energy(F: Any, c1: Any, c2: Any, K: Any) -> Any:
    J, priced = upright(det(F))
    I1, I2 = np.sum(F * F), np.sum(cofactor(F) ** 2)
    s = J ** (-2 / 3)
    v = where(J < 1, np.log(J), J - 1)
    return priced(c1 * (s * I1 - 3) + c2 * (s * s * I2 - 3) + K / 2 * v**2)


@dataclass(frozen=True)
class FleshMatrix(TracedLaw):
    """Passive tissue of moduli `c1`, `c2` and bulk modulus `K` [Pa]."""

    c1: float
    c2: float
    K: float

    name: ClassVar[str] = "flesh_matrix"
    module = traced(energy)
