"""Hencky's elasticity: linear in the logarithms of the stretches.

    psi = mu sum_i (ln l_i)^2 + lam/2 (ln J)^2,   and 1e40 where J <= 0

with the principal stretches l_i, J = l_1 l_2 l_3 and Lamé's constants mu and lam. A test in tension
gives the logarithmic strain times Young's modulus as Kirchhoff stress. It softens in tension beyond
a stretch of e, where the nominal stress is largest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import Isotropic, PointLaw, register
from vastus.materials.principal.stretches import of_stretches
from vastus.numerics.jit import point


@point
def value(a: float, b: float, c: float, T0: float, p: Any) -> float:
    x, y, z = np.log(a), np.log(b), np.log(c)
    return p[0] * (x * x + y * y + z * z) + 0.5 * p[1] * (x + y + z) ** 2


@point
def slopes(a: float, b: float, c: float, T0: float, p: Any) -> Any:
    x, y, z = np.log(a), np.log(b), np.log(c)
    m, s = 2.0 * p[0], p[1] * (x + y + z)
    return (m * x + s) / a, (m * y + s) / b, (m * z + s) / c


@point
def curvatures(a: float, b: float, c: float, T0: float, p: Any) -> Any:
    x, y, z = np.log(a), np.log(b), np.log(c)
    m, lam = 2.0 * p[0], p[1]
    k = m + lam * (1.0 - (x + y + z))
    return (
        (k - m * x) / (a * a),
        (k - m * y) / (b * b),
        (k - m * z) / (c * c),
        lam / (a * b),
        lam / (a * c),
        lam / (b * c),
    )


@register
@dataclass(frozen=True)
class Hencky(Isotropic):
    """Hencky's solid of Young's modulus [Pa] and Poisson's ratio at rest."""

    name: ClassVar[str] = "hencky"
    point: ClassVar[PointLaw] = of_stretches(value, slopes, curvatures)
    logarithmic: ClassVar[bool] = True
