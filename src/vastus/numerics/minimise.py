"""Minimise an objective: how far to go, when to stop. It knows no physics and no matrix.

The objective says which way to go; FEM, EMU and their rivals differ only there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from vastus.numerics.types import Floats

Point = TypeVar("Point")
ROUNDS = 20  # of shortening a step until all of it is allowed
HAIR = 0.99  # a step that is a hair too long becomes so much shorter, or round-off cuts it for ever


@dataclass(frozen=True)
class Moment:
    """Where a minimisation is; `place` makes the point, which may cost something."""

    iteration: int
    residual: float
    target: float
    place: Callable[[], Any]


Watch = Callable[[Moment], object]  # an answer of True says that it is enough


class Objective(Protocol[Point]):
    """A function with a descent direction, on a space where steps are retracted."""

    noise: float  # round-off of the last value
    load: float  # size of the terms that cancel in the last gradient
    floor: float  # round-off of any gradient

    def value(self, q: Point) -> float:
        """The function; infinite or NaN where it is not defined."""

    def gradient(self, q: Point) -> Floats:
        """Its derivative by the coordinates around q."""

    def direction(self, q: Point, g: Floats) -> Floats:
        """A descent direction, or one that solves for the stationary point."""

    def retract(self, q: Point, step: Floats) -> Point:
        """The point a step away."""

    def longest(self, q: Point, step: Floats) -> float:
        """The largest part of a step, at most 1, that may be tried: contact or inversion end it."""


@dataclass(frozen=True)
class Rule:
    """When to stop: residual <= tolerance * load, or round-off, or after so many iterations."""

    tolerance: float = 1e-8
    max_iterations: int = 100

    def gauge(self, objective: Objective[Point], q: Point, g: Floats) -> tuple[float, float]:
        """The residual at q, whose gradient is g, and the target that it must reach."""
        target = max(self.tolerance * objective.load, objective.floor)
        return float(np.linalg.norm(g)), target


@dataclass(frozen=True, eq=False)
class Outcome(Generic[Point]):
    """Where a minimisation ended, and how."""

    point: Point
    value: float
    gradient: Floats
    load: float
    target: float  # what the residual had to reach
    history: tuple[float, ...]  # the residual before each iteration, and at the end
    converged: bool
    sentence: str
    stopped: bool = False  # by the watch, which had enough
    stalled: bool = False  # no step led on


def minimise(
    objective: Objective[Point], start: Point, rule: Rule, watch: Watch | None = None
) -> Outcome[Point]:
    """Minimise from `start` until the rule's residual is below its target."""
    q, value, g = start, objective.value(start), objective.gradient(start)
    history: list[float] = []
    target = float("nan")

    def outcome(
        converged: bool, sentence: str, *, stopped: bool = False, stalled: bool = False
    ) -> Outcome[Point]:
        return Outcome(
            q, value, g, objective.load, target, tuple(history), converged, sentence, stopped,
            stalled,
        )  # fmt: skip

    if not (np.isfinite(value) and np.isfinite(g).all()):
        history.append(float("nan"))
        return outcome(False, "the energy is not finite at the start")
    for iteration in range(rule.max_iterations + 1):
        residual, target = rule.gauge(objective, q, g)
        history.append(residual)
        enough = watch(Moment(iteration, residual, target, partial(_same, q))) if watch else None
        if enough is True:
            return outcome(False, "stopped when its watch had enough", stopped=True)
        if residual <= target:
            return outcome(True, "converged")
        if iteration == rule.max_iterations:
            break
        found = search(objective, q, value, g, objective.direction(q, g))
        if found is None:
            sentence = f"no step decreased the energy after {iteration} iterations"
            return outcome(False, sentence, stalled=True)
        q, value, g = found
    return outcome(False, f"{rule.max_iterations} iterations were not enough")


def search(
    objective: Objective[Point], q: Point, value: float, g: Floats, d: Floats
) -> tuple[Point, float, Floats] | None:
    """Backtrack from the longest step allowed until the energy falls enough (Armijo).

    Where the change is lost in the energy's round-off, the gradient must shrink instead.
    """
    slope = float(g @ d)
    if not (np.isfinite(slope) and slope < 0):
        return None
    s = objective.longest(q, d)
    while s > 1e-12:
        trial = objective.retract(q, s * d)
        energy = objective.value(trial)
        if energy <= value + 1e-4 * s * slope:
            return trial, energy, objective.gradient(trial)
        # Both energies have round-off.
        if energy <= value + 2 * objective.noise and abs(s * slope) <= 100 * objective.noise:
            new = objective.gradient(trial)
            if np.linalg.norm(new) < np.linalg.norm(g):
                return trial, energy, new
        s *= 0.5 * objective.longest(q, 0.5 * s * d)
    return None


def largest_part(allowed: Callable[[float], float]) -> float:
    """The largest part of a step, at most 1, of which everything is allowed.

    `allowed` tells how much of a part of the step is. Steps may bend, so that a shorter one is no
    piece of a longer one, and is looked at again.
    """
    part = 1.0
    for _ in range(ROUNDS):
        found = allowed(part)
        if found >= 1.0:
            return part
        part *= min(found, HAIR)
    return 0.0


def _same(point: Point) -> Point:
    return point
