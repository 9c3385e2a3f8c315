"""The sparse matrix of the free scalars, whose pattern grows when other energies couple more."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix, triu

from vastus.numerics.factor import Factor, make_factor
from vastus.numerics.sparse import Selection, symmetric_product
from vastus.numerics.types import Floats, Ints


class Growing:
    """The free part of the stiffness as an upper triangle, whose pattern grows when it must.

    It never shrinks: what has once been coupled is likely to be so again, and an analysis costs
    more than some zeros.
    """

    def __init__(self, base: Selection, free: Ints, *, single: bool = False) -> None:
        self._base, self._free, self._single = base, free, single
        self._matrix = base.matrix
        self._keys: Ints | None = None  # of all entries, once there are more than the tets have
        self._own: Ints | None = None  # where those of the tets are among them

    @cached_property
    def factor(self) -> Factor:
        """The factorisation, analysed when first needed."""
        return make_factor(self._matrix.indptr, self._matrix.indices, single=self._single)

    def solve(self, b: Floats) -> Floats:
        """The solution for the matrix that was filled last; corrected once in single precision."""
        x = self.factor.solve(b)
        if not self._single:
            return x
        return x + self.factor.solve(b - symmetric_product(self._matrix, x))

    def fill(self, blocks: Floats, further: csr_matrix | None = None) -> csr_matrix:
        """The matrix with these values; the same object while the pattern stays."""
        if self._keys is None and further is None:
            return self._base.fill(blocks)
        keys, values = _upper_entries(further, self._free)
        self._grow(keys)
        assert self._keys is not None
        data = np.zeros(len(self._keys))
        data[self._own] = self._base.fill(blocks).data
        np.add.at(data, np.searchsorted(self._keys, keys), values)
        self._matrix.data[:] = data
        return self._matrix

    def factored(self, blocks: Floats, further: csr_matrix | None) -> bool:
        """Whether the matrix is positive definite; then `factor` solves with it."""
        matrix = self.fill(blocks, further)
        return self.factor.factor(matrix.data)

    def lifted(self, blocks: Floats, further: csr_matrix | None) -> bool:
        """The same for a semi-definite matrix, which is lifted off zero; False if singular."""
        matrix = self.fill(blocks, further)
        diagonal = matrix.indptr[:-1]
        shift = 1e-12 * float(np.sum(matrix.data[diagonal])) / max(len(diagonal), 1)
        while not self.factor.factor(matrix.data):
            shift *= 10.0
            matrix.data[diagonal] += shift
            if not shift < float(np.max(matrix.data)):
                return False
        return True

    @cached_property
    def _of_tets(self) -> Ints:
        """(e,) keys of the entries that the tets have, in order."""
        size = self._matrix.shape[0]
        rows = np.repeat(np.arange(size), np.diff(self._base.matrix.indptr))
        return np.asarray(rows * size + self._base.matrix.indices)

    def _grow(self, keys: Ints) -> None:
        """Make room for entries with these keys."""
        known = self._of_tets if self._keys is None else self._keys
        at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        missing = np.unique(keys[known[at] != keys])
        if self._keys is not None and not len(missing):
            return
        size = self._matrix.shape[0]
        self._keys = np.insert(known, np.searchsorted(known, missing), missing)
        own = np.arange(len(self._of_tets)) if self._own is None else self._own
        self._own = own + np.searchsorted(missing, self._of_tets)
        if not len(missing):
            return  # what is coupled, tets couple too: the analysis of the pattern still holds
        indptr = np.searchsorted(self._keys, np.arange(size + 1) * size)
        indices = self._keys % size
        self._matrix = csr_matrix((np.zeros(len(indices)), indices, indptr), shape=(size, size))
        self.__dict__.pop("factor", None)


def _upper_entries(further: csr_matrix | None, free: Ints) -> tuple[Ints, Floats]:
    """Keys and values of the entries above the diagonal between free scalars."""
    if further is None:
        return np.zeros(0, np.int64), np.zeros(0)
    part = triu(further[free][:, free], format="coo")
    return part.row.astype(np.int64) * len(free) + part.col, part.data
