"""Fixed corotated elasticity: linear in the stretch, after the rotation is taken out.

    psi = mu |F - R|^2 + lam/2 (J - 1)^2

with R the rotation nearest to F, J = det F and Lamé's constants mu, lam. With S = R^T F and
G = tr(S) I - S, the rotation changes by dR = sum_mn (G^-1)_mn Q_m (Q_n : dF), Q_m = R [e_m]x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from vastus.materials.base import Isotropic, PointLaw, register
from vastus.numerics.jit import point
from vastus.numerics.small import (
    Nine,
    add_cofactor_derivative,
    add_outers,
    cofactor,
    det,
    entries,
    rotation,
)


@point
def energy(F: Any, d: Any, T0: float, p: Any) -> float:
    R, J, s = rotation(F), det(F), 0.0
    for i in range(9):
        s += (F[i // 3, i % 3] - R[i]) ** 2
    return p[0] * s + 0.5 * p[1] * (J - 1.0) * (J - 1.0)


@point
def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    R, C = rotation(F), cofactor(F)
    s = p[1] * (det(F) - 1.0)
    for i in range(9):
        P[i // 3, i % 3] += 2.0 * p[0] * (F[i // 3, i % 3] - R[i]) + s * C[i]


@point
def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    mu, lam = p[0], p[1]
    for i in range(9):
        H[i, i] += 2.0 * mu
    add_outers(entries(F), 0.0, cofactor(F), lam, H)
    add_cofactor_derivative(F, lam * (det(F) - 1.0), H)
    _add_rotation_derivative(F, -2.0 * mu, H)


@point
def _add_rotation_derivative(F: Any, s: float, H: Any) -> None:
    """Add to H (9, 9) the scalar s times the derivative of the nearest rotation."""
    R = rotation(F)
    K = _spin_compliance(F, R)
    for i in range(9):
        for j in range(9):
            # Q_m[r, :] is e_m x R[r, :], so Q_m[r, c] = +-R[r, k] with m, c, k all different.
            r, c, q, k = i // 3, i % 3, j // 3, j % 3
            c1, c2, k1, k2 = (c + 1) % 3, (c + 2) % 3, (k + 1) % 3, (k + 2) % 3
            h = K[3 * c1 + k1] * R[3 * r + c2] * R[3 * q + k2]
            h += K[3 * c2 + k2] * R[3 * r + c1] * R[3 * q + k1]
            h -= K[3 * c1 + k2] * R[3 * r + c2] * R[3 * q + k1]
            h -= K[3 * c2 + k1] * R[3 * r + c1] * R[3 * q + k2]
            H[i, j] += s * h


@point
def _spin_compliance(F: Any, R: Nine) -> Nine:
    """The inverse of G = tr(S) I - S, for the stretch S = R^T F."""
    xx = R[0] * F[0, 0] + R[3] * F[1, 0] + R[6] * F[2, 0]
    yy = R[1] * F[0, 1] + R[4] * F[1, 1] + R[7] * F[2, 1]
    zz = R[2] * F[0, 2] + R[5] * F[1, 2] + R[8] * F[2, 2]
    x = -(R[1] * F[0, 2] + R[4] * F[1, 2] + R[7] * F[2, 2])
    y = -(R[2] * F[0, 0] + R[5] * F[1, 0] + R[8] * F[2, 0])
    z = -(R[0] * F[0, 1] + R[3] * F[1, 1] + R[6] * F[2, 1])
    a, b, c = yy + zz, zz + xx, xx + yy
    A, B, C = b * c - x * x, c * a - y * y, a * b - z * z
    X, Y, Z = y * z - a * x, z * x - b * y, x * y - c * z
    s = 1.0 / max(a * A + z * Z + y * Y, 1e-12)
    return A * s, Z * s, Y * s, Z * s, B * s, X * s, Y * s, X * s, C * s


@register
@dataclass(frozen=True)
class FixedCorotated(Isotropic):
    """Fixed corotated solid of Young's modulus [Pa] and Poisson's ratio at rest."""

    name: ClassVar[str] = "fixed_corotated"
    point: ClassVar[PointLaw] = PointLaw(energy, stress, tangent)
