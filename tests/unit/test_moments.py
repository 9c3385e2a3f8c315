"""Moments and arms of muscles whose lever is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bent_bar import BELOW, Y, bent
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.parts import Bone
from vastus.skeleton.joints import Ball, Hinge, Joint, Weld
from vastus.state import State, rest


def jointed(model: Model, *joints: Joint) -> Model:
    return model.with_(joints=joints)


def hinge(centre: np.ndarray = BELOW, axis: np.ndarray = Y) -> Hinge:
    return Hinge("knee", ("base", "tip"), centre, axis)


def pulling(model: Model, stretch: float = 1.1) -> State:
    """The bar stretched evenly, active, its bones where that puts their middles."""
    still = rest(model)
    return replace(still, x=model.mesh.X * [stretch, 1.0, 1.0], activation=np.array([0.5]))


def arms(model: Model, state: State) -> dict[str, float]:
    """The columns that tell of muscles and joints."""
    joints = [f"_{joint.name}_" for joint in model.joints]
    out = Outputs(model).of(state)
    return {k: v for k, v in out.items() if any(j in k for j in joints)}


@pytest.mark.parametrize("stretch", [1.1, 0.8])
def test_the_arm_of_a_straight_muscle_is_its_distance_from_the_axis(
    bar_model: Model, stretch: float
) -> None:
    """A pull along -x at height h above an axis along y turns by -h."""
    model = jointed(bar_model, hinge())
    state = pulling(model, stretch)
    found, force = arms(model, state), Outputs(model).of(state)["belly_on_tip_x_N"]
    sign = -1.0 if force < 0 else 1.0
    assert found["belly_knee_arm_m"] == pytest.approx(sign * 0.06, rel=1e-9)
    assert found["belly_knee_moment_Nm"] == pytest.approx(0.06 * force, rel=1e-9)
    assert found["belly_knee_excursion_m"] == pytest.approx(-0.06, rel=1e-9)


def test_arms_go_with_the_whole_model_wherever_it_is_turned(bar_model: Model) -> None:
    model = jointed(bar_model, hinge())
    state, R, t = pulling(model), exp_map(np.array([0.4, -0.8, 1.1])), np.array([0.3, -0.2, 0.5])
    poses = np.tile(np.column_stack([R, t]), (2, 1, 1))
    moved = replace(state, x=state.x @ R.T + t, poses=poses)
    assert arms(model, moved) == pytest.approx(arms(model, state), rel=1e-9)


def test_an_axis_the_other_way_round_turns_the_sign(bar_model: Model) -> None:
    model = jointed(bar_model, hinge(axis=-Y))
    assert arms(model, pulling(model))["belly_knee_arm_m"] == pytest.approx(0.06, rel=1e-9)


def test_a_ball_has_arms_about_three_axes(bar_model: Model) -> None:
    model = jointed(bar_model, Ball("hip", ("base", "tip"), BELOW + 0.02 * Y))
    found = arms(model, pulling(model))
    told = [found[f"belly_hip_arm_{axis}_m"] for axis in "xyz"]
    assert told == pytest.approx([0.0, -0.06, -0.02], abs=1e-9)


def test_a_muscle_that_does_not_pull_has_no_arm(bar_model: Model) -> None:
    model = jointed(bar_model, hinge())
    found = arms(model, rest(model))
    assert found["belly_knee_moment_Nm"] == pytest.approx(0.0, abs=1e-9)
    assert np.isnan(found["belly_knee_arm_m"])


def test_welds_and_joints_that_are_not_crossed_have_no_columns(bar_model: Model) -> None:
    model = jointed(bar_model, Weld("glue", ("base", "tip"), BELOW))
    assert arms(model, pulling(model)) == {}


def test_a_muscle_turns_every_joint_between_its_bones(bar_model: Model) -> None:
    """With a bone between, held by no muscle, the moment about both hinges is force times arm."""
    model = bar_model.with_(
        bones=(*bar_model.bones, Bone("middle", ())),
        joints=(
            Hinge("near", ("base", "middle"), [0.02, 0.01, -0.01], Y),
            Hinge("far", ("middle", "tip"), BELOW, Y),
        ),
    )
    found = arms(model, pulling(model))
    assert found["belly_near_arm_m"] == pytest.approx(-0.02, rel=1e-9)
    assert found["belly_far_arm_m"] == pytest.approx(-0.06, rel=1e-9)


def test_the_arm_is_how_much_the_muscle_shortens_with_the_angle(bar_model: Model) -> None:
    model = jointed(bar_model, hinge())
    rows = [Outputs(model).of(bent(model, angle)) for angle in np.radians([-2.0, 0.0, 2.0])]
    turn = np.radians(rows[2]["knee_angle_deg"] - rows[0]["knee_angle_deg"])
    excursion = -(rows[2]["belly_length_m"] - rows[0]["belly_length_m"]) / turn
    assert rows[1]["belly_knee_excursion_m"] == pytest.approx(excursion, rel=0.01)
    assert rows[1]["belly_knee_excursion_m"] == pytest.approx(-0.06, rel=1e-9)
