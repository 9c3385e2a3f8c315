"""The sides that a body is seen from, without perspective, so that lengths can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Floats

_ALONG = 0.999  # cosine above which a direction counts as an axis
ROOM = 0.025  # around what is seen, of its larger extent


@dataclass(frozen=True, eq=False)
class Side:
    """What is to the right, up and toward the viewer, (3,) each, of length one."""

    right: Floats
    up: Floats
    toward: Floats

    @property
    def name(self) -> str:
        """Where the viewer stands."""
        return f"from {name_of(self.toward)}"


@dataclass(frozen=True, eq=False)
class Window:
    """A rectangle of `size` (width, height) [m] about a centre (3,), seen from a side."""

    side: Side
    centre: Floats
    size: tuple[float, float]

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.size[0] / self.size[1]


def upward(gravity: Floats) -> Floats:
    """(3,) the direction against gravity, or z where there is none."""
    size = np.linalg.norm(gravity)
    return np.asarray(-gravity / size) if size > 0 else np.array([0.0, 0.0, 1.0])


def looking(toward: Floats, up: Floats) -> Side:
    """The side with the viewer in a direction (3,), upright if that is possible."""
    toward = toward / np.linalg.norm(toward)
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-3:
        right = np.cross(np.roll(up, -1), toward)
    right = right / np.linalg.norm(right)
    return Side(right, np.cross(toward, right), toward)


def four_sides(up: Floats) -> list[Side]:
    """Front, right, back and left of a body that faces -y, or z where y is up."""
    across = np.array([0.0, 1.0, 0.0] if abs(up[0]) > 0.9 else [1.0, 0.0, 0.0])
    front = np.cross(across - (across @ up) * up, up)
    right = np.cross(front, up)
    return [looking(toward, up) for toward in (front, right, -front, -right)]


def around(points: Floats, side: Side, room: float = ROOM) -> Window:
    """The window that holds points (k, 3), with `room` on all sides, of the larger extent."""
    low, high = (f([points @ side.right, points @ side.up], axis=1) for f in (np.min, np.max))
    depth = (points @ side.toward).mean()
    middle = (low + high) / 2
    centre = middle[0] * side.right + middle[1] * side.up + depth * side.toward
    width, height = high - low + 2 * room * max(*(high - low), 1e-9)
    # A stick would leave no room for words.
    return Window(side, centre, (max(width, 0.2 * height), max(height, 0.2 * width)))


def square(centre: Floats, width: float, side: Side) -> Window:
    """A square window of a width [m] about a centre (3,)."""
    return Window(side, centre, (width, width))


def name_of(direction: Floats) -> str:
    """A direction (3,) in words: an axis with its sign, or three numbers."""
    main = int(np.argmax(np.abs(direction)))
    if abs(direction[main]) > _ALONG:
        return f"{'+' if direction[main] > 0 else '-'}{'xyz'[main]}"
    return f"[{', '.join(f'{c:.2f}' for c in direction)}]"
