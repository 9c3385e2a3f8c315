"""The choice of a factorisation, and PARDISO's memory."""

from __future__ import annotations

import gc
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from vastus.errors import SolveError
from vastus.numerics import cholmod, factor, pardiso
from vastus.numerics.cholmod import Cholmod
from vastus.numerics.factor import SuperLU, make_factor
from vastus.numerics.jit import thread_count
from vastus.numerics.pardiso import Pardiso
from vastus.numerics.sparse import Selection
from vastus.numerics.types import Floats
from vastus.solvers.growing import Growing

with_mkl = pytest.mark.skipif(not Pardiso.available(), reason="MKL is not installed here")


def laplacian(n: int) -> sparse.csr_matrix:
    """The upper triangle of a chain of springs held at both ends."""
    return sparse.csr_matrix(sparse.diags([2 * np.ones(n), -np.ones(n - 1)], [0, 1]))


def test_without_mkl_cholmod_is_taken_and_without_it_the_portable_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pardiso, "run_time", lambda: None)
    if Cholmod.available():
        assert factor.best_factor() == "cholmod"
    monkeypatch.setattr(cholmod, "cvxopt", lambda: None)
    assert factor.best_factor() == "superlu"
    U = laplacian(5)
    assert isinstance(make_factor(U.indptr, U.indices), SuperLU)


@with_mkl
def test_both_give_the_same_solution() -> None:
    U, b = laplacian(50), np.random.default_rng(0).standard_normal((50, 3))
    found = []
    for kind in (Pardiso, SuperLU):
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


def elasticity(n: int = 13) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """A definite matrix with three unknowns at each of n^3 places, and its upper triangle."""
    line = sparse.diags([2.0 * np.ones(n), -np.ones(n - 1), -np.ones(n - 1)], [0, 1, -1])
    one, block = sparse.eye(n), np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
    places = (line, one, one), (one, line, one), (one, one, line)
    scalar = sum(sparse.kron(sparse.kron(a, b), c) for a, b, c in places)
    A = sparse.kron(scalar + 0.1 * sparse.eye(n**3), block, format="csr")
    upper = sparse.triu(A, format="csr")
    upper.sort_indices()
    return A, upper


@with_mkl
@pytest.mark.parametrize("counts", list(product((1, 2), repeat=3)))
def test_the_threads_may_change_between_analysis_factor_and_solution(counts) -> None:
    A, U = elasticity()
    b = np.random.default_rng(1).standard_normal(A.shape[0])
    with thread_count(counts[0]):
        solver = Pardiso(U.indptr, U.indices)
    with thread_count(counts[1]):
        assert solver.factor(U.data)
    with thread_count(counts[2]):
        x = solver.solve(b)
    assert np.linalg.norm(A @ x - b) < 1e-12 * np.linalg.norm(b)


@with_mkl
def test_a_call_leaves_the_caller_s_number_of_threads() -> None:
    U = laplacian(9)
    former = pardiso.mkl().MKL_Set_Num_Threads_Local(3)
    try:
        solver = Pardiso(U.indptr, U.indices)
        assert solver.factor(U.data)
        solver.solve(np.ones(9))
    finally:
        left = pardiso.mkl().MKL_Set_Num_Threads_Local(former)
    assert left == 3


class Spoilt(Pardiso):
    """PARDISO whose first `wrong` solutions are `x` times what they should be."""

    wrong, x = 0, 2.0

    def solve(self, b: Floats) -> Floats:
        self.wrong -= 1
        return super().solve(b) * (self.x if self.wrong >= 0 else 1.0)


@with_mkl
@pytest.mark.parametrize("x", [1.001, np.nan])
def test_a_wrong_factor_is_made_again_on_one_thread(x: float) -> None:
    A, U = elasticity(5)
    solver = Spoilt(U.indptr, U.indices)
    solver.wrong, solver.x = 1, x
    assert solver.factor(U.data)
    b = np.ones(A.shape[0])
    np.testing.assert_allclose(A @ solver.solve(b), b, atol=1e-10)
    assert solver.factor(2.0 * U.data)
    np.testing.assert_allclose(2.0 * A @ solver.solve(b), b, atol=1e-10)


@with_mkl
def test_a_factor_that_stays_wrong_is_an_error_and_one_that_is_no_number_indefinite() -> None:
    _, U = elasticity(5)
    solver = Spoilt(U.indptr, U.indices)
    solver.wrong = 2
    with pytest.raises(SolveError, match="PARDISO solved a system of 375 equations wrongly"):
        solver.factor(U.data)
    solver.wrong, solver.x = 2, np.nan
    assert not solver.factor(U.data)


@with_mkl
def test_single_precision_takes_half_the_room_and_tells_what_is_not_definite() -> None:
    A, U = elasticity()
    single = make_factor(U.indptr, U.indices, single=True)
    assert isinstance(single, pardiso.SinglePardiso)
    assert single.factor(U.data)
    b = np.random.default_rng(2).standard_normal((A.shape[0], 2))
    x = single.solve(b)
    assert x.dtype == float
    assert 1e-9 < np.linalg.norm(A @ x - b) / np.linalg.norm(b) < 1e-4
    np.testing.assert_array_equal(U.data.dtype, float)
    shifted = U.copy()
    shifted.setdiag(U.diagonal() - 2.0)
    assert not single.factor(shifted.data)


@with_mkl
def test_a_correction_brings_as_many_digits_again() -> None:
    A, U = elasticity(5)
    matrix = Growing(Selection(U, np.arange(U.nnz)), np.arange(A.shape[0]), single=True)
    assert matrix.factored(U.data.copy(), None)
    b = np.random.default_rng(2).standard_normal((A.shape[0], 2))
    once, twice = (
        np.linalg.norm(A @ solve(b) - b) for solve in (matrix.factor.solve, matrix.solve)
    )
    assert twice < 1e-4 * once
