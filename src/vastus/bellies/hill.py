"""Hill's curves of a muscle, and what they make of its activation (theory, force of a unit).

    g = f_l(length/optimal) f_v(speed/(optimal greatest speed)),   s = a g

The contraction s is the relative force of active fibres. It is known before the shape of a belly
is: force-length and force-velocity are those of a motor unit, not of each tet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vastus.bellies.belly import MotorUnit
from vastus.bellies.sampled import Sampled, at, sampled
from vastus.errors import ModelError
from vastus.materials.fibres.curves import Curve
from vastus.materials.fibres.published import active_curve, passive_curve, velocity_curve
from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats

SHORTEST, LONGEST = 0.0, 3.0  # relative lengths that curves are sampled between
SLOWEST, FASTEST = -1.25, 3.0  # relative velocities


@dataclass(frozen=True)
class Hill:
    """Force-length, passive and force-velocity curve; passive fibres are taut from `taut` on."""

    active: Curve
    passive: Curve
    velocity: Curve
    taut: float = 1.0

    def __post_init__(self) -> None:
        if not 0.5 <= self.taut <= 2.0:
            raise ModelError(f"passive fibres are taut from {self.taut:g} on; it must be 0.5 to 2")

    @cached_property
    def active_rows(self) -> Sampled:
        """The force-length curve of active fibres, over relative lengths."""
        return sampled(self.active, SHORTEST, LONGEST, straight=False)

    @cached_property
    def passive_rows(self) -> Sampled:
        """That of passive fibres."""
        return sampled(self.passive, SHORTEST, LONGEST, shift=self.taut - 1.0, straight=True)

    @cached_property
    def velocity_rows(self) -> Sampled:
        """The force-velocity curve, over relative velocities."""
        return sampled(self.velocity, SLOWEST, FASTEST, straight=False)

    def gains(self, length: Floats, speed: Floats, sizes: Floats) -> Floats:
        """(m, 3) g and its derivatives by length [1/m] and speed [s/m]; `sizes` is (m, 2)."""
        out = np.empty((len(length), 3))
        _gains(self.active_rows, self.velocity_rows, length, speed, sizes, out)
        return out


def hill(
    active: str = "thelen", passive: str = "lee", velocity: str = "hill", *, taut: float = 1.0
) -> Hill:
    """Published curves by name (`vastus info curves` lists them)."""
    return Hill(active_curve(active), passive_curve(passive), velocity_curve(velocity), taut)


def sizes_of(units: Sequence[MotorUnit]) -> Floats:
    """(m, 2) optimal lengths [m] and greatest speeds [m/s]."""
    return np.array([[unit.optimal, unit.optimal * unit.speed] for unit in units]).reshape(-1, 2)


@kernel
def _gains(active: Any, velocity: Any, length: Any, speed: Any, sizes: Any, out: Any) -> None:
    for k in prange(len(length)):
        f, f_rise, _ = at(active, length[k] / sizes[k, 0])
        v, v_rise, _ = at(velocity, speed[k] / sizes[k, 1])
        out[k, 0] = f * v
        out[k, 1] = f_rise * v / sizes[k, 0]
        out[k, 2] = f * v_rise / sizes[k, 1]
