"""Throws by optimised references: derivatives, costs that only fall, balls that land."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from vastus.bodies import Body, juggler
from vastus.control.plant import Plant
from vastus.control.rollouts import Rollouts, Start
from vastus.control.tracking import Reference, Tracker
from vastus.errors import ModelError
from vastus.juggling.juggle import juggle
from vastus.juggling.kinematics import Reach
from vastus.juggling.optimisation import (
    Aim,
    Curve,
    HandCurve,
    JointCurve,
    Optimisation,
    Swing,
    held_swing,
    optimise,
    optimise_throw,
)
from vastus.juggling.paths import bezier_path
from vastus.juggling.style import Places, Style
from vastus.juggling.timing import launch
from vastus.numerics.least_squares import Descent, Stop, jacobian
from vastus.numerics.types import Floats

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

CURVES = [HandCurve(), JointCurve()]
FLIGHT, TIME = 0.48, 0.3  # [s]


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


@pytest.fixture(scope="module")
def swing(body: Body) -> Swing:
    """The throw of a cascade from rest, with a tracker of 200 Hz, which makes rollouts quicker."""
    aim, start = throw(body)
    return held_swing(body, aim, TIME, start=start, tracker=Tracker(body, period=5e-3))


@pytest.fixture(scope="module")
def rollouts(swing: Swing) -> Iterator[Rollouts]:
    with Rollouts(swing.arms.plant, swing.arms.tracker) as found:
        yield found


def throw(body: Body) -> tuple[Aim, Floats]:
    """What the right hand of a cascade throws, and where it caught."""
    reach, places = Reach(body), Places(outer=0.28)
    leave, caught = places.of(reach, body.arm("right"))
    _, target = places.of(reach, body.arm("left"))
    return Aim(leave, launch(leave, target, FLIGHT), FLIGHT), caught


def straight(swing: Swing) -> Floats:
    """Unknowns of a hand that goes straight to the place of the throw, at an even speed."""
    first, last = swing.first.place, swing.aim.place
    return np.concatenate([first + (last - first) * part for part in (1 / 3, 2 / 3, 1.0)])


def test_a_bezier_curve_stays_in_the_hull_of_its_points() -> None:
    points = np.random.default_rng(2).uniform(-1, 1, (4, 7))
    curve = bezier_path(0.1, 0.5, points)
    values = curve.at(np.linspace(0.1, 0.5, 50))
    assert np.all(values <= points.max(axis=0) + 1e-12)
    assert np.all(values >= points.min(axis=0) - 1e-12)
    np.testing.assert_allclose(curve.at(0.1), points[0])
    np.testing.assert_allclose(curve.at(0.5), points[3], atol=1e-12)


def test_a_rollout_is_what_the_plant_then_does(swing: Swing, rollouts: Rollouts) -> None:
    path = swing.planned()
    (found,) = swing.outcomes(rollouts, [path])
    plant, tracker, begin = swing.arms.plant.copy(), swing.arms.tracker.copy(), swing.arms.begin()
    for k, wanted in enumerate(swing.references(path)):
        command = tracker.activation(plant, Reference(*wanted), begin.payloads)
        np.testing.assert_array_equal(found.activations[k], command.activation)
        for _ in range(5):
            plant.step(command.activation)
    np.testing.assert_array_equal(found.positions, plant.data.qpos)


@pytest.mark.slow
@pytest.mark.parametrize("curve", CURVES, ids=["hand", "joints"])
def test_derivatives_are_those_of_finer_central_differences(
    swing: Swing, rollouts: Rollouts, curve: Curve
) -> None:
    settings = Optimisation(curve=curve, effort=1.0)
    x = curve.unknowns(swing)

    def residuals(xs: list[Floats]) -> list[Floats]:
        found = swing.outcomes(rollouts, [curve.path(swing, x) for x in xs])
        return [settings.residuals(swing, each) for each in found]

    (r,) = residuals([x])
    J = jacobian(residuals, x, r, curve.difference)
    h = 0.1 * curve.difference
    sides = residuals([x + way * row for row in h * np.eye(len(x)) for way in (1.0, -1.0)])
    fine = np.column_stack(
        [(a - b) / (2 * h) for a, b in zip(sides[::2], sides[1::2], strict=True)]
    )
    error = np.abs(J - fine)[:6].max() / np.abs(fine[:6]).max()
    gradient, finer = J.T @ r, fine.T @ r
    off = np.linalg.norm(gradient - finer) / np.linalg.norm(finer)
    print(f"{type(curve).__name__}: J of the throw {error:.1e}, gradient {off:.1e}")
    assert error < 0.01
    assert off < 0.02


def test_a_poor_guess_is_led_to_the_aim(swing: Swing, rollouts: Rollouts) -> None:
    found = optimise(
        swing, Optimisation(stop=Stop(3, enough=0.01)), rollouts=rollouts, guess=straight(swing)
    )
    print(found, np.round(found.costs, 4))
    assert np.all(np.diff(found.costs) < 0)
    assert found.landings[0] > 0.2
    assert found.landings[-1] < 0.01
    assert len(found.landings) == len(found.costs) == found.minimum.iterations + 1
    (again,) = swing.outcomes(rollouts, [found.path])
    np.testing.assert_allclose(swing.thrown(again).place, found.throw.place, atol=1e-9)
    np.testing.assert_allclose(swing.thrown(again).velocity, found.throw.velocity, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("curve", CURVES, ids=["hand", "joints"])
@pytest.mark.parametrize("method", [None, Descent()], ids=["gauss-newton", "descent"])
def test_costs_only_fall_and_balls_land(
    swing: Swing, rollouts: Rollouts, curve: Curve, method: Descent | None
) -> None:
    settings = Optimisation(curve=curve, stop=Stop(6, enough=0.01))
    if method is not None:
        settings = replace(settings, method=method)
    found = optimise(swing, settings, rollouts=rollouts)
    print(found)
    assert np.all(np.diff(found.costs) < 0)
    assert found.landings[-1] < 0.01


@pytest.mark.slow
def test_effort_is_traded_against_the_throw(swing: Swing, rollouts: Rollouts) -> None:
    cheap = Optimisation(stop=Stop(4), effort=100.0)
    before, after = (
        optimise(swing, settings, rollouts=rollouts) for settings in (Optimisation(), cheap)
    )
    efforts = []
    for each in (before, after):
        (outcome,) = swing.outcomes(rollouts, [each.path])
        own = outcome.activations[:, list(swing.led.arm.units)]
        efforts.append(float((own**2).sum(axis=1).mean()))
    print(efforts, after)
    assert np.all(np.diff(after.costs) < 0)
    # The throw takes six of nine unknowns: little of the effort is left to choose.
    assert efforts[1] < 0.99 * efforts[0]
    assert after.landings[-1] < 0.01


@pytest.mark.slow
def test_processes_do_not_change_what_comes_of_it(swing: Swing, rollouts: Rollouts) -> None:
    paths = [swing.planned(), HandCurve().path(swing, straight(swing)), swing.planned()]
    with Rollouts(swing.arms.plant, swing.arms.tracker, workers=2) as beside:
        assert beside.apart
        found = swing.outcomes(beside, paths)
    for one, other in zip(found, swing.outcomes(rollouts, paths), strict=True):
        np.testing.assert_array_equal(one.positions, other.positions)
        np.testing.assert_array_equal(one.activations, other.activations)


def test_a_snapshot_brings_a_plant_back(body: Body) -> None:
    plant, tracker = Plant(body), Tracker(body)
    begin = Start.of(plant, tracker)
    half = np.full(len(body.units), 0.3)
    for _ in range(20):
        plant.step(half)
    moved, work = plant.data.qpos.copy(), plant.work.copy()
    plant.restore(begin.plant)
    np.testing.assert_array_equal(plant.data.qpos, body.home)
    assert plant.time == 0.0
    for _ in range(20):
        plant.step(half)
    np.testing.assert_array_equal(plant.data.qpos, moved)
    np.testing.assert_array_equal(plant.work, work)


@pytest.mark.slow
def test_a_cascade_of_optimised_throws(body: Body) -> None:
    style = Style(places=Places(outer=0.28), optimisation=Optimisation(workers=2))
    result = juggle(body, "3", 2.4, style)
    told = [found.rollouts for found in result.optimised]
    print(result, told, f"{result.cpu:.1f} s")
    assert result.drops == 0
    assert result.catches >= 7
    assert len(result.optimised) >= 5
    assert result.landings.max() < 0.01
    assert all(np.all(np.diff(found.costs) < 0) for found in result.optimised)


def test_what_cannot_be_optimised_is_said(body: Body) -> None:
    aim, _ = throw(body)
    with pytest.raises(ModelError, match="a swing of 0 s: it must be above zero"):
        optimise_throw(body, aim, 0.0)
    with pytest.raises(ModelError, match="no arm 'middle'; arms: right, left"):
        optimise_throw(body, aim, 0.4, hand="middle")
    with pytest.raises(ModelError, match="an error of place that costs one, of 0 m"):
        Optimisation(place=0.0)
    with pytest.raises(ModelError, match="0 processes for rollouts; there must be at least 1"):
        optimise_throw(body, aim, 0.4, Optimisation(workers=0))
    with pytest.raises(ModelError, match="2 corrections of throws that are optimised"):
        Style(corrections=2, optimisation=Optimisation())
