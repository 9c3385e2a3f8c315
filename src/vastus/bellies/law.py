"""What every law of muscles answers: their forces, and how these change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.types import Floats


@dataclass(frozen=True)
class MotorUnit:
    """What is activated as one: fibres, in series with a tendon where it has one."""

    name: str
    force: float  # [N] greatest, along the tendon, at the optimal length and at rest
    optimal: float  # [m] length of the fibres at the greatest force
    slack: float = field(default=0.0, kw_only=True)  # [m] length of the tendon
    speed: float = field(default=10.0, kw_only=True)  # [optimal lengths/s] greatest shortening

    def __post_init__(self) -> None:
        self._above_zero("force", "optimal", "speed")
        if not (np.isfinite(self.slack) and self.slack >= 0):
            raise ModelError(f"unit '{self.name}' has slack {self.slack}; it cannot be below zero")

    def _above_zero(self, *words: str) -> None:
        for word in words:
            value = getattr(self, word)
            if not (np.isfinite(value) and value > 0):
                raise ModelError(f"unit '{self.name}' has {word} {value:g}; it must be above zero")


@dataclass(frozen=True, eq=False)
class Pull:
    """The tension (m,) [N] of motor units, and its derivatives, each by the unit's own quantity."""

    force: Floats
    by_activation: Floats  # [N]
    by_length: Floats  # [N/m]
    by_speed: Floats  # [N s/m]


class MuscleLaw(Protocol):
    """What m motor units pull, by the length of what the law is of: bellies, or whole paths."""

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds of lengthening [m/s] and activations, (m,) each."""

    def copy(self) -> MuscleLaw:
        """The same law, which remembers apart from this one what it has solved."""


def asked(
    units: Sequence[MotorUnit], length: Floats, speed: Floats, activation: Floats
) -> tuple[Floats, Floats, Floats]:
    """The three arrays, if they are numbers of as many units, and lengths above 0."""
    out = []
    for word, given in (("length", length), ("speed", speed), ("activation", activation)):
        array = np.ascontiguousarray(given, np.float64)
        if array.shape != (len(units),):
            raise ModelError(f"{word} has the shape {array.shape}; it must be ({len(units)},)")
        fine = np.isfinite(array) & ((array > 0) | (word != "length"))
        if not fine.all():
            k = int(np.flatnonzero(~fine)[0])
            least = "above 0" if word == "length" else "a finite number"
            raise ModelError(
                f"{word} of unit '{units[k].name}' is {array[k]:g}; it must be {least}"
            )
        out.append(array)
    return out[0], out[1], out[2]
