"""Hill's curves of a muscle, and what they make of its activation (theory, force of a unit).

    g = f_l(length/optimal) f_v(speed/(optimal greatest speed)),   s = a g

The contraction s is the relative force of active fibres. It is known before the shape of a belly
is: force-length and force-velocity are those of a motor unit, not of each tet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from vastus.bellies.law import MotorUnit
from vastus.bellies.sampled import Sampled, at, sampled
from vastus.errors import ModelError
from vastus.materials.fibres.curves import Bell, Curve, Exponential, Hyperbolas
from vastus.materials.fibres.published import active_curve, passive_curve, velocity_curve
from vastus.numerics.jit import loop
from vastus.numerics.types import Floats

SHORTEST, LONGEST = 0.0, 3.0  # relative lengths that curves are sampled between
SLOWEST, FASTEST = -1.25, 3.0  # relative velocities
BELL = Bell(0.45**2)  # half of the force at the stretches 0.63 and 1.37
EXPONENTIAL = Exponential(1.0 / np.expm1(4.0), 4.0 / 0.6, LONGEST)  # 1 at the stretch 1.6
HYPERBOLAS = Hyperbolas(foot=-1.0)


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
        return sampled(self.active, SHORTEST, LONGEST)

    @cached_property
    def passive_rows(self) -> Sampled:
        """That of passive fibres."""
        return sampled(self.passive, SHORTEST, LONGEST, shift=self.taut - 1.0, end=np.inf)

    @cached_property
    def velocity_rows(self) -> Sampled:
        """The force-velocity curve, over relative velocities."""
        return sampled(self.velocity, SLOWEST, FASTEST, end=self.velocity.force(1e9))

    def gains(self, length: Floats, speed: Floats, sizes: Floats) -> Floats:
        """(m, 3) g and its derivatives by length [1/m] and speed [s/m]; `sizes` is (m, 2)."""
        return self.gains_and_passive(length, speed, sizes)[0]

    def gains_and_passive(
        self, length: Floats, speed: Floats, sizes: Floats
    ) -> tuple[Floats, Floats]:
        """The gains, and (m, 2) the passive force and its derivative by length [1/m]."""
        out = np.empty((len(length), 5))
        rows = self.active_rows, self.velocity_rows, self.passive_rows
        _followed(*rows, length, speed, sizes, out)
        return out[:, :3], out[:, 3:]


@cache
def hill(
    active: str | Curve = BELL,
    passive: str | Curve = EXPONENTIAL,
    velocity: str | Curve = HYPERBOLAS,
    *,
    taut: float = 1.0,
) -> Hill:
    """The curves of lines and bellies, or published ones by name (`vastus info curves`)."""
    return Hill(
        active if isinstance(active, Curve) else active_curve(active),
        passive if isinstance(passive, Curve) else passive_curve(passive),
        velocity if isinstance(velocity, Curve) else velocity_curve(velocity),
        taut,
    )


def sizes_of(units: Sequence[MotorUnit]) -> Floats:
    """(m, 2) optimal lengths [m] and greatest speeds [m/s]."""
    return np.array([[unit.optimal, unit.optimal * unit.speed] for unit in units]).reshape(-1, 2)


@loop
def _followed(
    active: Any, velocity: Any, passive: Any, length: Any, speed: Any, sizes: Any, out: Any
) -> None:
    for k in range(len(length)):
        f, f_rise, _ = at(active, length[k] / sizes[k, 0])
        v, v_rise, _ = at(velocity, speed[k] / sizes[k, 1])
        out[k, 0] = f * v
        out[k, 1] = f_rise * v / sizes[k, 0]
        out[k, 2] = f * v_rise / sizes[k, 1]
        out[k, 3], p_rise, _ = at(passive, length[k] / sizes[k, 0])
        out[k, 4] = p_rise / sizes[k, 0]
