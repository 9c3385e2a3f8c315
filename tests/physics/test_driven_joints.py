"""Joints that are driven, limited or pushed, against closed forms and slopes of the energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import hinge, inputs_of, ladder, made, pair
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.modelling.shapes.elbow import elbow
from vastus.numerics.types import Floats
from vastus.reproduce.emu.paper import hinged_bones
from vastus.schedules import keyframes, ramp
from vastus.skeleton.affine import Affine
from vastus.skeleton.coordinates import of_joint
from vastus.skeleton.joints import Hinge, Joint, Slider, Universal
from vastus.skeleton.passive import Passive
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import Report, State, rest
from vastus.timeloop import simulate

G = 9.81


def weight_of(model: Model, bone: str) -> tuple[float, Floats]:
    """The weight [N] of a bone and its centre of mass (3,) at rest [m]."""
    tets = model.tets_of([bone])
    density = np.array([r.density for r in model.regions])[model.region[tets]]
    mass = model.mesh.volumes[tets] * density
    return float(mass.sum()) * G, mass @ model.mesh.centroids[tets] / mass.sum()


def lever(joint: Joint) -> Model:
    """Two bones and nothing else, the lower hanging on the upper, which is held, by a joint."""
    return hinged_bones().with_(joints=(joint,))


BONES = ("upper", "lower")
ORIGIN, X, Y, Z = np.zeros(3), *np.eye(3)


def at(model: Model, *coordinates: float, **activation: float) -> Inputs:
    """Inputs at 1 s that drive the first joint to coordinates [rad or m]."""
    given = np.full(sum(len(j.freedoms) for j in model.joints), np.nan)
    given[of_joint(model.joints, 0)] = coordinates
    return replace(inputs_of(model, **activation), joints=given)


def driven(
    model: Model, *coordinates: float, reduction: Reduction | None = None, **activation: float
) -> tuple[State, Report]:
    """The equilibrium with the first joint driven."""
    solver = Newton(1e-12, reduction=reduction or Reduction())
    return solver.prepare(model).step(rest(model), at(model, *coordinates, **activation))


SOLVERS = {
    "Newton": Newton(1e-10),
    "QuasiNewton": QuasiNewton(),
    "affine": Newton(1e-10, reduction=Reduction(Affine())),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_driven_hinge_carries_a_weight_on_a_lever(name: str) -> None:
    """The moment is m g l cos: of a weight at (x, z), about y, -m g (x cos + z sin)."""
    model = lever(Hinge("hinge", BONES, ORIGIN, Y))
    weight, (x, _, z) = weight_of(model, "lower")
    keys = keyframes(model, joints={"hinge": [(0, 0), (1, 150)]}, seconds=1, fps=4)
    for frame in simulate(model, SOLVERS[name], keys):
        angle = np.radians(150 * frame.time) if frame.time in (0, 0.5, 1) else None
        measured = np.radians(Outputs(model).of(rest_of(frame.state))["hinge_angle_deg"])
        if angle is not None:
            assert measured == pytest.approx(angle, abs=1e-9)
        wanted = -weight * (x * np.cos(measured) + z * np.sin(measured))
        assert frame.outputs["hinge_reaction_Nm"] == pytest.approx(wanted, abs=1e-8)


def rest_of(state: State) -> State:
    """The state without what it remembers, so that all is measured."""
    return replace(state, memory={})


@pytest.mark.parametrize("make", [pair, ladder], ids=["one joint", "a chain"])
def test_the_reaction_is_the_slope_of_the_energy(make) -> None:
    """With an active muscle across the joint; bones beyond it find their own equilibrium."""
    model = make(hinge()) if make is pair else make()
    h, angle = 1e-4, -0.08
    stepper = Newton(1e-12).prepare(model)
    state, _ = stepper.step(rest(model), at(model, angle, m=0.1))
    ahead, behind = (
        stepper.step(state, at(model, angle + s * h, m=0.1))[1].energy for s in (1, -1)
    )
    slope = (ahead - behind) / (2 * h)
    assert state.memory["reactions"][0] == pytest.approx(slope, rel=1e-6)


def test_a_torque_of_the_reaction_holds_the_joint_where_it_was_driven() -> None:
    model = pair(hinge())
    state, _ = driven(model, -0.1, m=0.05)
    reaction = state.memory["reactions"][0]
    held = replace(inputs_of(model, m=0.05), torques=np.array([reaction]))
    free, _ = Newton(1e-12).prepare(model).step(state, held)
    np.testing.assert_allclose(free.poses, state.poses, atol=1e-9)
    half = replace(at(model, -0.1, m=0.05), torques=np.array([reaction / 2]))
    both, _ = Newton(1e-12).prepare(model).step(state, half)
    assert both.memory["reactions"][0] == pytest.approx(reaction / 2, abs=1e-9)


def test_affine_bones_react_as_rigid_ones() -> None:
    model = pair(hinge())
    stiff = Reduction(Affine(1e9))
    rigid, affine = (driven(model, -0.1, reduction=r, m=0.05)[0] for r in (None, stiff))
    found, wanted = (state.memory["reactions"][0] for state in (affine, rigid))
    assert found == pytest.approx(wanted, rel=1e-3)


def test_joints_beyond_a_driven_one_stay_free() -> None:
    model = ladder()
    state, _ = driven(model, -0.2, m=0.1)
    out = Outputs(model).of(rest_of(state))
    assert out["AB_angle_deg"] == pytest.approx(np.degrees(-0.2), abs=1e-8)
    assert abs(out["BC_angle_deg"]) > 0.1
    assert np.isnan(state.memory["reactions"][1])


def test_a_joint_is_let_go_where_it_was_driven_to() -> None:
    """Quick release: a coordinate that is not a number any more leaves the joint free."""
    model = lever(Hinge("hinge", BONES, ORIGIN, Y))
    state, _ = driven(model, 0.5)
    free, report = Newton(1e-10).prepare(model).step(state, inputs_of(model))
    _, (x, _, z) = weight_of(model, "lower")
    wanted = np.arctan2(x, -z)  # where the weight hangs below the hinge
    angle = Outputs(model).of(free)["hinge_angle_deg"]
    assert report.converged
    assert angle == pytest.approx(np.degrees(wanted), abs=1e-6)


def test_a_driven_slider_carries_the_part_of_the_weight_along_its_axis() -> None:
    axis = np.array([0.6, 0.0, 0.8])
    model = lever(Slider("slider", BONES, ORIGIN, axis))
    weight, _ = weight_of(model, "lower")
    state, _ = driven(model, 0.03)
    np.testing.assert_allclose(
        state.poses[1], np.column_stack([np.eye(3), 0.03 * axis]), atol=1e-14
    )
    assert state.memory["reactions"][0] == pytest.approx(0.8 * weight, abs=1e-8)
    out = Outputs(model).of(state)
    assert out["slider_shift_m"] == pytest.approx(0.03, abs=1e-12)
    assert out["slider_reaction_N"] == pytest.approx(0.8 * weight, abs=1e-8)


def test_a_slider_on_a_spring_sinks_until_the_spring_carries_the_weight() -> None:
    """k (s - s0) = -m g cos."""
    axis = np.array([0.6, 0.0, 0.8])
    spring = Passive(stiffness=400.0, neutral=0.01)
    model = lever(Slider("slider", BONES, ORIGIN, axis, passive=(spring,)))
    weight, _ = weight_of(model, "lower")
    state, _ = Newton(1e-10).prepare(model).step(rest(model), inputs_of(model))
    shift = Outputs(model).of(state)["slider_shift_m"]
    assert shift == pytest.approx(0.01 - 0.8 * weight / 400.0, abs=1e-9)


def test_a_driven_universal_joint_carries_a_weight_about_both_axes() -> None:
    """The derivatives of m g z of the centre of mass by both angles."""
    joint = Universal("cross", BONES, ORIGIN, Y, X)
    model = lever(joint)
    weight, centre = weight_of(model, "lower")
    angles, h = np.array([0.4, -0.7]), 1e-5
    state, _ = driven(model, *angles)
    np.testing.assert_allclose(state.poses[1], joint.motion(angles), atol=1e-13)

    def height(q: Floats) -> float:
        return float(weight * (joint.motion(q)[2, :3] @ centre))

    slopes = [(height(angles + e) - height(angles - e)) / (2 * h) for e in h * np.eye(2)]
    np.testing.assert_allclose(state.memory["reactions"], slopes, atol=1e-8)
    turned = exact_moments(joint, angles, weight, centre)
    np.testing.assert_allclose(state.memory["reactions"], turned, atol=1e-12)
    out = Outputs(model).of(rest_of(state))
    assert out["cross_first_deg"] == pytest.approx(np.degrees(0.4), abs=1e-9)
    assert out["cross_second_deg"] == pytest.approx(np.degrees(-0.7), abs=1e-9)


def exact_moments(joint: Joint, q: Floats, weight: float, centre: Floats) -> list[float]:
    """The moments that carry a weight, about the axes of a joint as they are turned."""
    arm = joint.motion(q)[:, :3] @ centre
    return [float(axis @ np.cross(arm, weight * Z)) for axis, _ in joint.screws(q)]


def test_a_universal_joint_hangs_straight_down_and_does_not_twist() -> None:
    """Two angles bring the centre of mass below the joint; the axes stay at right angles."""
    joint = Universal("cross", BONES, ORIGIN, Y, X)
    model = lever(joint)
    state, _ = Newton(1e-12).prepare(model).step(rest(model), inputs_of(model))
    _, centre = weight_of(model, "lower")
    hanging = state.poses[1, :, :3] @ centre
    np.testing.assert_allclose(hanging / np.linalg.norm(centre), -Z, atol=1e-6)
    assert Y @ state.poses[1, :, :3] @ X == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_driven_is_refused_in_a_sentence() -> None:
    def keys(model: Model, value: float = 1.0) -> None:
        keyframes(model, joints={model.joints[0].name: [(0, 0), (1, value)]}, seconds=1)

    with pytest.raises(ModelError, match="'joint' is a ball, which has no coordinate to be driven"):
        keys(pair(made("ball")))
    limited = replace(hinge(), passive=(Passive((-0.5, 1.0)),))
    with pytest.raises(ModelError, match=r"'AB' is driven to 60 deg, beyond its range of -28.6"):
        keys(pair(limited), 60.0)
    model = pair(hinge())
    with pytest.raises(ModelError, match="EMU cannot drive joints; solve with Newton"):
        Emu(10.0).prepare(model).step(rest(model), at(model, 0.1))
    with pytest.raises(ModelError, match=r"leaves out 0, the pose that it is modelled in"):
        pair(replace(hinge(), passive=(Passive((0.2, 1.0)),)))


def hanging(low: float, high: float = 3.0) -> Model:
    """A bone on a hinge whose range ends before it hangs straight down."""
    return lever(Hinge("hinge", BONES, ORIGIN, Y, passive=(Passive((low, high)),)))


def test_a_bone_hangs_at_its_limit() -> None:
    """It comes to rest within the range, less than the width of the soft zone before its end."""
    end = np.radians(40.0)
    model = hanging(-3.0, end)
    state, report = Newton(1e-10).prepare(model).step(rest(model), inputs_of(model))
    angle = Outputs(model).of(state)["hinge_angle_deg"]
    assert report.converged
    assert 38.0 < angle < 40.0


def test_newton_is_quadratic_at_a_limit() -> None:
    """Digits double: the residual falls below the square of the one before, as a share."""
    model = pair(replace(hinge(), passive=(Passive((np.radians(-3.0), 1.0)),)))
    state, _ = Newton(1e-12).prepare(model).step(rest(model), inputs_of(model, m=0.4))
    angle = Outputs(model).of(state)["AB_angle_deg"]
    assert -3.0 < angle < -1.0
    _, report = Newton(1e-13).prepare(model).step(state, inputs_of(model, m=0.5))
    shares = np.array(report.history) / report.load
    last = shares[(shares < 1e-2) & (shares > 1e-12)]
    assert len(last) >= 2
    assert (last[1:] < 100 * last[:-1] ** 2 + 1e-12).all()


def test_the_pose_at_an_end_of_the_range_is_at_rest() -> None:
    """A limit that began within the range would pull at the pose that the model is made in."""
    model = pair(replace(hinge(), passive=(Passive((0.0, 1.0)),)), gravity=np.zeros(3))
    state, _ = Newton(1e-10).prepare(model).step(rest(model), inputs_of(model))
    np.testing.assert_allclose(state.x, model.mesh.X, atol=1e-12)


def test_a_spring_pulls_a_hinge_to_its_neutral_angle() -> None:
    """k (q - q0) is the moment of the weight about the hinge."""
    spring = Passive(stiffness=20.0, neutral=0.3)
    model = lever(Hinge("hinge", BONES, ORIGIN, Y, passive=(spring,)))
    weight, (x, _, z) = weight_of(model, "lower")
    state, _ = Newton(1e-12).prepare(model).step(rest(model), inputs_of(model))
    q = np.radians(Outputs(model).of(state)["hinge_angle_deg"])
    assert 20.0 * (q - 0.3) == pytest.approx(weight * (x * np.cos(q) + z * np.sin(q)), abs=1e-8)


def test_the_elbow_stops_where_the_arm_is_straight() -> None:
    """It is made flexed by 25 degrees; triceps alone would bend it backwards, by 39 from there."""
    model = elbow(1500)
    angles = [
        frame.outputs["elbow_angle_deg"]
        for frame in simulate(model, QuasiNewton(), ramp(model, triceps=1.0, fps=2))
    ]
    assert min(angles) > -25
    assert angles[-1] < -23
