"""Which way round a hinge flexes, so that its angle is positive in flexion."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from vastus.geometry.queries import inside
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

TURNS_DEG = (30.0, 60.0, 90.0)
LOOKED_AT = 5.0  # radii from the centre: what is further away does not tell
CLEAR = 0.02  # of the vertices looked at, by which one way has to be freer
BENT_DEG = 5.0


class Sign(StrEnum):
    """How the sign of the axis was found."""

    ROOM = "flexion is positive: only that way the bones do not run into each other"
    BEND = "flexion is positive: it bends the bones further than they are at rest"
    NONE = "which way is flexion is not seen: the largest part of the axis is positive"


def flexion(
    one: Sequence[Surface], two: Sequence[Surface], centre: Floats, axis: Floats, radius: float
) -> tuple[Floats, Sign]:
    """The axis (3,), turned round if need be, so that the second body flexes by positive angles."""
    near = [[_near(s.X, centre, LOOKED_AT * radius) for s in body] for body in (one, two)]
    ahead, back = (_blocked(one, two, near, centre, way * axis) for way in (1, -1))
    if abs(ahead - back) > CLEAR * sum(len(X) for body in near for X in body):
        return axis * np.sign(back - ahead), Sign.ROOM
    bend = _bend(one, two, centre, axis)
    if abs(bend) > np.radians(BENT_DEG):
        return axis * np.sign(bend), Sign.BEND
    return axis * np.sign(axis[np.abs(axis).argmax()]), Sign.NONE


def _blocked(
    one: Sequence[Surface],
    two: Sequence[Surface],
    near: Sequence[Sequence[Floats]],
    centre: Floats,
    axis: Floats,
) -> int:
    """How many vertices of either body are in the other, over all turns of the second."""
    count = 0
    for turn in np.radians(TURNS_DEG):
        R = exp_map(turn * axis)
        count += sum(_within(s, centre + (X - centre) @ R.T) for s in one for X in near[1])
        count += sum(_within(s, centre + (X - centre) @ R) for s in two for X in near[0])
    return count


def _within(surface: Surface, X: Floats) -> int:
    return int(inside(surface, X).sum()) if surface.closed and len(X) else 0


def _near(X: Floats, centre: Floats, reach: float) -> Floats:
    return X[np.linalg.norm(X - centre, axis=1) < reach]


def _bend(one: Sequence[Surface], two: Sequence[Surface], centre: Floats, axis: Floats) -> float:
    """The angle [rad] about the axis by which the second body is turned out of line."""
    first, second = (_middle(body) - centre for body in (one, two))
    sine = np.cross(-first, second) @ axis
    return float(np.arctan2(sine, -first @ second + (first @ axis) * (second @ axis)))


def _middle(body: Sequence[Surface]) -> Floats:
    """(3,) the middle [m] of the skin of a body, however unevenly its vertices lie."""
    places = np.vstack([s.X[s.faces].mean(axis=1) for s in body])
    return np.average(places, axis=0, weights=np.concatenate([s.areas for s in body]))
