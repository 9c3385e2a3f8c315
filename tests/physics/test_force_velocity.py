"""Muscles that move: their force follows the velocity of their fibres."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from builders import box, face_load, rollers
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials import StableNeoHookean
from vastus.materials.fibres.published import velocity_curve
from vastus.measure.outputs import Outputs
from vastus.model import Model, Muscle
from vastus.muscle import ForceLength, described, muscle_of
from vastus.parts import Region, Tissue
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.newton import Newton
from vastus.state import State, rest

LENGTH, WIDTH, STRENGTH = 0.1, 0.02, 3e5  # [m], [m], [Pa]
FORCE = STRENGTH * WIDTH**2  # [N] the greatest
FASTEST = 8.0  # [1/s]


def strap(load: float, curve: str | None = "hill") -> Model:
    """A light muscle in hardly any matrix, between rollers, that a share of its force pulls."""
    mesh = box((3, 1, 1), (LENGTH, WIDTH, WIDTH))
    matrix = StableNeoHookean(young=500.0, poisson=0.45)
    muscle = Muscle(
        "strap",
        STRENGTH,
        force_length=ForceLength.NONE,
        force_velocity=curve,
        max_velocity=FASTEST,
    )
    return Model(
        mesh,
        np.zeros(mesh.n_tets, np.int64),
        (Region("strap", Tissue.MUSCLE, (matrix,), density=20.0, muscle="strap"),),
        np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        (muscle,),
        pins=rollers(mesh),
        loads=(face_load(mesh, 0, np.array([load * FORCE, 0.0, 0.0])),),
        gravity=np.zeros(3),
    )


def active(model: Model) -> State:
    """At rest, activated, and loaded."""
    state = rest(model)
    loads = np.array([load.force for load in model.loads])
    return replace(state, activation=np.ones(1), memory={**state.memory, "loads": loads})


def run(model: Model, solver: Dynamic, count: int) -> list[State]:
    """The states of a muscle that stays active, from when it is let go."""
    stepper = solver.prepare(model)
    states = [stepper.begin(active(model))]
    for k in range(count):
        at = replace(Inputs.rest(model, (k + 1) * solver.step), excitation=np.ones(1))
        states.append(stepper.step(states[-1], at)[0])
    return states


def velocity(states: list[State], since: float) -> float:
    """How fast the far end goes from a time [s] on, in lengths a second."""
    end = states[0].x[:, 0] == states[0].x[:, 0].max()
    rows = np.array([(s.time, s.x[end, 0].mean()) for s in states if s.time > since])
    return float(np.polyfit(*rows.T, 1)[0]) / LENGTH


@pytest.mark.parametrize(
    ("curve", "scheme", "load"),
    [
        *(("hill", "bdf2", load) for load in (0.05, 0.3, 0.8, 1.2)),
        *(("millard", "bdf2", load) for load in (0.1, 1.3)),
        ("hill", "midpoint", 0.3),
    ],
)
def test_a_muscle_under_a_constant_load_moves_as_its_curve_says(
    curve: str, scheme: str, load: float
) -> None:
    """F/F0 = f_v(v / v_max), by the speed of its end; its outputs have the force it balances."""
    model = strap(load, curve)
    states = run(model, Dynamic(Scheme(scheme), 1e-3), 12)
    speed = velocity(states, since=6e-3)
    assert velocity_curve(curve).force(speed / FASTEST) == pytest.approx(load, rel=0.02)
    if scheme == "midpoint":
        return  # whose velocities ring about those of its steps
    row = Outputs(model).of(states[-1], states[-2])
    assert row["strap_active_N"] == pytest.approx(load * FORCE, rel=0.02)
    assert row["strap_power_W"] == pytest.approx(-load * FORCE * speed * LENGTH, rel=0.03)


def test_hill_gives_the_speed_in_closed_form() -> None:
    """v/v_max = -(1 - p)/(1 + p/k) under the load p."""
    speed = velocity(run(strap(0.25), Dynamic(step=1e-3), 12), since=6e-3)
    assert speed == pytest.approx(-FASTEST * 0.75 / 2.0, rel=0.02)


def test_a_long_step_is_stable() -> None:
    """The force of a step of 20 ms lies on the curve too: it is implicit."""
    states = run(strap(0.8), Dynamic(Scheme.EULER, 2e-2), 3)
    speed = velocity(states, since=1e-2)
    assert velocity_curve("hill").force(speed / FASTEST) == pytest.approx(0.8, rel=0.02)


def test_statics_knows_no_velocity() -> None:
    """The same state, to the last bit."""
    found = []
    for curve in (None, "hill"):
        model = strap(0.99, curve)
        inputs = replace(Inputs.rest(model, 1.0), excitation=np.array([0.99]))
        state, _ = Newton().prepare(model).step(rest(model), inputs)
        found.append((state.x, Outputs(model).of(state)))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_force_that_follows_each_tet_has_no_velocity() -> None:
    muscle = replace(strap(0.5).muscles[0], force_length=ForceLength.LOCAL)
    with pytest.raises(ModelError, match="muscle 'strap' has a 'force_velocity', which goes by"):
        strap(0.5).with_(muscles=(muscle,))


@pytest.mark.parametrize(
    ("curve", "sentence"),
    [
        ("foo", "no force-velocity curve 'foo'; force-velocity curves: hill, millard"),
        (((-1.0, 0.5), (0.0, 1.0), (1.0, 0.9)), "its forces must rise"),
        (((-1.0, 0.0), (1.0, 1.4)), "at velocity 0; it must be 1"),
    ],
)
def test_curves_that_cannot_be_are_named(curve: object, sentence: str) -> None:
    muscle = replace(strap(0.5).muscles[0], force_velocity=curve)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=f"muscle 'strap': .*{sentence}"):
        strap(0.5).with_(muscles=(muscle,))


def test_a_muscle_is_read_back_as_it_was_described() -> None:
    rows = ((-1.0, 0.0), (0.0, 1.0), (1.0, 1.4))
    muscle = replace(strap(0.5).muscles[0], force_velocity=rows, activation_rise=0.02)
    assert muscle_of(json.loads(json.dumps(described(muscle)))) == muscle
