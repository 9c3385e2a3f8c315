"""Schemes that step through time, each a way to make inertia an energy (theory, "Motion").

Every scheme minimises E(u) + a/2 (u - y)^T M (u - y) over the places u of everything, one after the
other; they differ in the scale a, in where things would fly, y, and in what follows from the
minimum. Rates are linear in it too, v = s (u - z), which damping needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Past:
    """Places u (k,), their rates and, where a scheme keeps them, what was before.

    Places are metres, or the entries of poses.
    """

    u: Floats
    rate: Floats
    acceleration: Floats | None = None
    u_before: Floats | None = None
    rate_before: Floats | None = None
    step_before: float = 0.0  # [s]


@dataclass(frozen=True, eq=False)
class Aim:
    """What a step minimises: towards `target` (k,) with `scale` [1/s^2]; rate = slope (u - zero).

    Strains have rates too: `strain_slope` [1/s] times the change from their mean now and before,
    by `strain_weights`.
    """

    scale: float
    target: Floats
    slope: float  # [1/s]
    zero: Floats
    strain_slope: float
    strain_weights: tuple[float, float] = (1.0, 0.0)


class Integrator(ABC):
    """A scheme; `stage` is where in a step its minimum lies, 1 at the end."""

    stage: ClassVar[float] = 1.0
    accelerated: ClassVar[bool] = False  # whether it must know the acceleration where it begins

    @abstractmethod
    def aim(self, past: Past, h: float) -> Aim:
        """What a step of h [s] minimises."""

    @abstractmethod
    def arrived(self, past: Past, h: float, u: Floats) -> Past:
        """What is known after the step whose minimum is u (k,)."""


class Euler(Integrator):
    """The implicit scheme of first order, which loses much energy."""

    def aim(self, past: Past, h: float) -> Aim:
        """Towards where the rate leads."""
        return Aim(1 / h**2, past.u + h * past.rate, 1 / h, past.u, 1 / h)

    def arrived(self, past: Past, h: float, u: Floats) -> Past:
        """The rate is that of the step."""
        return Past(u, (u - past.u) / h)


class Bdf2(Integrator):
    """Backward differences of second order, for steps of any length; the first is Euler's."""

    @staticmethod
    def _weights(past: Past, h: float) -> tuple[float, float, float]:
        """c0, c1, c2 of h du/dt = c0 u + c1 u_now + c2 u_before."""
        if past.u_before is None:
            return 1.0, -1.0, 0.0
        w = h / past.step_before
        return (1 + 2 * w) / (1 + w), -(1 + w), w**2 / (1 + w)

    def aim(self, past: Past, h: float) -> Aim:
        """Backward differences of places and of rates."""
        c0, c1, c2 = self._weights(past, h)
        u, rate = (
            (past.u, past.rate) if past.u_before is None else (past.u_before, past.rate_before)
        )
        assert rate is not None
        zero = -(c1 * past.u + c2 * u) / c0
        target = zero - h * (c1 * past.rate + c2 * rate) / c0**2
        return Aim((c0 / h) ** 2, target, c0 / h, zero, c0 / h, (-c1 / c0, -c2 / c0))

    def arrived(self, past: Past, h: float, u: Floats) -> Past:
        """The rate is the backward difference."""
        aim = self.aim(past, h)
        rate = aim.slope * (u - aim.zero)
        return Past(u, rate, u_before=past.u, rate_before=past.rate, step_before=h)


class Newmark(Integrator):
    """Newmark's scheme with beta 1/4 and gamma 1/2, the trapezoidal rule."""

    accelerated = True

    def aim(self, past: Past, h: float) -> Aim:
        """With half of the acceleration before and half of that at the end."""
        assert past.acceleration is not None
        target = past.u + h * past.rate + h**2 / 4 * past.acceleration
        zero = target - h / 2 * (past.rate + h / 2 * past.acceleration)
        return Aim(4 / h**2, target, 2 / h, zero, 1 / h)

    def arrived(self, past: Past, h: float, u: Floats) -> Past:
        """Acceleration and rate at the end."""
        aim = self.aim(past, h)
        return Past(u, aim.slope * (u - aim.zero), aim.scale * (u - aim.target))


class Midpoint(Integrator):
    """The implicit midpoint, which keeps angular momentum; it leaves what must stay rigid."""

    stage = 0.5

    def aim(self, past: Past, h: float) -> Aim:
        """Half an Euler step of twice the inertia."""
        return Aim(4 / h**2, past.u + h / 2 * past.rate, 2 / h, past.u, 2 / h)

    def arrived(self, past: Past, h: float, u: Floats) -> Past:
        """As far again as the midpoint is."""
        end = 2 * u - past.u
        return Past(end, 2 * (end - past.u) / h - past.rate)


class Scheme(StrEnum):
    """The schemes by name."""

    BDF2 = "bdf2"
    EULER = "euler"
    NEWMARK = "newmark"
    MIDPOINT = "midpoint"


INTEGRATORS: dict[Scheme, Integrator] = {
    Scheme.BDF2: Bdf2(),
    Scheme.EULER: Euler(),
    Scheme.NEWMARK: Newmark(),
    Scheme.MIDPOINT: Midpoint(),
}


def flat(x: Floats, poses: Floats) -> Floats:
    """(k,) vertices (n, 3) and poses (bones, 3, 4) as one row."""
    return np.concatenate([x.ravel(), poses.ravel()])
