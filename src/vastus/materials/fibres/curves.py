"""The shapes of force-length and force-velocity curves of muscle and tendon.

A curve is a relative force over a relative length x: the fibre's length over its optimal one, the
tendon's over its slack one; or over a relative velocity, negative where a fibre shortens. Each is
known with its slope and its work, the integral from 1 to x.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import erf, exp, log1p, pi, sqrt
from typing import Any

import numpy as np

from vastus.numerics.types import Floats

Rows = tuple[tuple[float, float], ...]


class Curve(ABC):
    """A relative force, as a function of a relative length or velocity."""

    @abstractmethod
    def force(self, x: float) -> float:
        """The relative force at x."""

    @abstractmethod
    def slope(self, x: float) -> float:
        """The derivative of the force."""

    @abstractmethod
    def work(self, x: float) -> float:
        """The integral of the force from 1 to x."""

    def rows(self, low: float = 0.3, high: float = 1.8, count: int = 61) -> Rows:
        """Rows of a table of the curve, which the laws of tets can follow."""
        return tuple((float(x), self.force(float(x))) for x in np.linspace(low, high, count))


@dataclass(frozen=True)
class Constant(Curve):
    """The same force at every length."""

    def force(self, x: float) -> float:
        return 1.0

    def slope(self, x: float) -> float:
        return 0.0

    def work(self, x: float) -> float:
        return x - 1.0


@dataclass(frozen=True)
class TwoParabolas(Curve):
    """1 - 4 u^2 up to a distance u of 0.4 from 1, then 9 (0.6 - u)^2 down to zero at 0.6."""

    def force(self, x: float) -> float:
        u = abs(x - 1.0)
        return 1.0 - 4.0 * u * u if u < 0.4 else 9.0 * max(0.6 - u, 0.0) ** 2

    def slope(self, x: float) -> float:
        u, side = abs(x - 1.0), 1.0 if x > 1.0 else -1.0
        return side * (-8.0 * u if u < 0.4 else -18.0 * max(0.6 - u, 0.0))

    def work(self, x: float) -> float:
        u, side = abs(x - 1.0), 1.0 if x > 1.0 else -1.0
        m, n = min(u, 0.4), min(max(u, 0.4), 0.6)
        return side * (m - 4.0 / 3.0 * m**3 + 3.0 * (0.2**3 - (0.6 - n) ** 3))


@dataclass(frozen=True)
class Parabola(Curve):
    """1 - ((x - 1)/width)^2, and zero beyond."""

    width: float = 0.5

    def force(self, x: float) -> float:
        return max(1.0 - ((x - 1.0) / self.width) ** 2, 0.0)

    def slope(self, x: float) -> float:
        return -2.0 * (x - 1.0) / self.width**2 if abs(x - 1.0) < self.width else 0.0

    def work(self, x: float) -> float:
        u = min(max((x - 1.0) / self.width, -1.0), 1.0)
        return self.width * (u - u**3 / 3.0)


@dataclass(frozen=True)
class Bell(Curve):
    """exp(-(x - 1)^2/gamma)."""

    gamma: float

    def force(self, x: float) -> float:
        return exp(-((x - 1.0) ** 2) / self.gamma)

    def slope(self, x: float) -> float:
        return -2.0 * (x - 1.0) / self.gamma * self.force(x)

    def work(self, x: float) -> float:
        return 0.5 * sqrt(pi * self.gamma) * erf((x - 1.0) / sqrt(self.gamma))


@dataclass(frozen=True)
class Exponential(Curve):
    """scale (exp(rate (x - 1)) - 1) above 1, and straight above `end`."""

    scale: float
    rate: float
    end: float

    def force(self, x: float) -> float:
        y = min(max(x, 1.0), self.end)
        return self.scale * (exp(self.rate * (y - 1.0)) - 1.0) + self._steepest * max(x - y, 0.0)

    def slope(self, x: float) -> float:
        y = min(x, self.end)
        return self.scale * self.rate * exp(self.rate * (y - 1.0)) if x > 1.0 else 0.0

    def work(self, x: float) -> float:
        y = min(max(x, 1.0), self.end)
        curved = self.scale * ((exp(self.rate * (y - 1.0)) - 1.0) / self.rate - (y - 1.0))
        more = max(x - self.end, 0.0)
        return curved + more * (self.force(self.end) + 0.5 * self._steepest * more)

    @cached_property
    def _steepest(self) -> float:
        return self.scale * self.rate * exp(self.rate * (self.end - 1.0))


@dataclass(frozen=True)
class Bends(Curve):
    """Quintic Bezier curves from corner to corner, with continuous curvature; straight outside.

    A corner is a length, a force and a slope. The four inner points of a piece lie on the tangents
    of its ends, by its `roundness` on the way to where these meet.
    """

    corners: tuple[tuple[float, float, float], ...]
    roundness: tuple[float, ...]  # of each piece

    def force(self, x: float) -> float:
        return self._at(x)[1]

    def slope(self, x: float) -> float:
        return self._at(x)[2]

    def work(self, x: float) -> float:
        return self._area(x) - self._area(1.0)

    def _at(self, x: float) -> tuple[float, float, float]:
        """The piece's parameter, the force and the slope at x."""
        first, last = self.corners[0], self.corners[-1]
        if not first[0] < x < last[0]:
            x0, y0, slope = first if x <= first[0] else last
            return 0.0, y0 + slope * (x - x0), slope
        X, Y = self._pieces[self._piece(x)]
        u = _inverted(X, x)
        dx, dy = (_derivative(points, u) for points in (X, Y))
        return u, _bezier(Y, u), dy / dx

    def _piece(self, x: float) -> int:
        return int(np.searchsorted([c[0] for c in self.corners[1:-1]], x, side="right"))

    @cached_property
    def _pieces(self) -> list[tuple[Floats, Floats]]:
        """The six points of each piece, lengths and forces apart."""
        made = []
        ends = zip(self.corners[:-1], self.corners[1:], self.roundness, strict=True)
        for (x0, y0, a), (x1, y1, b), c in ends:
            # Where the tangents meet; parallel ones meet half-way.
            x = 0.5 * (x0 + x1) if abs(a - b) < 1e-12 else (y1 - y0 + x0 * a - x1 * b) / (a - b)
            y = y0 + a * (x - x0)
            X, Y = ([p, p + c * (m - p), p + c * (m - p), q + c * (m - q), q + c * (m - q), q]
                    for p, m, q in ((x0, x, x1), (y0, y, y1)))  # fmt: skip
            made.append((np.array(X), np.array(Y)))
        return made

    def _area(self, x: float) -> float:
        """The integral of the force from the first corner to x."""
        first, last = self.corners[0], self.corners[-1]
        if x <= first[0]:
            t = x - first[0]
            return t * (first[1] + 0.5 * first[2] * t)
        if x >= last[0]:
            t = x - last[0]
            return self._areas[-1] + t * (last[1] + 0.5 * last[2] * t)
        k = self._piece(x)
        return self._areas[k] + _integral(*self._pieces[k], self._at(x)[0])

    @cached_property
    def _areas(self) -> list[float]:
        """The integrals from the first corner to each."""
        return [0.0, *accumulate(_integral(*piece, 1.0) for piece in self._pieces)]


