"""Muscles of which a share of the active force is left: F = Fmax [ s(l) a fl fv + fp ]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.bellies.law import Pull
from vastus.bellies.line import LineLaw
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class ImpairedLaw:
    """The law of lines with the shares (m, k) that are left at stretches (k,), linear between."""

    law: LineLaw
    stretches: Floats
    shares: Floats

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        share, slope = self._left(self.law.stretch(length))
        pull = self.law.forces(length, speed, share * activation)
        steeper = pull.by_activation * activation * slope / self.law.optimal
        return Pull(pull.force, share * pull.by_activation, pull.by_length + steeper, pull.by_speed)

    def copy(self) -> ImpairedLaw:
        """Itself, for it remembers nothing."""
        return self

    def _left(self, stretch: Floats) -> tuple[Floats, Floats]:
        """(m,) the shares at stretches (m,), and their slopes; level beyond the first and last."""
        x, s = self.stretches, self.shares
        k = np.clip(np.searchsorted(x, stretch, side="right") - 1, 0, len(x) - 2)
        row = np.arange(len(s))
        slope = (s[row, k + 1] - s[row, k]) / (x[k + 1] - x[k])
        inside = np.clip(stretch, x[0], x[-1])
        return s[row, k] + slope * (inside - x[k]), np.where(inside == stretch, slope, 0.0)
