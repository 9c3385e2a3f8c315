"""Projection of symmetric 9x9 blocks on the positive semi-definite ones."""

from __future__ import annotations

import numpy as np

from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats


def project_psd(H: Floats) -> None:
    """Clip the negative eigenvalues of the blocks H (m, 9, 9) at zero, in place.

    Most blocks need nothing: a Cholesky factorisation sorts out those that do.
    """
    definite = np.empty(len(H), np.bool_)
    _is_definite(H, definite)
    bad = np.flatnonzero(~definite)
    values, vectors = np.linalg.eigh(H[bad])
    H[bad] = (vectors * np.maximum(values, 0.0)[:, None, :]) @ np.swapaxes(vectors, 1, 2)


@kernel
def _is_definite(H, out):  # type: ignore[no-untyped-def]
    for e in prange(len(H)):
        L = np.empty((9, 9))
        good = True
        for i in range(9):
            for j in range(i + 1):
                rest = H[e, i, j]
                for k in range(j):
                    rest -= L[i, k] * L[j, k]
                if i > j:
                    L[i, j] = rest / L[j, j]
                elif rest > 0.0:
                    L[i, i] = np.sqrt(rest)
                else:
                    good = False
                    L[i, i] = 1.0
        out[e] = good
