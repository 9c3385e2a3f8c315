"""What every quasi-static solver does around its minimisation: sub-steps, reports, failures."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Outcome, Watch
from vastus.numerics.types import Floats
from vastus.solvers.branch import TINY, Doubt, Leap, doubt
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.state import Report, State

# Of a way that could not be gone at once: what a sub-step is at most. A longer one may leap over a
# stretch of the path on which its branch is unstable, and come down on it beyond.
WARY = 0.125
SPARE = 1.1  # of a sub-step: how long the last may be, rather than leave next to nothing


@dataclass
class Effort:
    """What a step has cost so far."""

    iterations: int = 0
    projected: int = 0  # iterations that needed a projected Hessian
    share: float = 1.0  # of the projection, that the last of them needed


class QuasiStaticStepper(ABC):
    """A solver prepared for one model; a subclass finds one equilibrium, this class the way."""

    problem: Problem
    effort: Effort
    dt: float | None = None  # any distance is one step
    gauge: str = "residual {0:.3g} N, wanted {1:.3g} N"  # what the minimiser's rule compares
    smallest: float = 1.0 / 256.0  # part of a step that is still halved
    exact: bool = False  # whether what it finds is an equilibrium, so that its energy can be judged

    @abstractmethod
    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """The equilibrium at `inputs`, sought from `state`; not converged if there is none."""

    def stronger(self) -> QuasiStaticStepper | None:
        """A slower method for what this one cannot solve, if there is one."""
        return None

    @property
    def strongest(self) -> bool:
        """Whether the last equilibrium was sought by a method that no stronger one would better."""
        return self.stronger() is None

    def begin(self, state: State) -> State:
        """The state as it is: what a static method remembers, it finds out in its first step."""
        return state

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The equilibrium at `inputs`, reached from `state`, by sub-steps if need be."""
        with lone_blas():
            began = time.perf_counter()
            # Nothing but the state is remembered from step to step, so that a run can be resumed.
            self.effort.iterations, self.effort.projected, self.effort.share = 0, 0, 1.0
            state, report = _Way(self, state, inputs, watch).end()
        return state, replace(report, seconds=time.perf_counter() - began)

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

    def attempt(
        self, state: State, inputs: Inputs, watch: Watch | None
    ) -> tuple[Outcome[Configuration] | None, str]:
        """What `solve` finds, and why that is no equilibrium, if it is none."""
        try:
            outcome = self.solve(state, inputs, watch)
        except SolveError as error:
            return None, str(error)
        if outcome.converged or outcome.stopped:
            return outcome, ""
        reached = self.gauge.format(outcome.history[-1], outcome.target)
        return None, f"{outcome.sentence} ({reached}); {worst_place(outcome)}"


