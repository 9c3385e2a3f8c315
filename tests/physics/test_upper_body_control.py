"""Control of whole upper bodies of 68 bodies and 814 muscles, by the figures of the theory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

pytest.importorskip("mujoco")

from shared_upper_body import shared_upper_body
from vastus.control.upper_body import exercises
from vastus.control.upper_body.coactivation import Sharer
from vastus.control.upper_body.controller import Aim, Controller, Gains
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.hybrid_inverse import StepInverse, next_state_torques
from vastus.control.upper_body.implicit_step import fully_implicit, implicit, solved
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.recording import Recording
from vastus.control.upper_body.simulation import Simulation
from vastus.control.upper_body.targets import KeyPoses
from vastus.errors import SolveError
from vastus.numerics.dual_newton import least_activations
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats

pytestmark = pytest.mark.slow  # its bones take a minute to make; `unit/` has a small trunk

H = 1 / 150


@cache
def own_upper_body() -> Musculoskeleton:
    from vastus.bodies.upper.assembly import whole_upper_body

    return Musculoskeleton.of(whole_upper_body())


BODIES = {"own": own_upper_body, "surfaces": shared_upper_body}
each = pytest.mark.parametrize("body", list(BODIES.values()), ids=list(BODIES))
Source = Callable[[], Musculoskeleton]


def drop(step: object, h: float, dynamics: Dynamics, seconds: float) -> Floats:
    q, v = np.zeros(dynamics.body.model.nv), np.zeros(dynamics.body.model.nv)
    forces, out = dynamics.forces(), []
    for _ in range(round(seconds / h)):
        q, v = step(forces, q, v, h)  # type: ignore[operator]
        out.append(q)
        assert np.abs(q).max() < 3.0
    return np.array(out)


def balance(dynamics: Dynamics, q: Floats, v: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Gains (d, m) and torques (d,) at a state."""
    body, at = dynamics.body, dynamics.at(q, v)
    inverse = StepInverse.of(dynamics.passive(at).system(v, H), H, body.driven, body.followers)
    pull = dynamics.law.active(at.lengths, at.speeds).force
    return inverse.gains(at.pulls.scaled(-pull)), inverse.torques(wanted)


def poses(body: Musculoskeleton) -> list[Floats]:
    """Six poses: at rest, curled, lifted, head turned, bent, leaning."""
    dynamics = Dynamics(body)
    keys = [
        {},
        exercises.arms(dynamics, elbow=1.2),
        exercises.arms(dynamics, abduction=0.4),
        {"C3_turn": 0.1, "C5_turn": 0.1, "skull_turn": 0.1},
        exercises.arms(dynamics, elbow=0.7, abduction=0.2),
        {"L3_flex": 0.05, "L4_flex": 0.05},
    ]
    return [KeyPoses.of(body, [(0.0, key)]).poses[0] for key in keys]


@each
def test_steps_are_near_the_full_implicit_ones(body: Source) -> None:
    """1.5 s of falling at 7 ms, springs of joints times 8."""
    dynamics = Dynamics(body(), springs=8.0, damping=0.05, muscles=False)
    apart = drop(implicit, 0.007, dynamics, 1.5) - drop(fully_implicit, 0.007, dynamics, 1.5)
    assert np.abs(apart).max() < 2e-3


@each
@pytest.mark.parametrize("damping", [0.05, 0.01, 0.002])
@pytest.mark.parametrize("h", [0.007, 0.02])
def test_steps_are_stable_however_little_is_damped(body: Source, h: float, damping: float) -> None:
    drop(implicit, h, Dynamics(body(), springs=8.0, damping=damping, muscles=False), 0.7)


@each
def test_the_inverse_is_exact_and_the_look_ahead_is_not(body: Source) -> None:
    dynamics, rng = Dynamics(body()), np.random.default_rng(0)
    q, v = np.zeros(body().model.nv), np.zeros(body().model.nv)
    driven, wanted = body().driven, rng.standard_normal(len(body().driven))
    at = dynamics.at(q, v)
    forces = dynamics.passive(at)
    inverse = StepInverse.of(forces.system(v, 0.007), 0.007, driven, body().followers)
    A, b = forces.system(v, 0.007)
    errors = []
    for torques in (inverse.torques(wanted), next_state_torques(dynamics, at, wanted, 0.007)):
        right = b.copy()
        right[driven] += 0.007 * torques
        errors.append(
            np.abs(solved(A, right)[driven] / 0.007 - wanted).max() / np.abs(wanted).max()
        )
    assert errors[0] < 1e-10
    assert errors[1] > 0.1


