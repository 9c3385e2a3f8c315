"""Limits of ball joints: what is measured, its derivatives, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from builders import made, pair
from vastus.errors import ModelError
from vastus.files.model_file import load_model, save_model
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import BallRange, shortest_turn
from vastus.skeleton.freedoms import Pair
from vastus.skeleton.joints import Ball

AXIS = np.array([0.48, -0.6, 0.64])
ACROSS = np.array([0.8, 0.384, 0.36])
ACROSS -= (ACROSS @ AXIS) * AXIS
ACROSS /= np.linalg.norm(ACROSS)
CONE = BallRange(axis=(0.48, -0.6, 0.64), swing=1.0, twist=(-0.5, 0.8), turn=1.2)


def limited(limits: BallRange) -> Model:
    ball = made("ball")
    assert isinstance(ball, Ball)
    return pair(replace(ball, range=limits))


def turned(R: Floats) -> Pair:
    """The second bone turned by R from rest, both bones carried along by another rotation."""
    A = exp_map(np.array([0.3, -0.8, 0.2]))
    return Pair(np.array([A, A @ R]), np.zeros((2, 3)), np.zeros((2, 3)))


@pytest.mark.parametrize("swing", [0.0, 0.7, 2.9])
@pytest.mark.parametrize("twist", [-2.0, 0.0, 1.1])
def test_swing_and_twist_are_those_of_a_twist_and_a_swing_after_it(
    swing: float, twist: float
) -> None:
    """From any neutral pose; the whole turn has cos(turn/2) = cos(swing/2) cos(twist/2)."""
    for neutral in ((0.0, 0.0, 0.0), (0.4, 0.9, -0.3)):
        R0 = exp_map(np.array(neutral))
        middle = R0 @ AXIS
        across = R0 @ ACROSS
        R = exp_map(swing * across) @ exp_map(twist * middle) @ R0
        found = BallRange(axis=CONE.axis, neutral=neutral).angles(turned(R))
        assert found["swing"] == pytest.approx(swing, abs=1e-7)
        assert found["twist"] == pytest.approx(twist, abs=1e-12)
        whole = 2 * np.arccos(np.cos(swing / 2) * np.cos(twist / 2))
        assert found["turn"] == pytest.approx(whole, abs=1e-7)


def test_the_derivatives_of_chords_and_twist_are_their_slopes() -> None:
    """By the linear parts of both bones, whether they are rigid or not."""
    rng = np.random.default_rng(3)
    limits = replace(CONE, neutral=(0.4, 0.9, -0.3))
    measures = [chord for chord, _ in limits.chords.values()]
    assert limits.twisting is not None

    def at(p: Floats) -> Pair:
        first, second = p.reshape(2, 12)
        A = np.array([first[:9], second[:9]]).reshape(2, 3, 3)
        return Pair(A, np.array([first[9:], second[9:]]), np.zeros((2, 3)))

    A = exp_map(0.5 * rng.standard_normal((2, 3))) + 0.05 * rng.standard_normal((2, 3, 3))
    p = np.hstack([A.reshape(2, 9), np.zeros((2, 3))]).ravel()
    E = 1e-6 * np.eye(24)
    for measure in (*measures, limits.twisting):
        slopes = [(measure.value(at(p + e)) - measure.value(at(p - e))) / 2e-6 for e in E]
        np.testing.assert_allclose(measure.slope(at(p)), slopes, atol=1e-8)
        bends = [(measure.slope(at(p + e)) - measure.slope(at(p - e))) / 2e-6 for e in E]
        np.testing.assert_allclose(measure.bend(at(p)), bends, atol=1e-8)


def test_the_shortest_turn_leads_from_one_direction_to_another() -> None:
    for end in ((0.0, 1.0, 0.0), (0.48, -0.6, 0.64), (-0.48, 0.6, -0.64), (1.0, 2.0, -3.0)):
        reached = exp_map(np.array(shortest_turn((0.48, -0.6, 0.64), end))) @ AXIS
        np.testing.assert_allclose(reached, np.array(end) / np.linalg.norm(end), atol=1e-12)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"swing": 3.1}, "the swing of joint 'joint' is 177.6 deg; it must be above 0 and at most"),
        ({"turn": 0.0}, "the turn of joint 'joint' is 0 deg; it must be above 0"),
        ({"axis": None}, "needs the axis that it is about"),
        ({"axis": None, "twist": (-np.inf, np.inf)}, "has a swing, but not the axis that swings"),
        ({"axis": (0.0, 0.0, 0.0)}, "the axis of the range of joint 'joint' has no direction"),
        ({"twist": (0.5, -0.5)}, "the twist of 28.65 to -28.65 deg of joint 'joint' must rise"),
        ({"twist": (-4.0, 0.5)}, "goes farther than 180 degrees"),
        ({"swing": np.inf, "turn": np.inf}, "where its axis points backwards; give a swing"),
        ({"neutral": (1.3, 0.0, 0.0)}, r"is \S+ deg in the pose that it is modelled in, outside"),
        ({"twist": (0.1, 0.5)}, "the twist of joint 'joint' is 0 deg in the pose that it is"),
        ({"neutral": (np.nan, 0.0, 0.0)}, "the neutral pose of joint 'joint' is not finite"),
    ],
)
def test_limits_that_make_no_sense_are_refused(changes: dict, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        limited(replace(CONE, **changes))


def test_a_range_is_told_in_words_and_kept_in_files(tmp_path: Path) -> None:
    model = limited(CONE)
    words = "swing up to 57.3 deg, twist -28.65 to 45.84 deg, turn up to 68.75 deg"
    assert model.joints[0].resistance == words
    save_model(tmp_path / "model.npz", model)
    again = load_model(tmp_path / "model.npz")
    ball = again.joints[0]
    assert isinstance(ball, Ball)
    assert ball.range == CONE
    assert again.digest == model.digest
    assert model.digest != limited(replace(CONE, swing=0.9)).digest
