"""Joints of MJCF files: ranges, springs, couplings, and what stands for them, said aloud."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from line_arm import MJCF, write_arm
from vastus.errors import ModelError
from vastus.modelling.lines.line_model import joint_notes, require_joints
from vastus.modelling.lines.lines import LineJoint
from vastus.modelling.lines.mjcf import read_mjcf
from vastus.modelling.lines.mjcf_joints import Between
from vastus.numerics.rotation import exp_map
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.joints import Ball, Hinge, Slider, Universal

pytest.importorskip("mujoco", reason="lines are read with MuJoCo")

WRITTEN = '<joint name="elbow" type="hinge" axis="0 -1 0" range="-10 100" limited="true"/>'
ELBOW = '<joint name="elbow" axis="0 -1 0" range="0 150"/>'


def joint_of(folder: Path, joints: str, *, more: str = "", pose: dict | None = None) -> LineJoint:
    """The joint of the lower arm where other joints take the place of the elbow."""
    text = MJCF.replace(WRITTEN, joints)
    assert joints in text
    text = text.replace("</mujoco>", f"{more}</mujoco>")
    found = read_mjcf(write_arm(folder, text), pose=pose).bone("lower").joint
    assert found is not None
    return found


def degrees(joint: LineJoint, number: int = 0) -> list[float]:
    return np.degrees(joint.passive[number].range).tolist()


def test_a_range_is_about_the_pose(tmp_path: Path) -> None:
    joint = joint_of(tmp_path, ELBOW)
    np.testing.assert_allclose(degrees(joint), [0, 150], atol=1e-9)
    bent = joint_of(tmp_path, ELBOW, pose={"elbow": np.radians(40)})
    np.testing.assert_allclose(degrees(bent), [-40, 110], atol=1e-9)
    assert bent.notes == ()


def test_a_pose_outside_the_range_widens_it_and_says_so(tmp_path: Path) -> None:
    joint = joint_of(tmp_path, ELBOW, pose={"elbow": np.radians(-10)})
    np.testing.assert_allclose(degrees(joint), [0, 160], atol=1e-9)
    assert joint.notes == (
        "joint 'elbow' is 10 deg outside its range; the range is widened to the pose",
    )


def test_springs_and_dampers_are_kept(tmp_path: Path) -> None:
    with_spring = ELBOW.replace("range", 'stiffness="3" springref="20" damping="0.4" range')
    (passive,) = joint_of(tmp_path, with_spring, pose={"elbow": 0.1}).passive
    assert (passive.stiffness, passive.damping) == (3.0, 0.4)
    assert passive.neutral == pytest.approx(np.radians(20) - 0.1)


def test_a_slide_is_a_slider(tmp_path: Path) -> None:
    joint = joint_of(tmp_path, '<joint name="rail" type="slide" axis="1 0 0" range="-.1 .2"/>')
    assert (joint.name, joint.kind) == ("rail", Slider)
    assert joint.passive[0].range == (-0.1, 0.2)
    np.testing.assert_allclose(joint.axis, [1, 0, 0], atol=1e-12)


def test_two_hinges_at_right_angles_are_a_universal_joint(tmp_path: Path) -> None:
    two = ELBOW + '<joint name="twist" axis="0 0 1" range="-30 60"/>'
    joint = joint_of(tmp_path, two, pose={"elbow": 0.5})
    assert joint.kind is Universal
    np.testing.assert_allclose(degrees(joint, 1), [-30, 60], atol=1e-9)
    np.testing.assert_allclose(joint.axis, [0, -1, 0], atol=1e-12)
    made = joint.between(("upper", "lower"))
    assert len(made.passive) == 2


def test_a_ball_of_hinges_says_which_ranges_it_leaves_out(tmp_path: Path) -> None:
    three = ELBOW + '<joint name="b" axis="0 0 1" range="-30 60"/><joint name="c" axis="1 0 0"/>'
    joint = joint_of(tmp_path, three)
    assert (joint.kind, joint.passive) == (Ball, ())
    assert joint.notes == (
        "joint 'lower joint' is a ball here, which has no range for each of three angles: left out "
        "are 'elbow' 0 to 150 deg, 'b' -30 to 60 deg; 'swing' and 'twist' of the joint in a scene "
        "limit it",
    )


BALL = '<joint name="hip" type="ball" range="0 40"/>'


def test_a_ball_turns_as_far_as_the_file_lets_it(tmp_path: Path) -> None:
    """The largest angle of the rotation, from where the file has none."""
    joint = joint_of(tmp_path, BALL)
    assert joint.range == BallRange(turn=pytest.approx(np.radians(40)))
    assert joint.notes == ()
    made = joint.between(("upper", "lower"))
    assert made.resistance == "turn up to 40 deg"


def test_a_ball_s_range_is_about_its_zero_and_not_about_the_pose(tmp_path: Path) -> None:
    """By MuJoCo's own rotations: turned back by the neutral rotation, the body is at its zero."""
    body = '<body name="lower" pos="0 0 -0.3">'
    text = MJCF.replace(WRITTEN, BALL)
    assert body in text
    text = text.replace(body, body[:-1] + ' euler="20 -35 50">')
    path = write_arm(tmp_path, text)
    import mujoco

    m = mujoco.MjModel.from_xml_path(str(path))
    straight, turned = mujoco.MjData(m), mujoco.MjData(m)
    turned.qpos[:4] = np.array([0.97, 0.1, -0.15, 0.16]) / np.linalg.norm([0.97, 0.1, -0.15, 0.16])
    for d in (straight, turned):
        mujoco.mj_kinematics(m, d)
    one, two = (d.body("lower").xmat.reshape(3, 3) for d in (straight, turned))
    bones, parents = [int(m.body("lower").id)], [0]
    joint = Between(mujoco, m, turned, [0], bones[0], parents[0], "lower").joint()
    assert joint.range is not None
    back = exp_map(np.array(joint.range.neutral))
    np.testing.assert_allclose(back @ two, one, atol=1e-12)
    assert joint.range.at_rest["turn"] == pytest.approx(2 * np.arccos(turned.qpos[0]), abs=1e-7)