@each
def test_the_look_ahead_loses_the_cage(body: Source) -> None:
    """Torques at a state that is ahead by a step of forward Euler, at 7 ms."""
    dynamics, h = Dynamics(body(), muscles=False), 0.007
    q, v = np.zeros(body().model.nv), np.zeros(body().model.nv)
    driven = body().driven
    keys = KeyPoses.of(body(), [(0.0, exercises.arms(dynamics, elbow=0.5))])
    for _ in range(100):
        at = dynamics.at(q, v)
        wanted = keys.at(0.0).acceleration(q, v)[driven]
        A, b = dynamics.passive(at).system(v, h)
        b[driven] += h * next_state_torques(dynamics, at, wanted, h)
        v = v + solved(A, b)
        q = q + h * v
        if not np.abs(q).max() < 10.0:
            return
    raise AssertionError("it held the cage for 0.7 s")


@each
def test_the_least_activations_are_those_of_another_method(body: Source) -> None:
    dynamics = Dynamics(body())
    zero = np.zeros(body().model.nv)
    G, torques = balance(dynamics, zero, zero, np.zeros(len(body().driven)))
    assert np.linalg.matrix_rank(G) == len(body().driven)
    found = least_activations(G, torques)
    none = np.zeros(G.shape[1])
    exact = quadratic_program(
        np.eye(len(none)), none, A=G, b=torques, low=none, high=np.full(len(none), np.inf)
    )
    assert found.held
    assert np.abs(found.a - exact).max() < 1e-6
    assert found.iterations <= 25
    again = least_activations(G, 1.01 * torques, start=found)
    assert again.iterations <= 5


@each
def test_a_torque_that_no_muscle_gives_is_missed_there_and_nowhere_else(body: Source) -> None:
    dynamics = Dynamics(body())
    zero = np.zeros(body().model.nv)
    G, torques = balance(dynamics, zero, zero, np.zeros(len(body().driven)))
    elbow = body().driven.tolist().index(body().dof("elbowL"))
    G[elbow] = np.abs(G[elbow])
    torques[elbow] = -2.0
    found = least_activations(G, torques)
    assert not found.held
    assert int(np.argmax(np.abs(found.slack))) == elbow


@each
def test_the_sternum_stays_in_a_curl(body: Source) -> None:
    """From where it has settled: at rest its weight and the muscles of the neck move it too."""
    dynamics = Dynamics(body())
    curl = exercises.curl(dynamics, seconds=1.0, angle=np.pi / 3, masses=(0.0,))
    recording = Recording.of(list(Simulation(dynamics, curl).frames()))
    slides = body().dofs(("sternum_tx", "sternum_ty", "sternum_tz"))
    way = recording.q[:, slides] - recording.q[0, slides]
    assert np.linalg.norm(way, axis=1).max() < 5e-3


@each
def test_muscles_follow_a_curl(body: Source) -> None:
    dynamics = Dynamics(body())
    controller = Controller(dynamics, Sharer(len(body().muscles)))
    now = controller.begin(np.zeros(body().model.nv))
    keys = KeyPoses.of(body(), [(0.0, {}), (1.0, exercises.arms(dynamics, elbow=np.pi / 3))])
    errors, off = [], []
    for _ in range(150):
        wanted = keys.at(now.time + H)
        now, outcome = controller.step(now, Aim(wanted))
        errors.append(np.abs(outcome.had - outcome.wanted).max() / np.abs(outcome.wanted).max())
        off.append(np.abs(now.q - wanted.q)[body().driven].max())
    assert np.median(errors) < 1e-3
    assert max(off) < 0.04


# How far elbows drop [degrees], by the rate at which a load is felt [1/s].
DROPS = [(None, 0.0, 0.1), (10.0, 8.0, 18.0), (5.0, 15.0, 30.0)]


@each
@pytest.mark.parametrize(("sensor", "low", "high"), DROPS)
def test_a_heavier_dumbbell_lowers_the_arm_until_it_is_felt(
    body: Source, sensor: float | None, low: float, high: float
) -> None:
    """2 kg become 6 at 0.4 s, elbows at 90 degrees."""
    dynamics = Dynamics(body())
    curl = exercises.curl(dynamics, seconds=1.6, change=0.4, bent=0.0)
    frames = list(Simulation(dynamics, curl, gains=Gains(sensor=sensor)).frames())
    angles = np.degrees([frame.q[body().dof("elbowL")] for frame in frames])
    assert low <= np.abs(angles - angles[0]).max() <= high
    assert abs(angles[-1] - angles[0]) < 1.0


