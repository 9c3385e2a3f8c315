"""Uncoupled Ogden elasticity: powers of the stretches apart from the change of volume.

    psi = sum_k c_k/m_k^2 (x_1^m_k + x_2^m_k + x_3^m_k - 3) + K/2 (ln J)^2,   and 1e40 where J <= 0

with the isochoric stretches x_i = J^(-1/3) l_i of the principal stretches l_i. The shear modulus at
rest is sum_k c_k/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from vastus.materials.base import (
    Law,
    PointLaw,
    check_positive,
    register,
    require,
)
from vastus.materials.principal.stretches import of_stretches
from vastus.numerics.jit import point

# In p: K, the number of terms, then c_k and m_k of each. With e_i = ln l_i, all derivatives are
# those by e_i, of which x_i^m = exp(m (e_i - mean e)), divided by the stretches.


@point
def value(a: float, b: float, c: float, T0: float, p: Any) -> float:
    x, y, z = np.log(a), np.log(b), np.log(c)
    mean, psi = (x + y + z) / 3.0, 0.0
    for k in range(int(p[1])):
        s, m = p[2 + 2 * k], p[3 + 2 * k]
        # Each by expm1: their sum is of the second order, and must not drown in round-off.
        powers = np.expm1(m * (x - mean)) + np.expm1(m * (y - mean)) + np.expm1(m * (z - mean))
        psi += s / (m * m) * powers
    return psi + 4.5 * p[0] * mean * mean


@point
def slopes(a: float, b: float, c: float, T0: float, p: Any) -> Any:
    x, y, z = np.log(a), np.log(b), np.log(c)
    mean = (x + y + z) / 3.0
    u, v, w = 3.0 * p[0] * mean, 3.0 * p[0] * mean, 3.0 * p[0] * mean
    for k in range(int(p[1])):
        s, m = p[2 + 2 * k], p[3 + 2 * k]
        f, g, h = np.expm1(m * (x - mean)), np.expm1(m * (y - mean)), np.expm1(m * (z - mean))
        third = (f + g + h) / 3.0
        u, v, w = u + s / m * (f - third), v + s / m * (g - third), w + s / m * (h - third)
    return u / a, v / b, w / c


@point
def curvatures(a: float, b: float, c: float, T0: float, p: Any) -> Any:
    x, y, z = np.log(a), np.log(b), np.log(c)
    mean, g = (x + y + z) / 3.0, slopes(a, b, c, T0, p)
    xx, yy, zz, xy, xz, yz = p[0], p[0], p[0], p[0], p[0], p[0]
    for k in range(int(p[1])):
        s, m = p[2 + 2 * k] / 3.0, p[3 + 2 * k]
        e, f, h = np.exp(m * (x - mean)), np.exp(m * (y - mean)), np.exp(m * (z - mean))
        third = (e + f + h) / 3.0
        xx, yy, zz = xx + s * (e + third), yy + s * (f + third), zz + s * (h + third)
        xy, xz, yz = xy + s * (third - e - f), xz + s * (third - e - h), yz + s * (third - f - h)
    return (
        (xx - a * g[0]) / (a * a),
        (yy - b * g[1]) / (b * b),
        (zz - c * g[2]) / (c * c),
        xy / (a * b),
        xz / (a * c),
        yz / (b * c),
    )


@register
@dataclass(frozen=True)
class Ogden(Law):
    """Uncoupled Ogden solid: rows of a modulus c [Pa] and an exponent m, and bulk modulus K [Pa].

    One row of 2 mu and 2 is neo-Hookean, of shear modulus mu.
    """

    terms: tuple[tuple[float, float], ...] = ((3e4, 2.0), (1e4, -2.0))
    K: float = 1e6

    name: ClassVar[str] = "ogden"
    bulk_modulus: ClassVar[str | None] = "K"
    point: ClassVar[PointLaw] = of_stretches(value, slopes, curvatures)

    def __post_init__(self) -> None:
        check_positive(self.name, K=self.K)
        try:
            rows = tuple((float(c), float(m)) for c, m in self.terms)
        except (TypeError, ValueError):
            rows = ()
        require(
            bool(rows), f"{self.name}: terms must be rows of two numbers, a modulus and an exponent"
        )
        object.__setattr__(self, "terms", rows)
        require(
            bool(np.isfinite(rows).all()), f"{self.name}: terms has a number that is not finite"
        )
        require(all(m != 0 for _, m in rows), f"{self.name}: an exponent of terms is 0")
        total = sum(c for c, _ in rows)
        require(
            total > 0, f"{self.name}: the moduli of terms sum to {total:g}; they must be above 0"
        )

    def parameters(self) -> tuple[float, ...]:
        return (self.K, float(len(self.terms)), *(x for row in self.terms for x in row))
