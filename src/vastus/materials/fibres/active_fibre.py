"""The papers' quadratic activation: a constant active stress along the fibre.

    psi = T0/2 (|F d|^2 - 1),   so that   sigma = T0/J (F d)(F d)^T

The energy is never below -T0/2, however short the fibre, so the sum with any elastic law keeps a
minimum; the tangent T0 d d^T (x) I is constant and positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from vastus.materials.base import Law, PointLaw, register
from vastus.numerics.jit import point
from vastus.numerics.small import apply


@point
def energy(F: Any, d: Any, T0: float, p: Any) -> float:
    y = apply(F, d)
    return 0.5 * T0 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1.0)


@point
def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
    y = apply(F, d)
    for r in range(3):
        for c in range(3):
            P[r, c] += T0 * y[r] * d[c]


@point
def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
    for c in range(3):
        for k in range(3):
            h = T0 * d[c] * d[k]
            for r in range(3):
                H[3 * r + c, 3 * r + k] += h


@register
@dataclass(frozen=True)
class ActiveFibre(Law):
    """Active stress T0 along the fibre, whatever its length."""

    name: ClassVar[str] = "active_fibre"
    point: ClassVar[PointLaw] = PointLaw(energy, stress, tangent)
    active: ClassVar[bool] = True
    fibrous: ClassVar[bool] = True
