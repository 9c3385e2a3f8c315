"""Balls in the air: those that hands threw, and those that come in from outside."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from vastus.control.plant import Plant
from vastus.juggling.stage import Stage
from vastus.juggling.timing import GRAVITY, flown
from vastus.numerics.types import Floats


class Flight(NamedTuple):
    """A ball that leaves a place (3,) [m] at a time [s] with a velocity (3,) [m/s]."""

    time: float
    place: Floats
    velocity: Floats

    def at(self, t: float) -> tuple[Floats, Floats]:
        """Where it is at a time [s], and how fast."""
        return flown(self.place, self.velocity, t - self.time)


@dataclass(eq=False)
class Flights:
    """The balls of a stage that are in the air, and those that wait to come in."""

    stage: Stage
    plant: Plant
    flying: dict[int, Flight] = field(default_factory=dict)
    waiting: dict[int, Flight] = field(default_factory=dict)

    def of(self, ball: int) -> Flight | None:
        """Of a ball that is in the air, or will come in."""
        return self.flying.get(ball) or self.waiting.get(ball)

    def wait(self, ball: int, flight: Flight) -> None:
        """Let a ball wait, its weight borne, until it comes in."""
        self.waiting[ball] = flight
        self._bear(ball, 1.0)

    def enter(self, t: float) -> None:
        """Let those come in whose time it is."""
        soon = 0.5 * self.plant.model.opt.timestep
        for ball in [b for b, flight in self.waiting.items() if t > flight.time - soon]:
            flight = self.waiting.pop(ball)
            self._bear(ball, 0.0)
            before = self.plant.energies().sum()
            self.stage.place(self.plant, ball, flight.place, flight.velocity)
            self.plant.refresh()
            self.plant.brought += float(self.plant.energies().sum() - before)
            self.flying[ball] = flight._replace(time=t)

    def leave(self, ball: int, t: float) -> Flight:
        """The flight of a ball that has just been let go."""
        self.flying[ball] = Flight(t, *self.stage.ball(self.plant, ball))
        return self.flying[ball]

    def _bear(self, ball: int, part: float) -> None:
        body = self.plant.model.body(f"ball{ball}").id
        self.plant.data.xfrc_applied[body, :3] = -part * self.stage.masses[ball] * GRAVITY
