"""MKL PARDISO through ctypes: sparse Cholesky with the symbolic analysis kept.

The interface of MKL is called directly because it keeps the analysis, takes the upper triangle
only, and lets iterative refinement be turned off, which halves the back-solve.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np

from vastus.numerics import jit  # noqa: F401  (sets the OpenMP policy before MKL is loaded)
from vastus.numerics.types import Floats, Ints

_SPD = 2
_ANALYSE, _FACTOR, _SOLVE, _RELEASE = 11, 22, 33, -1
_NOT_POSITIVE = -4


@cache
def library() -> ctypes.CDLL | None:
    """MKL's run-time library, or None where its package is not installed."""
    try:
        listed = files("mkl") or []
    except PackageNotFoundError:
        return None
    for entry in listed:
        if Path(str(entry)).name.startswith(("libmkl_rt.so", "mkl_rt.")):
            try:
                return ctypes.CDLL(str(Path(str(entry.locate())).resolve()))
            except OSError:
                continue
    return None


class Pardiso:
    """Cholesky factors of symmetric matrices that share one upper-triangular CSR pattern."""

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        self._handle = np.zeros(64, np.int64)
        self._options = np.zeros(64, np.int32)
        self._options[[0, 1, 23, 34]] = 1, 2, 1, 1  # own settings, METIS, two-level, zero-based
        self._indptr = indptr.astype(np.int32)
        self._indices = indices.astype(np.int32)
        self._n = len(indptr) - 1
        self._values = np.zeros(len(indices))
        # The analysis looks at values only for indefinite matrices; a diagonal will do.
        self._values[self._indptr[:-1]] = 1.0
        self._run(_ANALYSE)

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""
        self._values = np.ascontiguousarray(values)
        return self._run(_FACTOR) == 0

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""
        rhs = np.asfortranarray(b, dtype=float)
        x = np.zeros_like(rhs, order="F")
        self._run(_SOLVE, rhs, x)
        return x

    def _run(self, phase: int, b: Floats | None = None, x: Floats | None = None) -> int:
        library_ = library()
        assert library_ is not None
        error = ctypes.c_int(0)
        columns = 1 if b is None or b.ndim == 1 else b.shape[1]
        numbers = [ctypes.byref(ctypes.c_int(v)) for v in (1, 1, _SPD, phase, self._n)]
        library_.pardiso(
            _address(self._handle),
            *numbers,
            _address(self._values),
            _address(self._indptr),
            _address(self._indices),
            None,
            ctypes.byref(ctypes.c_int(columns)),
            _address(self._options),
            ctypes.byref(ctypes.c_int(0)),
            None if b is None else _address(b),
            None if x is None else _address(x),
            ctypes.byref(error),
        )
        if error.value not in (0, _NOT_POSITIVE):
            raise MemoryError(f"PARDISO stopped with error {error.value} in phase {phase}")
        return error.value

    def __del__(self) -> None:
        if library() is not None and hasattr(self, "_values"):
            self._run(_RELEASE)


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
