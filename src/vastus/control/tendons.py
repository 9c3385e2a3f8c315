"""Tendons between bellies and the paths that they pull along."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.bellies.law import MuscleLaw, Pull
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class OnTendons:
    """The law of bellies, each in series with a tendon of length `slack` (m,) [m] that is rigid."""

    bellies: MuscleLaw
    slack: Floats

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        return self.bellies.forces(length - self.slack, speed, activation)

    def copy(self) -> OnTendons:
        """The same law, whose bellies remember apart from these."""
        return OnTendons(self.bellies.copy(), self.slack)
