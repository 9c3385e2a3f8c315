"""Arms whose muscles lead hands along their paths, and trials of throws in copies of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vastus.control.plant import Payload, Plant
from vastus.control.rollouts import Start, rollout
from vastus.control.tracking import Command, Reference, Tracker
from vastus.juggling.hands import Hand
from vastus.juggling.paths import Knot
from vastus.juggling.result import Record
from vastus.juggling.stage import Stage
from vastus.numerics.types import Floats

LOST = 0.04  # [m] a hand this far from its path was pushed off it
_OFF = 0.03  # [rad] of all joints, below which no hand is that far


@dataclass(eq=False)
class Arms:
    """The arms of a stage: their plant, what tracks paths, the hands in their turns, a record."""

    stage: Stage
    plant: Plant
    tracker: Tracker
    hands: Sequence[Hand]
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def every(self) -> int:
        """Rigid steps in a control period."""
        return max(1, round(self.tracker.period / self.plant.model.opt.timestep))

    def command(self, t: float) -> Command:
        """What muscles shall do from a time [s] on, which is kept in the record."""
        command = self.tracker.activation(self.plant, self.reference(t), self.loads())
        balls = [self.stage.ball(self.plant, k)[0] for k in range(len(self.stage.masses))]
        q = self.plant.data.qpos.copy()
        self.rows.append((t, q, *command[:3], np.array(balls).reshape(-1, 3)))
        return command

    def tried(self, ball: int, start: float, end: float) -> tuple[Floats, Floats]:
        """Where a held ball would be at an end [s], and how fast, if nothing disturbs the arms."""
        plant, tracker = self.plant.copy(), self.tracker.copy()
        plant.data.xfrc_applied[:] = 0.0
        steps = round((end - start) / plant.model.opt.timestep)
        found = rollout(plant, tracker, self.references(start, end), steps, self.loads())
        return self.stage.ball_in(ball, found.positions, found.speeds)

    def begin(self) -> Start:
        """What rollouts from now on begin with: nothing disturbs the arms in them."""
        plant = self.plant.copy()
        plant.data.xfrc_applied[:] = 0.0
        return Start.of(plant, self.tracker, self.loads())

    def references(self, start: float, end: float) -> Floats:
        """(k, 3, n) the references of all control periods between two times [s]."""
        step = self.plant.model.opt.timestep
        periods = -(-round((end - start) / step) // self.every)
        return np.array([self.reference(start + k * self.every * step) for k in range(periods)])

    def pushed(self, h: int, t: float) -> Knot | None:
        """The state of the joints of an arm whose hand is far from its path, else None."""
        hand = self.hands[h]
        dofs, places = list(hand.arm.dofs), hand.reach.places(hand.arm)
        q, wanted = self.plant.data.qpos[places].copy(), hand.state(t)
        if np.abs(wanted.place - q).max() < _OFF:
            return None
        there, _ = hand.reach.point(hand.arm, wanted.place, hand.local)
        here = self.plant.point(self.stage.carrier(self.plant, h), hand.local)
        if np.linalg.norm(there - here) < LOST:
            return None
        return Knot(t, q, self.plant.data.qvel[dofs].copy(), wanted.acceleration)

    def reference(self, t: float) -> Reference:
        """Of all arms at a time [s], in the order of the body."""
        half = 0.5 * self.tracker.period
        order = {arm.name: k for k, arm in enumerate(self.stage.body.arms)}
        hands = sorted(self.hands, key=lambda hand: order[hand.arm.name])
        rows = [hand.reference(t, half) for hand in hands]
        return Reference(*(np.concatenate(column) for column in zip(*rows, strict=True)))

    def loads(self) -> dict[str, list[Payload]]:
        """The balls in the hands, by arm."""
        return {
            hand.arm.name: [
                Payload(self.stage.masses[ball], self.stage.carrier(self.plant, h), offset)
                for ball, offset in hand.held.items()
            ]
            for h, hand in enumerate(self.hands)
        }

    def record(self) -> Record:
        """What was, each control period."""
        return Record(*(np.array(column) for column in zip(*self.rows, strict=True)))
