"""Coordinates of joints: how one bone is turned or shifted against another, and its derivatives.

A bone's place is its linear part A (3, 3) and the image y (3,) of the point c that it turns about,
x = y + A (X - c). A coordinate is a function of the places of two bones, theirs at rest being zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from vastus.numerics.types import Floats

A1, Y1, A2, Y2 = slice(0, 9), slice(9, 12), slice(12, 21), slice(21, 24)  # parts of a derivative


@dataclass(frozen=True, eq=False)
class Pair:
    """The places of the two bones of a joint, and the rest points (2, 3) that they turn about."""

    A: Floats  # (2, 3, 3)
    y: Floats  # (2, 3) [m]
    centres: Floats  # (2, 3) [m]

    @classmethod
    def of(cls, poses: Floats, centres: Floats | None = None) -> Pair:
        """The pair at poses (2, 3, 4); bones turn about the origin unless centres are given."""
        A, t = poses[:, :, :3], poses[:, :, 3]
        c = np.zeros((2, 3)) if centres is None else centres
        return cls(A, t + np.einsum("bij,bj->bi", A, c), c)


@dataclass(frozen=True, eq=False)
class Freedom(ABC):
    """One coordinate of a joint."""

    what: ClassVar[str]  # what outputs call it
    unit: ClassVar[str]  # of its outputs
    effort: ClassVar[str]  # the unit of what moves it
    scale: ClassVar[float]  # how many of the author's units one SI unit is

    name: str  # in outputs; empty for the only one

    @abstractmethod
    def value(self, pair: Pair) -> float:
        """The coordinate [rad or m]."""

    @abstractmethod
    def slope(self, pair: Pair) -> Floats:
        """(24,) its derivative by A and y of the first bone, then of the second."""

    @abstractmethod
    def bend(self, pair: Pair) -> Floats:
        """(24, 24) its second derivative."""


@dataclass(frozen=True, eq=False)
class Turn(Freedom):
    """The angle atan2(<sine, R>, <cosine, R>) of the rotation R of the second bone in the first."""

    what = "angle"
    unit = "deg"
    effort = "Nm"
    scale = 180.0 / np.pi

    cosine: Floats  # (3, 3)
    sine: Floats  # (3, 3)

    def value(self, pair: Pair) -> float:
        """The angle [rad], from -pi to pi."""
        R = pair.A[0].T @ pair.A[1]
        return float(np.arctan2((self.sine * R).sum(), (self.cosine * R).sum()))

    def slope(self, pair: Pair) -> Floats:
        """By the linear parts alone."""
        x, y, J = self._parts(pair)
        return np.asarray(np.array([-y, x]) @ J / (x * x + y * y))

    def bend(self, pair: Pair) -> Floats:
        """By the linear parts alone; sine and cosine are bilinear in them."""
        x, y, J = self._parts(pair)
        r = x * x + y * y
        mixed = np.array([[2 * x * y, y * y - x * x], [y * y - x * x, -2 * x * y]]) / r**2
        H = J.T @ mixed @ J
        across = np.kron(np.eye(3), (x * self.sine - y * self.cosine) / r)
        H[A1, A2] += across
        H[A2, A1] += across.T
        return np.asarray(H)

    def _parts(self, pair: Pair) -> tuple[float, float, Floats]:
        """Cosine, sine, both times any number, and their derivatives (2, 24)."""
        first, second = pair.A
        R = first.T @ second
        J = np.zeros((2, 24))
        for row, M in zip(J, (self.cosine, self.sine), strict=True):
            row[A1], row[A2] = (second @ M.T).ravel(), (first @ M).ravel()
        return float((self.cosine * R).sum()), float((self.sine * R).sum()), J


@dataclass(frozen=True, eq=False)
class Shift(Freedom):
    """How far a rest point of the second bone went along a direction that the first carries."""

    what = "shift"
    unit = "m"
    effort = "N"
    scale = 1.0

    point: Floats  # (3,) [m]
    direction: Floats  # (3,) a unit vector

    def value(self, pair: Pair) -> float:
        """The way [m]."""
        return float(pair.A[0] @ self.direction @ self._apart(pair))

    def slope(self, pair: Pair) -> Floats:
        """By linear parts and places."""
        along = pair.A[0] @ self.direction
        first, second = self.point - pair.centres
        out = np.zeros(24)
        out[A1] = (np.outer(self._apart(pair), self.direction) - np.outer(along, first)).ravel()
        out[Y1], out[A2], out[Y2] = -along, np.outer(along, second).ravel(), along
        return out

    def bend(self, pair: Pair) -> Floats:
        """Of a product of two linear functions."""
        first, second = self.point - pair.centres
        d, one = self.direction, np.eye(3)
        H = np.zeros((24, 24))
        H[A1, A1] = -np.kron(one, np.outer(d, first)) - np.kron(one, np.outer(first, d))
        H[A1, A2] = np.kron(one, np.outer(d, second))
        H[A1, Y2] = np.kron(one, d[:, None])
        H[A1, Y1] = -H[A1, Y2]
        for part in (A2, Y2, Y1):
            H[part, A1] = H[A1, part].T
        return H

    def _apart(self, pair: Pair) -> Floats:
        """(3,) from the point's image on the first bone to that on the second [m]."""
        arms = self.point - pair.centres
        one, two = pair.y + np.einsum("bij,bj->bi", pair.A, arms)
        return np.asarray(two - one)


