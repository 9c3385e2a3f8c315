"""Symmetric 9x9 blocks, projected on those that are positive semi-definite.

Eigenvalues come from Householder's reflections and implicit QL sweeps, as in EISPACK's `tred2` and
`tql2`: a call of LAPACK per block costs three times as much and cannot run in a parallel loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Floats

N = 9
SWEEPS = 40  # QL needs two or three per eigenvalue
EPS = 2.2e-16
CHUNKS = 64  # of the blocks, shared out among the threads


@point
def decompose(V: Any, d: Any, e: Any) -> None:
    """Replace symmetric V (9, 9) by its eigenvectors, in rows, and d (9,) by its eigenvalues.

    `e` (9,) is room to work in.
    """
    _tridiagonalise(V, d, e)
    _transpose(V)
    f, scale = 0.0, 0.0
    for i in range(1, N):
        e[i - 1] = e[i]
    e[N - 1] = 0.0
    for l in range(N):
        scale = max(scale, abs(d[l]) + abs(e[l]))
        m = l
        while m < N - 1 and abs(e[m]) > EPS * scale:
            m += 1
        sweep = 0
        while m > l and abs(e[l]) > EPS * scale and sweep < SWEEPS:
            f += _shift(d, e, l)
            _sweep(V, d, e, l, m)
            sweep += 1
        d[l] += f
        e[l] = 0.0


@point
def _tridiagonalise(V: Any, d: Any, e: Any) -> None:
    """Bring V to the diagonal d and the subdiagonal e[1:], and leave the transformation in V."""
    for j in range(N):
        d[j] = V[N - 1, j]
    for i in range(N - 1, 0, -1):
        scale = 0.0
        for k in range(i):
            scale += abs(d[k])
        if scale == 0.0:
            e[i] = d[i - 1]
            for j in range(i):
                d[j] = V[i - 1, j]
                V[i, j] = V[j, i] = 0.0
            d[i] = 0.0
        else:
            d[i] = _reflect(V, d, e, i, scale)
    _accumulate(V, d)
    e[0] = 0.0


@point
def _reflect(V: Any, d: Any, e: Any, i: int, scale: float) -> float:
    """Clear row i left of the subdiagonal; returns half the square of the reflection's vector."""
    h = 0.0
    for k in range(i):
        d[k] /= scale
        h += d[k] * d[k]
    f = d[i - 1]
    g = -np.sqrt(h) if f > 0 else np.sqrt(h)
    e[i] = scale * g
    h -= f * g
    d[i - 1] = f - g
    for j in range(i):
        e[j] = 0.0
    for j in range(i):
        f = d[j]
        V[j, i] = f
        g = e[j] + V[j, j] * f
        for k in range(j + 1, i):
            g += V[k, j] * d[k]
            e[k] += V[k, j] * f
        e[j] = g
    f = 0.0
    for j in range(i):
        e[j] /= h
        f += e[j] * d[j]
    for j in range(i):
        e[j] -= 0.5 * f / h * d[j]
    for j in range(i):
        f, g = d[j], e[j]
        for k in range(j, i):
            V[k, j] -= f * e[k] + g * d[k]
        d[j] = V[i - 1, j]
        V[i, j] = 0.0
    return h


@point
def _accumulate(V: Any, d: Any) -> None:
    """Multiply the reflections, whose vectors stand in V; the diagonal comes into d."""
    for i in range(N - 1):
        V[N - 1, i] = V[i, i]
        V[i, i] = 1.0
        h = d[i + 1]
        if h != 0.0:
            for k in range(i + 1):
                d[k] = V[k, i + 1] / h
            for j in range(i + 1):
                g = 0.0
                for k in range(i + 1):
                    g += V[k, i + 1] * V[k, j]
                for k in range(i + 1):
                    V[k, j] -= g * d[k]
        for k in range(i + 1):
            V[k, i + 1] = 0.0
    for j in range(N):
        d[j] = V[N - 1, j]
        V[N - 1, j] = 0.0
    V[N - 1, N - 1] = 1.0


@point
def _transpose(V: Any) -> None:
    for i in range(N):
        for j in range(i):
            V[i, j], V[j, i] = V[j, i], V[i, j]


@point
def _shift(d: Any, e: Any, l: int) -> float:
    """Shift the diagonal from l on by Wilkinson's estimate of an eigenvalue, and return it."""
    g = d[l]
    p = (d[l + 1] - g) / (2.0 * e[l])
    r = np.sqrt(p * p + 1.0)
    if p < 0:
        r = -r
    d[l] = e[l] / (p + r)
    d[l + 1] = e[l] * (p + r)
    h = g - d[l]
    for i in range(l + 2, N):
        d[i] -= h
    return h


@point
def _sweep(V: Any, d: Any, e: Any, l: int, m: int) -> None:
    """One implicit QL sweep from m up to l; the rows of V turn with it."""
    last, beside, p = d[l + 1], e[l + 1], d[m]
    c = c2 = c3 = 1.0
    s = s2 = 0.0
    for i in range(m - 1, l - 1, -1):
        c3, c2, s2 = c2, c, s
        g, h = c * e[i], c * p
        r = np.sqrt(p * p + e[i] * e[i])
        e[i + 1] = s * r
        s, c = e[i] / r, p / r
        p = c * d[i] - s * g
        d[i + 1] = h + s * (c * g + s * d[i])
        for k in range(N):
            h = V[i + 1, k]
            V[i + 1, k] = s * V[i, k] + c * h
            V[i, k] = c * V[i, k] - s * h
    p = -s * s2 * c3 * beside * e[l] / last
    e[l] = s * p
    d[l] = c * p


def project_psd(H: Floats) -> None:
    """Raise the negative eigenvalues of each symmetric block of H (m, 9, 9) to zero, in place."""
    _project(H, np.empty((CHUNKS, 16, 9)))


@kernel
def _project(H, scratch):  # type: ignore[no-untyped-def]
    chunks = len(scratch)
    for chunk in prange(chunks):
        V, d, e = scratch[chunk, :9], scratch[chunk, 9], scratch[chunk, 10]
        for block in range(chunk * len(H) // chunks, (chunk + 1) * len(H) // chunks):
            A = H[block]
            if not _has_factor(A, V):
                for i in range(9):
                    for j in range(9):
                        V[i, j] = A[i, j]
                decompose(V, d, e)
                _lift(A, V, d)


@point
def _has_factor(A: Any, L: Any) -> bool:
    """Whether Cholesky's factorisation of A (9, 9) succeeds; L is room for it."""
    for j in range(9):
        for i in range(j, 9):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j and not s > 0.0:
                return False
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return True


@point
def _lift(A: Any, V: Any, d: Any) -> None:
    """Take the part of A with negative eigenvalues d away; V holds the eigenvectors in rows."""
    for k in range(9):
        if d[k] < 0.0:
            for i in range(9):
                t = d[k] * V[k, i]
                for j in range(9):
                    A[i, j] -= t * V[k, j]
