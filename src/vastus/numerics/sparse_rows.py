"""Matrices of few entries a row, whose pattern stays while values change: products in microseconds.

A row of muscle moment arms has a dozen entries of some hundred; products with dense matrices would
spend nine tenths of their time on zeros. Loops run on one thread and in one order, so that results
are the same bits in every run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.numerics.jit import loop
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A matrix (r, n): row i has values[start[i]:start[i + 1]] in ascending columns."""

    start: Ints  # (r + 1,)
    column: Ints  # (e,)
    values: Floats  # (e,)
    width: int  # n

    @classmethod
    def of(cls, dense: Floats) -> SparseRows:
        """The entries of a matrix (r, n) that are not zero."""
        start, column, values = _compress(np.ascontiguousarray(dense, float))
        return cls(start, column, values, dense.shape[1])

    @property
    def dense(self) -> Floats:
        """(r, n)"""
        out = np.zeros((len(self.start) - 1, self.width))
        out[np.repeat(np.arange(len(out)), np.diff(self.start)), self.column] = self.values
        return out

    def times(self, x: Floats) -> Floats:
        """(r,) the product with x (n,)."""
        return np.asarray(_times(self.start, self.column, self.values, x))

    def gathered(self, w: Floats) -> Floats:
        """(n,) the product of the transpose with w (r,)."""
        return np.asarray(_gathered(self.start, self.column, self.values, w, self.width))

    def scaled(self, w: Floats) -> SparseRows:
        """The matrix with row i times w[i]."""
        return replace(self, values=_scaled(self.start, self.values, w))

    def add_gram(self, w: Floats, A: Floats) -> None:
        """Add B^T diag(w) B of this matrix B, w (r,), to the lower triangle of A (n, n).

        Rows of no weight cost nothing.
        """
        _add_gram(self.start, self.column, self.values, w, A)

    def eliminated(self, kept: Ints, folded: Ints, shares: Floats) -> Floats:
        """(r, k) columns `kept` (k,) less those `folded` (f,) times `shares` (f, k)."""
        place = np.empty(self.width, np.int64)
        place[kept], place[folded] = np.arange(len(kept)), -1 - np.arange(len(folded))
        return np.asarray(
            _eliminated(self.start, self.column, self.values, place, np.ascontiguousarray(shares))
        )


def mirror(A: Floats) -> None:
    """Make A (n, n) symmetric, as its lower triangle is."""
    _mirror(A)


@loop
def _compress(dense):  # type: ignore[no-untyped-def]
    rows, width = dense.shape
    start = np.zeros(rows + 1, np.int64)
    for i in range(rows):
        count = 0
        for j in range(width):
            if dense[i, j] != 0.0:
                count += 1
        start[i + 1] = start[i] + count
    column, values = np.empty(start[rows], np.int64), np.empty(start[rows])
    for i in range(rows):
        p = start[i]
        for j in range(width):
            if dense[i, j] != 0.0:
                column[p], values[p] = j, dense[i, j]
                p += 1
    return start, column, values


@loop
def _times(start, column, values, x):  # type: ignore[no-untyped-def]
    out = np.empty(len(start) - 1)
    for i in range(len(out)):
        total = 0.0
        for p in range(start[i], start[i + 1]):
            total += values[p] * x[column[p]]
        out[i] = total
    return out


@loop
def _gathered(start, column, values, w, width):  # type: ignore[no-untyped-def]
    out = np.zeros(width)
    for i in range(len(start) - 1):
        if w[i] != 0.0:
            for p in range(start[i], start[i + 1]):
                out[column[p]] += w[i] * values[p]
    return out


@loop
def _scaled(start, values, w):  # type: ignore[no-untyped-def]
    out = np.empty_like(values)
    for i in range(len(start) - 1):
        for p in range(start[i], start[i + 1]):
            out[p] = w[i] * values[p]
    return out


@loop
def _add_gram(start, column, values, w, A):  # type: ignore[no-untyped-def]
    for i in range(len(start) - 1):
        if w[i] == 0.0:
            continue
        for p in range(start[i], start[i + 1]):
            c, x = column[p], w[i] * values[p]
            for r in range(start[i], p + 1):
                A[c, column[r]] += x * values[r]


@loop
def _mirror(A):  # type: ignore[no-untyped-def]
    for i in range(len(A)):
        for j in range(i):
            A[j, i] = A[i, j]


@loop
def _eliminated(start, column, values, place, shares):  # type: ignore[no-untyped-def]
    out = np.zeros((len(start) - 1, shares.shape[1]))
    for i in range(len(start) - 1):
        for p in range(start[i], start[i + 1]):
            k = place[column[p]]
            if k >= 0:
                out[i, k] += values[p]
            elif values[p] != 0.0:
                for j in range(shares.shape[1]):
                    out[i, j] -= values[p] * shares[-1 - k, j]
    return out
