"""Joints: what two bones share, and the coordinates that this leaves them (theory, eq. 17).

Bones share points, and points of the second bone stay in planes of the first. One shared point is
a ball, two are a hinge, three a weld; five planes are a slider, and a point and a plane a universal
joint. A wheel that rolls has four planes, and may not slip. Nothing else in the package needs to
know which joint it deals with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.freedoms import Freedom, Shift, Slip, Turn
from vastus.skeleton.passive import Passive

NOT_PLACES = ("name", "bones", "passive", "range")  # fields of joints


@dataclass(frozen=True, eq=False)
class Joint(ABC):
    """A tie between two bones; the second moves relative to the first.

    `passive` says for each of its coordinates how the joint resists, or is empty.
    """

    kind: ClassVar[str]  # what scenes and files call it
    coordinates: ClassVar[int] = 0  # how many it can be driven by
    findable: ClassVar[bool] = False  # whether the shape of bones tells its place

    name: str
    bones: tuple[str, str]
    centre: Floats  # (3,) [m]
    passive: tuple[Passive, ...] = field(default=(), kw_only=True)

    @classmethod
    def placed_by(cls) -> tuple[str, ...]:
        """The names of the numbers that place it."""
        return tuple(f.name for f in fields(cls) if f.name not in NOT_PLACES)

    @abstractmethod
    def points(self, span: float) -> Floats:
        """(k, 3) shared points at rest, about `span` metres apart."""

    def planes(self, span: float) -> tuple[Floats, Floats]:
        """Points (p, 3) of the second bone and normals (p, 3) of the planes they stay in."""
        return np.zeros((0, 3)), np.zeros((0, 3))

    @property
    def slips(self) -> tuple[Slip, ...]:
        """What may not slip, in a joint that rolls."""
        return ()

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The coordinates that can be driven and limited by themselves; a ball has none."""
        return ()

    def motion(self, coordinates: Floats) -> Floats:
        """(3, 4) the pose of the second bone, seen from the first, at coordinates [rad or m]."""
        return np.eye(3, 4)

    def screws(self, coordinates: Floats) -> list[tuple[Floats, Floats]]:
        """The turn (3,) about the centre and the shift (3,) that each coordinate's rate gives."""
        return []

    @property
    def direction(self) -> Floats | None:
        """The unit axis (3,) at rest that a torque acts about, if the joint has one."""
        return None

    @property
    def resistance(self) -> str:
        """Its limits and springs in words, from the pose that the model is made in; or nothing."""
        words = []
        for freedom, passive in zip(self.freedoms, self.passive, strict=bool(self.passive)):
            told = [freedom.name] if freedom.name else []
            if passive.limited:
                low, high = (freedom.scale * end for end in passive.range)
                told.append(f"{low:.4g} to {high:.4g} {freedom.unit}")
            if passive.stiffness:
                neutral = f"{freedom.scale * passive.neutral:.4g} {freedom.unit}"
                per = "N m/rad" if freedom.unit == "deg" else "N/m"
                told.append(f"spring of {passive.stiffness:.4g} {per} about {neutral}")
            words += [" ".join(told)] if passive.limited or passive.stiffness else []
        return ", ".join(words)

    def angle(self, relative: Floats) -> float:
        """The joint's angle [rad] for the relative rotation (3, 3) seen from the first bone."""
        return float(np.arccos(np.clip((np.trace(relative) - 1.0) / 2.0, -1.0, 1.0)))


def _about(centre: Floats, R: Floats) -> Floats:
    """(3, 4) the pose of a bone turned about a centre."""
    centre = np.asarray(centre, float)
    return np.column_stack([R, centre - R @ centre])


def _unit(axis: Floats) -> Floats:
    axis = np.asarray(axis, float)
    return axis / np.linalg.norm(axis)


