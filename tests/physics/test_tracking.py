"""Muscles that follow a motion: how exactly, with loads, pushes and slow activations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vastus.bodies import Body, juggler
from vastus.control.observer import Observer
from vastus.control.plant import Payload, Plant
from vastus.control.tasks import Dynamics, Effort, Range
from vastus.control.tracking import Command, Reference, Tracker
from vastus.errors import ModelError
from vastus.numerics.types import Floats

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


class Swing:
    """Joints that swing about home from rest, each at its own rate of 0.6 to 1.1 Hz."""

    def __init__(self, body: Body, quicker: float = 1.0) -> None:
        rng = np.random.default_rng(1)
        n = len(body.home)
        self.home, self.size = body.home, rng.uniform(0.1, 0.2, n)
        self.rate = quicker * 2 * np.pi * rng.uniform(0.6, 1.1, n)

    def place(self, t: float) -> Floats:
        return np.asarray(self.home + self.size * (1 - np.cos(self.rate * t)))

    def speed(self, t: float) -> Floats:
        return np.asarray(self.size * self.rate * np.sin(self.rate * t))

    def reference(self, t: float, period: float) -> Reference:
        gain = (self.speed(t + period) - self.speed(t)) / period
        return Reference(self.place(t), self.speed(t), gain)


def followed(
    body: Body, tracker: Tracker, duration: float, swing: Swing | None = None, **more: Any
) -> tuple[Floats, list[Command], Plant]:
    """Errors (k, n) [rad] each step, and the commands, of arms that follow a swing."""
    plant, swing = Plant(body), swing or Swing(body)
    errors, commands = [], []
    for _ in range(round(duration / tracker.period)):
        wanted = swing.reference(plant.time, tracker.period)
        commands.append(tracker.activation(plant, wanted, **more))
        for _ in range(round(tracker.period / 1e-3)):
            plant.step(commands[-1].activation, commands[-1].reserve)
            errors.append(plant.data.qpos - swing.place(plant.time))
    return np.array(errors), commands, plant


def rms(errors: Floats) -> float:
    """[deg]"""
    return float(np.degrees(np.sqrt((errors**2).mean())))


@pytest.mark.parametrize(("period", "most"), [(5e-3, 0.2), (2e-3, 0.1)])
def test_arms_follow_by_muscles_alone(body: Body, period: float, most: float) -> None:
    errors, commands, _ = followed(body, Tracker(body, period=period), 0.7)
    assert rms(errors) < most
    assert all(not c.reserve.any() for c in commands)
    assert max(np.abs(c.missing).max() for c in commands) < 0.01
    a = np.array([c.activation for c in commands])
    assert a.min() >= Range().tone
    assert a.max() < 1.0


def test_weak_muscles_say_which_joint_lacks_torque() -> None:
    weak = juggler(strength=0.15)
    tracker = Tracker(weak)
    _, commands, plant = followed(weak, tracker, 0.3, Swing(weak, quicker=3.0))
    worst = max(commands, key=lambda c: np.abs(c.missing).max())
    found = tracker.shortfalls(plant, worst)
    assert found
    assert abs(found[0].torque) == pytest.approx(np.abs(worst.missing).max())
    assert found[0].joint in weak.dof_names
    assert found[0].units
    assert set(found[0].units) <= {weak.names[i] for i in np.flatnonzero(worst.full)}
    assert f"{found[0].joint} lacks" in str(found[0])


def test_a_reserve_is_used_where_muscles_lack_and_is_told() -> None:
    weak = juggler(strength=0.15)
    swing = Swing(weak, quicker=3.0)
    alone, _, _ = followed(weak, Tracker(weak), 0.2, swing)
    helped, commands, _ = followed(weak, Tracker(weak, reserve=30.0), 0.2, swing)
    assert rms(helped) < 0.5 * rms(alone)
    assert 1.0 < max(np.abs(c.reserve).max() for c in commands) <= 30.0


def test_activations_change_no_faster_than_their_dynamics(body: Body) -> None:
    dynamics = Dynamics(rise=0.012, fall=0.040)
    _, commands, _ = followed(
        body, Tracker(body, dynamics=dynamics, gain=2000.0), 0.3, Swing(body, quicker=3.0)
    )
    a = np.array([c.activation for c in commands])
    up = a[:-1] + (1 - a[:-1]) * -np.expm1(-2e-3 / 0.012)
    down = np.maximum(a[:-1] * np.exp(-2e-3 / 0.040), Range().tone)
    assert np.all(a[1:] <= up + 1e-9)
    assert np.all(a[1:] >= down - 1e-9)
    assert np.any(a[1:] > up - 1e-6)  # it is a limit that this motion meets


def test_a_load_that_is_known_is_held(body: Body) -> None:
    plant = Plant(body)
    hand = int(plant.model.body("r_hand").id)
    load = Payload(1.0, hand, np.array([0.0, 0.048, -0.085]))
    still = Reference(body.home, np.zeros_like(body.home), np.zeros_like(body.home))
    told = Tracker(body).activation(plant, still, {"right": [load]})
    bare = Tracker(body).activation(plant, still)
    more = plant.pull(told.activation).force - plant.pull(bare.activation).force
    J, weight = plant.load(load)
    np.testing.assert_allclose(-more @ plant.arms, weight @ J, atol=5e-3)
    assert np.abs(weight @ J).max() > 2.0


def test_an_observer_finds_a_push_and_holds_against_it(body: Body) -> None:
    still = Reference(body.home, np.zeros_like(body.home), np.zeros_like(body.home))
    ends = {}
    for name, observer in (("without", None), ("with", Observer())):
        plant, tracker = Plant(body), Tracker(body, observer=observer)
        plant.data.xfrc_applied[plant.model.body("r_radius").id, :3] = [-15.0, 0.0, 0.0]
        for _ in range(100):
            command = tracker.activation(plant, still)
            for _ in range(2):
                plant.step(command.activation)
        ends[name] = float(np.abs(plant.data.qpos - body.home).max())
    assert ends["with"] < 0.1 * ends["without"]


def test_effort_moves_work_to_fewer_activations(body: Body) -> None:
    plant = Plant(body)
    still = Reference(body.home, np.zeros_like(body.home), np.zeros_like(body.home))
    tasks = Tracker(body).tasks
    lazy = tuple(Effort(10.0) if isinstance(task, Effort) else task for task in tasks)
    usual = Tracker(body).activation(plant, still)
    less = Tracker(body, tasks=lazy).activation(plant, still)
    assert (less.activation**2).sum() < (usual.activation**2).sum()
    assert np.abs(less.missing).max() > np.abs(usual.missing).max()


def test_a_period_of_zero_is_refused(body: Body) -> None:
    with pytest.raises(ModelError, match="a control period of 0 s: it must be above zero"):
        Tracker(body, period=0.0)
