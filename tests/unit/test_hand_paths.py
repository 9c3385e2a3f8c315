"""Paths of hands: the knots that they pass, and the angles that follow them."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bodies import juggler
from vastus.errors import ModelError
from vastus.juggling.hands import Hand, resting
from vastus.juggling.kinematics import Reach
from vastus.juggling.paths import Knot, bezier, bowed, quintic, rest
from vastus.juggling.style import Places
from vastus.juggling.timing import GRAVITY, SwingTime, Timing, flown, launch

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

A = Knot(0.2, np.array([0.4, -0.2, 1.1]), np.array([0.1, 0.2, -0.7]), np.array([0.0, 1.0, 2.0]))
B = Knot(0.6, np.array([0.4, -0.1, 1.2]), np.array([0.0, 0.8, 2.4]), np.array([0.5, 0.0, -9.0]))


def test_a_quintic_passes_both_knots() -> None:
    path = quintic(A, B)
    for knot in (A, B):
        found = path.knot(knot.time)
        for have, want in zip(found[1:], knot[1:], strict=True):
            np.testing.assert_allclose(have, want, atol=1e-12)
    bow = bowed(path, np.array([-0.1, 0.0, 0.0]))
    for knot in (A, B):
        np.testing.assert_allclose(bow.knot(knot.time).acceleration, knot.acceleration, atol=1e-9)
        np.testing.assert_allclose(bow.knot(knot.time).place, knot.place, atol=1e-12)
    middle = 0.5 * (A.time + B.time)
    np.testing.assert_allclose(bow.at(middle) - path.at(middle), [-0.1, 0.0, 0.0], atol=1e-12)


def test_a_bezier_curve_has_places_and_speeds_of_its_knots() -> None:
    curve = bezier(A, B)
    for knot in (A, B):
        np.testing.assert_allclose(curve.at(knot.time), knot.place, atol=1e-12)
        np.testing.assert_allclose(curve.at(knot.time, 1), knot.speed, atol=1e-12)


def test_a_path_goes_on_straight_after_its_end() -> None:
    path = quintic(A, B)
    np.testing.assert_allclose(path.at(B.time + 0.1), B.place + 0.1 * B.speed, atol=1e-12)
    np.testing.assert_allclose(path.at(B.time + 0.1, 2), 0.0)


def test_a_launched_ball_comes_to_its_target() -> None:
    p, target = np.array([0.4, -0.1, 1.1]), np.array([0.4, 0.3, 1.2])
    v = launch(p, target, 0.48, step=1e-3)
    place, speed = p.copy(), v.copy()
    for _ in range(480):
        speed = speed + 1e-3 * GRAVITY
        place = place + 1e-3 * speed
    np.testing.assert_allclose(place, target, atol=1e-12)
    np.testing.assert_allclose(flown(p, v, 0.48), (place, speed), atol=1e-12)


def test_hands_need_time_to_let_a_ball_fly() -> None:
    timing = Timing(0.3, 0.7)
    assert timing.flight(3) == pytest.approx(0.48)
    assert timing.hold + timing.empty == pytest.approx(0.6)
    with pytest.raises(ModelError, match=r"throw 1 has no time to fly.* less than 0\.5"):
        timing.flight(1)


def test_swings_last_longer_for_heavier_balls() -> None:
    swing = SwingTime(least=0.19, by_mass=0.1)
    assert swing.duration(2.0) == pytest.approx(0.39)
    assert SwingTime(0.25).duration(2.0) == SwingTime(0.25).duration(0.1)
    with pytest.raises(ModelError, match="a swing of 0 s; it must be longer than 0"):
        SwingTime(0.0)
    with pytest.raises(ModelError, match=r"-0\.1 s longer for each kg; it cannot be below 0"):
        SwingTime(0.2, -0.1)


def test_angles_follow_a_path_and_continue_what_the_joints_do() -> None:
    body = juggler()
    reach, arm = Reach(body), body.arm("right")
    palm = reach.palm(arm)
    q, gap = reach.nearest(arm, A.place, palm)
    assert gap < 1e-6
    rng = np.random.default_rng(0)
    state = Knot(A.time, q, rng.uniform(-1, 1, 7), rng.uniform(-5, 5, 7))
    path = quintic(reach.knot(arm, state, palm), B)
    found = reach.follow(arm, path, state, palm)
    assert found.error < 1e-6
    for order, want in enumerate(state[1:]):
        np.testing.assert_allclose(found.at(A.time)[order], want, atol=[1e-9, 1e-3, 0.3][order])
    for t in np.linspace(A.time, B.time, 9)[1:]:
        p, J = reach.point(arm, found.at(t)[0], palm)
        np.testing.assert_allclose(p, path.at(t), atol=1e-6)
        np.testing.assert_allclose(J @ found.at(t)[1], path.at(t, 1), atol=1e-3)
    low, high = reach.limits(arm)
    assert np.all(found.table[0] > low)
    assert np.all(found.table[0] < high)


def test_what_an_arm_does_not_reach_is_told() -> None:
    body = juggler()
    reach, arm = Reach(body), body.arm("right")
    q = reach.home(arm)
    here = reach.point(arm, q, reach.palm(arm))[0]
    far = quintic(rest(0.0, here), rest(0.2, here + np.array([0.6, 0.0, 0.0])))
    found = reach.follow(arm, far, rest(0.0, q), reach.palm(arm))
    assert 0.2 < found.error < 0.6


def test_a_hand_that_is_led_astray_swings_home_and_tells() -> None:
    body = juggler()
    reach, arm = Reach(body), body.arm("right")
    throw, catch = Places().of(reach, arm)
    palm = reach.palm(arm)
    hand = Hand(arm, reach, throw, catch, [], resting(reach, arm, catch, 0.3), palm)
    start = hand.state(0.3)
    np.testing.assert_allclose(reach.point(arm, start.place, palm)[0], catch, atol=1e-6)
    far = catch + np.array([0.5, 0.0, 0.0])
    shoulder, most = reach.span(arm, palm)
    assert np.linalg.norm(hand.nearest(far) - shoulder) < most
    np.testing.assert_allclose(hand.nearest(catch), catch)
    hand.lead(start, palm, rest(0.5, far))
    assert hand.worst > 0.1
    np.testing.assert_allclose(hand.path.at(0.5)[0], reach.home(arm), atol=1e-9)
    np.testing.assert_allclose(hand.path.at(0.3)[0], start.place, atol=1e-9)
