"""The forces of a tet as finite elements in graphics wrote them when the paper appeared.

J. O'Brien and J. Hodgins, Graphical modeling and animation of brittle fracture, SIGGRAPH 1999:

    f_i = -V/2 sum_j p_j sum_kl beta_jl beta_ik s_kl

with the corners p_j, the barycentric basis beta = [[Dm^-1], [rows that sum to zero]] and a stress s
of the material frame. The sums over k and l for all pairs of corners are the 288 multiplications
that the paper counts. Arrays are as those of `energies.finite_volumes.forms`.
"""

from __future__ import annotations

import numpy as np

from vastus.energies.finite_volumes.forms import faces, first_piola, last_push, pushes
from vastus.numerics.jit import kernel, point, prange


@point
def pair_sums(beta, S, k, W):  # type: ignore[no-untyped-def]
    """Write W[4 i + j] = sum_kl beta_jl beta_ik s_kl for the corners i, j of column k.

    Rows beta[3 i + k] are the basis of corner i; S are nine rows of a stress.
    """
    for i in range(4):
        for j in range(4):
            total = beta[3 * j, k] * beta[3 * i, k] * S[0, k]
            for r in range(3):
                for c in range(3):
                    if r + c > 0:
                        total = total + beta[3 * j + c, k] * beta[3 * i + r, k] * S[3 * r + c, k]
            W[4 * i + j, k] = total


@point
def corner_forces(p, W, k, f):  # type: ignore[no-untyped-def]
    """Write f[3 i + r] = sum_j p[3 j + r] W[4 i + j], the forces but for -V/2."""
    for i in range(4):
        for r in range(3):
            total = p[r, k] * W[4 * i, k]
            for j in range(1, 4):
                total = total + p[3 * j + r, k] * W[4 * i + j, k]
            f[3 * i + r, k] = total


@kernel
def all_cited(p, beta, S, f):  # type: ignore[no-untyped-def]
    """Forces f (12, m) of all tets from corners p (12, m), basis (12, m) and stresses S (9, m)."""
    for e in prange(p.shape[1]):
        W = np.empty((16, 1))
        pair_sums(beta[:, e : e + 1], S[:, e : e + 1], 0, W)
        corner_forces(p[:, e : e + 1], W, 0, f[:, e : e + 1])


@kernel
def all_piola(F, S, B, f):  # type: ignore[no-untyped-def]
    """Forces f (12, m) from gradients F (9, m), stresses S (6, m) and faces at rest B (9, m)."""
    for e in prange(F.shape[1]):
        P, H = np.empty((9, 1)), np.empty((9, 1))
        first_piola(F[:, e : e + 1], S[:, e : e + 1], 0, P)
        pushes(P, B[:, e : e + 1], 0, H)
        for r in range(9):
            f[3 + r, e] = H[r, 0]
        for r in range(3):
            f[r, e] = last_push(H, r, 0)


@kernel
def all_cauchy(E, sigma, f):  # type: ignore[no-untyped-def]
    """Forces f (12, m) from edges E (9, m) and Cauchy's stress (9, m)."""
    for e in prange(E.shape[1]):
        B, H = np.empty((9, 1)), np.empty((9, 1))
        faces(E[:, e : e + 1], 0, B)
        pushes(sigma[:, e : e + 1], B, 0, H)
        for r in range(9):
            f[3 + r, e] = H[r, 0]
        for r in range(3):
            f[r, e] = last_push(H, r, 0)
