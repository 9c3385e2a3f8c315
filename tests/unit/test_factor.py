"""The choice of a factorisation, and PARDISO's memory."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from scipy import sparse

from vastus.numerics import factor
from vastus.numerics import factor as pardiso
from vastus.numerics.factor import SuperLU, make_factor


def laplacian(n: int) -> sparse.csr_matrix:
    """The upper triangle of a chain of springs held at both ends."""
    return sparse.csr_matrix(sparse.diags([2 * np.ones(n), -np.ones(n - 1)], [0, 1]))


def test_without_mkl_the_portable_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pardiso, "library", lambda: None)
    assert factor.best_factor() == "superlu"
    U = laplacian(5)
    assert isinstance(make_factor(U.indptr, U.indices), SuperLU)


def test_both_give_the_same_solution() -> None:
    if pardiso.library() is None:
        pytest.skip("MKL is not installed here")
    U, b = laplacian(50), np.random.default_rng(0).standard_normal((50, 3))
    found = []
    for kind in (pardiso.Pardiso, SuperLU):
        solver = kind(U.indptr, U.indices)
        assert solver.factor(U.data)
        found.append(solver.solve(b))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_a_matrix_without_rows_is_factored() -> None:
    empty = make_factor(np.zeros(1, int), np.zeros(0, int))
    assert empty.factor(np.zeros(0))
    assert empty.solve(np.zeros((0, 3))).shape == (0, 3)


def test_factors_live_side_by_side_and_die_quietly() -> None:
    first, second = laplacian(10), laplacian(20)
    a, b = (make_factor(U.indptr, U.indices) for U in (first, second))
    assert a.factor(first.data)
    assert b.factor(second.data)
    x = a.solve(np.ones(10))
    del b
    gc.collect()
    np.testing.assert_array_equal(a.solve(np.ones(10)), x)
