"""Functions that energies are written with, and the pieces that several laws share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from vastus.materials.base import INVERTED
from vastus.numerics.symbolic.graph import Scalar, function

# arccosh(1 + x)^2 = 2 sum_n (-1)^(n-1) (2 x)^n / (n^2 binom(2n, n)).
SERIES = [2 * (-1) ** (n - 1) * 2**n / (n * n * math.comb(2 * n, n)) for n in range(1, 10)]

# Round-off must not decide at rest whether a fibre is slack or taut, for its stiffness jumps there:
# all are slack. Contractions begin with shortening, and take half as many Newton steps.
TAUT = 1 + 1e-12


def det(A: Any) -> Any:
    """The determinant of A (3, 3)."""
    return (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[2, 1])
        + A[0, 1] * (A[1, 2] * A[2, 0] - A[1, 0] * A[2, 2])
        + A[0, 2] * (A[1, 0] * A[2, 1] - A[1, 1] * A[2, 0])
    )


def cofactor(A: Any) -> Any:
    """(3, 3) the cofactors of A (3, 3)."""
    return np.array([np.cross(A[(k + 1) % 3], A[(k + 2) % 3]) for k in range(3)])


def inv(A: Any) -> Any:
    """(3, 3) the inverse of A (3, 3)."""
    return cofactor(A).T / det(A)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; both are computed."""
    if not isinstance(condition, Scalar):
        return a if condition else b
    graph = condition.graph
    both = [x if isinstance(x, Scalar) else graph.constant(x) for x in (a, b)]
    return graph.choose(condition, *both)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return where(a < b, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two numbers."""
    return where(a < b, b, a)


def erf(x: Any) -> Any:
    """The error function of a number."""
    return function("erf", x) if isinstance(x, Scalar) else math.erf(x)


def upright(J: Any) -> tuple[Any, Callable[[Any], Any]]:
    """A volume ratio that is safe to invert, and the function that prices a J that is not."""
    return where(J > 0, J, 1.0), lambda psi: where(J > 0, psi, INVERTED)


def bulk(J: Any, K: Any) -> Any:
    """The energy K/2 (ln J)^2 of a change of volume."""
    return K / 2 * np.log(J) ** 2


def shear_about_fibre(F: Any, d: Any, J: Any, G1: Any, G2: Any) -> Any:
    """The energies of shear along and across the fibre, G1 B1^2 + G2 B2^2.

    B1^2 = I5/I4^2 - 1 and cosh B2 = (I1 I4 - I5)/(2 J sqrt(I4)), with I1 = tr C, I4 = d.C d and
    I5 = d.C^2 d. Both are blind to a change of volume and of length along the fibre.
    """
    y = F @ d
    Cd = F.T @ y
    I1, I4, I5 = np.sum(F * F), y @ y, Cd @ Cd
    lam = np.sqrt(I4)
    w = (I1 * lam - I5 / lam) / (2 * J)
    return G1 * (I5 / I4**2 - 1) + G2 * arccosh_squared(w)


def arccosh_squared(w: Any) -> Any:
    """arccosh(w)^2, which is smooth at w = 1 although arccosh is not: a series there."""
    near = w < 1.02
    x, series = w - 1, 0.0
    for c in reversed(SERIES):
        series = (series + c) * x
    return where(near, series, np.arccosh(where(near, 2.0, w)) ** 2)


def isochoric_stretch(F: Any, d: Any, J: Any) -> Any:
    """The stretch J^(-1/3) |F d| of the fibre without the change of volume."""
    y = F @ d
    return J ** (-1 / 3) * np.sqrt(y @ y)


def exponential_linear(x: Any, p1: Any, p2: Any, end: Any) -> Any:
    """The work of the tension p1 (exp(p2 (x - 1)) - 1): zero below 1, straight above `end` >= 1."""
    end = maximum(end, TAUT)
    curved = minimum(maximum(x, TAUT), end) - TAUT
    straight = maximum(x - end, 0.0)
    top = p1 * np.exp(p2 * (end - 1))
    exponential = p1 * (np.expm1(p2 * curved) / p2 - curved)
    return exponential + (top - p1) * straight + p2 * top / 2 * straight**2
