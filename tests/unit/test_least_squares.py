"""Least squares by differences: exact where they are linear, never uphill, within bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.numerics.least_squares import Descent, GaussNewton, Minimum, Stop, jacobian
from vastus.numerics.least_squares import least_squares as least
from vastus.numerics.types import Floats

FREE = {"low": np.full(2, -np.inf), "high": np.full(2, np.inf)}


def valley(xs: Sequence[Floats]) -> list[Floats]:
    """Rosenbrock's, whose least is at (1, 1)."""
    return [np.array([1.0 - x[0], 10.0 * (x[1] - x[0] ** 2)]) for x in xs]


def test_gauss_newton_finds_the_end_of_a_bent_valley() -> None:
    told: list[float] = []
    found = least(
        valley, np.array([-1.2, 1.0]), **FREE, difference=1e-7, stop=Stop(60, enough=1e-12),
        watch=lambda minimum: told.append(minimum.cost),
    )  # fmt: skip
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-5)
    assert np.all(np.diff(found.costs) < 0)
    assert told == found.costs
    assert found.ended == "the cost is as low as was asked for"


def test_descent_only_goes_down() -> None:
    found = least(
        valley, np.array([-1.2, 1.0]), **FREE, difference=1e-6, method=Descent(), stop=Stop(15)
    )
    assert np.all(np.diff(found.costs) < 0)
    assert found.cost < 0.5 * found.costs[0]
    assert found.iterations == 15
    assert found.ended == "the most iterations, 15, are done"
    assert found.evaluations >= 1 + 15 * 3


@pytest.mark.parametrize("method", [GaussNewton(), Descent()])
def test_bounds_are_kept_by_steps_and_by_differences(method: GaussNewton | Descent) -> None:
    seen: list[Floats] = []

    def watched(xs: Sequence[Floats]) -> list[Floats]:
        seen.extend(xs)
        return valley(xs)

    low, high = np.array([-2.0, -2.0]), np.array([0.5, 2.0])
    found = least(
        watched, np.array([0.5, -1.0]), low=low, high=high, difference=1e-4, method=method,
        stop=Stop(200, gain=0.0),
    )  # fmt: skip
    assert np.all(np.array(seen) <= high)
    assert np.all(np.array(seen) >= low)
    np.testing.assert_allclose(found.x, [0.5, 0.25], atol=1e-2)


def test_a_linear_problem_takes_one_step() -> None:
    A, b = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]]), np.array([1.0, 2.0, 3.0])
    best: Minimum = least(
        lambda xs: [A @ x - b for x in xs], np.zeros(2), **FREE, difference=1e-3,
        method=GaussNewton(damping=1e-12), stop=Stop(1),
    )  # fmt: skip
    np.testing.assert_allclose(best.x, np.linalg.lstsq(A, b)[0], atol=1e-9)
    J = jacobian(lambda xs: [A @ x - b for x in xs], best.x, best.residuals, 1e-3)
    np.testing.assert_allclose(J, A, atol=1e-10)


def test_a_search_without_iterations_is_refused() -> None:
    with pytest.raises(ModelError, match="0 iterations; there must be at least 1"):
        Stop(0)
