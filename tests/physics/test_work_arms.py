"""A muscle has one arm, by force, by excursion and by virtual work, also where it touches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.contact.prepare import usual_contact
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.measure.work_arms import WorkArms
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.solvers.newton import Newton
from vastus.state import State, rest

LEVEL, ANGLE = 0.3, 0.6  # of the biceps; [rad] of the elbow


def held(model: Model, level: float, angle: float) -> Inputs:
    """The biceps at a level, the elbow held at an angle [rad]."""
    levels = np.where([m.name == "biceps" for m in model.muscles], level, 0.0)
    at = replace(Inputs.rest(model, time=1.0), excitation=levels)
    return replace(at, joints=np.array([angle]))


@pytest.fixture(scope="module", params=["without contact", "with contact"])
def bent(request: pytest.FixtureRequest) -> tuple[Model, State]:
    contact = usual_contact() if request.param == "with contact" else None
    model = elbow(tets=1_500).with_(contact=contact)
    stepper, state = Newton().prepare(model), rest(model)
    for share in (0.25, 0.5, 0.75, 1.0):
        state, report = stepper.step(state, held(model, share * LEVEL, share * ANGLE))
        assert report.converged
    return model, state


def beside(bent: tuple[Model, State], level: float, angle: float) -> State:
    model, state = bent
    return Newton(tolerance=1e-10).prepare(model).step(state, held(model, level, angle))[0]


def test_work_arm_is_the_moment_that_a_newton_of_tension_adds(bent: tuple[Model, State]) -> None:
    """dM/da = -r dT/da, the reaction M and the tension at the present length T = a dT/da."""
    model, state = bent
    step = 1e-3
    more, less = (beside(bent, LEVEL + s, ANGLE).memory["reactions"][0] for s in (step, -step))
    tension = Outputs(model).of(state)["biceps_active_N"] / LEVEL
    by_force = -float(more - less) / (2 * step) / tension
    arm = WorkArms(model, model.joints[0]).of(state)["biceps_elbow_work_arm_m"]
    assert arm == pytest.approx(by_force, rel=1e-4)
    assert arm > 0.02


def test_work_arm_is_how_much_fibres_shorten(bent: tuple[Model, State]) -> None:
    """r = -dL/dq of the mean fibre length, to within how evenly fibres are stretched."""
    model, state = bent
    step, outputs = 1e-3, Outputs(model)
    ahead, behind = (outputs.of(beside(bent, LEVEL, ANGLE + s)) for s in (step, -step))
    arms = WorkArms(model, model.joints[0]).of(state)
    for index, muscle in enumerate(model.muscles):
        fibres = model.mesh.volumes[model.contractile & (model.muscle_of_tet == index)].sum()
        length = fibres / model.fluxes[index].area
        name = f"{muscle.name}_stretch"
        excursion = -length * (ahead[name] - behind[name]) / (2 * step)
        assert arms[f"{muscle.name}_elbow_work_arm_m"] == pytest.approx(excursion, rel=0.02)
