"""What a model of line muscles says in one pose, and which Hill parameters can be built from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vastus.errors import known
from vastus.geometry.surface import Surface
from vastus.materials.fibres.curves import Rows
from vastus.model import STANDARD_GRAVITY
from vastus.numerics.rotation import log_map
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import WIDEST, BallRange
from vastus.skeleton.freedoms import Freedom, Turn
from vastus.skeleton.joints import Joint
from vastus.skeleton.passive import Passive

# The range of the fibre length, as fractions of the line's length.
_SHORTEST, _LONGEST = 0.1, 0.95
_RELATIVE = (0.5, 1.6)  # of the optimal length: beyond it fibres have no active force


@dataclass(frozen=True, eq=False)
class LineJoint:
    """The joint of a bone with its parent, or what stands for it.

    `passive` has a member for each of its coordinates, or none. `notes` say what of the file it is
    not, and `leaders` are the joints that the file couples it to.
    """

    name: str
    kind: type[Joint] | None  # None: nothing that can be free
    centre: Floats  # (3,) [m]
    axis: Floats  # (3,)
    second_axis: Floats | None = None  # (3,) of a universal joint
    passive: tuple[Passive, ...] = ()
    notes: tuple[str, ...] = ()
    leaders: tuple[str, ...] = ()
    range: BallRange | None = None  # of a ball

    def between(self, bones: tuple[str, str]) -> Joint:
        """The joint of two bones, the second of which has it."""
        assert self.kind is not None
        numbers: dict[str, Any] = {key: getattr(self, key) for key in self.kind.placed_by()}
        if self.range is not None:
            numbers["range"] = self.range
        return self.kind(self.name, bones, **numbers, passive=self.passive)


def limited(
    name: str, low: float, high: float, *, freedom: type[Freedom] = Turn, **spring: float
) -> tuple[Passive, tuple[str, ...]]:
    """What resists a coordinate with a range about its present value, and what was put right."""
    ends = (min(low, 0.0), max(high, 0.0))
    unit, scale = freedom.unit, freedom.scale
    notes = []
    if max(low, -high) > 1e-6:
        notes.append(
            f"joint '{name}' is {scale * max(low, -high):.4g} {unit} outside its range; the range "
            "is widened to the pose"
        )
    if freedom is Turn and np.pi + 1e-2 < max(-ends[0], ends[1]) < np.inf:
        notes.append(f"joint '{name}' may turn by more than 180 deg; its range ends there")
    if freedom is Turn:
        ends = (_within(ends[0]), _within(ends[1]))
    return Passive(ends, **spring), tuple(notes)


def limited_ball(
    name: str, most: float, neutral: Floats
) -> tuple[BallRange | None, tuple[str, ...]]:
    """A ball that turns by at most an angle [rad] from neutral, and what was put right.

    `neutral` (3, 3) is the rotation that leads there from the present pose.
    """
    if most >= np.pi:
        return None, ()
    if most > WIDEST:
        told = f"joint '{name}' may turn by up to {np.degrees(most):.4g} deg"
        return None, (f"{told}; limits of a ball are at most 175, so that it has none here",)
    vector = log_map(neutral)
    now = float(np.linalg.norm(vector))
    notes: tuple[str, ...] = ()
    if now > most:
        notes = (
            f"joint '{name}' is {np.degrees(now - most):.4g} deg outside its range; the range is "
            "widened to the pose",
        )
    x, y, z = (float(v) for v in vector)
    return BallRange(turn=max(most, now), neutral=(x, y, z)), notes


def left_out(name: str, ranges: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """What is said of the ranges [rad] of coordinates that a ball does not have, by their names."""
    told = [
        f"'{c}' {np.degrees(low):.4g} to {np.degrees(high):.4g} deg"
        for c, (low, high) in ranges.items()
        if np.isfinite([low, high]).any()
    ]
    if not told:
        return ()
    return (
        f"joint '{name}' is a ball here, which has no range for each of three angles: left out are "
        f"{', '.join(told)}; 'swing' and 'twist' of the joint in a scene limit it",
    )


def _within(end: float) -> float:
    """An end of a range [rad] no farther than half a turn, unless there is none."""
    return float(np.clip(end, -np.pi, np.pi)) if np.isfinite(end) else end


@dataclass(frozen=True, eq=False)
class LineBone:
    """A body that muscles touch: its surface, if it has one, and what it hangs on.

    Files of its geometry that are not there are `missing`.
    """

    name: str
    surface: Surface | None
    parent: str | None = None
    joint: LineJoint | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LineWrap:
    """A cylinder about an axis, or a sphere, that a line runs around on the outside if it must."""

    name: str
    bone: str
    centre: Floats  # (3,) [m]
    axis: Floats  # (3,), zeros for a sphere
    radius: float  # [m]


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
    curve: str | Rows = "blemker"  # the active force over the fibres' length
    strain: float = 0.033  # of the tendon at the greatest force; unless given, Thelen's
    via: tuple[int, ...] = ()  # the points that are via points, which the line slides through
    wraps: tuple[LineWrap, ...] = ()  # what it runs around, in this pose or another

    @property
    def length(self) -> float:
        """The length of the line [m]."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    @property
    def relative(self) -> float:
        """The length of the fibres over the optimal one, within where they have active force."""
        return float(np.clip(self._taut, *_RELATIVE))

    @property
    def relative_notes(self) -> tuple[str, ...]:
        """What is said where that length is not what the line says."""
        if self.relative == self._taut:
            return ()
        return (
            f"in this pose its fibres have {self._taut:.3g} of their optimal length, if the tendon "
            f"has its slack length; taken as {self.relative:g}",
        )

    @property
    def _taut(self) -> float:
        """The length of the fibres over the optimal one, if the tendon has its slack length."""
        return (self.length - self.tendon_length) / self.fibre_length


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

    def crossed(self, muscle: LineMuscle, free: Sequence[str]) -> list[LineJoint]:
        """The joints of those that are free which a muscle crosses."""
        joints = [bone.joint for bone in self.bones if bone.joint and bone.joint.name in free]
        ends = muscle.bones[0], muscle.bones[-1]
        return [j for j in joints if sum(end in self.beyond(j) for end in ends) == 1]

    def beyond(self, joint: LineJoint) -> list[str]:
        """The bones that a joint moves against the others."""
        first = next(bone.name for bone in self.bones if bone.joint is joint)
        return [bone.name for bone in self.bones if first in self._ancestry(bone.name)]

    def _ancestry(self, name: str) -> list[str]:
        """A bone and all that it hangs on."""
        chain = [self.bone(name)]
        while chain[-1].parent is not None:
            chain.append(self.bone(chain[-1].parent))
        return [bone.name for bone in chain]


def chosen(wanted: tuple[str, ...], names: list[str]) -> list[str]:
    """The wanted muscles in order, or `all`; an unknown one is an error that lists all."""
    if wanted == ("all",) and "all" not in names:
        return names
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