def _bezier(points: Floats, u: float) -> float:
    v = 1.0 - u
    weights = (v**5, 5 * u * v**4, 10 * u**2 * v**3, 10 * u**3 * v**2, 5 * u**4 * v, u**5)
    return float(np.dot(weights, points))


def _derivative(points: Floats, u: float) -> float:
    v = 1.0 - u
    weights = (v**4, 4 * u * v**3, 6 * u**2 * v**2, 4 * u**3 * v, u**4)
    return 5.0 * float(np.dot(weights, np.diff(points)))


def _inverted(points: Floats, x: float) -> float:
    """The parameter at which a rising Bezier curve is x, by Newton's method kept in brackets."""
    low, high = 0.0, 1.0
    u = (x - points[0]) / (points[-1] - points[0])
    for _ in range(60):
        off = _bezier(points, u) - x
        low, high = (low, u) if off > 0 else (u, high)
        slope = _derivative(points, u)
        step = u - off / slope if slope > 0 else -1.0
        following = step if low < step < high else 0.5 * (low + high)
        if abs(following - u) < 1e-15:
            break
        u = following
    return float(u)


def _integral(X: Floats, Y: Floats, u: float) -> float:
    """The integral of Y dX up to u: of degree nine, for which five Gauss points are exact."""
    at = 0.5 * u * (NODES + 1.0)
    values = [_bezier(Y, t) * _derivative(X, t) for t in at]
    return 0.5 * u * float(np.dot(WEIGHTS, values))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True)
