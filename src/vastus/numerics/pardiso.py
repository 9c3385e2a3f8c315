"""Cholesky's factors from MKL's PARDISO."""

from __future__ import annotations

import ctypes
import weakref
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from vastus.errors import SolveError
from vastus.numerics.types import Floats, Ints

# PARDISO's numbers: real symmetric positive definite, its phases, and one of its errors.
_SPD = 2
_ANALYSE, _FACTOR, _SOLVE, _RELEASE = 11, 22, 33, -1
_NOT_POSITIVE = -4


class Pardiso:
    """Cholesky's factors from MKL's PARDISO, called directly.

    That keeps the analysis, takes the upper triangle only, and does without the refinement of
    solutions, which would double the time of a back-solve.
    """

    number: type[np.floating] = np.float64
    tolerated = 1e-10  # a backward error that no Cholesky factorisation makes by round-off

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        n = len(indptr) - 1
        pattern = np.zeros(len(indices)), indices.astype(np.int32), indptr.astype(np.int32)
        self._upper = csr_matrix(pattern, shape=(n, n))
        self._diagonal = indptr[:-1]
        # The analysis does not depend on the values of a definite matrix; a diagonal will do.
        self._upper.data[self._diagonal] = 1.0
        self._given = self._upper.astype(self.number)  # what PARDISO reads
        self._probe = np.random.default_rng(0).standard_normal(n)
        self._several = self._analysed(threads=mkl().MKL_Get_Max_Threads())
        self._memory = self._several
        self.entries = int(self._memory.options[17])

    @staticmethod
    def available() -> bool:
        """Whether MKL's run-time library is installed."""
        return run_time() is not None

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""
        # PARDISO overlooks a negative scalar that is coupled to no other.
        if not (values[self._diagonal] > 0).all():
            return False
        self._upper.data = np.ascontiguousarray(values)
        self._given.data = self._upper.data.astype(self.number, copy=False)
        if not self._factored(self._several):
            return False
        if self._error() <= self.tolerated:
            return True
        # On several threads a pivot that is not positive may go unnoticed: ask one thread.
        if not self._factored(self._alone):
            return False
        error = self._error()
        if error > self.tolerated:
            raise SolveError(f"PARDISO solved a system of {len(self._probe)} equations wrongly")
        return bool(np.isfinite(error))

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""
        rhs = np.asfortranarray(b, dtype=self.number)
        x = np.zeros_like(rhs, order="F")
        self._memory.call(_SOLVE, self._given, rhs, x)
        return x.astype(float, copy=False)

    @cached_property
    def _alone(self) -> _Memory:
        return self._analysed(threads=1)

    def _analysed(self, threads: int) -> _Memory:
        memory = _Memory(threads, single=self.number is np.float32)
        # Not __del__: numpy may be gone by the time the interpreter calls it.
        weakref.finalize(self, memory.call, _RELEASE, self._given)
        memory.call(_ANALYSE, self._given)
        return memory

    def _factored(self, memory: _Memory) -> bool:
        self._memory = memory
        return memory.call(_FACTOR, self._given) != _NOT_POSITIVE

    def _error(self) -> float:
        """|A x - b| over |b| and |A| |x|, for random b: the factor's backward error, or NaN."""
        from vastus.numerics.sparse import symmetric_product  # loads the compiler

        A, b, x = self._upper, self._probe, self.solve(self._probe)
        diagonal = A.data[self._diagonal]
        residual = symmetric_product(A, x) - b
        scale = np.linalg.norm(b) + diagonal.max() * np.linalg.norm(x)
        return float(np.linalg.norm(residual) / scale)


class SinglePardiso(Pardiso):
    """The same in single precision: half the memory, two thirds of the time, three to five digits.

    A correction by the residual brings as many digits again.
    """

    number = np.float32
    tolerated = 1e-3


class _Memory:
    """PARDISO's handle and settings: own settings, METIS, two-level factor, zero-based.

    All phases run on the same number of threads. The analysis shares the work out among them; with
    another number, factors and solutions are wrong and PARDISO may call them right.
    """

    def __init__(self, threads: int, *, single: bool) -> None:
        self.threads = threads
        self.handle = np.zeros(64, np.int64)
        self.options = np.zeros(64, np.int32)
        self.options[[0, 1, 23, 34]] = 1, 2, 1, 1
        self.options[27] = single
        self.options[17] = -1  # report the factor's entries

    def call(
        self, phase: int, upper: csr_matrix, b: Floats | None = None, x: Floats | None = None
    ) -> int:
        """Run a phase for a matrix and right-hand sides in Fortran's order; returns its error."""
        error = ctypes.c_int(0)
        columns = 1 if b is None or b.ndim == 1 else b.shape[1]
        former = mkl().MKL_Set_Num_Threads_Local(self.threads)
        try:
            mkl().pardiso(
                _address(self.handle),
                *(_number(v) for v in (1, 1, _SPD, phase, upper.shape[0])),
                *(_address(part) for part in (upper.data, upper.indptr, upper.indices)),
                None,
                _number(columns),
                _address(self.options),
                _number(0),
                None if b is None else _address(b),
                None if x is None else _address(x),
                ctypes.byref(error),
            )
        finally:
            mkl().MKL_Set_Num_Threads_Local(former)
        if error.value not in (0, _NOT_POSITIVE):
            raise MemoryError(f"PARDISO stopped with error {error.value} in phase {phase}")
        return error.value


def _address(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.__array_interface__["data"][0])  # half the time of `.ctypes`


def _number(value: int) -> object:
    return ctypes.byref(ctypes.c_int(value))


def mkl() -> ctypes.CDLL:
    """MKL's run-time library, where it is known to be installed."""
    found = run_time()
    assert found is not None
    return found


@cache
def run_time() -> ctypes.CDLL | None:
    """MKL's run-time library, or None where its package is not installed."""
    try:
        listed = files("mkl") or []
    except PackageNotFoundError:
        return None
    for entry in listed:
        if Path(str(entry)).name.startswith(("libmkl_rt.so", "mkl_rt.")):
            try:
                library = ctypes.CDLL(str(Path(str(entry.locate())).resolve()))
            except OSError:
                continue
            library.MKL_Set_Dynamic(0)  # the number of threads is ours to choose, not the load's
            return library
    return None