@dataclass(frozen=True, eq=False)
class Slip(Freedom):
    """How far a wheel has slid: its `radius` [m] times its turn, less its way.

    Whole turns look alike, so that it is known but for the circumference of the wheel.
    """

    what = "slip"
    unit = "m"
    effort = "N"
    scale = 1.0

    turn: Turn
    way: Shift
    radius: float

    def value(self, pair: Pair) -> float:
        """The slip [m], at most half of the circumference."""
        around = self.turn.value(pair) - self.way.value(pair) / self.radius
        return float(self.radius * np.arctan2(np.sin(around), np.cos(around)))

    def slope(self, pair: Pair) -> Floats:
        """By linear parts and places."""
        return self.radius * self.turn.slope(pair) - self.way.slope(pair)

    def bend(self, pair: Pair) -> Floats:
        """By linear parts and places."""
        return self.radius * self.turn.bend(pair) - self.way.bend(pair)


@dataclass(frozen=True, eq=False)
class Chord(Freedom):
    """The size of V = A_2 B - A_1 C, whose columns point from first's vectors C to second's B.

    Of unit vectors that are an angle apart it is 2 sin of half the angle: smooth where they are
    opposite, unlike the angle, and zero where they agree. There it has no derivative.
    """

    what = "chord"
    unit = ""
    effort = "Nm"
    scale = 1.0

    first: Floats  # (3, k)
    second: Floats  # (3, k)

    def value(self, pair: Pair) -> float:
        """The size of V."""
        return float(np.linalg.norm(self._apart(pair)))

    def slope(self, pair: Pair) -> Floats:
        """By the linear parts alone; zero where V is."""
        V = self._apart(pair)
        size = float(np.linalg.norm(V))
        out = np.zeros(24)
        if size > 0:
            out[A1], out[A2] = -(V @ self.first.T).ravel(), (V @ self.second.T).ravel()
            out /= size
        return out

    def bend(self, pair: Pair) -> Floats:
        """By the linear parts alone: V is linear in them."""
        size = self.value(pair)
        if size == 0:
            return np.zeros((24, 24))
        one, slope = np.eye(3), self.slope(pair)
        H = -np.outer(slope, slope)
        H[A1, A1] += np.kron(one, self.first @ self.first.T)
        H[A2, A2] += np.kron(one, self.second @ self.second.T)
        across = np.kron(one, self.first @ self.second.T)
        H[A1, A2] -= across
        H[A2, A1] -= across.T
        return np.asarray(H / size)

    def _apart(self, pair: Pair) -> Floats:
        return np.asarray(pair.A[1] @ self.second - pair.A[0] @ self.first)
