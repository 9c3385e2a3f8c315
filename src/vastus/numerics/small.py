"""Point functions of 3x3 matrices, for loops that numba compiles.

They return scalars or tuples of nine in row-major order: an array made inside a point function
costs more than the arithmetic. Nothing here calls LAPACK.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import point
from vastus.numerics.types import Floats

Nine = tuple[float, float, float, float, float, float, float, float, float]


@point
def det(F: Any) -> float:
    """The determinant of F (3, 3)."""
    return (
        F[0, 0] * (F[1, 1] * F[2, 2] - F[1, 2] * F[2, 1])
        + F[0, 1] * (F[1, 2] * F[2, 0] - F[1, 0] * F[2, 2])
        + F[0, 2] * (F[1, 0] * F[2, 1] - F[1, 1] * F[2, 0])
    )


def determinants(F: Floats) -> Floats:
    """(k,) the determinants of F (k, 3, 3), ten times as fast as numpy's, which factors each."""
    a, b, c = F[:, 0].T, F[:, 1].T, F[:, 2].T
    return np.asarray(
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
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
def rotation(F: Any) -> Nine:
    """The rotation nearest to F (3, 3); for an inverted F too it is a rotation, not a reflection.

    The largest root L of L^4 - 2 a L^2 - 8 J L + 2 b - a^2, with a = |F|^2 and b = |F^T F|^2, is
    the sum of the signed singular values, and its derivative in F is the rotation.
    """
    f, C, M, J = entries(F), cofactor(F), _cube(F), det(F)
    a = square_sum(F)
    b = f[0] * M[0] + f[1] * M[1] + f[2] * M[2] + f[3] * M[3] + f[4] * M[4]
    b += f[5] * M[5] + f[6] * M[6] + f[7] * M[7] + f[8] * M[8]
    L = _largest_root(a, b, J)
    # The floor only matters where the nearest rotation is not unique.
    scale = 1.0 / max(L * L * L - a * L - 2.0 * J, 1e-12 * a * np.sqrt(a) + 1e-300)
    u, v, w = (L * L + a) * scale, 2.0 * L * scale, -2.0 * scale
    return (
        u * f[0] + v * C[0] + w * M[0],
        u * f[1] + v * C[1] + w * M[1],
        u * f[2] + v * C[2] + w * M[2],
        u * f[3] + v * C[3] + w * M[3],
        u * f[4] + v * C[4] + w * M[4],
        u * f[5] + v * C[5] + w * M[5],
        u * f[6] + v * C[6] + w * M[6],
        u * f[7] + v * C[7] + w * M[7],
        u * f[8] + v * C[8] + w * M[8],
    )


@point
def _cube(F: Any) -> Nine:
    """F F^T F."""
    xx, xy, xz = _rows(F, 0, 0), _rows(F, 0, 1), _rows(F, 0, 2)
    yy, yz, zz = _rows(F, 1, 1), _rows(F, 1, 2), _rows(F, 2, 2)
    return (
        xx * F[0, 0] + xy * F[1, 0] + xz * F[2, 0],
        xx * F[0, 1] + xy * F[1, 1] + xz * F[2, 1],
        xx * F[0, 2] + xy * F[1, 2] + xz * F[2, 2],
        xy * F[0, 0] + yy * F[1, 0] + yz * F[2, 0],
        xy * F[0, 1] + yy * F[1, 1] + yz * F[2, 1],
        xy * F[0, 2] + yy * F[1, 2] + yz * F[2, 2],
        xz * F[0, 0] + yz * F[1, 0] + zz * F[2, 0],
        xz * F[0, 1] + yz * F[1, 1] + zz * F[2, 1],
        xz * F[0, 2] + yz * F[1, 2] + zz * F[2, 2],
    )


@point
def _rows(F: Any, r: int, s: int) -> float:
    return F[r, 0] * F[s, 0] + F[r, 1] * F[s, 1] + F[r, 2] * F[s, 2]


@point
def _largest_root(a: float, b: float, J: float) -> float:
    """Newton's method from above, where the quartic is convex and the steps only descend."""
    L = np.sqrt(3.0 * a)
    for _ in range(60):
        slope = 4.0 * (L * L * L - a * L - 2.0 * J)
        if slope <= 0.0:
            break
        step = (((L * L - 2.0 * a) * L - 8.0 * J) * L + 2.0 * b - a * a) / slope
        L -= step
        if step <= 4e-16 * L:
            break
    return L


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


@point
def add_outers(u: Nine, s: float, v: Nine, t: float, H: Any) -> None:
    """Add to H (9, 9) the matrix s u u^T + t v v^T."""
    # Unrolled: a tuple indexed by a variable, or a second pass over H, costs twice the time.
    _add_row(u, s * u[0], v, t * v[0], H[0])
    _add_row(u, s * u[1], v, t * v[1], H[1])
    _add_row(u, s * u[2], v, t * v[2], H[2])
    _add_row(u, s * u[3], v, t * v[3], H[3])
    _add_row(u, s * u[4], v, t * v[4], H[4])
    _add_row(u, s * u[5], v, t * v[5], H[5])
    _add_row(u, s * u[6], v, t * v[6], H[6])
    _add_row(u, s * u[7], v, t * v[7], H[7])
    _add_row(u, s * u[8], v, t * v[8], H[8])


@point
def _add_row(u: Nine, a: float, v: Nine, b: float, row: Any) -> None:
    row[0] += a * u[0] + b * v[0]
    row[1] += a * u[1] + b * v[1]
    row[2] += a * u[2] + b * v[2]
    row[3] += a * u[3] + b * v[3]
    row[4] += a * u[4] + b * v[4]
    row[5] += a * u[5] + b * v[5]
    row[6] += a * u[6] + b * v[6]
    row[7] += a * u[7] + b * v[7]
    row[8] += a * u[8] + b * v[8]


def longest(rows: Floats) -> float:
    """The largest length of vectors (k, 3), or 0."""
    x, y, z = rows.T  # numpy is slow at short inner sums
    return float(np.sqrt((x * x + y * y + z * z).max(initial=0.0)))
