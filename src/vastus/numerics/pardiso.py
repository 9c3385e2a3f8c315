"""MKL PARDISO through ctypes: sparse Cholesky with the symbolic analysis kept.

The interface of MKL is called directly because it keeps the analysis, takes the upper triangle
only, and lets iterative refinement be turned off, which halves the back-solve.
"""

from __future__ import annotations

import ctypes
import weakref
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
    """Cholesky factors of symmetric matrices that share one upper-triangular CSR pattern.

    `entries` is the number of entries of the factor.
    """

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        values = np.zeros(len(indices))
        # The analysis does not depend on the values of a definite matrix; a diagonal will do.
        self._diagonal = indptr[:-1]
        values[self._diagonal] = 1.0
        self._matrix: list[np.ndarray] = [values, indptr.astype(np.int32), indices.astype(np.int32)]
        self._memory = _Memory()
        # Not __del__: numpy may be gone by the time the interpreter calls it.
        weakref.finalize(self, _call, self._memory, _RELEASE, self._matrix)
        _call(self._memory, _ANALYSE, self._matrix)
        self.entries = int(self._memory.options[17])

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""
        # PARDISO overlooks a negative scalar that is coupled to no other.
        if not (values[self._diagonal] > 0).all():
            return False
        self._matrix[0] = np.ascontiguousarray(values)
        if _call(self._memory, _FACTOR, self._matrix):
            return False
        # On several threads a pivot that is not positive may go unnoticed and spread as NaN.
        return bool(np.isfinite(self.solve(np.ones(len(self._diagonal)))).all())

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""
        rhs = np.asfortranarray(b, dtype=float)
        x = np.zeros_like(rhs, order="F")
        _call(self._memory, _SOLVE, self._matrix, rhs, x)
        return x


class _Memory:
    """PARDISO's handle and settings: own settings, METIS, two-level factor, zero-based."""

    def __init__(self) -> None:
        self.handle = np.zeros(64, np.int64)
        self.options = np.zeros(64, np.int32)
        self.options[[0, 1, 23, 34]] = 1, 2, 1, 1
        self.options[17] = -1  # report the factor's entries


def _call(
    memory: _Memory,
    phase: int,
    matrix: list[np.ndarray],
    b: Floats | None = None,
    x: Floats | None = None,
) -> int:
    mkl = library()
    assert mkl is not None
    error = ctypes.c_int(0)
    columns = 1 if b is None or b.ndim == 1 else b.shape[1]
    size = len(matrix[1]) - 1
    mkl.pardiso(
        _address(memory.handle),
        *(_number(v) for v in (1, 1, _SPD, phase, size)),
        *(_address(part) for part in matrix),
        None,
        _number(columns),
        _address(memory.options),
        _number(0),
        None if b is None else _address(b),
        None if x is None else _address(x),
        ctypes.byref(error),
    )
    if error.value not in (0, _NOT_POSITIVE):
        raise MemoryError(f"PARDISO stopped with error {error.value} in phase {phase}")
    return error.value


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _number(value: int) -> object:
    return ctypes.byref(ctypes.c_int(value))
