"""Paths in space between points that are passed at given speeds and accelerations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vastus.numerics.types import Floats


class Knot(NamedTuple):
    """A place (k,), with speed and acceleration there, at a time [s]: in m, or rad of joints."""

    time: float
    place: Floats
    speed: Floats
    acceleration: Floats


class Path(NamedTuple):
    """A polynomial of time between two times: coefficients (degree + 1, k), the constant first.

    Before and after it is continued by its own end, along the tangent.
    """

    start: float
    end: float
    coefficients: Floats

    def at(self, t: float | Floats, order: int = 0) -> Floats:
        """(.., k) the place, or its derivative of some order, at times (..)."""
        c = self.coefficients
        for _ in range(order):
            c = c[1:] * np.arange(1, len(c))[:, None]
        inside = np.clip(t, self.start, self.end)
        s = np.asarray(inside - self.start)[..., None]
        value = np.zeros_like(s * c[0])
        for row in c[::-1]:
            value = value * s + row
        beyond = np.asarray(t - inside)[..., None]
        if order == 0 and np.any(beyond != 0.0):
            value = value + beyond * self.at(inside, 1)
        return np.where(beyond != 0.0, 0.0, value) if order > 1 else value

    def knot(self, t: float) -> Knot:
        """Place, speed and acceleration at a time."""
        return Knot(t, self.at(t), self.at(t, 1), self.at(t, 2))


def quintic(first: Knot, last: Knot) -> Path:
    """The polynomial of degree five through two knots: of all such paths that of least jerk."""
    T = last.time - first.time
    p, v, a = first.place, first.speed, first.acceleration
    gap = last.place - (p + v * T + 0.5 * a * T**2)
    slow = (last.speed - (v + a * T)) * T
    bend = (last.acceleration - a) * T**2
    rows = [
        p, v, 0.5 * a,
        (10.0 * gap - 4.0 * slow + 0.5 * bend) / T**3,
        (-15.0 * gap + 7.0 * slow - bend) / T**4,
        (6.0 * gap - 3.0 * slow + 0.5 * bend) / T**5,
    ]  # fmt: skip
    return Path(first.time, last.time, np.array(rows))


def bezier(first: Knot, last: Knot) -> Path:
    """The cubic Bezier curve with the places and speeds of two knots; accelerations are free."""
    return bezier_path(first.time, last.time, bezier_points(first, last))


def bezier_points(first: Knot, last: Knot) -> Floats:
    """(4, k) the control points of the cubic Bezier curve through two knots."""
    third = (last.time - first.time) / 3.0
    b1, b2 = first.place + third * first.speed, last.place - third * last.speed
    return np.array([first.place, b1, b2, last.place])


def bezier_path(start: float, end: float, points: Floats) -> Path:
    """The cubic Bezier curve of control points (4, k) between two times [s]; theory, eq. 86."""
    b0, b1, b2, b3 = points
    rows = [b0, 3.0 * (b1 - b0), 3.0 * (b2 - 2.0 * b1 + b0), b3 - 3.0 * b2 + 3.0 * b1 - b0]
    T = end - start
    return Path(start, end, np.array([row / T**k for k, row in enumerate(rows)]))


def bowed(path: Path, way: Floats) -> Path:
    """A path that leaves another by a way (k,) in its middle, but not at its ends."""
    T = path.end - path.start
    bump = 64.0 * np.array([0.0, 0.0, 0.0, 1.0, -3.0, 3.0, -1.0]) / T ** np.arange(7)
    wide = np.zeros((7, path.coefficients.shape[1]))
    wide[: len(path.coefficients)] = path.coefficients
    return path._replace(coefficients=wide + bump[:, None] * way)


def rest(time: float, place: Floats) -> Knot:
    """A knot at rest."""
    zero = np.zeros_like(place)
    return Knot(time, place, zero, zero)
