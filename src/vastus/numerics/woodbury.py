"""Hessians that are 9x9 blocks plus a coupling of low rank, inverted without forming either.

With blocks K and springs w I in series, M = (1/K + 1/w)^-1 is what the rest of the system feels of
an element. It is computed as w (K + w)^-1 K, which cancels nothing however far apart K and w are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.psd import project_psd
from vastus.numerics.types import Bools, Floats

_CHUNKS = 32  # a fixed number, so that sums do not depend on the number of threads


def series(K: Floats, w: Floats, g: Floats) -> tuple[Floats, int]:
    """z = (K + w)^-1 g (m, 9), and K (m, 9, 9) overwritten by the series springs M.

    A block whose K + w is not positive definite is projected first; the second result counts them.
    """
    z = np.empty_like(g)
    bad = np.zeros(len(K), np.bool_)
    _series(K, w, g, z, bad)
    some = np.flatnonzero(bad)
    if len(some):
        fixed, solved = K[some], np.empty((len(some), 9))
        project_psd(fixed)
        still: Bools = np.zeros(len(some), np.bool_)
        _series(fixed, w[some], g[some], solved, still)
        K[some], z[some] = fixed, solved
    return z, len(some)


def times(M: Floats, v: Floats) -> Floats:
    """(m, 9) the products of blocks M (m, 9, 9) with v (m, 9)."""
    out = np.empty_like(v)
    _times(M, v, out)
    return out


def reduce(M: Floats, B: Floats) -> Floats:
    """(3 k, 3 k) Bᵀ M B for blocks M (m, 9, 9) and gradients of scalar modes B (m, 3, k).

    Index 3 i + r is the mode i along the axis r.
    """
    k = B.shape[2]
    parts = np.zeros((_CHUNKS, 3, 3, k, k))
    _reduce(M, B, parts)
    total = parts.sum(axis=0)
    for r, s in ((1, 0), (2, 0), (2, 1)):
        total[r, s] = total[s, r].T
    return total.transpose(2, 0, 3, 1).reshape(3 * k, 3 * k)


def restrict(B: Floats, S: Floats) -> Floats:
    """(k, 3) Bᵀ S of tensors S (m, 3, 3) with gradients of scalar modes B (m, 3, k)."""
    parts = np.zeros((_CHUNKS, B.shape[2], 3))
    _restrict(B, S, parts)
    return parts.sum(axis=0)


def prolong(B: Floats, c: Floats) -> Floats:
    """(m, 3, 3) the tensors B c of mode coordinates c (k, 3)."""
    out = np.empty((len(B), 3, 3))
    _prolong(B, np.ascontiguousarray(c.T), out)
    return out


@kernel
def _series(K, w, g, z, bad):  # type: ignore[no-untyped-def]
    for e in prange(len(K)):
        L = np.empty((9, 9))
        if _factorise(K[e], w[e], L):
            for i in range(9):
                z[e, i] = g[e, i]
            _solve_vector(L, z[e])
            _solve_rows(L, K[e])
            _symmetrise(K[e], w[e])
        else:
            bad[e] = True


@kernel
def _times(M, v, out):  # type: ignore[no-untyped-def]
    for e in prange(len(M)):
        for i in range(9):
            total = 0.0
            for j in range(9):
                total += M[e, i, j] * v[e, j]
            out[e, i] = total


@kernel
def _reduce(M, B, parts):  # type: ignore[no-untyped-def]
    m, k, chunks = len(M), B.shape[2], len(parts)
    for t in prange(chunks):
        for e in range(t * m // chunks, (t + 1) * m // chunks):
            for r in range(3):
                for s in range(r, 3):
                    _add_pair(M[e, 3 * r : 3 * r + 3, 3 * s : 3 * s + 3], B[e], k, parts[t, r, s])


@kernel
def _restrict(B, S, parts):  # type: ignore[no-untyped-def]
    m, k, chunks = len(B), B.shape[2], len(parts)
    for t in prange(chunks):
        for e in range(t * m // chunks, (t + 1) * m // chunks):
            for i in range(k):
                b0, b1, b2 = B[e, 0, i], B[e, 1, i], B[e, 2, i]
                for r in range(3):
                    parts[t, i, r] += b0 * S[e, r, 0] + b1 * S[e, r, 1] + b2 * S[e, r, 2]


@kernel
def _prolong(B, c, out):  # type: ignore[no-untyped-def]
    k = B.shape[2]
    for e in prange(len(B)):
        for r in range(3):
            for j in range(3):
                total = 0.0
                for i in range(k):
                    total += B[e, j, i] * c[r, i]
                out[e, r, j] = total


@point
def _add_pair(M: Any, B: Any, k: int, out: Any) -> None:
    """Add Bᵀ M B for one 3x3 block M and B (3, k)."""
    for i in range(k):
        b0, b1, b2 = B[0, i], B[1, i], B[2, i]
        t0 = b0 * M[0, 0] + b1 * M[1, 0] + b2 * M[2, 0]
        t1 = b0 * M[0, 1] + b1 * M[1, 1] + b2 * M[2, 1]
        t2 = b0 * M[0, 2] + b1 * M[1, 2] + b2 * M[2, 2]
        for j in range(k):
            out[i, j] += t0 * B[0, j] + t1 * B[1, j] + t2 * B[2, j]


@point
def _factorise(K: Any, w: float, L: Any) -> bool:
    """Cholesky's factor L of K + w, its diagonal inverted; False if there is none."""
    for j in range(9):
        s = K[j, j] + w
        for k in range(j):
            s -= L[j, k] * L[j, k]
        if not s > 0.0:
            return False
        inverse = 1.0 / np.sqrt(s)
        L[j, j] = inverse
        for i in range(j + 1, 9):
            s = K[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s * inverse
    return True


@point
def _solve_vector(L: Any, b: Any) -> None:
    for i in range(9):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s * L[i, i]
    for i in range(8, -1, -1):
        s = b[i]
        for k in range(i + 1, 9):
            s -= L[k, i] * b[k]
        b[i] = s * L[i, i]


@point
def _solve_rows(L: Any, A: Any) -> None:
    """Solve for the nine columns of A at once, row by row."""
    for i in range(9):
        for k in range(i):
            for j in range(9):
                A[i, j] -= L[i, k] * A[k, j]
        for j in range(9):
            A[i, j] *= L[i, i]
    for i in range(8, -1, -1):
        for k in range(i + 1, 9):
            for j in range(9):
                A[i, j] -= L[k, i] * A[k, j]
        for j in range(9):
            A[i, j] *= L[i, i]


@point
def _symmetrise(A: Any, w: float) -> None:
    for i in range(9):
        A[i, i] *= w
        for j in range(i):
            mean = 0.5 * w * (A[i, j] + A[j, i])
            A[i, j] = mean
            A[j, i] = mean
