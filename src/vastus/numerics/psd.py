"""Symmetric 9x9 blocks, projected on those that are positive semi-definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.eigen import decompose
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Floats

CHUNKS = 64  # of the blocks, shared out among the threads


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
