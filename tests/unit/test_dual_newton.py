"""The least activations under a balance, beside another method."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.numerics.dual_newton import least_activations
from vastus.numerics.qp import quadratic_program


def problem(seed: int, rows: int = 20, muscles: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((rows, muscles)) * (rng.random((rows, muscles)) < 0.3)
    return G * rng.uniform(0.1, 30.0, (1, muscles)), rng.standard_normal(rows) * 10.0


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_an_active_set_method(seed: int) -> None:
    G, t = problem(seed)
    w = np.random.default_rng(seed + 50).uniform(0.5, 2.0, G.shape[1])
    found = least_activations(G, t, weights=w)
    none, all_ = np.zeros(G.shape[1]), np.full(G.shape[1], np.inf)
    exact = quadratic_program(np.diag(w**2), none, A=G, b=t, low=none, high=all_)
    assert found.held
    assert np.abs(found.a - exact).max() < 1e-6
    assert np.abs(found.slack).max() < 1e-7


def test_agrees_where_activations_are_bounded() -> None:
    G, t = problem(3)
    free = least_activations(G, t).a.max()
    found = least_activations(G, t, high=0.6 * free)
    bound = np.full(G.shape[1], 0.6 * free)
    none = np.zeros(G.shape[1])
    exact = quadratic_program(np.eye(len(none)), none, A=G, b=t, low=none, high=bound)
    assert np.abs(found.a - exact).max() < 1e-6


def test_a_start_near_the_optimum_saves_iterations_and_changes_nothing() -> None:
    G, t = problem(1)
    start = least_activations(G, t)
    cold, warm = least_activations(G, 1.01 * t), least_activations(G, 1.01 * t, start=start)
    assert warm.iterations < cold.iterations / 2
    assert np.abs(warm.a - cold.a).max() < 1e-8


def test_a_balance_that_cannot_hold_has_the_least_slack() -> None:
    G, t = problem(2)
    G[4] = np.abs(G[4])
    t[4] = -7.0
    found = least_activations(G, t)
    assert not found.held
    # Nothing that muscles can do lessens the slack: its gradient is nowhere downhill.
    downhill = found.slack @ G
    assert downhill.max() < 1e-3 * np.linalg.norm(found.slack) * np.abs(G).max()
    assert abs(found.slack[4]) == np.abs(found.slack).max()


def test_an_infeasible_start_is_left_again() -> None:
    G, t = problem(5)
    bad = G.copy()
    bad[4] = np.abs(bad[4])
    start = least_activations(bad, np.where(np.arange(len(t)) == 4, -7.0, t))
    found = least_activations(G, t, start=start)
    assert found.held
    assert np.abs(found.a - least_activations(G, t).a).max() < 1e-8


def test_no_torque_needs_no_activation() -> None:
    G, _ = problem(0)
    assert not least_activations(G, np.zeros(len(G))).a.any()
