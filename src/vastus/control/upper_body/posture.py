"""Postures: where all joints are when bodies shall be somewhere, with the least strain.

Of all coordinates q that put bodies to their goals, the one is taken that strains springs of joints
and ties least:

    minimise 1/2 sum k (q - q0)^2 + 1/2 sum kt |gap|^2 + w/2 |x - x*|^2 + r/2 |log(R* R^T)|^2

over driven and passive joints alike. Ribs, cartilages and sternum then follow the spine, and the
posture asks no muscle to open the rib cage. Gauss-Newton steps, damped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.upper_body.articulated import Articulated, Points
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.implicit_step import solved
from vastus.errors import ModelError
from vastus.numerics.rotation import exp_map, log_map
from vastus.numerics.types import Floats

PLACE, TURN = 3e6, 3e5  # w [N/m], r [N m/rad]: dear beside what springs of a body weigh
NEAR, ALIGNED = 2e-3, np.radians(0.5)  # [m], [rad] from the goal that are there
EXACT, ITERATIONS, HALVINGS = 1e-7, 100, 12


@dataclass(frozen=True, eq=False)
class Goal:
    """Where a body shall be: moved by `shift` (3,) [m] and turned by `turn` (3,) [rad] from rest.

    Axes are the world's; a turn is about the body's own origin. None is free.
    """

    body: str
    shift: Floats | None = None
    turn: Floats | None = None


def posture(
    dynamics: Dynamics,
    goals: Sequence[Goal],
    *,
    joints: Mapping[str, float] | None = None,
    start: Floats | None = None,
) -> Floats:
    """(n,) the coordinates with the least strain that meet the goals; some `joints` are given.

    A `ModelError` tells how near the nearest posture is to goals that cannot be met.
    """
    body, skeleton = dynamics.body, dynamics.skeleton
    q = dynamics.rest.copy() if start is None else start.copy()
    fixed = body.dofs(joints or {})
    q[fixed] = list((joints or {}).values())
    free = np.setdiff1d(np.arange(len(q)), fixed)
    problem = _Strain(dynamics, goals)
    r, J = problem.residual(q), problem.jacobian()
    for _ in range(ITERATIONS):
        Jf = J[:, free]
        step, length = -solved(Jf.T @ Jf + 1e-9 * np.eye(len(free)), Jf.T @ r), 1.0
        length = min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        for _ in range(HALVINGS):
            trial = q.copy()
            trial[free] += length * step
            after = problem.residual(trial)
            if after @ after <= r @ r:
                break
            length *= 0.5
        else:
            break
        q, r, J = trial, after, problem.jacobian()
        if length * np.abs(step).max(initial=0.0) < EXACT:
            break
    _require_met(skeleton, goals, q, problem)
    return q


class _Strain:
    """The residuals whose squares are twice what is least."""

    def __init__(self, dynamics: Dynamics, goals: Sequence[Goal]) -> None:
        self.dynamics, self.skeleton = dynamics, dynamics.skeleton
        self.goals = goals
        self.numbers = dynamics.body.bodies(*(goal.body for goal in goals))
        self.skeleton.place(dynamics.rest)
        self.x0, self.R0 = (values[self.numbers] for values in self.skeleton.frames())
        self.stiff = np.sqrt(np.maximum(dynamics.spring, 1e-2))
        self.tied = np.sqrt(np.repeat(dynamics.tie_spring, 3))

    def errors(self) -> list[tuple[Floats | None, Floats | None]]:
        """How far each body is from its place (3,) [m] and its turn (3,) [rad]."""
        places, rotations = (values[self.numbers] for values in self.skeleton.frames())
        out = []
        for k, goal in enumerate(self.goals):
            there = None if goal.shift is None else places[k] - self.x0[k] - goal.shift
            turned = None if goal.turn is None else _turned(rotations[k] @ self.R0[k].T, goal.turn)
            out.append((there, turned))
        return out

    def residual(self, q: Floats) -> Floats:
        """(r,) at coordinates q (n,)."""
        at = self.dynamics.at(q, np.zeros_like(q))
        self.at = at
        parts = [self.stiff * (q - self.dynamics.rest), self.tied * at.gaps.ravel()]
        for there, turned in self.errors():
            parts += [np.sqrt(PLACE) * there] if there is not None else []
            parts += [np.sqrt(TURN) * turned] if turned is not None else []
        return np.concatenate(parts)

    def jacobian(self) -> Floats:
        """(r, n) of the residuals where they were last asked for."""
        n = len(self.stiff)
        rows = [np.diag(self.stiff), self.tied[:, None] * self.at.gap_arms.reshape(-1, n)]
        moves = self.skeleton.jacobian(Points(self.numbers, np.zeros((len(self.numbers), 3))))
        turns = self.skeleton.turning(self.numbers)
        for k, goal in enumerate(self.goals):
            rows += [np.sqrt(PLACE) * moves[k]] if goal.shift is not None else []
            rows += [np.sqrt(TURN) * turns[k]] if goal.turn is not None else []
        return np.concatenate(rows)


def _turned(R: Floats, turn: Floats) -> Floats:
    """(3,) [rad] the rotation that is left from the wanted one to R (3, 3)."""
    return np.asarray(log_map((R @ exp_map(turn[None])[0].T)[None])[0])


def _require_met(skeleton: Articulated, goals: Sequence[Goal], q: Floats, problem: _Strain) -> None:
    skeleton.place(q)
    for goal, (there, turned) in zip(goals, problem.errors(), strict=True):
        away = 0.0 if there is None else float(np.linalg.norm(there))
        angle = 0.0 if turned is None else float(np.linalg.norm(turned))
        if away > NEAR or angle > ALIGNED:
            raise ModelError(
                f"'{goal.body}' cannot be put where it shall be: the nearest posture leaves it "
                f"{1e3 * away:.0f} mm and {np.degrees(angle):.1f} degrees away"
            )