@each
def test_elbows_are_as_slack_and_as_light_as_those_of_people(body: Source) -> None:
    """Relaxed elbows at 90 degrees resist by a few N m/rad; arms weigh as de Leva (1996) found."""
    dynamics, elbow = Dynamics(body()), body().dof("elbowL")
    q = KeyPoses.of(body(), [(0.0, exercises.arms(dynamics, elbow=np.pi / 2))]).poses[0]

    def resistance(angle: float) -> float:
        """[N m] of muscles and springs at the elbow, without gravity."""
        at = dynamics.at(np.where(np.arange(len(q)) == elbow, angle, q), np.zeros_like(q))
        return float(-(dynamics.passive(at).f + at.bias)[elbow])

    turn = 0.01
    stiffness = (resistance(q[elbow] + turn) - resistance(q[elbow] - turn)) / (2 * turn)
    assert 0.3 < stiffness < 3.0
    weights = dict(zip(body().body_names, body().model.body_mass, strict=True))
    forearm = weights["ulnaL"] + weights["radiusL"]
    assert weights["humerusL"] == pytest.approx(1.98, rel=0.25)
    assert forearm == pytest.approx(1.18, rel=0.25)
    assert weights["handL"] == pytest.approx(0.45, rel=0.25)


@each
def test_intercostals_breathe(body: Source) -> None:
    """3 degrees, 4 s: the sternum rises, evenly, and returns."""
    recording, dynamics = breathed(body(), slack_ratio=1.05, limit=np.inf)
    way = 1e3 * recording.centre(dynamics.skeleton, "sternum")
    way -= way[0]
    assert way[:, 2].max() > 1.0
    assert np.abs(way[:, 0]).max() < 0.3
    assert np.linalg.norm(way[-1]) < 0.1
    peak = recording.activations[60]
    assert not recording.lacking
    outer, inner = (body().group(f"{word} intercostal") for word in ("external", "internal"))
    assert peak[outer].mean() > 3 * peak[inner].mean()


@each
def test_no_muscle_is_asked_for_more_than_it_has_to_breathe(body: Source) -> None:
    recording, _ = breathed(body(), slack_ratio=1.05, limit=np.inf)
    assert recording.peaks.max() <= 1.0
    assert not recording.lacking


@each
def test_every_unit_torque_is_within_reach(body: Source) -> None:
    still = np.zeros(body().model.nv)
    G, _ = balance(Dynamics(body()), still, still, np.zeros(len(body().driven)))
    for torque in (*np.eye(len(G)), *-np.eye(len(G))):
        assert np.abs(least_activations(G, torque).slack).max() < 1e-6


@each
def test_external_intercostals_raise_ribs_and_internal_ones_lower_them(body: Source) -> None:
    still = np.zeros(body().model.nv)
    arms = Dynamics(body()).at(still, still).arms
    for side in "LR":
        ribs = body().dofs(f"rib{k}{side}" for k in range(1, 11))
        sums = [
            -sum(
                arms[k, ribs].sum()
                for k in body().group(f"{word} intercostal")
                if f"_{side}" in body().names[k]
            )
            for word in ("external", "internal")
        ]
        assert sums[0] > 0 > sums[1]


@each
def test_torques_of_the_look_ahead_do_not_hold_the_body(body: Source) -> None:
    """The paper's seven steps with all muscles, at 150 steps a second."""
    dynamics = Dynamics(body())
    curl = exercises.curl(dynamics, seconds=0.5, masses=(0.0,))
    with pytest.raises(SolveError, match=r"out of|not found"):
        list(Simulation(dynamics, curl, gains=Gains(inverse="ahead")).frames())


def breathed(
    body: Musculoskeleton, *, slack_ratio: float, limit: float
) -> tuple[Recording, Dynamics]:
    dynamics = Dynamics(body, slack_ratio=slack_ratio)
    breath = exercises.breathing(dynamics, seconds=4.0)
    sharer = Sharer(len(body.muscles), limit=limit)
    frames = Simulation(dynamics, breath, sharer=sharer).frames()
    return Recording.of(list(frames)), dynamics


@each
def test_activations_are_robust_to_areas(body: Source) -> None:
    """Areas changed by up to 5 %: nine of ten active muscles change by less than 0.03."""
    rng, plain = np.random.default_rng(0), Dynamics(body())
    changes, active = np.zeros(len(body().muscles)), np.zeros(len(body().muscles), bool)
    still, count = np.zeros(body().model.nv), 0
    base = []
    for q in poses(body()):
        a = least_activations(*balance(plain, q, still, np.zeros(len(body().driven)))).a
        base.append(a)
        active |= a > 1e-3
    for _ in range(10):
        areas = body().areas * rng.uniform(0.95, 1.05, len(body().muscles))
        other = Dynamics(body().with_areas(areas))
        for q, before in zip(poses(body()), base, strict=True):
            a = least_activations(*balance(other, q, still, np.zeros(len(body().driven)))).a
            changes += np.abs(a - before)
            count += 1
    assert np.mean(changes[active] / count < 0.03) > 0.9
