"""Joints of an OpenSim model: what stands for each, seen from how its coordinates move the bone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from vastus.modelling.lines.lines import LineJoint, left_out, limited
from vastus.modelling.lines.mjcf_joints import crossing, meeting
from vastus.modelling.lines.screws import Motion, Placed, motion
from vastus.numerics.types import Floats
from vastus.skeleton.freedoms import Freedom, Shift, Turn
from vastus.skeleton.joints import Ball, Hinge, Universal
from vastus.skeleton.passive import Passive

_TURN = 0.1  # [rad] by which a coordinate is moved to see whether it moves the axis of another


def vector(v: Any) -> Floats:
    """(3,) the numbers of a vector of OpenSim's."""
    return np.array([v.get(k) for k in range(3)])


def transform(frame: Any, state: Any) -> Placed:
    """Where a frame is in the ground."""
    whole = frame.getTransformInGround(state)
    R = whole.R()
    return np.array([[R.get(i, j) for j in range(3)] for i in range(3)]), vector(whole.p())


def leaders_of(opensim: ModuleType, model: Any) -> dict[str, tuple[str, ...]]:
    """The coordinates that each coupled one follows, by its name."""
    found = {}
    constraints = model.getConstraintSet()
    for k in range(constraints.getSize()):
        tie = opensim.CoordinateCouplerConstraint.safeDownCast(constraints.get(k))
        if tie is not None and tie.get_isEnforced():
            names = tie.getIndependentCoordinateNames()
            leaders = tuple(names.get(i) for i in range(names.getSize()))
            found[tie.getDependentCoordinateName()] = leaders
    return found


@dataclass(frozen=True, eq=False)
class JointOf:
    """A joint of an OpenSim model in a state, with the base frames of its two bodies."""

    model: Any
    state: Any
    joint: Any
    leaders: dict[str, tuple[str, ...]]

    def line_joint(self) -> LineJoint:
        """What stands for the joint."""
        if self.joint.getConcreteClassName() == "BallJoint":
            return self._ball(self._name, self._centre, self._coordinates)
        every = self._coordinates
        followers = [c for c in every if c.getName() in self.leaders]
        own = [c for c in every if c not in followers and not c.getLocked(self.state)]
        if not own:
            return self._held(followers)
        if len(own) == 1:
            return self._single(own[0], [c for c in followers if c is not own[0]])
        return self._several(own)

    @property
    def _name(self) -> str:
        return str(self.joint.getName())

    @property
    def _centre(self) -> Floats:
        return vector(self.joint.getParentFrame().getPositionInGround(self.state))

    @property
    def _coordinates(self) -> list[Any]:
        return [self.joint.get_coordinates(k) for k in range(self.joint.numCoordinates())]

    def _held(self, followers: Sequence[Any] = ()) -> LineJoint:
        led = tuple(dict.fromkeys(n for c in followers for n in self.leaders[c.getName()]))
        names = " and ".join(f"'{name}'" for name in led)
        told = (
            (f"joint '{self._name}' follows {names} in the file; here it is held",) if led else ()
        )
        none = np.zeros(3)
        return LineJoint(self._name, None, self._centre, none, notes=told, leaders=led)

    def _ball(self, name: str, centre: Floats, coordinates: Sequence[Any]) -> LineJoint:
        notes = left_out(name, {str(c.getName()): _range(c) for c in coordinates})
        return LineJoint(name, Ball, centre, np.zeros(3), notes=notes)

    def _single(self, coordinate: Any, followers: Sequence[Any]) -> LineJoint:
        found = self._motion(coordinate)
        if found is None:
            return self._held()
        name = str(coordinate.getName())
        A, t = transform(self._base(0), self.state)
        axis = A @ found.axis
        centre = self._centre
        if found.kind is Hinge:
            point = A @ found.point + t
            centre = point + axis * ((centre - point) @ axis)
        passive, notes = self._passive(coordinate, found)
        told = found.note(name, [str(c.getName()) for c in followers])
        return LineJoint(name, found.kind, centre, axis, None, (passive,), (*told, *notes))

    def _several(self, own: Sequence[Any]) -> LineJoint:
        """A universal joint or a ball, if axes meet."""
        moves = [self._motion(c) for c in own]
        if not all(move is not None and move.kind is Hinge for move in moves):
            return self._held()
        motions = [move for move in moves if move is not None]
        A, t = transform(self._base(0), self.state)
        points = np.array([A @ move.point + t for move in motions])
        axes = np.array([A @ move.axis for move in motions])
        if (cross := crossing(points, axes)) is not None:
            one, two = (0, 1) if self._carried(own[0], own[1]) else (1, 0)
            both = [self._passive(own[k], motions[k]) for k in (one, two)]
            second = axes[two] - (axes[two] @ axes[one]) * axes[one]
            passive = tuple(each for each, _ in both)
            notes = tuple(note for _, told in both for note in told)
            return LineJoint(self._name, Universal, cross, axes[one], second, passive, notes)
        if (meet := meeting(points, axes)) is not None:
            return self._ball(self._name, meet, own)
        return self._held()

    def _carried(self, first: Any, second: Any) -> bool:
        """Whether the first coordinate's axis stays with the parent as the second moves."""
        before = self._motion(first)
        kept = second.getValue(self.state)
        self._set(second, kept + _TURN)
        after = self._motion(first)
        self._set(second, kept)
        assert before is not None
        return after is not None and float(before.axis @ after.axis) > 1 - 1e-6

    def _motion(self, coordinate: Any) -> Motion | None:
        kept = coordinate.getValue(self.state)
        clamped = coordinate.getClamped(self.state)
        coordinate.setClamped(self.state, False)
        low, high = _range(coordinate)
        found = motion(self._placed(coordinate), float(kept), (low, high))
        coordinate.setClamped(self.state, clamped)
        self._set(coordinate, kept)
        return found

    def _placed(self, coordinate: Any) -> Callable[[float], Placed]:
        def placed(value: float) -> Placed:
            self._set(coordinate, value)
            (A, a), (B, b) = (transform(self._base(k), self.state) for k in (0, 1))
            return A.T @ B, A.T @ (b - a)

        return placed

    def _base(self, which: int) -> Any:
        frames = (self.joint.getParentFrame, self.joint.getChildFrame)
        return frames[which]().findBaseFrame()

    def _set(self, coordinate: Any, value: float) -> None:
        coordinate.setValue(self.state, float(value))
        self.model.realizePosition(self.state)

    def _passive(self, coordinate: Any, found: Motion) -> tuple[Passive, tuple[str, ...]]:
        now = float(coordinate.getValue(self.state))
        low, high = (found.rate * (end - now) for end in _range(coordinate))
        freedom: type[Freedom] = Turn if found.kind is Hinge else Shift
        return limited(str(coordinate.getName()), low, high, freedom=freedom)


def _range(coordinate: Any) -> tuple[float, float]:
    """The range of a coordinate [rad or m]; one that does not rise is none."""
    low, high = float(coordinate.getRangeMin()), float(coordinate.getRangeMax())
    return (low, high) if low < high else (-np.inf, np.inf)
