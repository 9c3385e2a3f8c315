"""Quadratic programs: the optimum is the one of its conditions, and there may be none."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import SolveError
from vastus.numerics.qp import quadratic_program


@pytest.mark.parametrize("seed", range(8))
def test_the_optimum_satisfies_the_conditions_of_karush_kuhn_and_tucker(seed: int) -> None:
    """H x + f = A^T y + s, with s >= 0 at lower limits, <= 0 at upper ones and 0 between."""
    rng = np.random.default_rng(seed)
    n, k = 9, 3
    B = rng.normal(size=(n, n))
    H, f, A = B @ B.T + np.eye(n), rng.normal(size=n), rng.normal(size=(k, n))
    low, high = -rng.uniform(0.1, 1, n), rng.uniform(0.1, 1, n)
    b = A @ rng.uniform(low, high)
    x = quadratic_program(H, f, A=A, b=b, low=low, high=high)
    assert np.abs(A @ x - b).max() < 1e-8
    between = (x > low) & (x < high)
    y = np.linalg.lstsq(A[:, between].T, (H @ x + f)[between], rcond=None)[0]
    slope = H @ x + f - A.T @ y
    assert np.abs(slope[between]).max(initial=0.0) < 1e-6
    assert (slope[x == low] > -1e-6).all()
    assert (slope[x == high] < 1e-6).all()


def test_limits_that_contradict_each_other_are_told() -> None:
    one = np.ones((1, 2))
    with pytest.raises(SolveError, match="of 2 unknowns has no solution: its limits contradict"):
        quadratic_program(
            np.eye(2), np.zeros(2), A=one, b=np.array([3.0]), low=np.zeros(2), high=np.ones(2)
        )
