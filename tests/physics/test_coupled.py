"""Tissue that moves a skeleton: where it ends, how it gets there, and what energy it costs.

The elbow is held at activations that bend it, and let go. Inertia, tissue and dampers are the same
for `Coupled`, whose tissue is in equilibrium at each step, and for `Dynamic`, which moves all of
it implicitly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import vastus
from vastus.inputs import Inputs, Schedule
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.schedules import from_arrays
from vastus.solvers.driving import measured
from vastus.state import State, rest
from vastus.timeloop import Solver

pytest.importorskip("mujoco", reason="skeletons are moved by MuJoCo")

from vastus.coupling import Coupled, Lead, skeleton_of
from vastus.coupling.coupled import POSITION, WORK, CoupledStepper

LEVELS = {"biceps": 0.25, "triceps": 0.02}


@pytest.fixture(scope="module")
def elbow() -> Model:
    return damped(vastus.shapes.elbow(tets=1000), 0.3)


def damped(model: Model, damping: float) -> Model:
    hinge = model.joints[0]
    passive = replace(hinge.passive[0], damping=damping)
    return model.with_(joints=(replace(hinge, passive=(passive,)),))


def constant(model: Model, times: Sequence[float], **joints: Floats) -> Schedule:
    levels = {name: np.full(len(times), level) for name, level in LEVELS.items()}
    return from_arrays(model, np.asarray(times, float), levels, joints=joints)


@pytest.fixture(scope="module")
def held(elbow: Model) -> State:
    schedule = constant(elbow, [0.0, 0.0], elbow=np.zeros(2))
    *_, last = vastus.simulate(elbow, vastus.Newton(), schedule, measured=False)
    return last.state


def angles(model: Model, solver: Solver, start: State, times: Floats) -> tuple[Floats, State]:
    """(k,) [deg] at the times, and the last state."""
    frames = vastus.simulate(model, solver, constant(model, times), start=start, measured=False)
    states = [frame.state for frame in frames]
    return np.degrees([measured(model, state.poses)[0] for state in states]), states[-1]


def test_a_skeleton_has_the_poses_of_its_model(elbow: Model) -> None:
    body = skeleton_of(elbow)
    data = body.data(np.array([0.7]))
    pose = elbow.joints[0].motion(np.array([0.7]))
    forearm = data.body("forearm")
    assert np.abs(forearm.xmat.reshape(3, 3) - pose[:, :3]).max() < 1e-12
    assert np.abs(forearm.xpos - pose[:, 3]).max() < 1e-12
    assert body.model.body("forearm").mass[0] == pytest.approx(1.5, rel=1e-6)


@pytest.mark.slow  # solves of tissue
def test_slopes_of_moments_are_those_of_solves(elbow: Model, held: State) -> None:
    stepper: CoupledStepper = Coupled(tissue=vastus.Newton()).prepare(elbow)
    state = stepper.begin(held)
    tissue, inputs, away = stepper.tissue, Inputs.of(held), 1e-3
    answer = tissue.answer(state)
    sides = [
        -tissue.solve(state, inputs, answer.coordinates + d)[0].memory["reactions"]
        for d in (away, -away)
    ]
    slope = (sides[0] - sides[1]) / (2 * away)
    assert answer.slopes[0, 0] == pytest.approx(slope[0], rel=1e-3)
    gains = tissue.by_activation(state)
    assert gains[0, 0] > 0 > gains[0, 1]  # biceps bends, triceps straightens
    more = replace(inputs, excitation=inputs.excitation + np.array([away, 0.0]))
    pulled = -tissue.solve(state, more, answer.coordinates)[0].memory["reactions"]
    assert gains[0, 0] == pytest.approx((pulled[0] - answer.moments[0]) / away, rel=0.01)


@pytest.mark.slow
def test_motion_is_that_of_implicit_dynamics(elbow: Model, held: State) -> None:
    times = np.linspace(0.0, 0.4, 9)
    exact, _ = angles(elbow, vastus.Dynamic(step=5e-3), held, times)
    found, _ = angles(elbow, Coupled(step=0.0125, tissue=vastus.Newton()), held, times)
    print(f"{np.abs(found - exact).max():.3f} of {exact.max():.1f} deg")
    assert exact.max() > 90
    assert np.abs(found - exact).max() < 0.01 * exact.max()


@pytest.mark.slow
def test_energy_that_appears_falls_with_the_square_of_the_step(elbow: Model, held: State) -> None:
    gaps = []
    for step in (0.05, 0.025):
        solver = Coupled(step=step, tissue=vastus.Newton())
        stepper = solver.prepare(elbow)
        begun = stepper.begin(held)
        _, last = angles(elbow, solver, begun, np.linspace(0.0, 0.4, 9))
        gained = stepper.energies(last)["tissue"] - stepper.energies(begun)["tissue"]
        gaps.append(abs(gained + float(last.memory[WORK][0])))
    print(f"work and energy differ by {gaps[0]:.4f} and {gaps[1]:.4f} J")
    assert gaps[1] < 0.35 * gaps[0]
    assert gaps[1] < 0.01 * abs(gained)


@pytest.mark.slow
def test_it_ends_where_the_free_joint_is_in_equilibrium(elbow: Model, held: State) -> None:
    model = damped(elbow, 1.5)
    free = vastus.simulate(
        model, vastus.Newton(), constant(model, [0.0, 0.0]), start=held, measured=False
    )
    *_, last = free
    wanted = np.degrees(measured(model, last.state.poses)[0])
    found, _ = angles(model, Coupled(step=1 / 30), held, np.linspace(0.0, 3.0, 16))
    print(f"{found[-1]:.3f} deg, equilibrium at {wanted:.3f} deg")
    assert abs(found[-1] - wanted) < 0.5


@pytest.mark.slow
def test_activations_are_led_along_a_reference(elbow: Model) -> None:
    def reference(t: float) -> tuple[Floats, Floats, Floats]:
        w, size = 2 * np.pi, np.radians(20.0)
        wave = size * np.array([1 - np.cos(w * t), w * np.sin(w * t), w**2 * np.cos(w * t)])
        return wave[:1], wave[1:2], wave[2:]

    solver, off = Coupled(step=0.01), []
    lead = Lead(elbow, solver, reference)
    times = np.linspace(0.0, 0.5, 11)
    for frame in vastus.simulate(elbow, solver, lead, times=times, measured=False):
        off.append(frame.state.memory[POSITION][0] - reference(frame.time)[0][0])
        assert (frame.state.activation >= 0).all()
    print(f"at most {np.degrees(np.abs(off).max()):.2f} deg off")
    assert np.degrees(np.abs(off).max()) < 4.0


def test_what_has_no_skeleton_is_refused(elbow: Model) -> None:
    from vastus.errors import ModelError
    from vastus.skeleton.joints import Ball

    ball = elbow.with_(joints=(Ball("elbow", ("humerus", "forearm"), np.zeros(3)),))
    with pytest.raises(ModelError, match="'elbow' is a ball"):
        skeleton_of(ball)
    with pytest.raises(ModelError, match="'forearm' hangs on nothing"):
        skeleton_of(elbow.with_(joints=()))
    with pytest.raises(ModelError, match="step is 0"):
        Coupled(step=0.0)
    with pytest.raises(ModelError, match="needs a pairing"):
        Coupled(body=skeleton_of(elbow))
    assert rest(elbow).time == 0.0


@pytest.mark.slow
def test_a_body_whose_hinge_turns_the_other_way_moves_the_same(elbow: Model, held: State) -> None:
    """Coordinates are sign (q - zero): moments act on the body's joint with the same sign."""
    from vastus.coupling import Pairing
    from vastus.coupling.driven import BodyJoint

    found = []
    for sign, zero in ((1.0, 0.0), (-1.0, 0.4)):
        body = skeleton_of(elbow)
        spec = body.spec.copy()
        hinge = spec.joint("elbow")
        hinge.axis = (sign * np.array(hinge.axis)).tolist()
        # The frame is that of the model where the hinge is at `zero`.
        hinge.ref = zero
        model = spec.compile()
        turned = replace(body, model=model, spec=spec, home=np.array(model.qpos0))
        pairing = Pairing({"elbow": BodyJoint("elbow", sign, zero)})
        solver = Coupled(step=0.02, body=turned, pairing=pairing)
        _, last = angles(elbow, solver, held, np.linspace(0.0, 0.1, 3))
        found.append(measured(elbow, last.poses)[0])
    assert found[0] > 0.1
    assert found[1] == pytest.approx(found[0], rel=1e-6)
