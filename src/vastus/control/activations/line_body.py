"""Bodies with line muscles, as far as their statics and dynamics go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.activations.inverse_dynamics import Chain
from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

STEP = 1e-5  # [rad or m] by which coordinates are moved to see how lines shorten


@dataclass(frozen=True)
class Coordinate:
    """A coordinate that a motion drives: an angle [rad] if it turns, else a way [m]."""

    name: str
    turns: bool = True

    @property
    def effort(self) -> str:
        """The unit of what acts along it."""
        return "N m" if self.turns else "N"


@dataclass(frozen=True, eq=False)
class LineBody:
    """Line muscles with greatest forces (m,) [N] on bodies that some coordinates place.

    `arms` are the moment arms (c, m) [m] at coordinates q (c,), positive where a muscle enlarges
    the coordinate, and `least` (m,) the activations that the file allows at least. Coordinates
    that are not driven stay as they are in the file, held by what the file does not say.
    """

    coordinates: tuple[Coordinate, ...]
    muscles: tuple[str, ...]
    forces: Floats
    least: Floats
    chain: Chain
    arms: Callable[[Floats], Floats]
    held: tuple[str, ...] = ()


def chosen_coordinates(
    driven: Sequence[str], free: Mapping[str, Coordinate]
) -> tuple[Coordinate, ...]:
    """Those of the free coordinates that are driven, in order."""
    for name in driven:
        if name not in free:
            raise known("coordinate", name, free)
    if not driven:
        raise ModelError(f"a motion drives no coordinate; the model has: {', '.join(free)}")
    return tuple(free[name] for name in driven)


def shortening(lengths: Callable[[Floats], Floats], q: Floats) -> Floats:
    """(c, m) how much lines of lengths (m,) [m] shorten with each coordinate: their arms."""
    sides = [(lengths(q - step), lengths(q + step)) for step in STEP * np.eye(len(q))]
    return np.array([(before - after) / (2 * STEP) for before, after in sides])
