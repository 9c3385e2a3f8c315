"""Least squares whose residuals are dear: derivatives by differences, many evaluations at a time.

    minimise c(x) = |r(x)|^2    subject to    low <= x <= high

Residuals are asked for in batches, which may be computed side by side. One batch gives the Jacobian
J by differences; then a step is proposed, and repeated with less trust until the cost is lower:

    Gauss and Newton   the least of |r + J dx|^2 + |dx|^2 / trust within the bounds
    descent            dx = -trust J^T r, cut at the bounds
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats

Residuals = Callable[[Sequence[Floats]], Sequence[Floats]]  # of several x (n,), each (k,)

_LESS, _MORE = 0.25, 4.0  # of the trust, after a step that fails or succeeds
_TRIES = 8


class Method(Protocol):
    """How a step is proposed."""

    def trust(self, J: Floats, r: Floats) -> float:
        """How far to trust the first derivatives at first."""

    def step(self, J: Floats, r: Floats, low: Floats, high: Floats, trust: float) -> Floats:
        """(n,) a step between bounds low and high (n,)."""


class GaussNewton(NamedTuple):
    """Steps of Gauss and Newton, damped."""

    damping: float = 1e-4  # at first, in mean squares of the columns of the Jacobian

    def trust(self, J: Floats, r: Floats) -> float:
        """The inverse of the damping."""
        return 1.0 / max(self.damping * float((J**2).sum(axis=0).mean()), np.finfo(float).tiny)

    def step(self, J: Floats, r: Floats, low: Floats, high: Floats, trust: float) -> Floats:
        """The least of the damped squares."""
        H = J.T @ J + np.eye(J.shape[1]) / trust
        none = np.zeros((0, len(H)))
        return quadratic_program(H, J.T @ r, A=none, b=np.zeros(0), low=low, high=high)


class Descent(NamedTuple):
    """Steps along the negative gradient."""

    first: float = 0.02  # the length of the first one

    def trust(self, J: Floats, r: Floats) -> float:
        """That of a first step of the wanted length."""
        return self.first / max(float(np.linalg.norm(J.T @ r)), np.finfo(float).tiny)

    def step(self, J: Floats, r: Floats, low: Floats, high: Floats, trust: float) -> Floats:
        """Along the gradient, as far as bounds let it."""
        return np.asarray(np.clip(-trust * (J.T @ r), low, high))


@dataclass(frozen=True)
class Stop:
    """When to end: after `most` iterations, when the cost is at most `enough`, or hardly falls.

    `gain` is the part of the cost by which an iteration must lower it to go on.
    """

    most: int = 20
    enough: float = 0.0
    gain: float = 1e-3

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ModelError(f"{self.most} iterations; there must be at least 1")


@dataclass
class Minimum:
    """Where the least was found, and how: costs at the start and after each iteration."""

    x: Floats
    residuals: Floats
    costs: list[float]
    evaluations: int = 1
    ended: str = ""
    gradients: list[float] = field(default_factory=list)  # norms of 2 J^T r

    @property
    def cost(self) -> float:
        """|r|^2."""
        return self.costs[-1]

    @property
    def iterations(self) -> int:
        """How many lowered the cost."""
        return len(self.costs) - 1


def least_squares(
    residuals: Residuals,
    x: Floats,
    *,
    low: Floats,
    high: Floats,
    difference: float,
    method: Method | None = None,
    stop: Stop | None = None,
    watch: Callable[[Minimum], None] | None = None,
) -> Minimum:
    """The least sum of squares from x (n,) on; unknowns are moved by a `difference` for J.

    The cost never rises: a step that does not lower it is not taken. `watch` is told the minimum
    so far at the start and after each iteration.
    """
    method, stop = method or GaussNewton(), stop or Stop()
    x = np.clip(np.asarray(x, float), low, high)
    (r,) = residuals([x])
    found, trust = Minimum(x, r, [float(r @ r)]), None
    for _ in range(stop.most):
        if watch is not None:
            watch(found)
        if found.cost <= stop.enough:
            found.ended = "the cost is as low as was asked for"
            return found
        J = jacobian(residuals, found.x, found.residuals, difference, high)
        found.evaluations += len(x)
        found.gradients.append(2.0 * float(np.linalg.norm(J.T @ found.residuals)))
        trust = method.trust(J, found.residuals) if trust is None else trust
        before = found.cost
        trust = _lowered(residuals, found, J, (low, high), method, trust)
        if trust is None:
            found.ended = "no step lowers the cost any more"
            return found
        if before - found.cost < stop.gain * before:
            found.ended = f"the last iteration lowered the cost by less than {stop.gain:g} of it"
            break
    else:
        found.ended = f"the most iterations, {stop.most}, are done"
    if found.cost <= stop.enough:
        found.ended = "the cost is as low as was asked for"
    if watch is not None:
        watch(found)
    return found


def jacobian(
    residuals: Residuals, x: Floats, r: Floats, difference: float, high: Floats | float = np.inf
) -> Floats:
    """(k, n) dr/dx by differences ahead of x, where the residuals are r, or behind at a bound."""
    moves = np.where(x + difference > high, -difference, difference)
    moved = residuals([x + row for row in np.diag(moves)])
    return np.column_stack([(new - r) / move for new, move in zip(moved, moves, strict=True)])


def _lowered(
    residuals: Residuals,
    found: Minimum,
    J: Floats,
    bounds: tuple[Floats, Floats],
    method: Method,
    trust: float,
) -> float | None:
    """Take a step that lowers the cost; the trust for the next, None if there is no such step."""
    low, high = bounds
    for _ in range(_TRIES):
        dx = method.step(J, found.residuals, low - found.x, high - found.x, trust)
        if not dx.any():
            return None
        (r,) = residuals([found.x + dx])
        found.evaluations += 1
        cost = float(r @ r)
        if cost < found.cost:
            found.x, found.residuals = found.x + dx, r
            found.costs.append(cost)
            return trust * _MORE
        trust *= _LESS
    return None
