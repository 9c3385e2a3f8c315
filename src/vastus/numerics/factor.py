"""MKL PARDISO through ctypes: sparse Cholesky with the symbolic analysis kept.

The interface of MKL is called directly because it keeps the analysis, takes the upper triangle
only, and lets iterative refinement be turned off, which halves the back-solve.

Factorisations of symmetric positive definite sparse matrices behind one small interface.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

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


pardiso = sys.modules[__name__]


class Factor(Protocol):
    """Factors of matrices with one pattern: the upper triangle in CSR, columns sorted."""

    entries: int  # of the factor, or an estimate of their number

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""


class SuperLU:
    """The portable fallback: LU without row exchanges, so its pivots tell definiteness."""

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        n = len(indptr) - 1
        self.entries = 20 * len(indices)
        self._upper = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n))

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""
        self._upper.data = np.asarray(values, float)
        full = self._upper + self._upper.T
        full.setdiag(self._upper.diagonal())
        try:
            self._lu = splu(
                full.tocsc(),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # exactly singular
            return False
        kept_diagonal = np.array_equal(self._lu.perm_r, self._lu.perm_c)
        return bool(kept_diagonal and (self._lu.U.diagonal() > 0).all())

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""
        return self._lu.solve(np.asarray(b, float))


class Empty:
    """The factor of a matrix without rows, which no library takes."""

    entries = 0

    def factor(self, values: Floats) -> bool:
        """Nothing is positive definite."""
        return True

    def solve(self, b: Floats) -> Floats:
        """Nothing solves nothing."""
        return b


FACTORS: dict[str, tuple[Callable[[], bool], Callable[[Ints, Ints], Factor]]] = {
    "pardiso": (lambda: pardiso.library() is not None, pardiso.Pardiso),
    "superlu": (lambda: True, SuperLU),
}


def best_factor() -> str:
    """The name of the fastest factorisation that this machine has."""
    return next(name for name, (available, _) in FACTORS.items() if available())


def make_factor(indptr: Ints, indices: Ints) -> Factor:
    """The fastest factorisation available, analysed for this pattern."""
    if len(indptr) == 1:
        return Empty()
    return FACTORS[best_factor()][1](indptr, indices)