def _across(axis: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors that form a right-handed frame with a unit axis."""
    one = np.cross(np.eye(3)[np.argmin(np.abs(axis))], axis)
    one = one / np.linalg.norm(one)
    return one, np.cross(axis, one)


def _turn_about(axis: Floats) -> Turn:
    """The angle about a unit axis."""
    one, two = _across(axis)
    cosine = np.outer(one, one) + np.outer(two, two)
    return Turn("", cosine, np.outer(two, one) - np.outer(one, two))


def _angle_about(axis: Floats, relative: Floats) -> float:
    """The signed angle [rad] of a rotation (3, 3) about a unit axis."""
    skew = relative - relative.T
    sine = 0.5 * axis @ np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    return float(np.arctan2(sine, (np.trace(relative) - 1.0) / 2.0))


@dataclass(frozen=True, eq=False)
class Ball(Joint):
    """Rotation about a centre (3,) [m], free within its `range` if it has one."""

    kind = "ball"
    findable = True

    range: BallRange | None = field(default=None, kw_only=True)

    @property
    def resistance(self) -> str:
        """Its limits in words."""
        return self.range.told() if self.range is not None else ""

    def points(self, span: float) -> Floats:
        """The centre."""
        return np.asarray(self.centre, float)[None]


@dataclass(frozen=True, eq=False)
class Hinge(Joint):
    """Rotation about an axis (3,) through a centre (3,) [m]; positive by the right-hand rule."""

    kind = "hinge"
    coordinates = 1
    findable = True

    axis: Floats

    @property
    def direction(self) -> Floats:
        """The unit axis."""
        return _unit(self.axis)

    def points(self, span: float) -> Floats:
        """Two points on the axis."""
        return np.asarray(self.centre, float) + np.outer([-0.5, 0.5], self.direction) * span

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The angle about the axis."""
        return (_turn_about(self.direction),)

    def motion(self, coordinates: Floats) -> Floats:
        """A turn about the axis."""
        return _about(self.centre, exp_map(coordinates[0] * self.direction))

    def screws(self, coordinates: Floats) -> list[tuple[Floats, Floats]]:
        """The axis."""
        return [(self.direction, np.zeros(3))]

    def angle(self, relative: Floats) -> float:
        """The signed angle about the axis."""
        return _angle_about(self.direction, relative)


@dataclass(frozen=True, eq=False)
class Weld(Joint):
    """No relative motion; the centre (3,) [m] is where the bones are glued."""

    kind = "weld"

    def points(self, span: float) -> Floats:
        """The centre and a point along each coordinate axis: affine bones need all four."""
        return np.asarray(self.centre, float) + np.vstack([np.zeros(3), np.eye(3)]) * span


@dataclass(frozen=True, eq=False)
class Slider(Joint):
    """A shift along an axis (3,) through a centre (3,) [m], which the first bone carries."""

    kind = "slider"
    coordinates = 1

    axis: Floats

    @property
    def direction(self) -> Floats:
        """The unit axis, along which a slider is pushed."""
        return _unit(self.axis)

    def points(self, span: float) -> Floats:
        """None: every point of the second bone may slide."""
        return np.zeros((0, 3))

    def planes(self, span: float) -> tuple[Floats, Floats]:
        """Two points stay on the axis, and a third does not turn about it."""
        one, two = _across(self.direction)
        ends = np.outer([-0.5, -0.5, 0.5, 0.5], self.direction)
        away = np.concatenate([ends, one[None]])
        return np.asarray(self.centre, float) + span * away, np.array([one, two, one, two, two])

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The shift along the axis."""
        return (Shift("", np.asarray(self.centre, float), self.direction),)

    def motion(self, coordinates: Floats) -> Floats:
        """A shift along the axis."""
        return np.column_stack([np.eye(3), coordinates[0] * self.direction])

    def screws(self, coordinates: Floats) -> list[tuple[Floats, Floats]]:
        """The axis."""
        return [(np.zeros(3), self.direction)]


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Turns about an axis of the first bone and, at right angles, a second of the second bone.

    Both go through the centre (3,) [m]. At its coordinates, the second bone turns about the second
    axis first and is then carried about the first.
    """

    kind = "universal"
    coordinates = 2

    axis: Floats
    second_axis: Floats

    def points(self, span: float) -> Floats:
        """The centre."""
        return np.asarray(self.centre, float)[None]

    def planes(self, span: float) -> tuple[Floats, Floats]:
        """The second axis stays at right angles to the first."""
        one, two, _ = self._frame
        return np.asarray(self.centre, float) + span * two[None], one[None]

    @property
    def freedoms(self) -> tuple[Freedom, ...]:
        """The angles about the first and the second axis."""
        one, two, three = self._frame
        return (
            Turn("first", np.outer(two, two), np.outer(three, two)),
            Turn("second", np.outer(one, one), np.outer(one, three)),
        )

    def motion(self, coordinates: Floats) -> Floats:
        """Both turns."""
        one, two, _ = self._frame
        first, second = coordinates
        return _about(self.centre, exp_map(first * one) @ exp_map(second * two))

    def screws(self, coordinates: Floats) -> list[tuple[Floats, Floats]]:
        """The first axis, and the second as it is turned about the first."""
        one, two, _ = self._frame
        return [(one, np.zeros(3)), (exp_map(coordinates[0] * one) @ two, np.zeros(3))]

    @property
    def _frame(self) -> tuple[Floats, Floats, Floats]:
        one, two = _unit(self.axis), _unit(self.second_axis)
        return one, two, np.cross(one, two)


@dataclass(frozen=True, eq=False)
class Rolling(Joint):
    """A wheel that rolls on the first bone, straight on and without slipping.

    The wheel, which is the second bone, turns about an `axis` (3,) through its centre (3,) [m]. It
    stands on the first bone at the point `touch` (3,) [m], whose distance from the axis is its
    radius, and rolls the way that a turn by the right-hand rule takes it.
    """

    kind = "rolling"
    coordinates = 1

    axis: Floats
    touch: Floats

    @property
    def radius(self) -> float:
        """Of the wheel [m]."""
        return float(np.linalg.norm(self._up))

    @property
    def way(self) -> Floats:
        """(3,) the unit direction in which it rolls, which the first bone carries."""
        # A wheel without radius is refused, but only once the joint is made.
        return np.cross(_unit(self.axis), self._up / max(self.radius, 1e-300))

    @property
    def direction(self) -> Floats:
        """The way, along which a wheel is pushed."""
        return self.way

    @property
    def _up(self) -> Floats:
        """(3,) from the ground to the axis [m]."""
        axis, up = _unit(self.axis), np.asarray(self.centre, float) - np.asarray(self.touch, float)
        return up - (up @ axis) * axis

    def points(self, span: float) -> Floats:
        """None: every point of a wheel moves."""
        return np.zeros((0, 3))

    def planes(self, span: float) -> tuple[Floats, Floats]:
        """Three points of the wheel stay in its plane, and its centre at the same height."""
        axis, up = _unit(self.axis), self._up / self.radius
        away = np.array([np.zeros(3), up, self.way, np.zeros(3)])
        return np.asarray(self.centre, float) + span * away, np.array([axis, axis, axis, up])

    @property
    def slips(self) -> tuple[Slip, ...]:
        """Its turn and its way go together."""
        return (Slip("", _turn_about(_unit(self.axis)), *self.freedoms, self.radius),)

    @property
    def freedoms(self) -> tuple[Shift]:
        """How far it has rolled."""
        return (Shift("", np.asarray(self.centre, float), self.way),)

    def motion(self, coordinates: Floats) -> Floats:
        """A turn about the axis, and the shift that goes with it."""
        pose = _about(self.centre, exp_map(coordinates[0] / self.radius * _unit(self.axis)))
        pose[:, 3] += coordinates[0] * self.way
        return pose

    def screws(self, coordinates: Floats) -> list[tuple[Floats, Floats]]:
        """A turn about where it touches the ground at the moment."""
        turn = _unit(self.axis) / self.radius
        return [(turn, self.way - np.cross(turn, coordinates[0] * self.way))]

    def angle(self, relative: Floats) -> float:
        """The signed angle about the axis, but for whole turns."""
        return _angle_about(_unit(self.axis), relative)


JOINTS: dict[str, type[Joint]] = {
    joint.kind: joint for joint in (Ball, Hinge, Weld, Slider, Universal, Rolling)
}