def test_a_ball_is_not_posed_by_a_number(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="joint 'hip' of the pose turns freely: one number does"):
        joint_of(tmp_path, BALL, pose={"hip": 0.3})


def test_what_a_ball_cannot_keep_is_said(tmp_path: Path) -> None:
    sprung = BALL.replace("range", 'stiffness="2" range')
    told = "a ball has no spring here: left out is that of 'hip'"
    assert joint_of(tmp_path, sprung).notes == (told,)
    wide = joint_of(tmp_path, BALL.replace("40", "178"))
    assert wide.range is None
    assert wide.notes == (
        "joint 'hip' may turn by up to 178 deg; limits of a ball are at most 175, so that it has "
        "none here",
    )


KNEE = '<joint name="roll" type="slide" axis="1 0 0"/>' + ELBOW
TIE = '<equality><joint joint1="roll" joint2="elbow" polycoef="0 0.02 0.01 0 0"/></equality>'


def test_a_joint_with_a_coupled_shift_is_the_hinge_at_its_present_axis(tmp_path: Path) -> None:
    """The rate of the shift over that of the turn is how far the axis is from the joint's."""
    joint = joint_of(tmp_path, KNEE, more=TIE)
    plain = joint_of(tmp_path, ELBOW)
    assert (joint.name, joint.kind) == ("elbow", Hinge)
    np.testing.assert_allclose(joint.axis, [0, -1, 0], atol=1e-9)
    # A turn w about -y and a shift 0.02 along x per radian: the point at rest is 0.02 above or
    # below the joint.
    np.testing.assert_allclose(np.abs(joint.centre - plain.centre), [0, 0, 0.02], atol=1e-5)
    np.testing.assert_allclose(degrees(joint), [0, 150], rtol=1e-6)
    (note,) = joint.notes
    assert re.fullmatch(
        r"joint 'elbow' moves with 'roll'; here it is the hinge at its present axis, up to "
        r"1\d\d mm off in its range",
        note,
    )


def test_what_follows_a_free_joint_is_said(tmp_path: Path) -> None:
    hand = (
        '<body name="hand" pos="0 0 -0.25"><joint name="wrist" axis="0 1 0"/>'
        '<geom type="box" size="0.02 0.02 0.02"/><site name="on hand" pos="0 0 -0.01"/></body>'
    )
    text = MJCF.replace('<site name="front end"', hand + '<site name="front end"')
    tie = '<equality><joint joint1="wrist" joint2="elbow" polycoef="0 0.5 0 0 0"/></equality>'
    wire = '<site site="on hand"/></spatial>'
    text = text.replace("</spatial>", wire, 1).replace("</mujoco>", f"{tie}</mujoco>")
    lines = read_mjcf(write_arm(tmp_path, text))
    assert joint_notes(lines, ["elbow"]) == [
        "joint 'wrist' follows 'elbow' in the file; here it moves by itself if it is free, and is "
        "held otherwise"
    ]
    assert joint_notes(lines, []) == []


def test_what_is_none_of_our_joints_cannot_be_free(tmp_path: Path) -> None:
    skew = ELBOW + '<joint name="b" axis="0 1 1" pos="0 .05 0"/>'
    text = MJCF.replace(WRITTEN, skew)
    lines = read_mjcf(write_arm(tmp_path, text))
    with pytest.raises(ModelError, match="'lower joint' cannot be free: it is none of ball, hinge"):
        require_joints(lines, ["lower joint"])
