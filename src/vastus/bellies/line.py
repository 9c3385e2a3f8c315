"""The law of lines: F = force (a f_l f_v + f_p), what a belly has in common with a line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.bellies.hill import Hill, hill, sizes_of
from vastus.bellies.law import MotorUnit, Pull, asked
from vastus.numerics.types import Floats


class LineLaw:
    """Hill's curves alone, on paths: fibres in series with the rigid tendons of their units.

    A fibre may be shorter than nothing, where a path is shorter than its tendon; it is slack then.
    """

    def __init__(self, units: Sequence[MotorUnit], curves: Hill | None = None) -> None:
        self.units, self.curves = tuple(units), curves or hill()
        self.optimal, self.slack, self._force = np.array(
            [(unit.optimal, unit.slack, unit.force) for unit in self.units]
        ).reshape(-1, 3).T.copy()  # fmt: skip
        self._sizes = sizes_of(self.units)

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull on paths of lengths [m] that lengthen at speeds [m/s], by activations, (m,)."""
        length, speed, activation = asked(self.units, length, speed, activation)
        gain, passive = self.curves.gains_and_passive(length - self.slack, speed, self._sizes)
        return Pull(
            force=self._force * (activation * gain[:, 0] + passive[:, 0]),
            by_activation=self._force * gain[:, 0],
            by_length=self._force * (activation * gain[:, 1] + passive[:, 1]),
            by_speed=self._force * activation * gain[:, 2],
        )

    def stretch(self, length: Floats) -> Floats:
        """(m,) fibre lengths in optimal lengths, on paths of lengths (m,) [m]."""
        return np.asarray((length - self.slack) / self.optimal)

    def copy(self) -> LineLaw:
        """Itself, for it remembers nothing."""
        return self
