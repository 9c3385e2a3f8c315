"""Strain and forces of a tet from its edges (theory, "Finite volumes").

Numbers of several tets lie side by side: an array has a row for each number and a column for each
tet, of which a function does column `k`. Rows of edges are E[3 a + r] with their coordinates r, of
matrices F[3 r + c], of symmetric ones the six xx, yy, zz, yz, xz, xy. Rows B[3 a + c] are the
columns b_a of Bm = V Dm^-T: a third of the outward faces, with their areas, that meet where edge
a ends, of the tet at rest; B[9] = 1/V. Nothing here loops: the loop over columns is to be the
innermost, so that compilers make vectors of it.
"""

from __future__ import annotations

from typing import Any

from vastus.numerics.jit import point


@point
def gradient(E: Any, B: Any, k: int, F: Any) -> None:
    """Write the deformation gradient F = Ds Dm^-1 = Ds Bm^T/V."""
    _gradient_column(E, B, 0, k, F)
    _gradient_column(E, B, 1, k, F)
    _gradient_column(E, B, 2, k, F)


@point
def _gradient_column(E: Any, B: Any, c: int, k: int, F: Any) -> None:
    w = B[9, k]
    b0, b1, b2 = w * B[c, k], w * B[3 + c, k], w * B[6 + c, k]
    F[c, k] = E[0, k] * b0 + E[3, k] * b1 + E[6, k] * b2
    F[3 + c, k] = E[1, k] * b0 + E[4, k] * b1 + E[7, k] * b2
    F[6 + c, k] = E[2, k] * b0 + E[5, k] * b1 + E[8, k] * b2


@point
def strain(E: Any, B: Any, k: int, G: Any) -> None:
    """Write Green's strain by the dot products of edges: Dm^T G Dm = (Ds^T Ds - Dm^T Dm)/2."""
    dots = _dot(E, 0, 0, k), _dot(E, 3, 3, k), _dot(E, 6, 6, k)
    mixed = _dot(E, 3, 6, k), _dot(E, 0, 6, k), _dot(E, 0, 3, k)
    w = 0.5 * B[9, k] * B[9, k]
    x = _times(dots, mixed, w * B[0, k], w * B[3, k], w * B[6, k])
    y = _times(dots, mixed, w * B[1, k], w * B[4, k], w * B[7, k])
    z = _times(dots, mixed, w * B[2, k], w * B[5, k], w * B[8, k])
    G[0, k] = x[0] * B[0, k] + x[1] * B[3, k] + x[2] * B[6, k] - 0.5
    G[1, k] = y[0] * B[1, k] + y[1] * B[4, k] + y[2] * B[7, k] - 0.5
    G[2, k] = z[0] * B[2, k] + z[1] * B[5, k] + z[2] * B[8, k] - 0.5
    G[3, k] = y[0] * B[2, k] + y[1] * B[5, k] + y[2] * B[8, k]
    G[4, k] = x[0] * B[2, k] + x[1] * B[5, k] + x[2] * B[8, k]
    G[5, k] = x[0] * B[1, k] + x[1] * B[4, k] + x[2] * B[7, k]


@point
def _dot(E: Any, a: int, b: int, k: int) -> Any:
    return E[a, k] * E[b, k] + E[a + 1, k] * E[b + 1, k] + E[a + 2, k] * E[b + 2, k]


@point
def _times(dots: Any, mixed: Any, u: Any, v: Any, w: Any) -> Any:
    """The symmetric matrix of edges' dot products times (u, v, w)."""
    return (
        dots[0] * u + mixed[2] * v + mixed[1] * w,
        mixed[2] * u + dots[1] * v + mixed[0] * w,
        mixed[1] * u + mixed[0] * v + dots[2] * w,
    )


@point
def first_piola(F: Any, S: Any, k: int, P: Any) -> None:
    """Write P = F S of a second Piola-Kirchhoff stress S (six rows)."""
    _stress_row(F, S, 0, k, P)
    _stress_row(F, S, 3, k, P)
    _stress_row(F, S, 6, k, P)


@point
def _stress_row(F: Any, S: Any, r: int, k: int, P: Any) -> None:
    x, y, z = F[r, k], F[r + 1, k], F[r + 2, k]
    P[r, k] = x * S[0, k] + y * S[5, k] + z * S[4, k]
    P[r + 1, k] = x * S[5, k] + y * S[1, k] + z * S[3, k]
    P[r + 2, k] = x * S[4, k] + y * S[3, k] + z * S[2, k]


@point
def add_first_piola(F: Any, S: Any, k: int, P: Any) -> None:
    """Add F S of a second Piola-Kirchhoff stress S (six rows) to P."""
    _add_stress_row(F, S, 0, k, P)
    _add_stress_row(F, S, 3, k, P)
    _add_stress_row(F, S, 6, k, P)


@point
def _add_stress_row(F: Any, S: Any, r: int, k: int, P: Any) -> None:
    x, y, z = F[r, k], F[r + 1, k], F[r + 2, k]
    P[r, k] += x * S[0, k] + y * S[5, k] + z * S[4, k]
    P[r + 1, k] += x * S[5, k] + y * S[1, k] + z * S[3, k]
    P[r + 2, k] += x * S[4, k] + y * S[3, k] + z * S[2, k]


