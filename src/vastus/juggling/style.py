"""How it is juggled: when, where, and what is done for a throw to come down where it should."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError, known
from vastus.juggling.kinematics import Reach
from vastus.juggling.optimisation import Optimisation
from vastus.juggling.timing import SwingTime, Timing
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Arm

YIELDING = 0.3  # of the ball's velocity, with which the hand meets it
STARTS = ("air", "hands")


@dataclass(frozen=True)
class Places:
    """Where hands throw and catch, from the palms of the home pose and the middle of the body [m].

    `forward` and `up` move both, `higher` the catch above the throw; `inner` and `outer` are the
    ways of throws and catches from the middle. `leaving` is how hard the hand falls away from a
    ball that it lets go, in the acceleration of gravity.
    """

    forward: float = 0.05
    up: float = 0.10
    higher: float = 0.0
    inner: float = 0.12
    outer: float = 0.22
    leaving: float = 0.0

    def of(self, reach: Reach, arm: Arm) -> tuple[Floats, Floats]:
        """(3,) [m] where a hand throws and where it catches.

        Ahead is where the palm is before the trunk, aside where the arm is.
        """
        palm, _ = reach.point(arm, reach.home(arm), reach.palm(arm))
        frame = reach.trunk(arm)
        x, y, z = frame.T @ (palm - reach.middle(arm))
        ahead, side = x + self.forward, np.sign(y)
        throw = reach.middle(arm) + frame @ [ahead, side * self.inner, z + self.up]
        catch = reach.middle(arm) + frame @ [ahead, side * self.outer, z + self.up + self.higher]
        return throw, catch


@dataclass(frozen=True)
class Style:
    """How it is juggled: timing, places, start from the air or the hands, corrections of throws.

    With `corrections` each throw is first tried that many times in a copy of the plant, and thrown
    with what it missed its aim by. With an `optimisation` the reference of each throw is optimised
    by rollouts, from that of the last throw like it. With `replan` a hand that was pushed off its
    path plans anew from where it is. A `swing` says how long balls are swung; without it hands
    swing them all the time that they hold them.
    """

    timing: Timing = field(default_factory=Timing)
    places: Places = field(default_factory=Places)
    start: str = "air"
    corrections: int = 0
    replan: bool = True
    optimisation: Optimisation | None = None
    swing: SwingTime | None = None

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise known("start", self.start, STARTS)
        if self.corrections and self.optimisation is not None:
            raise ModelError(
                f"{self.corrections} corrections of throws that are optimised; give one of the two"
            )


def usual_style(values: Sequence[int], *, jugglers: int = 1) -> Style:
    """A style in which a body of human strength juggles throws of these values.

    Low throws leave time for wide and slow ones. For higher ones the hand must stop sooner, so that
    the beat is shorter and the catch above the throw; two jugglers throw four times in the time in
    which one throws twice.
    """
    highest = max(values, default=0)
    if jugglers > 1:
        beat = 0.175 if highest < 7 else 0.15 if highest < 9 else 0.13
        return Style(Timing(beat, 0.6, hands=2 * jugglers), Places(higher=0.05))
    if sum(values) <= 3 * len(values):
        return Style(Timing(0.3, 0.7), Places(outer=0.28))
    if highest < 6:
        return Style(Timing(0.25, 0.6), Places(higher=0.1))
    return Style(Timing(0.2, 0.55), Places(higher=0.1))
