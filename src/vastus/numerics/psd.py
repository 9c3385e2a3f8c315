"""Symmetric 9x9 blocks: which are positive definite, and projection on those that are."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Bools, Floats


def project_psd(H: Floats) -> None:
    """Raise the negative eigenvalues of each symmetric block of H (m, 9, 9) to zero, in place."""
    bad = np.flatnonzero(~positive_definite(H))
    if len(bad):
        values, vectors = np.linalg.eigh(H[bad])
        H[bad] = (vectors * np.maximum(values, 0.0)[:, None, :]) @ np.swapaxes(vectors, 1, 2)


def positive_definite(H: Floats) -> Bools:
    """(m,) whether each symmetric block of H (m, 9, 9) is positive definite."""
    good = np.empty(len(H), dtype=np.bool_)
    _factorise(H, good)
    return good


@kernel
def _factorise(H: Any, good: Any) -> None:
    for e in prange(len(H)):
        good[e] = _has_factor(H[e])


@point
def _has_factor(A: Any) -> bool:
    """Whether Cholesky's factorisation of A (9, 9) succeeds."""
    L = np.empty((9, 9))
    for j in range(9):
        for i in range(j, 9):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j and not s > 0.0:
                return False
            L[i, j] = np.sqrt(s) if i == j else s / L[j, j]
    return True
