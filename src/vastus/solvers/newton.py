"""Newton's method on the full elements: the referee that other solvers are measured against."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from vastus.errors import SolveError
from vastus.model import Model
from vastus.motion import Inputs, Report, State
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.solvers.direction import NewtonDirection
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction

SMALLEST_SUBSTEP = 1.0 / 256.0


@dataclass(frozen=True)
class Newton:
    """True Hessian first, projected where it is indefinite, line search, sub-steps on failure.

    A step has converged when the norm of the out-of-balance forces is below `tolerance` times
    the size of the forces that balance.
    """

    tolerance: float = 1e-8
    max_iterations: int = 100
    reduction: Reduction = Reduction()  # noqa: RUF009  (a frozen value)

    def prepare(self, model: Model) -> NewtonStepper:
        """Analyse the model once; the stepper keeps the factorisation's symbolic part."""
        return NewtonStepper(self, model)


class NewtonObjective(Equilibrium):
    """An equilibrium whose descent direction is Newton's."""

    def __init__(self, problem: Problem, inputs: Inputs, direction: NewtonDirection) -> None:
        super().__init__(problem, inputs)
        self._direction = direction

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """Newton's direction."""
        return self._direction(self, q, g)


class NewtonStepper:
    """Newton's method prepared for one model."""

    def __init__(self, settings: Newton, model: Model) -> None:
        self.problem = Problem(model, settings.reduction)
        self._rule = Rule(settings.tolerance, settings.max_iterations)
        self._direction = NewtonDirection(self.problem)

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The equilibrium at `inputs`, reached from `state`, by sub-steps if need be."""
        began, done, share, substeps = time.perf_counter(), 0.0, 1.0, 0
        self._direction.count = self._direction.projected = 0
        first = state
        while done < 1.0:
            share = min(share, 1.0 - done)
            ahead = inputs if done + share == 1.0 else first.inputs.towards(inputs, done + share)
            try:
                outcome = self._solve(state, ahead, watch)
            except SolveError as error:
                if share <= SMALLEST_SUBSTEP:
                    raise SolveError(
                        f"no equilibrium at {ahead.time:.4g} s: {error}", state
                    ) from error
                share *= 0.5
            else:
                done, share, substeps = done + share, 2.0 * share, substeps + 1
                state = outcome.point.state(ahead)
        report = Report(
            converged=True,
            iterations=self._direction.count,
            residual=outcome.history[-1],
            load=outcome.load,
            energy=outcome.value,
            substeps=substeps,
            projected=self._direction.projected,
            history=outcome.history,
        )
        return state, replace(report, seconds=time.perf_counter() - began)

    def _solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """The equilibrium at `inputs`; a `SolveError` says why there is none."""
        objective = NewtonObjective(self.problem, inputs, self._direction)
        outcome = minimise(objective, self._start(state, inputs), self._rule, watch)
        if not outcome.converged:
            raise SolveError(self._failure(outcome))
        return outcome

    def _start(self, state: State, inputs: Inputs) -> Configuration:
        """The old state with pins and driven bones moved, and the tissue following linearly."""
        problem = self.problem
        poses = problem.driven_poses(state.poses, inputs)
        moved = problem.place(problem.pinned(state.x), poses)
        shift = moved.x - state.x
        if not shift.any():
            return moved
        old = Configuration(problem, state.x, state.poses)
        follow = self._direction.follow(Equilibrium(problem, state.inputs), old, shift)
        x = moved.x.copy()
        x.reshape(-1)[problem.unknowns.free] += follow
        return problem.configure(x, moved.poses)

    def _failure(self, outcome: Outcome[Configuration]) -> str:
        """What went wrong, how far it got, and where it is worst."""
        target = self._rule.tolerance * outcome.load
        return (
            f"{outcome.sentence} (residual {outcome.history[-1]:.3g} N, wanted {target:.3g} N); "
            f"{self._worst(outcome)}"
        )

    def _worst(self, outcome: Outcome[Configuration]) -> str:
        model, q = self.problem.model, outcome.point
        J = np.linalg.det(q.F)
        tet = int(np.argmin(np.where(np.isfinite(J), J, -np.inf)))
        if not J[tet] > 0.05:
            name = model.regions[model.region[model.soft[tet]]].name
            return f"tet {model.soft[tet]} of '{name}' has volume ratio {J[tet]:.3g}"
        k = q.chart.size
        if np.linalg.norm(outcome.gradient[:k]) > np.linalg.norm(outcome.gradient[k:]):
            bones = ", ".join(model.bones[b].name for b in self.problem.skeleton.free)
            return f"the forces on the free bones ({bones}) do not balance"
        scalar = self.problem.unknowns.free[int(np.argmax(np.abs(outcome.gradient[k:])))]
        tets = model.soft[(scalar // 3 == self.problem.elastic.T).any(axis=1)]
        place = ", ".join(f"{c:.3f}" for c in q.x[scalar // 3])
        name = model.regions[model.region[tets[0]]].name
        return f"worst at vertex {scalar // 3} of '{name}' near ({place}) m"
