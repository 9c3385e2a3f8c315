"""Steps, inverses and control of a small trunk with a closed cage, passive joints and 36 lines."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

pytest.importorskip("mujoco")

from small_trunk import small_trunk
from vastus.control.upper_body import exercises
from vastus.control.upper_body.articulated import Articulated, Points
from vastus.control.upper_body.coactivation import (
    Prescribed,
    Sharer,
    above_one,
    coactivations,
)
from vastus.control.upper_body.controller import Aim, Controller, Gains, missing_torques
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.hybrid_inverse import (
    StepInverse,
    hybrid_torques,
    next_state_torques,
)
from vastus.control.upper_body.implicit_step import (
    fully_implicit,
    implicit,
    solved,
    velocity_implicit,
)
from vastus.control.upper_body.linear_hill import LinearHill
from vastus.control.upper_body.loads import Carried, Load, sensed
from vastus.control.upper_body.posture import Goal, posture
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import Simulation
from vastus.control.upper_body.targets import Breathing, Imported, KeyPoses, Sum, Wanted
from vastus.errors import ModelError, SolveError
from vastus.files.motion_files import Motion

H = 1 / 150


@cache
def trunk() -> Dynamics:
    return Dynamics(small_trunk())


def state(seed: int = 0, size: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = trunk().body.model.nv
    scale = np.where(trunk().body.slides, 0.01, size)
    return scale * rng.standard_normal(n), scale * rng.standard_normal(n)


# The law of lines


def test_a_line_pulls_with_its_strength_at_its_slack_length() -> None:
    law = LinearHill.at_rest(np.array([3e-4]), np.array([0.2]), ratio=1.1)
    slack, none, one = np.array([0.22]), np.zeros(1), np.ones(1)
    assert law.forces(slack, none, one).force == pytest.approx(3e-4 * 5e5)
    assert law.forces(slack, none, none).force == pytest.approx(0.0)
    # At a stretch of one tenth the parallel spring has two thirds of the strength.
    assert law.passive(1.1 * slack, none).force == pytest.approx(0.8 * (np.exp(0.6) - 1) * 150)
    assert law.active(0.3 * slack, none).force == pytest.approx(0.0)
    assert law.active(slack, -8.0 * slack).force == pytest.approx(0.0)


def test_stiffness_and_damping_of_a_line_are_its_derivatives() -> None:
    rng, m, e = np.random.default_rng(0), 40, 1e-7
    law = LinearHill(rng.uniform(1e-4, 1e-3, m), rng.uniform(0.05, 0.3, m))
    length, speed = law.slack * rng.uniform(0.5, 1.3, m), law.slack * rng.uniform(-3, 3, m)
    a = rng.random(m)
    at = law.forces(length, speed, a)

    def slope(dl: float, dv: float) -> np.ndarray:
        ahead = law.forces(length + dl, speed + dv, a).force
        return (ahead - law.forces(length - dl, speed - dv, a).force) / (2 * e)

    assert slope(e, 0) == pytest.approx(at.by_length, rel=1e-5, abs=1e-3)
    assert slope(0, e) == pytest.approx(at.by_speed, rel=1e-5, abs=1e-3)


def test_a_slack_ratio_out_of_range_is_one_sentence() -> None:
    with pytest.raises(ModelError, match="slack ratio of 3"):
        Dynamics(small_trunk(), slack_ratio=3.0)


# The articulated body


def test_arms_and_gaps_are_derivatives() -> None:
    dynamics, e = trunk(), 1e-6
    q, v = state()
    at = dynamics.at(q, v)
    steps = e * np.eye(len(q))
    sides = [(dynamics.at(q + s, v), dynamics.at(q - s, v)) for s in steps]
    arms = np.array([(a.lengths - b.lengths) / (2 * e) for a, b in sides]).T
    gaps = np.array([(a.gaps - b.gaps) / (2 * e) for a, b in sides])
    assert np.abs(arms - at.arms).max() < 1e-8
    assert np.abs(np.moveaxis(gaps, 0, 2) - at.gap_arms).max() < 1e-8
    assert at.speeds == pytest.approx(at.arms @ v)


def test_the_stiffness_of_weight_is_a_derivative() -> None:
    dynamics, e = trunk(), 1e-6
    q, _ = state()
    still = np.zeros_like(q)
    steps = e * np.eye(len(q))
    sides = [(dynamics.at(q + s, still).bias, dynamics.at(q - s, still).bias) for s in steps]
    slope = np.array([(a - b) / (2 * e) for a, b in sides])
    assert np.abs(slope - dynamics.at(q, still).sag).max() < 1e-6


def test_points_move_as_mujoco_says() -> None:
    skeleton = Articulated(small_trunk())
    skeleton.place(state()[0])
    hand = skeleton.body.bodies("handL")
    points = Points(hand, np.array([[0.01, 0.02, -0.03]]))
    there, J = skeleton.positions(points)[0], np.zeros((3, skeleton.model.nv))
    turning = np.zeros_like(J)
    skeleton.mj.mj_jac(skeleton.model, skeleton.data, J, turning, there, int(hand[0]))
    assert np.abs(skeleton.jacobian(points)[0] - J).max() < 1e-12
    assert np.abs(skeleton.turning(hand)[0] - turning).max() < 1e-12


# Steps


def drop(step: object, h: float, dynamics: Dynamics, seconds: float = 0.6) -> np.ndarray:
    q, v = np.zeros(dynamics.body.model.nv), np.zeros(dynamics.body.model.nv)
    forces, out = dynamics.forces(), []
    for _ in range(round(seconds / h)):
        q, v = step(forces, q, v, h)  # type: ignore[operator]
        out.append(q)
        if not np.abs(q).max() < 50:
            break
    return np.array(out)


def test_a_linearised_step_is_near_the_full_one() -> None:
    dynamics = Dynamics(small_trunk(), springs=8.0, damping=0.05, muscles=False)
    assert (
        np.abs(drop(implicit, 0.007, dynamics) - drop(fully_implicit, 0.007, dynamics)).max() < 2e-3
    )


@pytest.mark.parametrize("h", [0.007, 0.02, 0.028])
@pytest.mark.parametrize("damping", [0.05, 0.002])
def test_a_linearised_step_is_stable(h: float, damping: float) -> None:
    dynamics = Dynamics(small_trunk(), springs=8.0, damping=damping, muscles=False)
    assert np.abs(drop(implicit, h, dynamics)).max() < 0.5


def test_a_step_implicit_in_speeds_only_is_not() -> None:
    dynamics = Dynamics(small_trunk(), springs=8.0, damping=0.002, muscles=False)
    assert not np.abs(drop(velocity_implicit, 0.02, dynamics)).max() < 50


def test_halving_the_step_halves_the_error() -> None:
    dynamics = Dynamics(small_trunk(), springs=8.0, damping=0.05, muscles=False)
    exact = drop(implicit, 0.0005, dynamics, 0.12)[-1]
    errors = [np.abs(drop(implicit, h, dynamics, 0.12)[-1] - exact).max() for h in (0.004, 0.002)]
    assert 1.6 < errors[0] / errors[1] < 3.0


# The inverse of a step


def test_inverting_a_step_gives_the_accelerations_that_are_wanted() -> None:
    dynamics, rng = trunk(), np.random.default_rng(3)
    q, v = state(1)
    body, wanted = dynamics.body, rng.standard_normal(len(dynamics.body.driven))
    forces = dynamics.passive(dynamics.at(q, v))
    inverse = StepInverse.of(forces.system(v, H), H, body.driven, body.followers)
    A, b = forces.system(v, H)
    b[body.driven] += H * inverse.torques(wanted)
    had = solved(A, b)[body.driven] / H
    assert np.abs(had - wanted).max() < 1e-10 * np.abs(wanted).max()


def test_torques_at_the_present_state_are_of_another_step() -> None:
    dynamics = trunk()
    q, v = state(1)
    body, at = dynamics.body, dynamics.at(q, v)
    wanted = np.ones(len(body.driven))
    forces = dynamics.passive(at)
    A, b = forces.system(v, H)
    for torques in (
        hybrid_torques(forces, wanted, body.driven, body.followers),
        next_state_torques(dynamics, at, wanted, H),
    ):
        right = b.copy()
        right[body.driven] += H * torques
        assert np.abs(solved(A, right)[body.driven] / H - wanted).max() > 0.1


def test_muscles_give_the_accelerations_that_are_wanted_though_they_pull_on_the_sternum() -> None:
    dynamics = trunk()
    controller = Controller(dynamics, Sharer(len(dynamics.body.muscles)))
    now = controller.begin(np.zeros(dynamics.body.model.nv))
    target = KeyPoses.of(dynamics.body, [(0.0, {}), (0.5, {"skull_turn": 0.2, "elbowL": -0.5})])
    errors = []
    for _ in range(30):
        now, outcome = controller.step(now, Aim(target.at(now.time + H)))
        errors.append(np.abs(outcome.had - outcome.wanted).max() / np.abs(outcome.wanted).max())
    assert np.median(errors) < 1e-3
    assert now.activations[dynamics.body.group("sternal")].max() > 1e-4


def test_a_controller_that_ignores_passive_joints_misses() -> None:
    dynamics = trunk()
    q = np.zeros(dynamics.body.model.nv)
    target = Aim(Wanted(q + 0.1 * ~dynamics.body.slides, q, q))
    off = []
    for gains in (Gains(), Gains(eliminate=False)):
        controller = Controller(dynamics, Sharer(len(dynamics.body.muscles)), gains)
        _, outcome = controller.step(controller.begin(q), target)
        off.append(np.abs(outcome.had - outcome.wanted).max())
    assert off[0] < 0.2 * off[1]


# Sharing


def shared(coactivation: object = 0.0, **options: object) -> tuple[Dynamics, np.ndarray, object]:
    dynamics = trunk()
    q, v = state(2, 0.05)
    body, at = dynamics.body, dynamics.at(q, v)
    inverse = StepInverse.of(dynamics.passive(at).system(v, H), H, body.driven, body.followers)
    pull = dynamics.law.active(at.lengths, at.speeds).force
    gains = inverse.gains(at.pulls.scaled(-pull))
    torques = inverse.torques(np.zeros(len(body.driven)))
    sharer = Sharer(len(body.muscles), **options)  # type: ignore[arg-type]
    return dynamics, gains, (torques, sharer.share(gains, torques, coactivation=coactivation))  # type: ignore[arg-type]


@pytest.mark.parametrize("level", [0.0, 0.5, {"arm_left": 0.4}])
def test_coactivation_changes_no_torque(level: object) -> None:
    body = trunk().body
    _, gains, (torques, sharing) = shared(coactivations(body, level))  # type: ignore[arg-type]
    assert np.abs(gains @ sharing.activations - torques).max() < 1e-6
    assert (sharing.activations >= 0).all()


def test_coactivation_stiffens_the_arm_it_names() -> None:
    dynamics, _, (_, none) = shared()
    _, _, (_, more) = shared(coactivations(dynamics.body, {"arm_left": 0.5}))
    at = dynamics.at(*state(2, 0.05))
    alone = dynamics.passive(at)
    stiff = [dynamics.active(at, alone, s.activations).stiffness for s in (none, more)]
    left, right = (dynamics.body.dof(f"elbow{side}") for side in "LR")
    springs = alone.stiffness[left, left]
    assert stiff[1][left, left] - springs > 1.5 * (stiff[0][left, left] - springs)
    assert stiff[1][right, right] == pytest.approx(stiff[0][right, right], rel=0.05)


def test_a_dear_muscle_does_less() -> None:
    _, _, (_, plain) = shared()
    busy = int(np.argmax(plain.activations))
    weights = np.ones(len(plain.activations))
    weights[busy] = 5.0
    _, _, (_, other) = shared(weights=weights)
    assert other.activations[busy] < plain.activations[busy]


def test_prescribed_muscles_do_as_they_are_told() -> None:
    dynamics, gains, (torques, _) = shared()
    told = Prescribed(np.array([3, 7]), np.array([0.4, 0.2]))
    sharing = Sharer(len(dynamics.body.muscles)).share(gains, torques, prescribed=told)
    assert sharing.activations[told.muscles] == pytest.approx(told.activations)
    assert np.abs(gains @ sharing.activations - torques).max() < 1e-6


def test_spreading_brings_the_busiest_muscle_down() -> None:
    G, t = np.array([[6.0, 3.0, 3.0, 3.0, 3.0, 3.0]]), np.array([15.0])
    plain = Sharer(6).share(G, t).activations
    spread = Sharer(6, spread=True).share(G, t).activations
    assert plain.max() > 1.0 >= spread.max()
    assert spread @ G[0] == pytest.approx(15.0)


def test_muscles_above_one_and_torques_that_lack_are_named() -> None:
    assert above_one(("a", "b"), np.array([0.5, 1.0])) == ""
    told = above_one(("biceps", "triceps"), np.array([1.25, 0.4]))
    assert told == "1 muscle is asked for more than full activation: biceps 1.25"
    assert missing_torques(("elbow",), np.array([1e-6])) == ""
    assert "elbow +2" in missing_torques(("elbow", "wrist"), np.array([2.0, 0.0]))


def test_a_part_that_is_none_is_named() -> None:
    with pytest.raises(ModelError, match="no part 'leg'"):
        coactivations(trunk().body, {"leg": 0.5})
    with pytest.raises(ModelError, match="cannot be below 0"):
        coactivations(trunk().body, -0.5)


# Targets


def test_key_poses_are_reached_at_rest() -> None:
    keys = KeyPoses.of(trunk().body, [(0.5, {}), (1.5, {"elbowL": -1.0})])
    elbow = trunk().body.dof("elbowL")
    assert keys.at(0.2).q[elbow] == 0.0
    assert keys.at(1.0).q[elbow] == pytest.approx(-0.5)
    assert keys.at(1.5 - 1e-9).v[elbow] == pytest.approx(0.0, abs=1e-6)
    assert keys.at(3.0).q[elbow] == -1.0


@pytest.mark.parametrize("kind", ["keys", "breath", "both", "motion"])
def test_speeds_and_accelerations_of_targets_are_derivatives(kind: str) -> None:
    body = trunk().body
    keys = KeyPoses.of(body, [(0.0, {}), (1.0, {"elbowL": -1.0, "skull_turn": 0.3})])
    breath = Breathing.of(body, 0.05, 3.0)
    t = np.linspace(0, 2, 41)
    imported = Imported.of(body, Motion(t, {"elbowR": 30 * np.sin(t)}))
    target = {"keys": keys, "breath": breath, "both": Sum((keys, breath)), "motion": imported}[kind]
    e, time = 1e-5, 0.37
    before, at, after = (target.at(time + s) for s in (-e, 0.0, e))
    assert (after.q - before.q) / (2 * e) == pytest.approx(at.v, abs=1e-5)
    assert (after.v - before.v) / (2 * e) == pytest.approx(at.a, abs=1e-5)


def test_an_imported_motion_is_in_degrees_and_drives_no_passive_joint() -> None:
    t = np.linspace(0, 1, 11)
    found = Imported.of(trunk().body, Motion(t, {"elbowR": 30 * t}))
    assert found.at(0.5).q[trunk().body.dof("elbowR")] == pytest.approx(np.radians(15))
    assert not found.at(2.0).v.any()
    with pytest.raises(ModelError, match="'sternum_rx' follows the others"):
        Imported.of(trunk().body, Motion(t, {"sternum_rx": t}))


def test_a_posture_meets_its_goals_and_keeps_the_cage_closed() -> None:
    dynamics = trunk()
    turn = np.array([0.1, 0.0, 0.3])
    q = posture(dynamics, [Goal("skull", turn=turn), Goal("T1", turn=np.array([0.1, 0.0, 0.1]))])
    skeleton = dynamics.skeleton
    skeleton.place(q)
    from vastus.numerics.rotation import log_map

    _, R = skeleton.frames()
    for body, wanted in (("skull", turn), ("T1", np.array([0.1, 0.0, 0.1]))):
        (number,) = dynamics.body.bodies(body)
        assert log_map(R[number][None])[0] == pytest.approx(wanted, abs=np.radians(0.5))
    assert np.linalg.norm(dynamics.at(q, 0 * q).gaps, axis=1).max() < 1e-4


def test_a_goal_out_of_reach_is_one_sentence() -> None:
    with pytest.raises(ModelError, match=r"'skull' cannot be put where it shall be: .* mm"):
        posture(trunk(), [Goal("skull", shift=np.array([0.0, 0.0, 0.4]))])


def test_a_pose_that_muscles_cannot_hold_is_one_sentence() -> None:
    with pytest.raises(ModelError, match="the pose cannot be held: "):
        exercises.pose(Dynamics(small_trunk(area=2e-6)), [Goal("T1", turn=np.array([0.4, 0, 0]))])


# Loads


def test_what_is_felt_follows_its_closed_form() -> None:
    felt, true = np.array([2.0]), np.array([6.0])
    for _ in range(100):
        felt = sensed(felt, true, 5.0, 0.01)
    assert felt[0] == pytest.approx(6.0 - 4.0 * np.exp(-5.0))
    assert sensed(np.zeros(1), true, None, 0.01) == true


def test_a_load_with_inertia_falls_as_everything_does() -> None:
    """A heavy point mass, let go, accelerates its point downwards at g, however heavy it is."""
    body = small_trunk()
    dynamics = Dynamics(body, muscles=False)
    load = Load("handL", np.zeros(3), (0.0,), (1e6,), inertia=True)
    carried = Carried(dynamics.skeleton, [load])
    q, _ = state(1)
    v = np.zeros_like(q)
    h = 1e-6
    free = dynamics.passive(dynamics.at(q, v)).system(v, h)
    system = carried.add(free, carried.arms(), carried.masses(0.0), h)
    J = dynamics.skeleton.jacobian(carried.points)[0]
    a = J @ np.linalg.solve(*system) / h
    # Along directions in which the hand can move at all, which here are all.
    assert a == pytest.approx([0, 0, -9.81], abs=1e-2)


def test_masses_change_when_they_shall() -> None:
    load = Load("handL", np.zeros(3), (0.0, 0.4), (2.0, 6.0))
    assert (load.mass(0.0), load.mass(0.39), load.mass(0.4)) == (2.0, 2.0, 6.0)
    with pytest.raises(ModelError, match="cannot be below 0"):
        Load("handL", np.zeros(3), (0.0,), (-1.0,))


# Exercises


def recorded(exercise: exercises.Exercise, **options: object) -> Recording:
    return Recording.of(list(Simulation(trunk(), exercise, **options).frames()))  # type: ignore[arg-type]


def test_a_curl_is_held_without_delay_and_drops_with_it() -> None:
    body = trunk().body
    elbow = body.dof("elbowL")
    drops = []
    for sensor in (None, 10.0):
        curl = exercises.curl(trunk(), seconds=0.5, change=0.1, bent=0.0)
        found = np.degrees(recorded(curl, gains=Gains(sensor=sensor)).q[:, elbow])
        drops.append(np.abs(found - found[0]).max())
    assert drops[0] < 0.1
    assert 2.0 < drops[1] < 40.0


def test_a_breath_raises_the_sternum_evenly_and_lets_it_back() -> None:
    recording = recorded(
        exercises.breathing(trunk(), seconds=1.0, breath=exercises.Breath(period=1.0))
    )
    way = 1e3 * recording.centre(trunk().skeleton, "sternum")
    way -= way[0]
    assert way[:, 2].max() > 1.0
    assert np.abs(way[:, 0]).max() < 0.01
    assert np.abs(way[-1]).max() < 0.1
    middle = recording.activations[15]
    outer, inner = (trunk().body.group(f"{w} intercostal") for w in ("external", "internal"))
    assert middle[outer].mean() > 3 * middle[inner].mean()


def test_pectorals_move_in_turn_and_nothing_else_does() -> None:
    recording = recorded(exercises.pectorals(trunk(), seconds=1.0, most=0.2))
    left, right = recording.activations[:, trunk().body.group("pectoralis major")].T
    assert left[15] == pytest.approx(0.2, abs=1e-3)
    assert right[15] == pytest.approx(0.0, abs=1e-3)
    assert right[30] == pytest.approx(0.2, abs=1e-3)
    assert np.abs(recording.q - recording.q[0])[:, trunk().body.driven].max() < 1e-3


def test_tensing_activates_more_and_moves_nothing() -> None:
    flex = exercises.flex(trunk(), seconds=0.9, elbow=0.8, abduction=0.1, high=0.5)
    recording = recorded(flex)
    slack, tense = recording.activations[9], recording.activations[27]
    arm = [k for k, line in enumerate(trunk().body.muscles) if line.part == "arm_left"]
    assert tense[arm].sum() > 1.3 * slack[arm].sum()
    assert np.abs(recording.q[27] - recording.q[10])[trunk().body.driven].max() < np.radians(0.5)


def test_a_target_out_of_reach_ends_in_one_sentence() -> None:
    curl = exercises.curl(Dynamics(small_trunk(area=2e-6)), seconds=0.1, bent=0.0)
    with pytest.raises(SolveError, match=r"out of the muscles' reach: '.*' would need"):
        list(Simulation(Dynamics(small_trunk(area=2e-6)), curl).frames())


def test_a_run_that_goes_on_is_the_run_that_was_not_interrupted() -> None:
    curl = exercises.curl(trunk(), seconds=0.3, change=0.1, bent=0.2, coactivation=0.2)
    whole = Simulation(trunk(), curl, gains=Gains(sensor=5.0))
    frames = list(whole.frames())
    first = Simulation(trunk(), curl, gains=Gains(sensor=5.0))
    for _, frame in zip(range(4), first.frames(), strict=False):
        last = frame
    assert first.moment is not None
    again = Simulation(trunk(), curl, gains=Gains(sensor=5.0))
    rest = list(again.frames(first.moment))
    assert last.time == frames[3].time
    assert len(rest) == len(frames) - 4
    assert np.array_equal(rest[-1].q, frames[-1].q)
    assert np.array_equal(rest[-1].activations, frames[-1].activations)


def test_poses_carry_points_from_rest() -> None:
    dynamics = trunk()
    recording = recorded(exercises.curl(dynamics, seconds=0.1, bent=0.0))
    poses = recording.poses(dynamics.skeleton)
    (hand,) = dynamics.body.bodies("handL")
    dynamics.skeleton.place(dynamics.rest)
    rest = dynamics.skeleton.data.xipos[hand].copy()
    there = poses[-1, hand, :, :3] @ rest + poses[-1, hand, :, 3]
    assert there == pytest.approx(recording.centre(dynamics.skeleton, "handL")[-1], abs=1e-12)
