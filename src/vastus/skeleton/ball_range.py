"""How far a ball joint may turn: a cone for an axis, a twist about it, and the rotation as a whole.

Rotations are counted from a neutral pose. There the second bone is turned by R_0 from the pose that
the model is made in, and R' = R R_0^T is its rotation from there, seen from the first bone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from vastus.numerics.rotation import exp_map, skew
from vastus.numerics.types import Floats
from vastus.skeleton.freedoms import Chord, Freedom, Pair, Turn

Vector = tuple[float, float, float]
WIDEST = np.radians(175.0) + 1e-12  # beyond it, a rotation gets past a limit the other way around
SLIGHT = 1e-9  # [rad] round-off of an angle at the end of its range


@dataclass(frozen=True)
class BallRange:
    """Limits [rad] of a ball joint.

    `axis` is a direction of the second bone in the pose that the model is made in. `swing` is the
    largest angle from its neutral direction, `twist` the range of the turn about it that is left
    when it has swung, and `turn` the largest angle of the whole rotation. `neutral` is the rotation
    vector that leads from the pose that the model is made in to the neutral one.
    """

    axis: Vector | None = None
    swing: float = inf
    twist: tuple[float, float] = (-inf, inf)
    turn: float = inf
    neutral: Vector = (0.0, 0.0, 0.0)

    @property
    def limited(self) -> bool:
        """Whether it ends anywhere."""
        return any(isfinite(end) for end in (self.swing, *self.twist, self.turn))

    @property
    def chords(self) -> dict[str, tuple[Chord, float]]:
        """2 sin of half the angle and the largest angle, of what is limited on one side."""
        R0 = exp_map(np.array(self.neutral))
        found = {"turn": (Chord("turn", np.eye(3) / np.sqrt(2), R0.T / np.sqrt(2)), self.turn)}
        if self.axis is not None:
            d = _unit(self.axis)[:, None]
            found["swing"] = (Chord("swing", R0 @ d, d), self.swing)
        return found

    @property
    def twisting(self) -> Turn | None:
        """The angle about the axis of the twist that comes before a swing; None without an axis."""
        if self.axis is None:
            return None
        R0 = exp_map(np.array(self.neutral))
        d = R0 @ _unit(self.axis)
        flat = np.eye(3) - np.outer(d, d)
        return Turn("twist", flat @ R0, skew(d) @ R0)

    def angles(self, pair: Pair) -> dict[str, float]:
        """Turn [rad] of two rigid bones, and with an axis swing and twist."""
        found = {name: _angle(chord, pair) for name, (chord, _) in self.chords.items()}
        if self.twisting is not None:
            found["twist"] = self.twisting.value(pair)
        return found

    @property
    def at_rest(self) -> dict[str, float]:
        """Swing, twist and turn [rad] in the pose that the model is made in."""
        return self.angles(Pair.of(np.array([np.eye(3, 4)] * 2)))

    def told(self) -> str:
        """The limits in words."""
        degrees = Turn.scale
        words = [
            f"{name} up to {degrees * getattr(self, name):.4g} deg"
            for name in ("swing", "turn")
            if isfinite(getattr(self, name))
        ]
        if any(isfinite(end) for end in self.twist):
            low, high = (degrees * end for end in self.twist)
            words.insert(1, f"twist {low:.4g} to {high:.4g} deg")
        return ", ".join(words)

    def faults(self, who: str) -> Iterator[str]:
        """What is wrong with the limits of a joint, a sentence each."""
        scale = Turn.scale
        if self.axis is not None and not (np.isfinite(self.axis).all() and np.any(self.axis)):
            yield f"the axis of the range of {who} has no direction"
        if not np.isfinite(self.neutral).all():
            yield f"the neutral pose of {who} is not finite"
        for name in ("swing", "turn"):
            end = getattr(self, name)
            if not (0 < end <= WIDEST or end == inf):
                yield (
                    f"the {name} of {who} is {scale * end:.4g} deg; it must be above 0 and at most "
                    "175, or be left out"
                )
        yield from self._twist_faults(who)
        if self.axis is None and self.swing < inf:
            yield f"{who} has a swing, but not the axis that swings"
        for name, angle in self.at_rest.items():
            low, high = self.twist if name == "twist" else (0.0, getattr(self, name))
            if not low - SLIGHT <= angle <= high + SLIGHT:
                yield (
                    f"the {name} of {who} is {scale * angle:.4g} deg in the pose that it is "
                    f"modelled in, outside its range of {scale * low:.4g} to {scale * high:.4g} deg"
                )

    def _twist_faults(self, who: str) -> Iterator[str]:
        ends = [end for end in self.twist if isfinite(end)]
        low, high = (Turn.scale * end for end in self.twist)
        told = f"the twist of {low:.4g} to {high:.4g} deg of {who}"
        if not low < high:
            yield f"{told} must rise"
        if any(abs(end) > np.pi for end in ends):
            yield f"{told} goes farther than 180 degrees"
        if ends and self.axis is None:
            yield f"{told} needs the axis that it is about"
        if ends and min(self.swing, self.turn) == inf:
            yield f"{told} says nothing where its axis points backwards; give a swing as well"


def _angle(chord: Freedom, pair: Pair) -> float:
    return float(2.0 * np.arcsin(min(chord.value(pair) / 2.0, 1.0)))


def _unit(axis: Vector | Floats) -> Floats:
    d = np.array(axis, float)
    return d / np.linalg.norm(d)


def shortest_turn(start: Vector, end: Vector) -> Vector:
    """The rotation vector [rad] of the smallest turn from one direction to another."""
    a, b = _unit(start), _unit(end)
    axis, cosine = np.cross(a, b), float(a @ b)
    sine = float(np.linalg.norm(axis))
    if sine == 0.0:  # alike or opposite: any axis across will do
        axis = np.cross(a, np.eye(3)[np.argmin(np.abs(a))])
    x, y, z = np.arctan2(sine, cosine) * _unit(axis)
    return float(x), float(y), float(z)
