"""Pulls of muscles along their paths, and the law of a line: a Hill muscle with a rigid tendon.

A path of length L [m] holds a tendon of slack length s and a fibre of length l = (L - s) / lo in
optimal lengths lo, which lengthens at v = (dL/dt) / (lo vmax). With activation a it pulls with

    F = Fmax [ a fl(l) fv(v) + fp(l) ],    fl = exp(-((l - 1) / w)^2),
    fp = (exp(k (l - 1) / e) - 1) / (exp(k) - 1)  for l > 1, else 0,
    fv = (1 + v) / (1 - v / c)  for -1 < v <= 0,
    fv = 1 + (E - 1) v / (v + (E - 1) c / (1 + c))  for v > 0,

whose slope is continuous at v = 0; a fibre that shortens faster than vmax does not pull actively.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from vastus.bellies.law import MuscleLaw as BellyLaw
from vastus.bellies.law import Pull
from vastus.errors import ModelError
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Unit

WIDTH = 0.45  # [optimal lengths] of the bell of force against length
CURVATURE = 0.25  # a/F0 of Hill's hyperbola
ECCENTRIC = 1.4  # the greatest active force of a lengthening fibre, in isometric ones
STIFFNESS, STRAIN = 4.0, 0.6  # the passive curve, which reaches the greatest force at this strain


class MuscleLaw(Protocol):
    """What pulls along paths, one unit a path."""

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""

    def copy(self) -> MuscleLaw:
        """The same law, which remembers apart from this one what it has solved."""


@dataclass(frozen=True, eq=False)
class OnTendons:
    """The law of bellies, each in series with a tendon of length `slack` (m,) [m] that is rigid."""

    bellies: BellyLaw
    slack: Floats

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        return self.bellies.forces(length - self.slack, speed, activation)

    def copy(self) -> OnTendons:
        """The same law, whose bellies remember apart from these."""
        return OnTendons(self.bellies.copy(), self.slack)


@dataclass(frozen=True, eq=False)
class LineLaw:
    """Hill muscles with rigid tendons: greatest forces (m,) [N], optimal lengths and slacks [m].

    `fastest` (m,) [optimal lengths/s] is the speed of shortening at which the active force ends.
    """

    greatest: Floats
    optimal: Floats
    slack: Floats
    fastest: Floats
    width: float = WIDTH
    curvature: float = CURVATURE
    eccentric: float = ECCENTRIC
    stiffness: float = STIFFNESS
    strain: float = STRAIN

    def __post_init__(self) -> None:
        known = {"force": self.greatest, "optimal": self.optimal, "speed": self.fastest}
        for what, values in known.items():
            if not np.all(values > 0):
                k = int(np.argmin(values > 0))
                raise ModelError(f"unit {k} has {what} {values[k]:g}; it must be above zero")

    @classmethod
    def of(cls, units: Sequence[Unit]) -> LineLaw:
        """The law of a body's units."""
        rows = np.array([(u.force, u.optimal, u.slack, u.speed) for u in units], float)
        return cls(*rows.reshape(-1, 4).T.copy())

    def scaled(self, strength: float) -> LineLaw:
        """The same units, all of them so many times as strong."""
        return replace(self, greatest=self.greatest * strength)

    def copy(self) -> LineLaw:
        """Itself, for it remembers nothing."""
        return self

    def stretch(self, length: Floats) -> Floats:
        """(m,) fibre lengths in optimal lengths, on paths of lengths (m,) [m]."""
        return np.asarray((length - self.slack) / self.optimal)

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        l = self.stretch(length)
        quickest = self.optimal * self.fastest
        bell = np.exp(-(((l - 1.0) / self.width) ** 2))
        bell_slope = -2.0 * (l - 1.0) / self.width**2 * bell
        passive, passive_slope = self._passive(l)
        gain, gain_slope = self._by_speed(speed / quickest)
        active = self.greatest * gain
        return Pull(
            activation * active * bell + self.greatest * passive,
            active * bell,
            (activation * active * bell_slope + self.greatest * passive_slope) / self.optimal,
            activation * self.greatest * bell * gain_slope / quickest,
        )

    def _passive(self, l: Floats) -> tuple[Floats, Floats]:
        """fp and its slope."""
        whole, rate = np.expm1(self.stiffness), self.stiffness / self.strain
        rise = np.expm1(rate * np.maximum(l - 1.0, 0.0))
        return rise / whole, np.where(l > 1.0, rate * (rise + 1.0) / whole, 0.0)

    def _by_speed(self, v: Floats) -> tuple[Floats, Floats]:
        """fv and its slope."""
        c, more = self.curvature, self.eccentric - 1.0
        half = more * c / (1.0 + c)  # the speed at which half of the eccentric gain is there
        slow, fast = np.clip(v, -1.0, 0.0), np.maximum(v, 0.0)
        shortening = (1.0 + slow) / (1.0 - slow / c)
        slope = (1.0 + 1.0 / c) / (1.0 - slow / c) ** 2
        gain = np.where(v > 0.0, 1.0 + more * fast / (fast + half), shortening)
        rise = np.where(v > 0.0, more * half / (fast + half) ** 2, slope)
        return gain, np.where(v < -1.0, 0.0, rise)
