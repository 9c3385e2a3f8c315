"""Tangents at a stress that is not that of the place: what is added, and what it saves."""

from __future__ import annotations

import numpy as np
import pytest

from vastus import shapes
from vastus.energies.loops import restress
from vastus.model import Model
from vastus.schedules import ramp
from vastus.solvers import newton
from vastus.solvers.geometric import linear_stress, second_stress
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import rest
from vastus.timeloop import simulate

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def elbow() -> Model:
    return shapes.elbow(tets=1000)


@pytest.fixture(scope="module")
def objective(elbow: Model) -> Equilibrium:
    inputs = ramp(elbow, seconds=1.0, fps=4, biceps=1.0)[1]
    return Equilibrium(Problem(elbow, Reduction()), inputs)


def gradients(count: int, far: float) -> np.ndarray:
    """(count, 3, 3) deformation gradients near the identity."""
    return np.eye(3) + far * RNG.normal(size=(count, 3, 3))


def strained(F: np.ndarray) -> np.ndarray:
    """(s, 3, 3) Green's strain."""
    return 0.5 * (np.swapaxes(F, 1, 2) @ F - np.eye(3))


def test_the_second_stress_does_not_mind_rotations(objective: Equilibrium) -> None:
    F = gradients(len(objective.problem.elastic.T), 0.02)
    Q = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    Q *= np.sign(np.linalg.det(Q))
    S = second_stress(objective, F)
    np.testing.assert_allclose(F @ S, objective.stress(F), rtol=1e-9, atol=1e-6)
    np.testing.assert_allclose(second_stress(objective, Q @ F), S, atol=1e-6 * np.abs(S).max())


def test_a_pressure_adds_the_second_derivative_of_volume_and_the_rest_that_of_strain() -> None:
    F, D = gradients(5, 0.1), RNG.normal(size=(5, 3, 3))
    step = 1e-4

    def second(energy) -> np.ndarray:  # type: ignore[no-untyped-def]
        """(5,) the second derivative of an energy of F along D."""
        ahead, here, behind = (energy(F + k * step * D) for k in (1.0, 0.0, -1.0))
        return (ahead - 2.0 * here + behind) / step**2

    # A pressure p has the second Piola stress p J C^-1; its stiffness is p times that of volume.
    C, J = np.swapaxes(F, 1, 2) @ F, np.linalg.det(F)
    pressure = 3.0 * J[:, None, None] * np.linalg.inv(C)
    # A stress without mean part stiffens as the energy S : E of a constant S does.
    S = RNG.normal(size=(5, 3, 3))
    S += np.swapaxes(S, 1, 2)
    mean = np.einsum("eij,eij->e", S, C) / (3.0 * J)
    S -= (mean * J)[:, None, None] * np.linalg.inv(C)
    for stress, energy in (
        (pressure, lambda G: 3.0 * np.linalg.det(G)),
        (S, lambda G: np.einsum("eij,eij->e", S, strained(G))),
    ):
        H = np.zeros((5, 9, 9))
        restress(F, stress, H)
        d = D.reshape(5, 9)
        np.testing.assert_allclose(
            np.einsum("ei,eij,ej->e", d, H, d), second(energy), rtol=1e-5, atol=1e-5
        )


def test_a_stress_that_is_linear_in_the_strain_is_foreseen_to_second_order(
    objective: Equilibrium,
) -> None:
    problem, start = objective.problem, rest(objective.problem.model)
    ways = RNG.normal(size=start.x.shape)
    wrong = []
    for far in (1e-7, 5e-8):
        places = (start.x, start.x + far * ways)
        before, now = (Configuration(problem, x, start.poses) for x in places)
        gap = linear_stress(objective, before, now) - second_stress(objective, now.F)
        wrong.append(np.linalg.norm(gap))
    assert wrong[1] < 0.3 * wrong[0]


def test_newton_s_method_projects_less_for_it(
    elbow: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = ramp(elbow, seconds=1.0, fps=25, biceps=1.0)[:10]
    with_it = list(simulate(elbow, Newton(), inputs))
    monkeypatch.setattr(newton, "linear_from", lambda *_: None)
    without = list(simulate(elbow, Newton(), inputs))
    projected = [sum(f.report.projected for f in frames) for frames in (with_it, without)]
    iterations = [sum(f.report.iterations for f in frames) for frames in (with_it, without)]
    assert projected[0] <= 0.7 * projected[1]
    assert iterations[0] <= iterations[1]
    for a, b in zip(with_it, without, strict=True):
        np.testing.assert_allclose(a.state.x, b.state.x, atol=1e-7)
