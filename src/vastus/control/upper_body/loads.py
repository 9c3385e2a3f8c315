"""What hands carry, and what is felt of it.

A load is a mass at a point of a body: it adds m J^T J to the inertia and m J^T (g - J' v) to the
forces, or its weight alone if it is to be a force. What is felt of its mass lags behind
(theory, eq. 100): ds/dt = rate (m - s), which over a step of h is s += (1 - exp(-rate h)) (m - s).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.upper_body.articulated import Articulated, Points
from vastus.control.upper_body.implicit_step import System
from vastus.errors import ModelError
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Load:
    """Masses [kg] from times [s] on, at a point (3,) [m] of a body's frame.

    With `inertia` it resists acceleration; without, it is a force, which only weighs.
    """

    body: str
    point: Floats
    times: tuple[float, ...]
    masses: tuple[float, ...]
    inertia: bool = False

    def __post_init__(self) -> None:
        if len(self.times) != len(self.masses) or not self.times or np.any(np.diff(self.times) < 0):
            raise ModelError("a load needs a mass for each of its times, which increase")
        if not all(np.isfinite(m) and m >= 0 for m in self.masses):
            raise ModelError(f"a mass of {min(self.masses):g} kg in a hand; it cannot be below 0")

    def mass(self, time: float) -> float:
        """[kg] at a time [s]."""
        k = int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1
        return self.masses[k] if k >= 0 else 0.0


def sensed(felt: Floats, true: Floats, rate: float | None, h: float) -> Floats:
    """What is felt after h [s] of what is `true`; without a rate [1/s] it is felt at once."""
    return true.copy() if rate is None else felt - np.expm1(-rate * h) * (true - felt)


class Carried:
    """Loads on a skeleton that is in some state."""

    def __init__(self, skeleton: Articulated, loads: Sequence[Load]) -> None:
        self.skeleton, self.loads = skeleton, tuple(loads)
        bodies = skeleton.body.bodies(*(load.body for load in loads))
        self.points = Points(bodies, np.array([load.point for load in loads]).reshape(-1, 3))

    def masses(self, time: float) -> Floats:
        """(l,) [kg] at a time [s]."""
        return np.array([load.mass(time) for load in self.loads])

    def arms(self) -> tuple[Floats, Floats]:
        """(l, 3, n) how loads move with the coordinates, and (l, 3) J' v [m/s^2], at the state."""
        if not self.loads:
            return np.zeros((0, 3, self.skeleton.model.nv)), np.zeros((0, 3))
        where = self.skeleton.positions(self.points)
        return self.skeleton.jacobian(self.points, where), self._drift(where)

    def _drift(self, where: Floats) -> Floats:
        """(l, 3) J' v [m/s^2] of loads at (l, 3) that resist acceleration, and zeros."""
        mj, model, data = self.skeleton.mj, self.skeleton.model, self.skeleton.data
        rate, drift = np.zeros((3, model.nv)), np.zeros_like(where)
        for k, load in enumerate(self.loads):
            if load.inertia:
                mj.mj_jacDot(model, data, rate, None, where[k], int(self.points.bodies[k]))
                drift[k] = rate @ data.qvel
        return drift

    def weights(self, arms: tuple[Floats, Floats], masses: Floats) -> Floats:
        """(n,) [N m or N] what loads of masses (l,) [kg] weigh on the joints."""
        return np.asarray(np.einsum("l,lin,i->n", masses, arms[0], self.skeleton.model.opt.gravity))

    def add(self, system: System, arms: tuple[Floats, Floats], masses: Floats, h: float) -> System:
        """The system of a step of h [s] with loads of masses (l,) [kg] besides."""
        A, b = system
        gravity = self.skeleton.model.opt.gravity
        for load, J, drift, mass in zip(self.loads, *arms, masses, strict=True):
            if mass == 0.0:
                continue
            b = b + h * mass * (J.T @ (gravity - drift if load.inertia else gravity))
            A = A + mass * (J.T @ J) if load.inertia else A
        return System(A, b)