@point
def add_cofactors(F: Any, m: Any, s: Any, k: int, P: Any) -> None:
    """Add m F + s cof F, the stress of a law of |F|^2 and det F, to P."""
    _add_cofactor_row(F, m, s, (0, 3, 6), k, P)
    _add_cofactor_row(F, m, s, (3, 6, 0), k, P)
    _add_cofactor_row(F, m, s, (6, 0, 3), k, P)


@point
def _add_cofactor_row(F: Any, m: Any, s: Any, rows: Any, k: int, P: Any) -> None:
    r, i, j = rows
    P[r, k] += m * F[r, k] + s * (F[i + 1, k] * F[j + 2, k] - F[i + 2, k] * F[j + 1, k])
    P[r + 1, k] += m * F[r + 1, k] + s * (F[i + 2, k] * F[j, k] - F[i, k] * F[j + 2, k])
    P[r + 2, k] += m * F[r + 2, k] + s * (F[i, k] * F[j + 1, k] - F[i + 1, k] * F[j, k])


@point
def faces(E: Any, k: int, B: Any) -> None:
    """Write Bs = v Ds^-T, the faces b_a of the tet as it is: cross products of its edges over 6."""
    _face(E, 3, 6, k, B, 0)
    _face(E, 6, 0, k, B, 3)
    _face(E, 0, 3, k, B, 6)


@point
def _face(E: Any, i: int, j: int, k: int, B: Any, a: int) -> None:
    sixth = 1.0 / 6.0
    B[a, k] = (E[i + 1, k] * E[j + 2, k] - E[i + 2, k] * E[j + 1, k]) * sixth
    B[a + 1, k] = (E[i + 2, k] * E[j, k] - E[i, k] * E[j + 2, k]) * sixth
    B[a + 2, k] = (E[i, k] * E[j + 1, k] - E[i + 1, k] * E[j, k]) * sixth


@point
def cauchy(F: Any, J: Any, k: int, P: Any) -> None:
    """Turn a first Piola-Kirchhoff stress P into Cauchy's, P F^T/J."""
    _cauchy_row(F, 1.0 / J, 0, k, P)
    _cauchy_row(F, 1.0 / J, 3, k, P)
    _cauchy_row(F, 1.0 / J, 6, k, P)


@point
def _cauchy_row(F: Any, w: Any, r: int, k: int, P: Any) -> None:
    x, y, z = w * P[r, k], w * P[r + 1, k], w * P[r + 2, k]
    P[r, k] = x * F[0, k] + y * F[1, k] + z * F[2, k]
    P[r + 1, k] = x * F[3, k] + y * F[4, k] + z * F[5, k]
    P[r + 2, k] = x * F[6, k] + y * F[7, k] + z * F[8, k]


@point
def pushes(P: Any, B: Any, k: int, H: Any) -> None:
    """Write the forces g_a = P b_a on the ends of the three edges, H[3 a + r]: G = P Bm.

    With Cauchy's stress and the faces as they are it is G = sigma Bs.
    """
    _push(P, B, 0, k, H)
    _push(P, B, 3, k, H)
    _push(P, B, 6, k, H)


@point
def _push(P: Any, B: Any, a: int, k: int, H: Any) -> None:
    x, y, z = B[a, k], B[a + 1, k], B[a + 2, k]
    H[a, k] = P[0, k] * x + P[1, k] * y + P[2, k] * z
    H[a + 1, k] = P[3, k] * x + P[4, k] * y + P[5, k] * z
    H[a + 2, k] = P[6, k] * x + P[7, k] * y + P[8, k] * z


@point
def last_push(H: Any, r: int, k: int) -> Any:
    """The force on the corner where the edges begin, g_0 = -(g_1 + g_2 + g_3)."""
    return -(H[r, k] + H[3 + r, k] + H[6 + r, k])


@point
def sizes(F: Any, k: int, at: Any) -> None:
    """Write |F|^2 and det F into at[0] and at[1]."""
    total = F[0, k] * F[0, k] + F[1, k] * F[1, k] + F[2, k] * F[2, k]
    total += F[3, k] * F[3, k] + F[4, k] * F[4, k] + F[5, k] * F[5, k]
    at[0, k] = total + F[6, k] * F[6, k] + F[7, k] * F[7, k] + F[8, k] * F[8, k]
    J = F[0, k] * (F[4, k] * F[8, k] - F[5, k] * F[7, k])
    J += F[1, k] * (F[5, k] * F[6, k] - F[3, k] * F[8, k])
    at[1, k] = J + F[2, k] * (F[3, k] * F[7, k] - F[4, k] * F[6, k])


@point
def strain_rate(F: Any, D: Any, eta: Any, k: int, S: Any) -> None:
    """Write eta sym(F^T F'), the rate of Green's strain for the gradient D = F' of velocities."""
    half = 0.5 * eta
    S[0, k] = eta * _columns(F, D, 0, 0, k)
    S[1, k] = eta * _columns(F, D, 1, 1, k)
    S[2, k] = eta * _columns(F, D, 2, 2, k)
    S[3, k] = half * (_columns(F, D, 1, 2, k) + _columns(F, D, 2, 1, k))
    S[4, k] = half * (_columns(F, D, 0, 2, k) + _columns(F, D, 2, 0, k))
    S[5, k] = half * (_columns(F, D, 0, 1, k) + _columns(F, D, 1, 0, k))


@point
def _columns(F: Any, D: Any, i: int, j: int, k: int) -> Any:
    return F[i, k] * D[j, k] + F[3 + i, k] * D[3 + j, k] + F[6 + i, k] * D[6 + j, k]
