"""An observer of disturbances: torques that nobody told of, from what joints do unexpectedly.

After a control period the joints should have gained the speed that the program predicted. What
they gained besides, as torque M (dqd/dt - predicted), is due to something outside, like a push. Its
sum d, which the next prediction counts on, approaches what acts:

    d <- d + k M (dqd/dt - predicted),    |d| <= most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.numerics.types import Floats


@dataclass
class Observer:
    """Finds disturbing torques [N m] of an arm, each at most `most` (n,) or one for all."""

    gain: float = 0.15  # a period
    most: Floats | float = 80.0
    found: Floats | None = None  # (n,)
    _speed: Floats | None = None  # (n,) [rad/s] at the last period

    def new(self, joints: int) -> Observer:
        """One for an arm of so many joints, that has found nothing."""
        return replace(self, found=np.zeros(joints), _speed=None)

    def torque(
        self, inertia: Floats, qd: Floats, predicted: Floats | None, period: float
    ) -> Floats:
        """(n,) [N m] what acts besides muscles and weights, seen from speeds qd (n,) [rad/s].

        `predicted` (n,) [rad/s^2] is what the last period should have brought, None if that does
        not count, as when a ball was caught in it.
        """
        found = np.zeros_like(qd) if self.found is None else self.found
        if predicted is not None and self._speed is not None:
            surprise = inertia @ ((qd - self._speed) / period - predicted)
            found = np.clip(found + self.gain * surprise, -np.asarray(self.most), self.most)
        self.found, self._speed = found, qd.copy()
        return found
