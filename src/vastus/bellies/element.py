"""One tet of a belly: its energy, forces and stiffness in scalars, without a 9x9 tangent.

    psi = mu/2 |F - R|^2 + kappa/2 (J - 1)^2 + s_e [c w l + W(l)],   l = |F e|

with the rotation R of F, its determinant J, the fibre e along x, the strength s_e, the contraction
w of the unit, the contractile share c and the work W of passive fibres. A movement of corner a
along axis i changes F by e_i B_a^T, so that with h_a = cof(F) B_a, t_ai = B_a x r_i, r_i row i of R
and G = tr(S) I - S, S = R^T F, the stiffness of two movements is

    mu [B_a.B_b d_ij - t_ai . G^-1 t_bj] + kappa [h_ai h_bj + (J - 1) (e_i x e_j) . F (B_a x B_b)]
      + B_a1 B_b1 [f/l (d_ij - n_i n_j) + f' n_i n_j],   f = s_e (c w + W'),   n = F e / l
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.bellies.sampled import at
from vastus.numerics.jit import point
from vastus.numerics.small import cofactor, det, rotation, square_sum

# Loops over corners ask for their number: known beforehand, the compiler would write them all out,
# and take minutes.
ROOM = (36, 3)  # what a tet needs to write: F, R, h of corners, t and G^-1 t of twelve movements


@point
def gradient(x: Any, T: Any, B: Any, e: int, F: Any) -> None:
    """Write the deformation gradient of tet e to F (3, 3)."""
    for r in range(3):
        for c in range(3):
            F[r, c] = 0.0
    for a in range(T.shape[1]):
        v = T[e, a]
        for r in range(3):
            for c in range(3):
                F[r, c] += x[v, r] * B[e, a, c]


@point
def fibre(F: Any) -> tuple[float, float, float, float]:
    """The stretch of the fibre along x, and its direction."""
    # The tiny number keeps directions finite for a fibre crushed to nothing.
    l = np.sqrt(F[0, 0] * F[0, 0] + F[1, 0] * F[1, 0] + F[2, 0] * F[2, 0] + 1e-30)
    return l, F[0, 0] / l, F[1, 0] / l, F[2, 0] / l


@point
def respond(
    B: Any, V: float, mu: float, kappa: float, active: float, strength: float, passive: Any,
    room: Any, g: Any, K: Any,
) -> float:  # fmt: skip
    """Write the forces g (4, 3) and the lower half of the stiffness K (12, 12) of a tet.

    The gradient F stands in room (36, 3). The value is the energy [J]; it is infinite, and nothing
    written, where the tet is inverted.
    """
    F, R, h = room[0:3], room[3:6], room[6:10]
    J = det(F)
    if not J > 0.0:
        return np.inf
    nine, C = rotation(F), cofactor(F)
    R[0, 0], R[0, 1], R[0, 2] = nine[0], nine[1], nine[2]
    R[1, 0], R[1, 1], R[1, 2] = nine[3], nine[4], nine[5]
    R[2, 0], R[2, 1], R[2, 2] = nine[6], nine[7], nine[8]
    l, n0, n1, n2 = fibre(F)
    f, rise, work = at(passive, l)
    f, rise = active + strength * f, strength * rise
    trace = 0.0
    for r in range(3):
        for c in range(3):
            trace += R[r, c] * F[r, c]
    p, q, away = V * mu, V * kappa, J - 1.0
    pull = V * f
    for a in range(len(B)):
        b0, b1, b2 = B[a, 0], B[a, 1], B[a, 2]
        h[a, 0] = C[0] * b0 + C[1] * b1 + C[2] * b2
        h[a, 1] = C[3] * b0 + C[4] * b1 + C[5] * b2
        h[a, 2] = C[6] * b0 + C[7] * b1 + C[8] * b2
        for i in range(3):
            bent = (F[i, 0] - R[i, 0]) * b0 + (F[i, 1] - R[i, 1]) * b1 + (F[i, 2] - R[i, 2]) * b2
            g[a, i] = p * bent + q * away * h[a, i]
        g[a, 0] += pull * b0 * n0
        g[a, 1] += pull * b0 * n1
        g[a, 2] += pull * b0 * n2
    _turns(B, F, R, trace, room)
    across, along = pull / l, V * rise - pull / l
    t, u = room[10:22], room[22:34]
    for a in range(len(B)):
        for b in range(a + 1):
            even = p * (B[a, 0] * B[b, 0] + B[a, 1] * B[b, 1] + B[a, 2] * B[b, 2])
            fibres = B[a, 0] * B[b, 0]
            even += fibres * across
            s = fibres * along
            c0 = B[a, 1] * B[b, 2] - B[a, 2] * B[b, 1]
            c1 = B[a, 2] * B[b, 0] - B[a, 0] * B[b, 2]
            c2 = B[a, 0] * B[b, 1] - B[a, 1] * B[b, 0]
            y0 = q * away * (F[0, 0] * c0 + F[0, 1] * c1 + F[0, 2] * c2)
            y1 = q * away * (F[1, 0] * c0 + F[1, 1] * c1 + F[1, 2] * c2)
            y2 = q * away * (F[2, 0] * c0 + F[2, 1] * c1 + F[2, 2] * c2)
            for i in range(3):
                m = 3 * a + i
                ti0, ti1, ti2, hi = p * t[m, 0], p * t[m, 1], p * t[m, 2], q * h[a, i]
                for j in range(3):
                    k = 3 * b + j
                    K[m, k] = hi * h[b, j] - ti0 * u[k, 0] - ti1 * u[k, 1] - ti2 * u[k, 2]
            k, m = 3 * b, 3 * a
            K[m, k] += even + s * n0 * n0
            K[m + 1, k + 1] += even + s * n1 * n1
            K[m + 2, k + 2] += even + s * n2 * n2
            K[m, k + 1] += s * n0 * n1 + y2
            K[m + 1, k] += s * n0 * n1 - y2
            K[m, k + 2] += s * n0 * n2 - y1
            K[m + 2, k] += s * n0 * n2 + y1
            K[m + 1, k + 2] += s * n1 * n2 + y0
            K[m + 2, k + 1] += s * n1 * n2 - y0
    corotated = square_sum(F) + 3.0 - 2.0 * trace
    return 0.5 * p * corotated + 0.5 * q * away * away + V * (active * l + strength * work)


@point
def _turns(B: Any, F: Any, R: Any, trace: float, room: Any) -> None:
    """Write t and G^-1 t of the twelve movements, rows 10 to 21 and 22 to 33 of the room."""
    s00 = R[0, 0] * F[0, 0] + R[1, 0] * F[1, 0] + R[2, 0] * F[2, 0]
    s11 = R[0, 1] * F[0, 1] + R[1, 1] * F[1, 1] + R[2, 1] * F[2, 1]
    s22 = R[0, 2] * F[0, 2] + R[1, 2] * F[1, 2] + R[2, 2] * F[2, 2]
    g01 = -(R[0, 0] * F[0, 1] + R[1, 0] * F[1, 1] + R[2, 0] * F[2, 1])
    g02 = -(R[0, 0] * F[0, 2] + R[1, 0] * F[1, 2] + R[2, 0] * F[2, 2])
    g12 = -(R[0, 1] * F[0, 2] + R[1, 1] * F[1, 2] + R[2, 1] * F[2, 2])
    g00, g11, g22 = trace - s00, trace - s11, trace - s22
    i00, i01, i02 = g11 * g22 - g12 * g12, g02 * g12 - g01 * g22, g01 * g12 - g02 * g11
    i11, i12, i22 = g00 * g22 - g02 * g02, g01 * g02 - g00 * g12, g00 * g11 - g01 * g01
    over = 1.0 / (g00 * i00 + g01 * i01 + g02 * i02)
    t, u = room[10:22], room[22:34]
    for a in range(len(B)):
        for i in range(3):
            m = 3 * a + i
            t0 = B[a, 1] * R[i, 2] - B[a, 2] * R[i, 1]
            t1 = B[a, 2] * R[i, 0] - B[a, 0] * R[i, 2]
            t2 = B[a, 0] * R[i, 1] - B[a, 1] * R[i, 0]
            t[m, 0], t[m, 1], t[m, 2] = t0, t1, t2
            u[m, 0] = over * (i00 * t0 + i01 * t1 + i02 * t2)
            u[m, 1] = over * (i01 * t0 + i11 * t1 + i12 * t2)
            u[m, 2] = over * (i02 * t0 + i12 * t1 + i22 * t2)
