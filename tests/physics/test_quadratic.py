"""Newton's last steps square the residual, r[k+1] <= C r[k]^2: only the true Hessian does that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from builders import hinge, ladder, pair, row, solve
from vastus.model import Model
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Ball
from vastus.solvers.problem import Reduction

CENTRE = np.array([0.12, 0.015, -0.03])
ROUND_OFF = 2e-12
MODELS: dict[str, tuple[Callable[[], Model], dict[str, float]]] = {
    "no joint": (pair, {"m": 0.5}),
    "hinge": (lambda: pair(hinge()), {"m": 0.5}),
    "ball": (lambda: pair(Ball("ball", ("A", "B"), CENTRE)), {"m": 0.5}),
    "three bones": (
        lambda: row((hinge(("A", "B")), hinge(("B", "C"), 0.28))),
        {"m": 0.5, "n": 0.3},
    ),
    "two muscles": (ladder, {"m": 0.3, "n": 0.6}),
    "biarticular": (lambda: ladder(biarticular=True), {"m": 0.3}),
}


def check_quadratic(history: np.ndarray) -> None:
    """The last three steps each square the relative residual, times at most a hundred."""
    before, after = history[-4:-1], history[-3:]
    assert (after <= np.maximum(100 * before**2, ROUND_OFF)).all(), history
    assert history[-1] <= 1e-12


@pytest.mark.parametrize("name", MODELS)
def test_the_residual_is_squared_with_rigid_bones(name: str) -> None:
    """r[k+1] <= 100 r[k]^2 for the last three iterations, r relative to the load."""
    make, activation = MODELS[name]
    _, report = solve(make(), **activation)
    check_quadratic(np.array(report.history) / report.load)


@pytest.mark.parametrize("name", ["hinge", "three bones"])
@pytest.mark.parametrize(
    "reduction",
    [Reduction(Affine(young=1e7)), Reduction(joint_stiffness=1e5)],
    ids=["affine", "tied"],
)
def test_the_residual_is_squared_with_other_reductions(name: str, reduction: Reduction) -> None:
    """The same bound for affine bones and for joints tied by springs."""
    make, activation = MODELS[name]
    _, report = solve(make(), reduction=reduction, **activation)
    check_quadratic(np.array(report.history) / report.load)


@pytest.mark.parametrize("name", MODELS)
def test_stiff_affine_bones_need_few_iterations(name: str) -> None:
    """Bones of 10 GPa turn as easily as rigid ones: a chain is not held up by their stiffness."""
    make, activation = MODELS[name]
    _, report = solve(make(), reduction=Reduction(Affine(young=1e10)), tolerance=1e-8, **activation)
    assert len(report.history) - 1 <= 25
