"""How a bone moves on its parent with one coordinate of another program: the hinge or slider.

A motion that is no turn about one axis, as of a knee whose bones also roll, becomes the hinge about
its axis at present, which is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.numerics.rotation import exp_map, log_map
from vastus.numerics.types import Floats
from vastus.skeleton.bones import least_squares
from vastus.skeleton.joints import Hinge, Joint, Slider

Placed = tuple[Floats, Floats]  # a rotation (3, 3) and a shift (3,) [m]

NEAR = 1e-3  # [rad or m] by which a coordinate is moved to see its axis at present
SAMPLES = 9  # values over its range
REACH = 0.1  # [m] from the axis at which a turn is seen
PURE = 1e-3  # [m] by which a bone may leave a hinge or slider that is what the file says


@dataclass(frozen=True, eq=False)
class Screw:
    """A turn [rad] about an axis through a point, and a shift [m] along it."""

    point: Floats
    axis: Floats
    turn: float
    shift: float

    @classmethod
    def between(cls, before: Placed, after: Placed) -> Screw:
        """What takes one place to another; a shift alone has any point."""
        R = after[0] @ before[0].T
        t = after[1] - R @ before[1]
        turn = log_map(R)
        angle = float(np.linalg.norm(turn))
        if angle < 1e-6:
            way = float(np.linalg.norm(t))
            return cls(np.zeros(3), t / way if way else np.zeros(3), 0.0, way)
        axis = turn / angle
        along = float(t @ axis)
        return cls(least_squares(np.eye(3) - R, t - along * axis), axis, angle, along)


@dataclass(frozen=True, eq=False)
class Motion:
    """The joint that a coordinate moves at present, seen from the parent bone.

    `rate` is how much it turns or shifts for one of the coordinate; `off` [m] is the most by which
    the bone leaves it within the range of the coordinate.
    """

    kind: type[Joint]
    point: Floats
    axis: Floats
    rate: float
    off: float = 0.0

    @property
    def pure(self) -> bool:
        """Whether the joint is what the file says, and not a stand-in."""
        return self.off < PURE

    def note(self, name: str, others: Sequence[str] = ()) -> tuple[str, ...]:
        """What is said of a joint that this stands for, and of what moves with it."""
        if self.pure:
            return ()
        listed = " and ".join(f"'{other}'" for other in others)
        why = f"moves with {listed}" if others else "has no axis that stays"
        here = f"here it is the {self.kind.kind} at its present axis"
        return (f"joint '{name}' {why}; {here}, up to {1e3 * self.off:.3g} mm off in its range",)

    def moved(self, before: Placed, by: float) -> Placed:
        """A place after the coordinate has moved by so much."""
        if self.kind is Slider:
            return before[0], before[1] + self.rate * by * self.axis
        R = exp_map(self.rate * by * self.axis)
        return R @ before[0], R @ (before[1] - self.point) + self.point


def motion(
    placed: Callable[[float], Placed], at: float, span: tuple[float, float]
) -> Motion | None:
    """The joint by the places of a bone at values of its coordinate, which go over a `span`.

    None if nothing moves.
    """
    screw = Screw.between(placed(at - NEAR), placed(at + NEAR))
    if screw.turn == 0.0 and screw.shift == 0.0:
        return None
    # A bone that hardly turns as it shifts is a slider.
    turning = screw.turn * REACH > abs(screw.shift)
    kind: type[Joint] = Hinge if turning else Slider
    rate = (screw.turn if turning else screw.shift) / (2 * NEAR)
    found, before = Motion(kind, screw.point, screw.axis, rate), placed(at)
    low, high = (
        end if np.isfinite(end) else at + side for end, side in zip(span, (-1, 1), strict=True)
    )
    values = np.linspace(low, high, SAMPLES).tolist()
    apart = [_apart(found.moved(before, v - at), placed(v), screw.point, before) for v in values]
    return replace(found, off=max(apart))


def _apart(one: Placed, other: Placed, point: Floats, before: Placed) -> float:
    """How far apart [m] two places have a point of the bone, and one `REACH` from it."""
    own = before[0].T @ (point - before[1])
    gap = float(np.linalg.norm(one[0] @ own + one[1] - other[0] @ own - other[1]))
    return gap + REACH * float(np.linalg.norm(log_map(one[0].T @ other[0])))
