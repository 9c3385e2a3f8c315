"""What every registered factorisation must satisfy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from vastus.numerics.factor import FACTORS, best_factor, make_factor
from vastus.numerics.types import Floats


@pytest.fixture(params=sorted(FACTORS))
def make(request: pytest.FixtureRequest):
    """The maker of each factorisation that this machine has."""
    kind = FACTORS[request.param]
    if not kind.available():
        pytest.skip(f"'{request.param}' is not installed here")
    return kind


def upper(matrix: Floats) -> sparse.csr_matrix:
    """The upper triangle, every diagonal entry stored, columns sorted."""
    kept = sparse.csr_matrix(np.triu(matrix))
    kept.sort_indices()
    return kept


def definite(n: int = 60, seed: int = 0) -> Floats:
    """A sparse symmetric positive definite matrix."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, n)) * (np.random.default_rng(7).uniform(size=(n, n)) < 0.08)
    return B @ B.T + np.eye(n)


def test_it_solves_for_one_and_for_several_right_hand_sides(make) -> None:
    A = definite()
    U = upper(A)
    factor = make(U.indptr, U.indices)
    assert factor.factor(U.data)
    for shape in ((60,), (60, 1), (60, 5)):
        b = np.random.default_rng(1).standard_normal(shape)
        x = factor.solve(b)
        assert x.shape == shape
        np.testing.assert_allclose(A @ x, b, atol=1e-10)


def test_it_leaves_its_input_alone(make) -> None:
    U = upper(definite())
    values, b = U.data.copy(), np.ones(60)
    factor = make(U.indptr, U.indices)
    factor.factor(U.data)
    factor.solve(b)
    np.testing.assert_array_equal(U.data, values)
    np.testing.assert_array_equal(b, 1.0)


def test_new_values_on_the_same_pattern_replace_the_old(make) -> None:
    first, second = definite(seed=0), definite(seed=1)
    U = upper(first)
    factor = make(U.indptr, U.indices)
    assert factor.factor(U.data)
    assert factor.factor(upper(second).data)
    b = np.ones(60)
    np.testing.assert_allclose(second @ factor.solve(b), b, atol=1e-10)


@pytest.mark.parametrize("lowered", ["indefinite", "singular"])
def test_it_says_when_a_matrix_is_not_definite_and_recovers(make, lowered: str) -> None:
    A = definite()
    U = upper(A)
    factor = make(U.indptr, U.indices)
    least = np.linalg.eigvalsh(A).min()
    bad = {"indefinite": upper(A - 1.5 * least * np.eye(60)).data, "singular": 0 * U.data}
    assert not factor.factor(bad[lowered])
    assert factor.factor(U.data)
    np.testing.assert_allclose(A @ factor.solve(np.ones(60)), 1.0, atol=1e-10)


def test_a_negative_diagonal_is_not_definite(make) -> None:
    U = upper(np.diag([1.0, -1.0, 2.0]))
    assert not make(U.indptr, U.indices).factor(U.data)


def test_a_matrix_of_one_entry_is_solved(make) -> None:
    U = upper(np.array([[4.0]]))
    factor = make(U.indptr, U.indices)
    assert factor.factor(U.data)
    np.testing.assert_allclose(factor.solve(np.array([2.0])), [0.5])


def test_the_best_one_is_available() -> None:
    assert FACTORS[best_factor()].available()
    U = upper(definite())
    assert make_factor(U.indptr, U.indices).factor(U.data)
