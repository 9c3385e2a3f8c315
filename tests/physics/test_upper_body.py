"""The upper body: its mirror image, paths as potentials, moment arms, and human strength."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from vastus.bodies import Body, juggler
from vastus.bodies.actions import primary_arms, used_box
from vastus.bodies.capacity import capacity, margin
from vastus.bodies.paths import Poses, sampled_poses, sign_reports, stretch_ranges
from vastus.bodies.volumes import VOLUMES

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

ARM = 35  # muscles
HINGES = 7

# Elbow moment arms [mm] of OpenSim's arm26 at 0, 10 .. 130 degrees.
TRICEPS = [-20.1, -23.2, -24.1, -24.1, -23.5, -22.5, -21.2, -19.7, -19.8, -19.9, -20.0, -19.9,
           -19.7, -19.4]  # fmt: skip
BICEPS = [9.4, 15.3, 21.0, 26.5, 31.6, 36.3, 40.5, 44.1, 46.9, 48.8, 49.4, 48.5, 45.6, 40.3]
BRACHIALIS = [15.1, 14.3, 13.6, 13.0, 12.6, 13.9, 16.7, 19.1, 21.2, 22.7, 23.7, 24.0, 23.5, 22.3]

# Torques [N m] at home with those of the other joints zero, up and down.
STRENGTH = [(57, 84), (47, 107), (44, 38), (101, 35), (8.8, 5.8), (20.3, 6.8), (8.6, 5.2)]
# What a cascade of three balls of 0.13 kg needs of each joint, up and down [N m].
CASCADE = [(16, 20), (20, 11), (7.4, 10.8), (8.4, 6.4), (0.4, 0.4), (1.5, 1.9), (1.0, 0.7)]
# The joints of an arm in that cascade [rad].
JUGGLING = {
    "shoulder_flexion": (-0.2, 0.85), "shoulder_abduction": (-0.05, 0.3),
    "shoulder_rotation": (-0.25, 0.25), "elbow_flexion": (0.4, 2.15), "pronation": (-1.2, -1.0),
}  # fmt: skip


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


def poses(body: Body, count: int) -> list[np.ndarray]:
    """Random poses of both arms within the used range."""
    return list(sampled_poses(body, {**used_box("r_"), **used_box("l_")}, count))


def test_size_and_weight(body: Body) -> None:
    m = body.model
    assert (m.nv, m.ntendon, len(body.units), m.nu) == (14, 70, 70, 0)
    assert m.body_mass.sum() == pytest.approx(44.775)
    hands = [m.body(arm.hand).id for arm in body.arms]
    assert m.body_subtreemass[[m.body("r_humerus").id, m.body("l_humerus").id]] == pytest.approx(
        3.75
    )
    assert [m.site_bodyid[m.site(arm.palm).id] for arm in body.arms] == hands
    assert (m.geom_contype == 0).all()
    assert (m.geom_conaffinity == 0).all()


def test_the_palms_begin_ahead_of_the_elbows_and_face_up(body: Body) -> None:
    d = body.data()
    for side in "rl":
        palm, elbow = d.site(f"{side}_palm").xpos, d.body(f"{side}_ulna").xpos
        assert palm[0] - elbow[0] > 0.25
        assert abs(palm[2] - elbow[2]) < 0.10
    right, left = d.site("r_palm").xpos, d.site("l_palm").xpos
    np.testing.assert_allclose(left, right * [1, -1, 1], atol=1e-12)
    across = d.body("r_hand").xmat.reshape(3, 3)[:, 1]  # out of the palm
    assert across[2] > 0.7


def test_left_is_the_mirror_image_of_right(body: Body) -> None:
    meter = Poses(body)
    for q in poses(body, 50):
        q[HINGES:] = q[:HINGES]
        lengths, arms = meter.at(q).lengths, meter.arms
        np.testing.assert_allclose(lengths[:ARM], lengths[ARM:], atol=1e-12)
        np.testing.assert_allclose(arms[:ARM, :HINGES], arms[ARM:, HINGES:], atol=1e-12)
        assert not arms[:ARM, HINGES:].any()


def test_moment_arms_are_slopes_of_lengths(body: Body) -> None:
    meter, step = Poses(body), 1e-6
    for q in poses(body, 100):
        arms = meter.at(q).arms
        slopes = np.empty_like(arms)
        for j in range(2 * HINGES):
            ends = [meter.at(q + s * step * np.eye(2 * HINGES)[j]).lengths for s in (1, -1)]
            slopes[:, j] = -(ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(arms, slopes, atol=1e-8)


def test_no_path_jumps_to_another_side(body: Body) -> None:
    """Along straight walks through the used box no moment arm changes by 3 mm in 0.01 rad."""
    meter, corners = Poses(body), poses(body, 12)
    for a, b in pairwise(corners):
        steps = int(np.abs(b - a).max() / 0.01) + 1
        walk = np.array([meter.at(a + s * (b - a)).arms for s in np.linspace(0, 1, steps)])
        assert np.abs(np.diff(walk, axis=0)).max() < 3e-3


def test_tensions_do_no_work_around_a_loop(body: Body) -> None:
    """The integral of tau . dq over a closed walk vanishes for constant tensions."""
    meter, rng = Poses(body), np.random.default_rng(3)
    middle, swing, phase = body.home, rng.uniform(0.1, 0.3, 14), rng.uniform(0, 6.28, 14)
    # Even samples of a whole period integrate smooth functions to rounding; arms have kinks where
    # a path meets what it runs around.
    angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
    work = turned = 0.0
    for t in angles:
        tau = meter.at(middle + swing * np.sin(t + phase)).arms.T @ (0.3 * body.forces)
        power = tau * swing * np.cos(t + phase) * 2 * np.pi / len(angles)
        work += power.sum()
        turned += np.abs(power).sum()
    assert turned > 50.0  # joules go round
    assert abs(work) < 1e-5


def test_primary_moment_arms_keep_their_signs(body: Body) -> None:
    pairs = primary_arms()
    assert len(pairs) == 54
    for report in sign_reports(body, pairs, used_box(), samples=5000):
        assert report.least > -2e-3, report
        assert report.wrong <= 0.01, report
    task = {f"r_{joint}": ends for joint, ends in JUGGLING.items()}
    for report in sign_reports(body, pairs, task, samples=1000):
        assert report.least > 1e-3, report


def test_elbow_moment_arms_are_those_of_arm26(body: Body) -> None:
    meter = Poses(body)
    angles = np.radians(np.arange(0, 131, 10))
    turned = np.zeros((len(angles), 14))
    turned[:, 3] = angles
    arms = np.array([meter.at(q).arms[:ARM, 3] for q in turned]) * 1e3
    of = {name[2:]: arms[:, k] for k, name in enumerate(body.names[:ARM])}
    for head in ("TRIlong", "TRIlat", "TRImed"):
        np.testing.assert_allclose(of[head], TRICEPS, atol=2.0)
    np.testing.assert_allclose(of["BRA"], BRACHIALIS, atol=2.0)
    for head in ("BIClong", "BICshort"):
        np.testing.assert_allclose(of[head], BICEPS, atol=6.0)
        np.testing.assert_allclose(of[head][8:12], BICEPS[8:12], atol=2.0)


def test_fibres_stay_where_they_have_force(body: Body) -> None:
    ranges = stretch_ranges(body, used_box(), samples=2500)[:ARM]
    assert np.round(ranges.min(), 2) >= 0.43
    assert np.round(ranges.max(), 2) <= 1.51
    assert (body.slack > 0).all()


def test_torques_are_human(body: Body) -> None:
    found = capacity(body, body.arm("right"))
    assert [c.joint[2:] for c in found][3] == "elbow_flexion"
    for one, (up, down), (rise, fall) in zip(found, STRENGTH, CASCADE, strict=True):
        assert one.greatest == pytest.approx(up, rel=0.1)
        assert one.least == pytest.approx(-down, rel=0.1)
        assert one.greatest > 1.9 * rise
        assert -one.least > 1.9 * fall
    for left, right in zip(capacity(body, body.arm("left")), found, strict=True):
        assert left.greatest == pytest.approx(right.greatest, rel=1e-6)


def test_free_torques_bound_the_others(body: Body) -> None:
    arm = body.arm("right")
    for held, free in zip(capacity(body, arm), capacity(body, arm, free=True), strict=True):
        assert free.greatest >= held.greatest - 1e-9
        assert free.least <= held.least + 1e-9


def test_a_margin_is_one_at_the_limit(body: Body) -> None:
    arm = body.arm("right")
    flexion = capacity(body, arm)[3].greatest
    torques = [0.0, 0.0, 0.0, flexion, 0.0, 0.0, 0.0]
    assert margin(body, arm, body.home, torques) == pytest.approx(1.0)


def test_strength_scales_torques_and_not_bellies(body: Body) -> None:
    weak = juggler(strength=0.5)
    for half, whole in zip(weak.units, body.units, strict=True):
        assert half.force == pytest.approx(0.5 * whole.force)
        assert half.area == whole.area
    for a, b in zip(capacity(weak, weak.arms[0]), capacity(body, body.arms[0]), strict=True):
        assert a.greatest == pytest.approx(0.5 * b.greatest, rel=1e-6)


def test_bellies_have_the_volumes_of_images(body: Body) -> None:
    """Published forces at 0.35 MPa would need twice the volume that images show."""
    units = {unit.name[2:]: unit for unit in body.units[:ARM]}
    for heads, volume in VOLUMES.items():
        assert sum(units[h].volume for h in heads) == pytest.approx(1e-6 * volume)
    seen = sum(VOLUMES.values()) * 1e-6
    needed = sum(units[h].force * units[h].optimal / 0.35e6 for hs in VOLUMES for h in hs)
    assert needed / seen == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(("torso", "clavicle", "nv"), [(True, False, 17), (False, True, 18)])
def test_moving_trunks_leave_the_paths(body: Body, torso: bool, clavicle: bool, nv: int) -> None:
    moving = juggler(torso=torso, clavicle=clavicle)
    assert moving.model.nv == nv
    assert moving.model.body_mass.sum() == pytest.approx(44.775)
    assert moving.arm("left").dofs == tuple(range(nv - HINGES, nv))
    lengths = Poses(body).at(body.home).lengths
    np.testing.assert_allclose(Poses(moving).at(moving.home).lengths, lengths, atol=1e-12)


def test_clavicles_carry_the_shoulder_muscles_and_not_the_chest() -> None:
    body = juggler(clavicle=True)
    arms = Poses(body).at(body.home).arms
    lift = body.dof_names.index("r_clavicle_elevation")
    assert abs(arms[body.names.index("r_DELT2"), lift]) < 1e-12
    assert abs(arms[body.names.index("r_PECM2"), lift]) > 0.005


def test_springs_hold_trunk_and_clavicles_up() -> None:
    """While the arms fall limp, the spine's springs give way as the weight over their stiffness."""
    import mujoco

    body = juggler(torso=True, clavicle=True)
    data = body.data()
    for _ in range(1500):
        mujoco.mj_step(body.model, data)
    angles = {name: data.qpos[k] for k, name in enumerate(body.dof_names)}
    assert np.abs(data.qvel[:3]).max() < 0.2
    assert abs(angles["trunk_flexion"]) < np.radians(4)
    assert abs(angles["trunk_bending"]) < np.radians(0.5)
    for side in "rl":
        assert -0.2 < angles[f"{side}_clavicle_elevation"] < 0.0
    assert not data.warning.number.any()
