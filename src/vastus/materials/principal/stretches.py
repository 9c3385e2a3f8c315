"""Laws as functions of the principal stretches, with exact stress and tangent at equal ones too.

With F = sum_i l_i u_i v_i^T, the stress is sum_i g_i u_i v_i^T, where g_i = dpsi/dl_i. The tangent
couples the diagonal u_i v_i^T by the second derivatives h_ij, and in each plane of two axes has the
modes u_i v_j^T +- u_j v_i^T with (g_i - g_j)/(l_i - l_j) and (g_i + g_j)/(l_i + l_j). The former
is a mean of h_ii - h_ij over the way between the two stretches, and is so found where they are
almost the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vastus.materials.base import INVERTED, PointFunction, PointLaw
from vastus.numerics.jit import point
from vastus.numerics.small import add_outers, det

Three = tuple[float, float, float]
NEAR = 1e-3  # relative distance of stretches below which their quotient is integrated
# Gauss's rule of two points: its error is of the fourth order in the distance of the stretches.
GAUSS = 0.5 / 3**0.5
SWEEPS, ORTHOGONAL = 20, 1e-16


@cache
def of_stretches(
    value: PointFunction, slopes: PointFunction, curvatures: PointFunction
) -> PointLaw:
    """The law of an energy psi of three stretches, which is symmetric in them.

    `value(a, b, c, T0, p)` is psi [J/m^3], `slopes` its three derivatives and `curvatures` the six
    second ones: aa, bb, cc, ab, ac, bc. Where J <= 0 the law is 1e40 J/m^3.
    """

    @point
    def energy(F: Any, d: Any, T0: float, p: Any) -> float:
        if det(F) <= 0.0:
            return INVERTED
        A, _ = principal(F)
        return value(_length(A[0]), _length(A[1]), _length(A[2]), T0, p)

    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        if det(F) <= 0.0:
            return INVERTED
        A, V = principal(F)
        a, b, c = _length(A[0]), _length(A[1]), _length(A[2])
        g = slopes(a, b, c, T0, p)
        x, y, z = g[0] / a, g[1] / b, g[2] / c
        for r in range(3):
            for k in range(3):
                P[r, k] += x * A[0][r] * V[0][k] + y * A[1][r] * V[1][k] + z * A[2][r] * V[2][k]
        return value(a, b, c, T0, p)

    @point
    def stress(F: Any, d: Any, T0: float, p: Any, P: Any) -> None:
        respond(F, d, T0, p, P)

    @point
    def tangent(F: Any, d: Any, T0: float, p: Any, H: Any) -> None:
        if det(F) > 0.0:
            A, V = principal(F)
            a, b, c = _length(A[0]), _length(A[1]), _length(A[2])
            g, h = slopes(a, b, c, T0, p), curvatures(a, b, c, T0, p)
            u, v, w = _scaled(A[0], a), _scaled(A[1], b), _scaled(A[2], c)
            x, y, z = _outer(u, V[0]), _outer(v, V[1]), _outer(w, V[2])
            add_outers(x, h[0], y, h[1], H)
            _add_mixed(x, y, h[3], z, h[2], H)
            _add_mixed(x, z, h[4], y, 0.0, H)
            _add_mixed(y, z, h[5], x, 0.0, H)
            ab = rate(a, b, c, T0, p, g[0] - g[1])
            ac = rate(a, c, b, T0, p, g[0] - g[2])
            bc = rate(b, c, a, T0, p, g[1] - g[2])
            _add_plane(_outer(u, V[1]), _outer(v, V[0]), ab, (g[0] + g[1]) / (a + b), H)
            _add_plane(_outer(u, V[2]), _outer(w, V[0]), ac, (g[0] + g[2]) / (a + c), H)
            _add_plane(_outer(v, V[2]), _outer(w, V[1]), bc, (g[1] + g[2]) / (b + c), H)

    @point
    def rate(a: float, b: float, c: float, T0: float, p: Any, fall: float) -> float:
        """(g_a - g_b)/(a - b), if `fall` is g_a - g_b: psi is symmetric, so a and b come first."""
        if abs(a - b) > NEAR * (a + b):
            return fall / (a - b)
        m, s = 0.5 * (a + b), GAUSS * (a - b)
        h = curvatures(m + s, m - s, c, T0, p)
        return 0.5 * (h[0] + h[1]) - h[3]

    return PointLaw(energy, stress, tangent, respond)


@point
def principal(F: Any) -> tuple[tuple[Three, Three, Three], tuple[Three, Three, Three]]:
    """The vectors l_i u_i, and v_i: columns of F turned until orthogonal (Hestenes 1958)."""
    a, b, c = (F[0, 0], F[1, 0], F[2, 0]), (F[0, 1], F[1, 1], F[2, 1]), (F[0, 2], F[1, 2], F[2, 2])
    u, v, w = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    for _ in range(SWEEPS):
        a, b, u, v, first = _orthogonal(a, b, u, v)
        a, c, u, w, second = _orthogonal(a, c, u, w)
        b, c, v, w, third = _orthogonal(b, c, v, w)
        if not (first or second or third):
            break
    return (a, b, c), (u, v, w)


@point
def _orthogonal(a: Three, b: Three, u: Three, v: Three) -> tuple[Three, Three, Three, Three, bool]:
    """Both pairs turned by the angle that makes a and b orthogonal, and whether that was needed."""
    aa, bb, ab = _dot(a, a), _dot(b, b), _dot(a, b)
    if abs(ab) <= ORTHOGONAL * np.sqrt(aa * bb):
        return a, b, u, v, False
    zeta = (bb - aa) / (2.0 * ab)
    t = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
    t = t if zeta >= 0.0 else -t
    c = 1.0 / np.sqrt(1.0 + t * t)
    s = c * t
    return _mix(c, a, -s, b), _mix(s, a, c, b), _mix(c, u, -s, v), _mix(s, u, c, v), True


@point
def _dot(a: Three, b: Three) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@point
def _mix(s: float, a: Three, t: float, b: Three) -> Three:
    return s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]


@point
def _length(a: Three) -> float:
    return np.sqrt(_dot(a, a))


@point
def _scaled(a: Three, length: float) -> Three:
    return a[0] / length, a[1] / length, a[2] / length


@point
def _outer(u: Three, v: Three) -> Any:
    return (
        u[0] * v[0],
        u[0] * v[1],
        u[0] * v[2],
        u[1] * v[0],
        u[1] * v[1],
        u[1] * v[2],
        u[2] * v[0],
        u[2] * v[1],
        u[2] * v[2],
    )


@point
def _add_mixed(x: Any, y: Any, s: float, z: Any, t: float, H: Any) -> None:
    """Add s (x y^T + y x^T) + t z z^T, as squares of the sum and the difference."""
    add_outers(_sum(x, y, 1.0), 0.5 * s, _sum(x, y, -1.0), -0.5 * s, H)
    if t != 0.0:
        add_outers(z, t, x, 0.0, H)


@point
def _add_plane(x: Any, y: Any, even: float, odd: float, H: Any) -> None:
    """Add the modes of one plane: the even one, and the odd one, which turns."""
    add_outers(_sum(x, y, 1.0), 0.5 * even, _sum(x, y, -1.0), 0.5 * odd, H)


@point
def _sum(x: Any, y: Any, s: float) -> Any:
    return (
        x[0] + s * y[0],
        x[1] + s * y[1],
        x[2] + s * y[2],
        x[3] + s * y[3],
        x[4] + s * y[4],
        x[5] + s * y[5],
        x[6] + s * y[6],
        x[7] + s * y[7],
        x[8] + s * y[8],
    )