class _Way:
    """From one state to the equilibrium at other inputs, in sub-steps that stay on one branch.

    A sub-step that fails, or that ends where the path does not lead, is made smaller; when that
    does not help, the stronger method takes over for it. What even that repeats in small steps is a
    property of the model: it is accepted and said, unless no path can lead there.
    """

    def __init__(
        self, stepper: QuasiStaticStepper, state: State, inputs: Inputs, watch: Watch | None
    ) -> None:
        self._own = self._method = stepper
        self._state, self._watch = state, watch
        self._first, self._last = stepper.problem.before(state), inputs
        self._whole = inputs.whole(stepper.problem.usual)
        self._done, self._share, self._grow, self._most = 0.0, 1.0, 2.0, 1.0
        self._told: dict[str, None] = {}  # in order, each once
        if objection := stepper.problem.objection(state):
            raise SolveError(f"no equilibrium at {inputs.time:.4g} s: {objection}", state)

    def end(self) -> tuple[State, Report]:
        """The state at the end of the way, and how it was reached."""
        substeps, outcome = 0, None
        while outcome is None or (self._done < 1.0 and not outcome.stopped):
            self._share = min(self._share, 1.0 - self._done)
            found = self._substep()
            if found is not None:
                outcome, substeps = found, substeps + 1
        report = self._own.report(outcome, substeps)
        said = "; ".join([report.sentence, *self._told])
        return self._state, replace(report, sentence=said)

    def _at(self, done: float) -> Inputs:
        """What drives the model after so much of the way."""
        return self._first.towards(self._whole, done) if done < 1.0 else self._whole

    def _substep(self) -> Outcome[Configuration] | None:
        """Go on by the present share if that works; else make it smaller or change the method."""
        now, ahead = self._at(self._done), self._at(self._done + self._share)
        before = self._own.problem.driven(self._state, now)
        leap = Leap(before, now, self._watch) if self._cautious else None
        outcome, failure = self._method.attempt(self._state, ahead, leap or self._watch)
        if outcome is None:
            self._retry(ahead, Doubt(failure))
            return None
        found = leap.doubt if leap else None
        if not outcome.stopped:
            found = doubt(before, now, outcome, ahead, energy=self._exact)
        if found and not (found.bearable and self._patient(found.patience)):
            self._retry(ahead, found)
            return None
        if found and found.sentence:
            self._told[found.sentence] = None
        self._done += self._share
        # What was too long a moment ago would be so again.
        share, left = min(self._share * self._grow, self._most), 1.0 - self._done
        self._share, self._grow = left if left <= SPARE * share else share, 2.0
        self._state = outcome.point.state(self._last if self._done == 1.0 else ahead)
        self._method = self._own  # the stronger one was for this part
        return outcome

    @property
    def _exact(self) -> bool:
        """Whether energy can be accounted for: what friction wastes, none at the end tells."""
        return self._own.exact and not self._own.problem.during(self._state)

    @property
    def _cautious(self) -> bool:
        """Whether a step that is seen to be too long would be made smaller."""
        return self._exact and self._share > TINY

    def _patient(self, patience: float) -> bool:
        """Whether all has been tried: small steps, by the strongest method."""
        return self._share <= patience and self._method.strongest

    def _retry(self, ahead: Inputs, found: Doubt) -> None:
        """Make the step smaller, or else change the method, or else give up."""
        least = found.patience or self._method.smallest
        if self._share > least:
            self._share, self._grow = max(found.shorter * self._share, least), 1.0
            self._most = WARY
            return
        stronger = self._method.stronger()
        if stronger is None:
            sentence = f"no equilibrium at {ahead.time:.4g} s: {found.sentence}"
            raise SolveError(sentence, self._state)
        self._method = stronger


class Follower(Protocol):
    """Something that knows how tissue follows what is moved."""

    def follow(self, objective: Equilibrium, q: Configuration, shift: Floats) -> Floats:
        """(f,) how the free scalars follow a shift (n, 3) of everything else, to first order."""


def followed(stiffness: Follower, problem: Problem, state: State, inputs: Inputs) -> Configuration:
    """The old state with pins and driven bones moved, and the tissue following linearly."""
    moved = problem.driven(state, inputs)
    shift = moved.x - state.x
    if np.abs(shift).max() <= 1e-12 * np.abs(state.x).max():
        return moved
    old, answer = Configuration(problem, state.x, state.poses), Equilibrium(problem, inputs)
    x = moved.x.copy()
    x.reshape(-1)[problem.unknowns.free] += stiffness.follow(
        Equilibrium(problem, Inputs.of(state)), old, shift
    )
    start = problem.configure(x, moved.poses, moved.skeleton)
    if answer.allowed(old, start.x - old.x) < 1.0:
        raise SolveError("what is driven runs into tissue that cannot give way in one step")
    return start


def worst_place(outcome: Outcome[Configuration]) -> str:
    """Where a failed solve is worst: a collapsed tet, an unbalanced bone, or a vertex."""
    q = outcome.point
    J = np.linalg.det(q.F)
    crushed = np.flatnonzero(~(J > 0.05))
    if len(crushed):
        tet = int(crushed[np.argmin(np.where(np.isfinite(J[crushed]), J[crushed], -np.inf))])
        return f"{q.tet_name(tet)} has volume ratio {J[tet]:.3g}"
    k = q.chart.size
    if np.linalg.norm(outcome.gradient[:k]) > np.linalg.norm(outcome.gradient[k:]):
        model = q.problem.model
        bones = ", ".join(model.bones[b].name for b in q.problem.skeleton.free)
        return f"the forces on the free bones ({bones}) do not balance"
    scalar = q.problem.unknowns.free[int(np.argmax(np.abs(outcome.gradient[k:])))]
    near = int(np.flatnonzero((scalar // 3 == q.problem.elastic.T).any(axis=1))[0])
    place = ", ".join(f"{c:.3f}" for c in q.x[scalar // 3])
    return f"worst at vertex {scalar // 3} of {q.tet_name(near)} near ({place}) m"
