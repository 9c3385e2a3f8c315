"""Cholesky's factors from SuiteSparse's CHOLMOD, which the package cvxopt brings.

It is for machines that MKL is not made for: every Mac, and Linux on ARM.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from vastus.numerics.types import Floats, Ints


class Cholmod:
    """Supernodal factors in double precision; a pattern is analysed once.

    The upper triangle by rows is the lower one by columns, which CHOLMOD takes.
    """

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        n = len(indptr) - 1
        columns = np.repeat(np.arange(n), np.diff(indptr))
        triplets = (np.ones(len(columns)), np.asarray(indices, np.int64), columns)
        self._lower = cvxopt().spmatrix(*map(cvxopt().matrix, triplets), (n, n))
        self._factor = cvxopt().cholmod.symbolic(self._lower, uplo="L")
        self.entries = 20 * len(indices)  # it does not say how many

    @staticmethod
    def available() -> bool:
        """Whether cvxopt is installed."""
        return cvxopt() is not None

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""
        if not np.isfinite(values).all():
            return False
        self._lower.V = cvxopt().matrix(np.asarray(values, float))
        try:
            cvxopt().cholmod.numeric(self._lower, self._factor)
        except ArithmeticError:
            return False
        return True

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""
        x = cvxopt().matrix(np.array(b, float))
        if len(x):
            cvxopt().cholmod.solve(self._factor, x)
        return np.array(x).reshape(np.shape(b))


@cache
def cvxopt() -> Any:
    """The package, or None where it is not installed."""
    try:
        import_module("cvxopt.cholmod")
    except ImportError:
        return None
    from vastus.numerics.jit import lead_threads  # loads the compiler

    lead_threads("cvxopt")
    return import_module("cvxopt")
