"""Conjugate gradients, stopped early: for estimates, and for directions where a factor is dear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vastus.numerics.types import Floats

Apply = Callable[[Floats], Floats]


def conjugate_gradients(
    matrix: Apply, b: Floats, precondition: Apply, *, reduce: float = 0.1, most: int = 60
) -> Floats:
    """An x with matrix x = b, the preconditioned residual at most `reduce` of its start.

    Stops at negative curvature; the first iterate is always a descent direction for -b.
    """
    x = np.zeros_like(b)
    r = b.copy()
    z = precondition(r)
    p = z.copy()
    old = start = float(r @ z)
    for _ in range(most):
        Ap = matrix(p)
        curvature = float(p @ Ap)
        if curvature <= 0.0:
            return x if x.any() else z
        a = old / curvature
        x += a * p
        r -= a * Ap
        z = precondition(r)
        new = float(r @ z)
        if new <= reduce**2 * start:
            break
        p *= new / old
        p += z
        old = new
    return x
