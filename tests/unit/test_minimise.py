"""The minimiser on functions that are no physics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from vastus.numerics.minimise import Moment, Rule, largest_part, minimise, search
from vastus.numerics.types import Floats


@dataclass
class Rosenbrock:
    """(1 - x)^2 + 100 (y - x^2)^2."""

    noise: float = 0.0
    load: float = 1.0
    floor: float = 0.0

    def value(self, q: Floats) -> float:
        return float((1 - q[0]) ** 2 + 100 * (q[1] - q[0] ** 2) ** 2)

    def gradient(self, q: Floats) -> Floats:
        rise = 200 * (q[1] - q[0] ** 2)
        return np.array([-2 * (1 - q[0]) - 2 * rise * q[0], rise])

    def direction(self, q: Floats, g: Floats) -> Floats:
        H = np.array([[2 - 400 * (q[1] - 3 * q[0] ** 2), -400 * q[0]], [-400 * q[0], 200.0]])
        values, vectors = np.linalg.eigh(H)
        return -vectors @ ((vectors.T @ g) / np.abs(values))

    def retract(self, q: Floats, step: Floats) -> Floats:
        return q + step

    def longest(self, q: Floats, step: Floats) -> float:
        return 1.0


@dataclass
class Drifting(Rosenbrock):
    """The same with an error of 1e-8 more at every evaluation."""

    calls: int = 0

    def value(self, q: Floats) -> float:
        self.calls += 1
        return super().value(q) + 1e-8 * self.calls


class Barrier(Rosenbrock):
    """x - log x, not a number where x < 0."""

    def value(self, q: Floats) -> float:
        return float(q[0] - np.log(q[0])) if q[0] > 0 else float("nan")

    def gradient(self, q: Floats) -> Floats:
        return 1 - 1 / q

    def direction(self, q: Floats, g: Floats) -> Floats:
        return -g * q**2


class Uphill(Rosenbrock):
    """A direction that climbs."""

    def direction(self, q: Floats, g: Floats) -> Floats:
        return g


START = np.array([-1.2, 1.0])


def test_it_finds_the_minimum_and_records_the_residuals() -> None:
    outcome = minimise(Rosenbrock(), START, Rule(1e-10, 100))
    assert outcome.converged
    assert outcome.sentence == "converged"
    np.testing.assert_allclose(outcome.point, [1.0, 1.0], atol=1e-10)
    assert outcome.history[0] == pytest.approx(np.linalg.norm(Rosenbrock().gradient(START)))
    assert outcome.history[-1] <= 1e-10


def test_a_start_at_the_minimum_takes_no_iteration() -> None:
    outcome = minimise(Rosenbrock(), np.ones(2), Rule())
    assert outcome.converged
    assert len(outcome.history) == 1


def test_it_stops_at_the_round_off_of_the_gradient() -> None:
    exact = minimise(Rosenbrock(), START, Rule(0.0, 100))
    rough = minimise(Rosenbrock(floor=1e-3), START, Rule(0.0, 100))
    assert rough.converged
    assert rough.history[-1] <= 1e-3
    assert len(rough.history) < len(exact.history)


def test_the_target_is_relative_to_the_load() -> None:
    outcome = minimise(Rosenbrock(load=1e6), START, Rule(1e-8, 100))
    assert outcome.converged
    assert 0 < outcome.history[-1] <= 1e-2


def test_too_few_iterations_are_said() -> None:
    outcome = minimise(Rosenbrock(), START, Rule(1e-10, 3))
    assert not outcome.converged
    assert outcome.sentence == "3 iterations were not enough"
    assert len(outcome.history) == 4


def test_a_direction_that_climbs_is_said() -> None:
    outcome = minimise(Uphill(), START, Rule())
    assert not outcome.converged
    assert outcome.sentence == "no step decreased the energy after 0 iterations"


def test_a_start_that_is_not_finite_is_said() -> None:
    outcome = minimise(Barrier(), np.array([-1.0]), Rule())
    assert not outcome.converged
    assert outcome.sentence == "the energy is not finite at the start"


def test_it_backs_off_from_where_the_energy_is_not_a_number() -> None:
    outcome = minimise(Barrier(), np.array([5.0]), Rule(1e-12, 50))
    assert outcome.converged
    np.testing.assert_allclose(outcome.point, [1.0])


def test_a_change_lost_in_round_off_is_judged_by_the_gradient() -> None:
    """Energies wrong by 1e-8 mislead the search, unless it is told so."""
    deceived = minimise(Drifting(), START, Rule(1e-10, 100))
    told = minimise(Drifting(noise=2e-8), START, Rule(1e-10, 100))
    assert not deceived.converged
    assert told.converged
    np.testing.assert_allclose(told.point, [1.0, 1.0], atol=1e-9)


def test_a_step_that_enlarges_the_gradient_is_refused_in_the_noise() -> None:
    q = np.array([1.0 + 1e-6, 1.0])
    objective = Drifting(noise=2e-8)
    g = objective.gradient(q)
    assert search(objective, q, -1.0, g, -1e-2 * g) is None


def test_the_watcher_sees_every_iteration() -> None:
    seen: list[Moment] = []
    outcome = minimise(Rosenbrock(), START, Rule(1e-8, 100), seen.append)
    assert [at.iteration for at in seen] == list(range(len(outcome.history)))
    assert [at.residual for at in seen] == list(outcome.history)
    assert {at.target for at in seen} == {1e-8}
    np.testing.assert_array_equal(seen[0].place(), START)
    np.testing.assert_array_equal(seen[-1].place(), outcome.point)


class Fenced(Rosenbrock):
    """The same, in which no step may go farther than half of its way."""

    tried: tuple[float, ...] = ()

    def longest(self, q: Floats, step: Floats) -> float:
        return 0.5

    def retract(self, q: Floats, step: Floats) -> Floats:
        self.tried += (float(np.linalg.norm(step)),)
        return q + step


def test_no_step_is_longer_than_the_objective_allows() -> None:
    fenced, start = Fenced(), np.array([-1.0, 1.0])
    whole = float(np.linalg.norm(fenced.direction(start, fenced.gradient(start))))
    minimise(fenced, start, Rule(1e-8, 1))
    assert fenced.tried[0] == pytest.approx(0.5 * whole)


def test_a_watch_that_has_enough_ends_the_minimisation() -> None:
    found = minimise(Rosenbrock(), np.array([-1.0, 1.0]), Rule(), lambda at: at.iteration == 3)
    assert found.stopped
    assert not found.converged
    assert len(found.history) == 4
    assert "enough" in found.sentence


def test_a_step_that_is_too_long_by_round_off_is_shortened_and_not_given_up() -> None:
    """The part that is allowed of a part that is just allowed may be a hair less than all."""

    def allowed(part: float) -> float:
        return min(0.174 / part, 1.0) * (1.0 - 1e-15) if part > 0.173 else 1.0

    assert 0.165 < largest_part(allowed) <= 0.173
