"""Point functions of 3x3 matrices, for loops that numba compiles.

They return scalars or tuples of nine in row-major order: an array made inside a point function
costs more than the arithmetic. Nothing here calls LAPACK.
"""

from __future__ import annotations

from typing import Any

from vastus.numerics.jit import point

Nine = tuple[float, float, float, float, float, float, float, float, float]


@point
def det(F: Any) -> float:
    """The determinant of F (3, 3)."""
    return (
        F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
        + F[0, 1] * (F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2])
        + F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])
    )


@point
def entries(F: Any) -> Nine:
    """The nine entries of F (3, 3)."""
    return (F[0, 0], F[0, 1], F[0, 2], F[1, 0], F[1, 1], F[1, 2], F[2, 0], F[2, 1], F[2, 2])


@point
def cofactor(F: Any) -> Nine:
    """The nine cofactors of F (3, 3): the derivative of its determinant."""
    return (
        F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1],
        F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2],
        F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0],
        F[2, 1] * F[0, 2] - F[2, 2] * F[0, 1],
        F[2, 2] * F[0, 0] - F[2, 0] * F[0, 2],
        F[2, 0] * F[0, 1] - F[2, 1] * F[0, 0],
        F[0, 1] * F[1, 2] - F[0, 2] * F[1, 1],
        F[0, 2] * F[1, 0] - F[0, 0] * F[1, 2],
        F[0, 0] * F[1, 1] - F[0, 1] * F[1, 0],
    )


@point
def square_sum(F: Any) -> float:
    """F:F, the sum of the squares of all entries of F (3, 3)."""
    s = 0.0
    for r in range(3):
        for c in range(3):
            s += F[r, c] * F[r, c]
    return s


@point
def apply(F: Any, d: Any) -> tuple[float, float, float]:
    """The product of F (3, 3) and d (3,)."""
    return (
        F[0, 0] * d[0] + F[0, 1] * d[1] + F[0, 2] * d[2],
        F[1, 0] * d[0] + F[1, 1] * d[1] + F[1, 2] * d[2],
        F[2, 0] * d[0] + F[2, 1] * d[1] + F[2, 2] * d[2],
    )


@point
def add_cofactor_derivative(F: Any, s: float, H: Any) -> None:
    """Add to H (9, 9) the scalar s times the derivative of the cofactors of F (3, 3)."""
    for r in range(3):
        for c in range(3):
            r1, r2, c1, c2 = (r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3
            H[3 * r + c, 3 * r1 + c1] += s * F[r2, c2]
            H[3 * r + c, 3 * r2 + c2] += s * F[r1, c1]
            H[3 * r + c, 3 * r1 + c2] -= s * F[r2, c1]
            H[3 * r + c, 3 * r2 + c1] -= s * F[r1, c2]
