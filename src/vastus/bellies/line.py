"""The plain law of line muscles: F = force (a f_l f_v + f_p)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vastus.bellies.belly import MotorUnit
from vastus.bellies.hill import Hill, hill, sizes_of
from vastus.bellies.law import Pull, asked
from vastus.bellies.sampled import at
from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats


class LineLaw:
    """Hill's curves alone: what a belly has in common with a line."""

    def __init__(self, units: Sequence[MotorUnit], curves: Hill | None = None) -> None:
        self.units, self.curves = tuple(units), curves or hill()
        self._sizes = sizes_of(self.units)
        self._force = np.array([unit.force for unit in self.units])

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds [m/s] and activations, (m,) each."""
        length, speed, activation = asked(self.units, length, speed, activation)
        gain = self.curves.gains(length, speed, self._sizes)
        passive = np.empty((len(length), 2))
        _passive(self.curves.passive_rows, length, self._sizes, passive)
        return Pull(
            force=self._force * (activation * gain[:, 0] + passive[:, 0]),
            by_activation=self._force * gain[:, 0],
            by_length=self._force * (activation * gain[:, 1] + passive[:, 1]),
            by_speed=self._force * activation * gain[:, 2],
        )

    def copy(self) -> LineLaw:
        """Itself, for it remembers nothing."""
        return self


@kernel
def _passive(curve: Any, length: Any, sizes: Any, out: Any) -> None:
    for k in prange(len(length)):
        f, rise, _ = at(curve, length[k] / sizes[k, 0])
        out[k, 0], out[k, 1] = f, rise / sizes[k, 0]
