"""The memory of L-BFGS and conjugate gradients, on a quadratic."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.numerics.iterative import Memory, conjugate_gradients, non_negative

RNG = np.random.default_rng(5)
BASE = RNG.standard_normal((6, 6))
A = BASE @ BASE.T + np.eye(6)
b = RNG.standard_normal(6)


def test_a_memory_of_conjugate_steps_knows_the_inverse_of_a_quadratic() -> None:
    """After as many A-conjugate pairs as dimensions the secant equations fix the inverse."""
    memory = Memory(6)
    for s in np.linalg.eigh(A)[1].T:
        memory.push(s, A @ s)
    np.testing.assert_allclose(memory.apply(b, lambda v: v.copy()), np.linalg.solve(A, b))


def test_pairs_without_positive_curvature_are_not_remembered() -> None:
    memory = Memory(3)
    memory.push(b, -b)
    np.testing.assert_array_equal(memory.apply(b, lambda v: 2.0 * v), 2.0 * b)


def test_conjugate_gradients_solve_a_definite_system() -> None:
    x = conjugate_gradients(lambda v: A @ v, b, lambda v: v, reduce=1e-12)
    np.testing.assert_allclose(x, np.linalg.solve(A, b), rtol=1e-9)


def test_conjugate_gradients_stop_at_negative_curvature_with_a_descent_direction() -> None:
    x = conjugate_gradients(lambda v: -v, b, lambda v: v)
    assert x @ b > 0


def test_a_rescaled_start_fits_the_last_pair() -> None:
    """With the start c I and one pair (s, A s), the scale is s.y over y.c y."""
    memory = Memory(1)
    s = RNG.standard_normal(6)
    y = A @ s
    memory.push(s, y)
    scaled = memory.apply(b, lambda v: 100.0 * v, rescale=True)
    wanted = Memory(1)
    wanted.push(s, y)
    np.testing.assert_allclose(scaled, wanted.apply(b, lambda v: (s @ y) / (y @ y) * v))
    np.testing.assert_allclose(memory.apply(b, lambda v: 100.0 * v), scaled)


@pytest.mark.parametrize("seed", range(5))
def test_a_quadratic_is_least_where_nothing_is_negative(seed: int) -> None:
    """The slope is zero where x is above zero, and upward where it is not."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((45, 40))
    A, b = B.T @ B + 1e-3 * np.eye(40), 10 * rng.standard_normal(40)
    start = np.maximum(rng.standard_normal(40), 0.0)

    def enough(x: np.ndarray, g: np.ndarray) -> bool:
        return bool(np.where(x > 0, np.abs(g), -g).max() < 1e-8)

    x = non_negative(lambda v: A @ v, start, A @ start - b, enough)
    slope = A @ x - b
    assert 0 < (x == 0).sum() < 40
    assert (x >= 0).all()
    np.testing.assert_allclose(slope[x > 0], 0.0, atol=1e-7)
    assert slope.min() > -1e-7
