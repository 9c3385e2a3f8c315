"""Convex quadratic programs of few unknowns, by a dual active-set method (DAQP).

    minimise 1/2 x^T H x + f^T x   subject to   low <= x <= high,   A x = b

Such a method ends at the exact optimum after finitely many steps. An unknown that rounding left
beside its limit is put there: an idle muscle has its least activation, and not nearly.
"""

from __future__ import annotations

import numpy as np

from vastus.errors import SolveError
from vastus.numerics.types import Floats

EXACT = 1e-9  # by how much a constraint may be broken, each row scaled to length 1
ROUNDING = 1e-12  # how near to a limit an unknown is at it
_EQUALITY = 5  # how DAQP marks a constraint that holds with equality
_ENDS = {-1: "its limits contradict each other", -3: "it is unbounded", -4: "it took too long"}


def quadratic_program(
    H: Floats, f: Floats, *, A: Floats, b: Floats, low: Floats, high: Floats
) -> Floats:
    """(n,) the least of 1/2 x^T H x + f^T x with low <= x <= high (n,) and A x = b (k, n), (k,).

    H (n, n) is positive definite. Limits may be infinite. A `SolveError` says why there is none.
    """
    import daqp  # a compiled module, which nothing else needs

    rows, upper, lower = np.zeros((0, len(f))), np.array(high, float), np.array(low, float)
    if len(b):
        size = np.maximum(np.linalg.norm(A, axis=1), np.finfo(float).tiny)
        rows, right = np.ascontiguousarray(A / size[:, None], float), b / size
        upper, lower = np.concatenate([high, right]), np.concatenate([low, right])
    kinds = np.zeros(len(upper), np.int32)
    kinds[len(f) :] = _EQUALITY
    x, _, ended, _ = daqp.solve(
        np.array(H, float), np.array(f, float), rows, upper, lower, kinds, primal_tol=EXACT
    )
    if ended < 1:
        why = _ENDS.get(int(ended), f"the method ended with code {int(ended)}")
        raise SolveError(f"a quadratic program of {len(f)} unknowns has no solution: {why}")
    x = np.where(x < low + ROUNDING, low, x)
    return np.asarray(np.where(x > high - ROUNDING, high, x))
