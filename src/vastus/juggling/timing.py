"""When and where hands throw and catch.

A beat lasts T. Each of H hands throws every H beats and holds a ball for h = H D T before it does,
so that a throw of value V flies for t = V T - h. Under gravity g it then leaves p at

    v = (p' - p) / t - g (t + dt) / 2

to be at p' after it, where dt is the step of the rigid bodies: MuJoCo's step adds it to a fall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.control.plant import STEP
from vastus.errors import ModelError
from vastus.juggling.siteswap import Throw
from vastus.numerics.types import Floats

GRAVITY = np.array([0.0, 0.0, -9.81])  # [m/s^2]


@dataclass(frozen=True)
class Timing:
    """A beat [s], the part of a hand's period in which it holds a ball, and how many hands."""

    beat: float = 0.3
    dwell: float = 0.7
    hands: int = 2

    def __post_init__(self) -> None:
        if not 0 < self.beat < np.inf:
            raise ModelError(f"a beat of {self.beat:g} s; it must be longer than 0")
        if not 0 < self.dwell < 1:
            raise ModelError(f"a dwell of {self.dwell:g}; it is between 0 and 1")

    @property
    def hold(self) -> float:
        """[s] from a catch to the throw."""
        return self.hands * self.dwell * self.beat

    @property
    def empty(self) -> float:
        """[s] from a throw to the next catch, if every beat throws."""
        return self.hands * (1.0 - self.dwell) * self.beat

    def flight(self, value: int) -> float:
        """[s] for which a throw flies."""
        flight = value * self.beat - self.hold
        if flight <= 0:
            most = value / self.hands
            raise ModelError(
                f"throw {value} has no time to fly: at a beat of {self.beat:g} s its ball is held "
                f"{self.hold:g} s of {value * self.beat:g} s; the dwell must be less than {most:g}"
            )
        return flight

    def thrown(self, throw: Throw) -> float:
        """[s] when it leaves the hand."""
        return throw.beat * self.beat

    def caught(self, beat: int) -> float:
        """[s] when the ball that is thrown at a beat comes to the hand."""
        return beat * self.beat - self.hold


@dataclass(frozen=True)
class SwingTime:
    """How long a ball is swung before it leaves: the heavier the longer (theory, eq. 88).

    Before that the hand lets a caught ball come to rest. A swing that would leave it no time for it
    takes all the time for which the ball is held.
    """

    least: float = 0.25  # [s] of a ball without mass
    by_mass: float = 0.0  # [s/kg]

    def __post_init__(self) -> None:
        if not 0 < self.least < np.inf:
            raise ModelError(f"a swing of {self.least:g} s; it must be longer than 0")
        if not 0 <= self.by_mass < np.inf:
            raise ModelError(
                f"a swing that lasts {self.by_mass:g} s longer for each kg; it cannot be below 0"
            )

    def duration(self, mass: float) -> float:
        """[s] for a ball of a mass [kg]."""
        return self.least + self.by_mass * mass


def launch(p: Floats, target: Floats, flight: float, step: float = STEP) -> Floats:
    """(3,) [m/s] the velocity with which a ball at p is at the target after a flight [s]."""
    return np.asarray((target - p) / flight - 0.5 * GRAVITY * (flight + step))


def flown(p: Floats, v: Floats, time: float, step: float = STEP) -> tuple[Floats, Floats]:
    """Where a ball is, and how fast, after it has flown for a time [s] from p with v."""
    return p + v * time + 0.5 * GRAVITY * time * (time + step), v + GRAVITY * time
