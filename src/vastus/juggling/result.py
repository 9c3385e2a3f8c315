"""What came of juggling."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vastus.control.tracking import Shortfall
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.juggling.optimisation import Optimised


class Thrown(NamedTuple):
    """A throw: when [s], which ball, by which hand, how fast, how far [m] from its aim it lands."""

    time: float
    ball: int
    value: int
    hand: str
    velocity: Floats
    landing: float


class Caught(NamedTuple):
    """A ball that a hand caught, or did not catch, at a time [s]; `gap` [m] lay between them."""

    time: float
    ball: int
    hand: str
    gap: float
    held: bool


@dataclass(frozen=True, eq=False)
class Record:
    """What was, each control period: times (k,) [s], angles (k, nq), activations (k, m), balls."""

    times: Floats
    positions: Floats  # (k, nq) MuJoCo's, angles [rad] and balls [m]
    activations: Floats
    missing: Floats  # (k, n) [N m]
    reserves: Floats  # (k, n) [N m]
    balls: Floats  # (k, balls, 3) [m]


@dataclass(eq=False)
class Result:
    """Throws, catches and drops, and what the muscles did for them."""

    throws: list[Thrown] = field(default_factory=list)
    events: list[Caught] = field(default_factory=list)
    shortfalls: dict[str, Shortfall] = field(default_factory=dict)  # the worst of each joint
    optimised: list[Optimised] = field(default_factory=list)  # of each throw that was
    record: Record | None = None
    work: Floats = field(default_factory=lambda: np.zeros(0))  # [J] of each unit
    reach: float = 0.0  # [m] by which hands were led past what they can reach
    cpu: float = 0.0  # [s]

    @property
    def catches(self) -> int:
        """Balls that were caught."""
        return sum(event.held for event in self.events)

    @property
    def drops(self) -> int:
        """Balls that were not."""
        return len(self.events) - self.catches

    @property
    def landings(self) -> Floats:
        """(k,) [m] how far from their aims throws came down."""
        return np.array([throw.landing for throw in self.throws])

    @property
    def effort(self) -> float:
        """The mean of the sum of squared activations."""
        return 0.0 if self.record is None else float((self.record.activations**2).sum(1).mean())

    @property
    def missing(self) -> float:
        """[N m] the largest torque that muscles could not give."""
        return max((abs(s.torque) for s in self.shortfalls.values()), default=0.0)

    @property
    def reserve(self) -> float:
        """[N m] the largest reserve torque that was used."""
        used = None if self.record is None else self.record.reserves
        return 0.0 if used is None or not used.size else float(np.abs(used).max())

    def note(self, shortfalls: list[Shortfall]) -> None:
        """Keep the worst shortfall of each joint."""
        for new in shortfalls:
            old = self.shortfalls.get(new.joint)
            if old is None or abs(new.torque) > abs(old.torque):
                self.shortfalls[new.joint] = new

    def __str__(self) -> str:
        land = 100.0 * self.landings
        told = (
            f"{self.catches} catches, {self.drops} drops; landing {land.mean():.1f} cm "
            f"(at most {land.max():.1f})" if land.size else "no throw"
        )  # fmt: skip
        worst = sorted(self.shortfalls.values(), key=lambda s: -abs(s.torque))
        lacks = f"; {worst[0]}" if worst else "; no torque is missing"
        helped = f"; reserves up to {self.reserve:.1f} N m" if self.reserve else ""
        return told + lacks + helped