class Hyperbolas(Curve):
    """Hill's force over velocity: (1 + x)/(1 - x/k) down to -1, and 1 + e x/(x + e k/(1 + k)).

    The first is of fibres that shorten, the second of those that are stretched: it has the same
    slope at 0 and comes near to 1 + e. Below `foot` the force ends in a short parabola, without a
    bend; a foot of -1 is a corner there.
    """

    k: float = 0.25
    e: float = 0.4
    foot: float = -0.98

    def force(self, x: float) -> float:
        if x > 0:
            return 1.0 + self.e * x / (x + self._soon)
        if x > self.foot:
            return (1.0 + x) / (1.0 - x / self.k)
        end, bend = self._foot
        return bend * max(x - end, 0.0) ** 2

    def slope(self, x: float) -> float:
        if x > 0:
            return self.e * self._soon / (x + self._soon) ** 2
        if x > self.foot:
            return (1.0 + 1.0 / self.k) / (1.0 - x / self.k) ** 2
        end, bend = self._foot
        return 2.0 * bend * max(x - end, 0.0)

    def work(self, x: float) -> float:
        return self._area(x) - self._area(1.0)

    def _area(self, x: float) -> float:
        """The integral of the force from 0 to x."""
        if x > 0:
            return (1.0 + self.e) * x - self.e * self._soon * log1p(x / self._soon)
        k, y = self.k, max(x, self.foot)
        whole = -k * y - k * (1.0 + k) * log1p(-y / k)
        end, bend = self._foot
        beyond = max(self.foot - end, 0.0) ** 3 - max(x - end, 0.0) ** 3 if x < self.foot else 0.0
        return whole - bend / 3.0 * beyond

    @property
    def _soon(self) -> float:
        return self.e * self.k / (1.0 + self.k)

    @cached_property
    def _foot(self) -> tuple[float, float]:
        """Where the parabola begins, and its coefficient."""
        y = (1.0 + self.foot) / (1.0 - self.foot / self.k)
        slope = (1.0 + 1.0 / self.k) / (1.0 - self.foot / self.k) ** 2
        return (self.foot - 2.0 * y / slope, slope**2 / (4.0 * y)) if y > 0 else (-1.0, 0.0)


@dataclass(frozen=True)
class Rowed(Curve):
    """A table of lengths, or velocities, and forces: a monotone cubic; it stays as it ends."""

    table: Rows

    def force(self, x: float) -> float:
        return float(self._spline(self._held(x)))

    def slope(self, x: float) -> float:
        return float(self._spline.derivative()(x)) if self._held(x) == x else 0.0

    def work(self, x: float) -> float:
        return self._area(x) - self._area(1.0)

    def _area(self, x: float) -> float:
        held = self._held(x)
        return float(self._integral(held)) + (x - held) * self.force(held)

    def _held(self, x: float) -> float:
        return min(max(x, self.table[0][0]), self.table[-1][0])

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import PchipInterpolator  # as heavy as the rest of the package

        return PchipInterpolator(*np.array(self.table).T)

    @cached_property
    def _integral(self) -> Any:
        return self._spline.antiderivative()
