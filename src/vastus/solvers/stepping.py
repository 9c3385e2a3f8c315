"""What every quasi-static solver does around its minimisation: sub-steps, reports, failures."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Outcome, Watch
from vastus.solvers.problem import Configuration, Problem
from vastus.state import Report, State

SMALLEST_SUBSTEP = 1.0 / 256.0


@dataclass
class Effort:
    """What a step has cost so far."""

    iterations: int = 0
    projected: int = 0  # iterations that needed a projected Hessian


class QuasiStaticStepper(ABC):
    """A solver prepared for one model; a subclass finds one equilibrium, this class the way."""

    problem: Problem
    effort: Effort
    dt: float | None = None  # any distance is one step
    gauge: str = "residual {0:.3g} N, wanted {1:.3g} N"  # what the minimiser's rule compares

    @abstractmethod
    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """The equilibrium at `inputs`, sought from `state`; not converged if there is none."""

    def begin(self, state: State) -> State:
        """The state as it is: what a static method remembers, it finds out in its first step."""
        return state

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The equilibrium at `inputs`, reached from `state`, by sub-steps if need be."""
        with lone_blas():
            return self._reached(state, inputs, watch)

    def _reached(self, state: State, inputs: Inputs, watch: Watch | None) -> tuple[State, Report]:
        began, done, share, substeps = time.perf_counter(), 0.0, 1.0, 0
        self.effort.iterations = self.effort.projected = 0
        first = self.problem.before(state)
        while done < 1.0:
            share = min(share, 1.0 - done)
            ahead = inputs if done + share == 1.0 else first.towards(inputs, done + share)
            try:
                outcome = self._converged(state, ahead, watch)
            except SolveError as error:
                if share <= SMALLEST_SUBSTEP:
                    sentence = f"no equilibrium at {ahead.time:.4g} s: {error}"
                    raise SolveError(sentence, state) from error
                share *= 0.5
            else:
                done, share, substeps = done + share, 2.0 * share, substeps + 1
                state = outcome.point.state(ahead)
                if outcome.stopped:
                    break
        report = self.report(outcome, substeps)
        return state, replace(report, seconds=time.perf_counter() - began)

    def _converged(
        self, state: State, inputs: Inputs, watch: Watch | None
    ) -> Outcome[Configuration]:
        outcome = self.solve(state, inputs, watch)
        if not (outcome.converged or outcome.stopped):
            raise SolveError(
                f"{outcome.sentence} ({self.gauge.format(outcome.history[-1], outcome.target)}); "
                f"{worst_place(outcome)}"
            )
        return outcome

    def report(self, outcome: Outcome[Configuration], substeps: int) -> Report:
        """How the step was solved."""
        return Report(
            converged=outcome.converged,
            iterations=self.effort.iterations,
            residual=outcome.history[-1],
            load=outcome.load,
            energy=outcome.value,
            substeps=substeps,
            projected=self.effort.projected,
            history=outcome.history,
            sentence=outcome.sentence,
        )


def worst_place(outcome: Outcome[Configuration]) -> str:
    """Where a failed solve is worst: a collapsed tet, an unbalanced bone, or a vertex."""
    q = outcome.point
    J = np.linalg.det(q.F)
    tet = int(np.argmin(np.where(np.isfinite(J), J, -np.inf)))
    if not J[tet] > 0.05:
        return f"{_name(q, tet)} has volume ratio {J[tet]:.3g}"
    k = q.chart.size
    if np.linalg.norm(outcome.gradient[:k]) > np.linalg.norm(outcome.gradient[k:]):
        model = q.problem.model
        bones = ", ".join(model.bones[b].name for b in q.problem.skeleton.free)
        return f"the forces on the free bones ({bones}) do not balance"
    scalar = q.problem.unknowns.free[int(np.argmax(np.abs(outcome.gradient[k:])))]
    near = int(np.flatnonzero((scalar // 3 == q.problem.elastic.T).any(axis=1))[0])
    place = ", ".join(f"{c:.3f}" for c in q.x[scalar // 3])
    return f"worst at vertex {scalar // 3} of {_name(q, near)} near ({place}) m"


def _name(q: Configuration, soft: int) -> str:
    """A soft tet by its number in the mesh and its region."""
    model = q.problem.model
    tet = model.soft[soft]
    return f"tet {tet} of '{model.regions[model.region[tet]].name}'"
