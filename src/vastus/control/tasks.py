"""What activations shall achieve and must respect: tasks and limits of a quadratic program.

The unknowns x (m + r,) are the activations of an arm's units, and after them reserve torques [N m]
at its joints if there are any. A task adds |A x - b|^2 to what is made least; a limit bounds x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Situation:
    """An arm at the beginning of a control period of `period` [s].

    The joints accelerate at `free` + `response` x (n,) [rad/s^2], and `wanted` (n,) is what they
    shall do. `before` (m + r,) are the unknowns of the period before, of which `units` are
    activations.
    """

    response: Floats
    free: Floats
    wanted: Floats
    before: Floats
    units: int
    period: float


class Task(Protocol):
    """A sum of squares that the unknowns shall make small."""

    def terms(self, s: Situation) -> tuple[Floats, Floats]:
        """A (k, m + r) and b (k,) of |A x - b|^2."""


class Limit(Protocol):
    """Bounds of activations."""

    def bounds(self, s: Situation) -> tuple[Floats, Floats]:
        """The least and the greatest activations (m,)."""


class Follow(NamedTuple):
    """Accelerate as wanted."""

    weight: float = 1.0  # [s^4]

    def terms(self, s: Situation) -> tuple[Floats, Floats]:
        """The acceleration that lacks."""
        root = np.sqrt(self.weight)
        return root * s.response, root * (s.wanted - s.free)


class Effort(NamedTuple):
    """Activate little."""

    weight: float = 0.1

    def terms(self, s: Situation) -> tuple[Floats, Floats]:
        """The activations themselves."""
        return _units(s, self.weight), np.zeros(s.units)


class Smoothness(NamedTuple):
    """Change activations little from one period to the next."""

    weight: float = 0.1

    def terms(self, s: Situation) -> tuple[Floats, Floats]:
        """The changes of activations."""
        return _units(s, self.weight), np.sqrt(self.weight) * s.before[: s.units]


class Range(NamedTuple):
    """Activations are between a least one, the tone, and one."""

    tone: float = 0.01

    def bounds(self, s: Situation) -> tuple[Floats, Floats]:
        """The tone and one."""
        return _even(s.units, self.tone), _even(s.units, 1.0)


class Dynamics(NamedTuple):
    """Activations change as excitations u from 0 to 1 can make them: da/dt = (u - a) / time."""

    rise: float = 0.012  # [s]
    fall: float = 0.040  # [s]

    def bounds(self, s: Situation) -> tuple[Floats, Floats]:
        """What an excitation of 0 or 1 leads to in a period."""
        a = s.before[: s.units]
        up, down = (-np.expm1(-s.period / t) for t in (self.rise, self.fall))
        return a * (1.0 - down), a + (1.0 - a) * up


def joint_bounds(limits: tuple[Limit, ...], s: Situation) -> tuple[Floats, Floats]:
    """The bounds (m,) that hold together; of two that contradict each other the first counts."""
    low, high = limits[0].bounds(s)
    for limit in limits[1:]:
        lower, upper = limit.bounds(s)
        low, high = np.clip(lower, low, high), np.clip(upper, low, high)
    return low, high


def require_positive(what: str, value: float, unit: str) -> None:
    """Raise a `ModelError` unless a value is above zero."""
    if not (np.isfinite(value) and value > 0):
        raise ModelError(f"{what} of {value:g} {unit}: it must be above zero")


def _units(s: Situation, weight: float) -> Floats:
    """(m, m + r) the activations among the unknowns, weighted."""
    return np.asarray(np.sqrt(weight) * _identity(s.units, len(s.before)))


@cache
def _even(count: int, value: float) -> Floats:
    out = np.full(count, value)
    out.flags.writeable = False
    return out


@cache
def _identity(rows: int, columns: int) -> Floats:
    return np.eye(rows, columns)
