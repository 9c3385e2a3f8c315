"""Limits of ball joints: a cone for an axis, a twist about it, and the rotation as a whole.

A cone acts on the chord 2 sin of half the angle, which is smooth beyond the limit to the opposite
direction; where the axis points along the middle, there is no energy, and so nothing to derive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, isfinite, sin

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.joints import SHARE, ZONE, Wall, largest_efforts, wall
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.coordinates import Coordinates
from vastus.skeleton.freedoms import Freedom
from vastus.skeleton.joints import Ball


@dataclass(frozen=True, eq=False)
class BallLimit:
    """One limit: the number of its joint, what it is a limit of, and the wall there."""

    joint: int
    freedom: Freedom
    wall: Wall


class BallLimits(Energy):
    """Limits of ball joints, by the `coordinates` that they are limits of."""

    label = "the limit of a ball joint"
    always = False

    def __init__(self, model: Model, limits: list[BallLimit], coordinates: Coordinates) -> None:
        self._limits, self._coordinates = limits, coordinates
        self._reach = model.mesh.extent

    def resisting(self, q: Placement) -> list[tuple[int, str]]:
        """The joints that resist here, by number, and with how much."""
        moments = self._derivatives(q)[1]
        rows = zip(self._limits, moments, strict=True)
        return [(limit.joint, f"{abs(m):.3g} {limit.freedom.effort}") for limit, m in rows if m]

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        return float(self._derivatives(q)[0].sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the moments; their size is that of forces on a lever as long as the model."""
        moments = self._derivatives(q)[1]
        forces.turns += self._coordinates.loads(q.poses, moments).turns
        return float(np.abs(moments).sum()) / self._reach

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives by the linear parts of bones; there are no others."""
        _, first, second = self._derivatives(q)
        own = self._coordinates.stiffness(q.poses, first, second)
        own = own[: 3 * len(own) // 4, : 3 * len(own) // 4]
        stiffness.turns = own if stiffness.turns is None else stiffness.turns + own

    def _derivatives(self, q: Placement) -> Floats:
        """(3, limits) energies and their derivatives by what is limited."""
        values = self._coordinates.values(q.poses)
        rows = zip(self._limits, values, strict=True)
        return np.array([limit.wall.derivatives(value) for limit, value in rows]).T


def ball_limits(model: Model) -> list[BallLimit]:
    """The limits of all ball joints, which begin where those of coordinates do."""
    _, moment = largest_efforts(model)
    return [
        BallLimit(index, freedom, limit)
        for index, joint in enumerate(model.joints)
        if isinstance(joint, Ball) and joint.range is not None
        for freedom, limit in _walls(joint.range, moment)
    ]


def _walls(limits: BallRange, moment: float) -> list[tuple[Freedom, Wall]]:
    found: list[tuple[Freedom, Wall]] = []
    here = limits.at_rest
    for name, (chord, end) in limits.chords.items():
        if isfinite(end):
            angular = wall(end - here[name], 1.0, min(ZONE, SHARE * end), moment)
            begin = here[name] + angular.start
            start, stop = (2.0 * sin(0.5 * angle) for angle in (begin, begin + angular.zone))
            # The chord grows less than the angle: the force on it is larger than the moment.
            whole = Wall(start, stop - start, moment / cos(0.5 * (begin + angular.zone)))
            found.append((chord, whole))
    if limits.twisting is not None:
        zone = min(ZONE, SHARE * (limits.twist[1] - limits.twist[0]))
        for end, sign in zip(limits.twist, (-1.0, 1.0), strict=True):
            if isfinite(end):
                own = wall(end - here["twist"], sign, zone, moment)
                found.append((limits.twisting, replace(own, start=own.start + here["twist"])))
    return found
