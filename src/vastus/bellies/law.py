"""What every law of muscles answers: their forces, and how these change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vastus.bellies.belly import MotorUnit
from vastus.errors import ModelError
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Pull:
    """The tension (m,) [N] of motor units, and its derivatives, each by the unit's own quantity."""

    force: Floats
    by_activation: Floats  # [N]
    by_length: Floats  # [N/m]
    by_speed: Floats  # [N s/m]


class MuscleLaw(Protocol):
    """A law of m motor units between the ends of their bellies; tendons are not part of it."""

    @property
    def units(self) -> tuple[MotorUnit, ...]:
        """The motor units, in the order of all arrays."""

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds of lengthening [m/s] and activations, (m,) each."""

    def copy(self) -> MuscleLaw:
        """The same law, which remembers apart from this one what it has solved."""


def asked(
    units: tuple[MotorUnit, ...], length: Floats, speed: Floats, activation: Floats
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
