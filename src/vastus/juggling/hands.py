"""What a hand does: carry a ball from its catch to the throw, return to the next catch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from vastus.juggling.kinematics import JointPath, Reach
from vastus.juggling.paths import Knot, Path, bowed, quintic, rest
from vastus.juggling.siteswap import Throw
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Arm

BENT = 0.93  # of the length of the straight arm, beyond which paths do not go
ASTRAY = 0.02  # [m] a hand that would be led this far past its reach swings home instead
BOWS = np.arange(0.0, 0.21, 0.02)  # [m] by which paths are bowed


@dataclass(eq=False)
class Hand:
    """A hand: the throws that are before it, the balls in it, the path of its joints."""

    arm: Arm
    reach: Reach
    throw_place: Floats
    catch_place: Floats
    throws: list[Throw]
    path: JointPath
    local: Floats  # (3,) [m] the point of the hand that is led along a path in space
    carrying: bool = False  # or returning
    swings: float | None = None  # [s] when it will begin to swing a ball that it carries
    held: dict[int, Floats] = field(default_factory=dict)  # offset (3,) [m] of each ball in it
    way: Path | None = None  # in space, of the led point
    thrown_at: Floats = field(default_factory=lambda: np.zeros(3))  # (3,) [m/s] aimed at
    worst: float = 0.0  # [m] by which the led point missed its path at most

    @property
    def next(self) -> Throw | None:
        """The throw that it makes next."""
        return self.throws[0] if self.throws else None

    def reference(self, t: float, ahead: float) -> tuple[Floats, Floats, Floats]:
        """(n,) angles and speeds at a time, and the acceleration of `ahead` [s] later."""
        late, later = max(0.0, t - self.path.end), t + ahead
        q, qd, qdd = self.path.at(t)
        if ahead:
            qdd = self.path.at(later)[2]
        return q + late * qd, qd, qdd if later < self.path.end else np.zeros_like(q)

    def state(self, t: float) -> Knot:
        """The reference of its joints at a time."""
        return Knot(t, *self.reference(t, 0.0))

    def lead(self, start: Knot, local: Floats, aim: Knot) -> None:
        """Go from a state of the joints so that a point of the hand comes to an aim."""
        self.way = self.within(quintic(self.reach.knot(self.arm, start, local), aim), local)
        self.path, self.local = self.reach.follow(self.arm, self.way, start, local), local
        self.worst = max(self.worst, self.path.error)
        if self.path.error > ASTRAY:
            self.path = self.reach.swing(self.arm, start, self.path)

    def nearest(self, place: Floats) -> Floats:
        """(3,) [m] the place, or where the palm comes nearest to it with a bent arm."""
        shoulder, most = self.reach.span(self.arm, self.reach.palm(self.arm))
        far = float(np.linalg.norm(place - shoulder))
        return np.asarray(shoulder + (place - shoulder) * min(1.0, BENT * most / far))

    def within(self, path: Path, local: Floats) -> Path:
        """The path, bowed towards the trunk as far as the arm would otherwise be too straight.

        The backswing of a high throw goes below what a hand reaches that far ahead.
        """
        times = np.linspace(path.start, path.end, 40)
        back = -self.reach.trunk(self.arm)[:, 0]
        shoulder, most = self.reach.span(self.arm, local)
        for way in BOWS:
            bow = bowed(path, way * back) if way else path
            if np.linalg.norm(bow.at(times) - shoulder, axis=1).max() < BENT * most:
                break
        return bow


def resting(reach: Reach, arm: Arm, place: Floats, until: float) -> JointPath:
    """The arm at rest with its palm at a place."""
    q, _ = reach.nearest(arm, place, reach.palm(arm))
    still = rest(0.0, reach.point(arm, q, reach.palm(arm))[0])
    return reach.follow(
        arm, quintic(still, still._replace(time=until)), rest(0.0, q), reach.palm(arm)
    )


def throws_by_hand(throws: Sequence[Throw], hands: int) -> list[list[Throw]]:
    """The throws of each hand, in order."""
    return [[t for t in throws if t.beat % hands == h] for h in range(hands)]
