"""Joints: each is a set of points that two bones share (theory, eq. 17).

One shared point is a ball, two are a hinge, three a weld; this holds for rigid and for affine
bones alike, so nothing else in the package needs to know which joint it deals with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Joint(ABC):
    """A tie between two bones; the second moves relative to the first."""

    kind: ClassVar[str]  # what scenes and files call it

    name: str
    bones: tuple[str, str]

    @classmethod
    def placed_by(cls) -> tuple[str, ...]:
        """The names of the numbers that place it."""
        return tuple(f.name for f in fields(cls) if f.name not in ("name", "bones"))

    @abstractmethod
    def points(self, span: float) -> Floats:
        """(k, 3) shared points at rest, about `span` metres apart."""

    @property
    def direction(self) -> Floats | None:
        """The unit axis (3,) at rest that a torque acts about, if the joint has one."""
        return None

    def angle(self, relative: Floats) -> float:
        """The joint's angle [rad] for the relative rotation (3, 3) seen from the first bone."""
        return float(np.arccos(np.clip((np.trace(relative) - 1.0) / 2.0, -1.0, 1.0)))


@dataclass(frozen=True, eq=False)
class Ball(Joint):
    """Free rotation about a centre (3,) [m]."""

    kind = "ball"

    centre: Floats

    def points(self, span: float) -> Floats:
        """The centre."""
        return np.asarray(self.centre, float)[None]


@dataclass(frozen=True, eq=False)
class Hinge(Joint):
    """Rotation about an axis (3,) through a centre (3,) [m]; positive by the right-hand rule."""

    kind = "hinge"

    centre: Floats
    axis: Floats

    @property
    def direction(self) -> Floats:
        """The unit axis."""
        axis = np.asarray(self.axis, float)
        return axis / np.linalg.norm(axis)

    def points(self, span: float) -> Floats:
        """Two points on the axis."""
        return np.asarray(self.centre, float) + np.outer([-0.5, 0.5], self.direction) * span

    def angle(self, relative: Floats) -> float:
        """The signed angle about the axis."""
        skew = relative - relative.T
        sine = 0.5 * self.direction @ np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        return float(np.arctan2(sine, (np.trace(relative) - 1.0) / 2.0))


@dataclass(frozen=True, eq=False)
class Weld(Joint):
    """No relative motion; the centre (3,) [m] is where the bones are glued."""

    kind = "weld"

    centre: Floats

    def points(self, span: float) -> Floats:
        """The centre and a point along each coordinate axis: affine bones need all four."""
        return np.asarray(self.centre, float) + np.vstack([np.zeros(3), np.eye(3)]) * span


JOINTS: dict[str, type[Joint]] = {joint.kind: joint for joint in (Ball, Hinge, Weld)}
