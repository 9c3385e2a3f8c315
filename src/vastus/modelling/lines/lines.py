"""What a model of line muscles says in one pose, and which Hill parameters can be built from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vastus.errors import known
from vastus.geometry.surface import Surface
from vastus.model import STANDARD_GRAVITY
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Joint

# The range of the fibre length, as fractions of the line's length.
_SHORTEST, _LONGEST = 0.1, 0.95


@dataclass(frozen=True, eq=False)
class LineJoint:
    """The joint of a bone with its parent: a hinge, which alone has an axis, a ball, or another."""

    name: str
    kind: type[Joint] | None  # None: neither a hinge nor a ball
    centre: Floats  # (3,) [m]
    axis: Floats  # (3,)


@dataclass(frozen=True, eq=False)
class LineBone:
    """A body that muscles touch: its surface, if it has one, and what it hangs on."""

    name: str
    surface: Surface | None
    parent: str | None = None
    joint: LineJoint | None = None


@dataclass(frozen=True, eq=False)
class LineMuscle:
    """A muscle as a line from origin to insertion, and its Hill parameters.

    `bones` names for each point the bone that it lies on, as the ends, via points and wrapped
    stretches do; it is empty where the line is free. `notes` say what was put right.
    """

    name: str
    points: Floats  # (k, 3) [m]
    bones: tuple[str, ...]  # (k,)
    force: float  # greatest isometric force [N]
    fibre_length: float  # optimal [m]
    tendon_length: float  # slack [m]
    shortest: float  # the least length that the joints allow [m]
    notes: tuple[str, ...] = ()

    @property
    def length(self) -> float:
        """The length of the line [m]."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())


@dataclass(frozen=True, eq=False)
class Lines:
    """Line muscles and the bones that they touch, in one pose."""

    name: str
    muscles: tuple[LineMuscle, ...]
    bones: tuple[LineBone, ...]
    gravity: Floats = field(default_factory=lambda: np.array(STANDARD_GRAVITY))  # (3,) [m/s^2]

    def bone(self, name: str) -> LineBone:
        """The bone called `name`."""
        return next(bone for bone in self.bones if bone.name == name)


def chosen(wanted: tuple[str, ...], names: list[str]) -> list[str]:
    """The wanted muscles in order, or all; an unknown one is an error that lists all."""
    for name in wanted:
        if name not in names:
            raise known("muscle", name, names)
    return list(dict.fromkeys(wanted)) or names


@dataclass(frozen=True)
class Hill:
    """Lengths [m] for a line of known length, and what was changed."""

    fibre_length: float
    tendon_length: float
    notes: tuple[str, ...] = ()


def usable(fibre_length: float, tendon_length: float, length: float) -> Hill:
    """The lengths [m] limited to what a line of `length` [m] has room for."""
    fibre = min(max(fibre_length, _SHORTEST * length), _LONGEST * length)
    tendon = min(max(tendon_length, 0.0), length - _SHORTEST * length)
    notes = []
    if fibre != fibre_length:
        notes.append(_note("fibre", fibre_length, fibre, length))
    if tendon != tendon_length:
        notes.append(_note("tendon", tendon_length, tendon, length))
    return Hill(fibre, tendon, tuple(notes))


def _note(what: str, given: float, used: float, length: float) -> str:
    lengths = f"{1e3 * given:.1f} mm, taken as {1e3 * used:.1f} mm"
    return f"the {what} length is {lengths}, for a line of {1e3 * length:.1f} mm"
