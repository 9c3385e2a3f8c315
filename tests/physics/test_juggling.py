"""Juggling by muscles: balls held and thrown, what cannot be juggled, and a short cascade."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bodies import Body, juggler
from vastus.control.plant import Plant
from vastus.errors import ModelError
from vastus.juggling.feasibility import feasibility
from vastus.juggling.juggle import Juggle, juggle
from vastus.juggling.stage import stage
from vastus.juggling.style import Places, Style
from vastus.juggling.timing import Timing, flown

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

HIGH = Style(Timing(0.25, 0.6), Places(higher=0.1))


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


def test_a_ball_is_held_where_it_is_and_flies_when_let_go(body: Body) -> None:
    scene = stage(body, [0.2])
    plant = Plant(scene.body)
    hand = scene.carrier(plant, 0)
    place = plant.point(hand, np.array([0.01, 0.06, -0.09]))
    scene.place(plant, 0, place, np.zeros(3))
    plant.refresh()
    offset = scene.hold(plant, 0, 0)
    np.testing.assert_allclose(offset, [0.01, 0.06, -0.09], atol=1e-12)
    for _ in range(60):
        plant.step(np.full(len(body.units), 0.05))
    held, v = scene.ball(plant, 0)
    np.testing.assert_allclose(held, plant.point(hand, offset), atol=1e-3)
    assert np.linalg.norm(held - place) > 1e-3
    scene.release(plant, 0, 0)
    for _ in range(100):
        plant.step(np.full(len(body.units), 0.05))
    np.testing.assert_allclose(scene.ball(plant, 0), flown(held, v, 0.1), atol=1e-9)


def test_two_jugglers_are_one_turned_towards_the_other(body: Body) -> None:
    scene = stage(body, [0.13], jugglers=2, distance=1.6)
    assert [arm.name for arm in scene.hands] == ["a_right", "b_right", "a_left", "b_left"]
    assert len(scene.body.units) == 2 * len(body.units)
    plant, one = Plant(scene.body), Plant(body)
    for k in (0, 1):
        part = slice(k * len(body.units), (k + 1) * len(body.units))
        np.testing.assert_allclose(plant.length[part], one.length, atol=1e-12)
        dofs = slice(k * body.model.nv, (k + 1) * body.model.nv)
        np.testing.assert_allclose(plant.arms[part, dofs], one.arms, atol=1e-12)
    sites = [plant.data.site(name).xpos for name in ("a_r_palm", "b_r_palm")]
    np.testing.assert_allclose(sites[0] + sites[1], [1.6, 0.0, 2 * sites[0][2]], atol=1e-12)


def test_a_cascade_of_three_balls(body: Body) -> None:
    result = juggle(body, "3", 1.6, Style(places=Places(outer=0.28)))
    assert (result.catches, result.drops) == (5, 0)
    assert result.landings.max() < 0.01
    assert result.missing < 0.5
    assert result.reserve == 0.0
    assert result.record is not None
    assert result.record.activations.shape == (800, len(body.units))
    assert result.record.balls[:, :, 2].max() > 1.3  # they fly above the hands
    assert "5 catches, 0 drops" in str(result)
    # The ball that is in the air from the beginning has brought nothing since.
    assert result.energy is not None
    assert result.energy.brought > 2.0
    assert abs(result.energy.balance) < 0.05


def test_the_energy_of_a_ball_that_is_there_at_first_counts_once(body: Body) -> None:
    result = juggle(body, "3", 0.1, Style(places=Places(outer=0.28)))
    assert result.energy is not None
    assert abs(result.energy.brought) < 0.01  # the second ball comes in at 0.12 s
    assert abs(result.energy.balance) < 0.1


@pytest.mark.slow
def test_a_pattern_within_reach_and_strength_is_feasible(body: Body) -> None:
    found = feasibility(body, "4", HIGH)
    assert not found.problems
    assert found.margin > 1.5
    assert {check.what for check in found.checks} >= {
        "throw 4 of the right hand",
        "the return of the left hand after throw 4",
    }
    found.require()


def test_weak_muscles_are_named_before_juggling() -> None:
    found = feasibility(juggler(strength=0.7), "5", HIGH)
    assert found.margin < 1.05
    assert "r_shoulder_flexion" in found.problems[0]
    assert "r_DELT1" in found.problems[0]
    with pytest.raises(ModelError, match="throw 5 of the right hand needs more than the muscles"):
        found.require()


def test_a_throw_without_time_to_fly_is_named(body: Body) -> None:
    found = feasibility(body, "1")
    assert found.problems == (
        "throw 1 has no time to fly: at a beat of 0.3 s its ball is held 0.42 s of 0.3 s; the "
        "dwell must be less than 0.5",
    )


def test_what_cannot_be_begun_is_said(body: Body) -> None:
    with pytest.raises(ModelError, match="no start 'floor'; starts: air, hands"):
        Style(start="floor")
    with pytest.raises(ModelError, match="3 jugglers on a stage; there can be 1 or 2"):
        stage(body, [0.13], jugglers=3)
    with pytest.raises(ModelError, match="2 masses for 3 balls"):
        Juggle(body, [3] * 6, masses=[0.1, 0.1])
    with pytest.raises(ModelError, match="a timing of 4 hands for jugglers with 2"):
        Juggle(body, [3] * 6, Style(Timing(0.15, 0.7, hands=4)))
    with pytest.raises(ModelError, match="a dwell of 1; it is between 0 and 1"):
        Timing(0.3, 1.0)
