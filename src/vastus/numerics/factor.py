"""Factorisations of symmetric positive definite sparse matrices behind one small interface."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import splu

from vastus.numerics.cholmod import Cholmod
from vastus.numerics.pardiso import Pardiso, SinglePardiso
from vastus.numerics.types import Floats, Ints


class Factor(Protocol):
    """Factors of matrices with one pattern: the upper triangle in CSR, columns sorted."""

    entries: int  # of the factor, or an estimate of their number

    def factor(self, values: Floats) -> bool:
        """Factor the matrix with these values; False if it is not positive definite."""

    def solve(self, b: Floats) -> Floats:
        """Solve for one (n,) or several (n, k) right-hand sides."""


class Library(Factor, Protocol):
    """A factor that a library makes; the analysis of the pattern is done at once."""

    def __init__(self, indptr: Ints, indices: Ints) -> None: ...

    @staticmethod
    def available() -> bool:
        """Whether this machine has the library."""


class SuperLU:
    """The portable fallback: LU without row exchanges, so its pivots tell definiteness."""

    def __init__(self, indptr: Ints, indices: Ints) -> None:
        n = len(indptr) - 1
        self.entries = 20 * len(indices)
        self._upper = csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n))

    @staticmethod
    def available() -> bool:
        """Always: SciPy brings it."""
        return True

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


# The fastest first.
FACTORS: dict[str, type[Library]] = {"pardiso": Pardiso, "cholmod": Cholmod, "superlu": SuperLU}
# Those in single precision, where a library has them.
SINGLE: dict[str, type[Library]] = {"pardiso": SinglePardiso}


def best_factor() -> str:
    """The name of the fastest factorisation that this machine has."""
    return next(name for name, kind in FACTORS.items() if kind.available())


def make_factor(indptr: Ints, indices: Ints, *, single: bool = False) -> Factor:
    """The fastest factorisation available, analysed for this pattern.

    `single` asks for one in single precision, where the library has it.
    """
    if len(indptr) == 1:
        return Empty()
    best = best_factor()
    kind = SINGLE.get(best, FACTORS[best]) if single else FACTORS[best]
    return kind(indptr, indices)
