"""The quasi-Newton solver against Newton's method: within its stated accuracy, by every route."""

from __future__ import annotations

import re

import numpy as np
import pytest

from builders import inputs_of
from vastus import Model, shapes
from vastus.inputs import Inputs
from vastus.skeleton.affine import Affine
from vastus.solvers import quasi_newton as lagged
from vastus.solvers.newton import Newton, length
from vastus.solvers.problem import Reduction
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest

MODELS = {
    "pinned": shapes.bar(tets=1000).with_(gravity=np.zeros(3)),
    "free bone": shapes.fusiform(tets=1000),
    "hinge": shapes.elbow(tets=1000),
}


RIGID, AFFINE = Reduction(), Reduction(Affine())


def distance_to_equilibrium(model: Model, state: State, reduction: Reduction = RIGID) -> float:
    """How far Newton's method moves a state, over the model's length."""
    exact, _ = Newton(reduction=reduction).prepare(model).step(state, Inputs.of(state))
    return float(np.linalg.norm(exact.x - state.x, axis=1).max()) / length(model)


def contracted(model: Model, accuracy: float, reduction: Reduction = RIGID) -> State:
    """The first muscle fully active, from rest in one step."""
    inputs = inputs_of(model, **{model.muscles[0].name: 1.0})
    solver = QuasiNewton(accuracy, reduction=reduction)
    return solver.prepare(model).step(rest(model), inputs)[0]


ACCURACIES = {"pinned": 1e-2, "free bone": 1e-2, "hinge": 1e-4}  # the others are slow


@pytest.mark.parametrize(
    ("name", "accuracy"),
    [
        pytest.param(name, accuracy, marks=[] if accuracy == quick else [pytest.mark.slow])
        for name, quick in ACCURACIES.items()
        for accuracy in (1e-2, 1e-4)
    ],
)
def test_the_answer_is_as_close_to_equilibrium_as_stated(name: str, accuracy: float) -> None:
    state = contracted(MODELS[name], accuracy)
    assert distance_to_equilibrium(MODELS[name], state) <= accuracy


@pytest.mark.parametrize("name", [pytest.param("free bone", marks=pytest.mark.slow), "hinge"])
def test_affine_bones_too_end_as_close_as_stated(name: str) -> None:
    state = contracted(MODELS[name], 1e-3, AFFINE)
    assert distance_to_equilibrium(MODELS[name], state, AFFINE) <= 1e-3


def test_conjugate_gradients_confirm_where_a_factor_is_too_dear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lagged, "AFFORDABLE", 0.0)
    model = MODELS["pinned"]
    assert distance_to_equilibrium(model, contracted(model, 1e-3)) <= 1e-3


def test_the_same_run_gives_the_same_bits() -> None:
    model = MODELS["hinge"]
    np.testing.assert_array_equal(contracted(model, 1e-3).x, contracted(model, 1e-3).x)


def test_the_report_gives_forces_and_a_failure_the_distance() -> None:
    model = MODELS["free bone"]
    inputs = inputs_of(model, belly=1.0)
    _, report = QuasiNewton().prepare(model).step(rest(model), inputs)
    assert report.residual <= 1e-4 * report.load
    outcome, failure = (
        QuasiNewton(max_iterations=1).prepare(model).attempt(rest(model), inputs, None)
    )
    assert outcome is None
    assert re.search(r"estimated distance .* m, wanted .* m", failure)


def test_newton_takes_over_what_it_cannot_solve() -> None:
    model = MODELS["pinned"]
    inputs = inputs_of(model, bar=1.0)
    poor, _ = QuasiNewton(max_iterations=1).prepare(model).step(rest(model), inputs)
    right, _ = Newton().prepare(model).step(rest(model), inputs)
    np.testing.assert_allclose(poor.x, right.x, atol=1e-9)
