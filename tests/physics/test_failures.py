"""What has no equilibrium says so, in one sentence, with the last good state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import PASSIVE, WEIGHTLESS, box, face_load, hinge, inputs_of, pair, row, solid, solve
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.parts import Drive, Pin
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Weld
from vastus.solvers.linearisation import DenseInverse
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.state import State, rest
from vastus.timeloop import simulate


def link_pulled_apart() -> Model:
    """A free bone B welded between A, which is pinned, and C, which a script moves."""
    centre = np.array([0.12, 0.015, 0.015])
    joints = (Weld("AB", ("A", "B"), centre), hinge(("B", "C"), 0.28))
    model = row(joints, gravity=WEIGHTLESS)
    bones = (*model.bones[:2], replace(model.bones[2], drive=Drive.SCRIPTED))
    return model.with_(bones=bones)


def moved(model: Model, x: float):
    """Inputs that shift the last bone along x [m]."""
    inputs = inputs_of(model)
    inputs.poses[-1, 0, 3] = x
    return inputs


def check_state(error: SolveError, model: Model) -> None:
    """The error carries a finite state of the model."""
    assert isinstance(error.state, State)
    assert error.state.x.shape == model.mesh.X.shape
    assert np.isfinite(error.state.x).all()
    assert np.isfinite(error.state.poses).all()


@pytest.mark.parametrize("bones", [Newton(), Newton(reduction=Reduction(Affine()))])
def test_joints_that_a_script_tears_apart_are_reported(bones: Newton) -> None:
    """No pose of B reaches both bones."""
    model = link_pulled_apart()
    with pytest.raises(SolveError, match="joints cannot be closed: a gap of") as caught:
        bones.prepare(model).step(rest(model), moved(model, 0.05))
    check_state(caught.value, model)


def test_a_failure_in_a_simulation_names_its_frame() -> None:
    """Frames before it are yielded; the state is that of the last."""
    model = link_pulled_apart()
    run = simulate(model, Newton(), [Inputs.rest(model), moved(model, 0.05)])
    good = next(run)
    with pytest.raises(SolveError, match=r"^frame 1 of 2: no equilibrium at .* s: ") as caught:
        next(run)
    check_state(caught.value, model)
    np.testing.assert_allclose(caught.value.state.x, good.state.x, atol=1e-3)


def test_tissue_that_nothing_holds_is_reported() -> None:
    """A body that falls for ever has no equilibrium."""
    model = solid(box((1, 1, 1), (0.1, 0.1, 0.1)), PASSIVE, gravity=np.array([0.0, 0.0, -9.81]))
    with pytest.raises(SolveError, match="no equilibrium at") as caught:
        solve(model)
    check_state(caught.value, model)


def test_a_body_crushed_beyond_reach_names_its_tet_and_region() -> None:
    """A load of 7000 times the stiffness leaves a tet with next to no volume."""
    mesh = box((2, 1, 1), (0.1, 0.05, 0.05))
    clamp = Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0))
    crush = face_load(mesh, 0, np.array([-1e6, 0.0, 0.0]))
    model = solid(mesh, PASSIVE, pins=(clamp,), loads=(crush,))
    with pytest.raises(SolveError, match=r"tet \d+ of 'body' has volume ratio") as caught:
        Newton(max_iterations=4).prepare(model).step(rest(model), inputs_of(model))
    check_state(caught.value, model)


def test_too_few_iterations_are_reported_with_the_residual_and_the_place() -> None:
    """`max_iterations` is never passed over in silence."""
    model = pair(hinge())
    with pytest.raises(SolveError, match=r"1 iterations were not enough \(residual .* N, wanted"):
        Newton(max_iterations=1, tolerance=1e-14).prepare(model).step(
            rest(model), inputs_of(model, m=1.0)
        )


def test_bones_that_nothing_resists_are_told_in_a_sentence() -> None:
    with pytest.raises(SolveError, match="nothing resists the free bones"):
        DenseInverse(np.zeros((6, 6)))
