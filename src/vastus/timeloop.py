"""The only time loop: a generator of frames. Writers, viewers and progress bars consume it.

Steps timed fairly: compiling kernels and analysing matrices come before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vastus.errors import SolveError
from vastus.measure.outputs import Outputs
from vastus.measure.overlap import Penetrations, deepest
from vastus.model import Model
from vastus.motion import Frame, Inputs, Report, State, rest
from vastus.numerics.minimise import Moment, Watch
from vastus.numerics.psd import project_psd


class Stepper(Protocol):
    """A solver prepared for one model: it owns the factorisations."""

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs`, reached from `state`."""


class Solver(Protocol):
    """A solver's settings: a frozen value."""

    def prepare(self, model: Model) -> Stepper:
        """The solver made ready for a model."""


@dataclass(frozen=True)
class Progress:
    """Where a simulation is: step of steps, and the residual [N] of its present iteration."""

    step: int
    steps: int
    iteration: int
    residual: float
    target: float


def simulate(
    model: Model,
    solver: Solver,
    inputs: Sequence[Inputs],
    *,
    start: State | None = None,
    first: int = 0,
    watch: Callable[[Progress], None] | None = None,
) -> Iterator[Frame]:
    """Frames at each of the inputs from the `first` on, each reached from the one before.

    `start` is the state before the first (at rest unless given). A step that finds no equilibrium
    raises `SolveError`, whose `state` is the last good one.
    """
    stepper = solver.prepare(model)
    outputs, penetrations = Outputs(model), Penetrations(model)
    state = start if start is not None else rest(model)
    for index in range(first, len(inputs)):
        step_watch = _numbered(watch, index, len(inputs)) if watch else None
        try:
            state, report = stepper.step(state, inputs[index], step_watch)
        except SolveError as error:
            raise SolveError(f"frame {index} of {len(inputs)}: {error}", error.state) from error
        found = penetrations.of(state.x)
        yield Frame(index, state, report, outputs.of(state) | deepest(found), found, model)


def _numbered(watch: Callable[[Progress], None], step: int, steps: int) -> Watch:
    def inner(at: Moment) -> None:
        watch(Progress(step, steps, at.iteration, at.residual, at.target))

    return inner


@dataclass(frozen=True)
class Warm:
    """A solver that tries its first step before it makes it: only the second time is reported.

    A trial ends after so many iterations; one that needed none is tried again at the next step.
    """

    solver: Solver
    iterations: float = float("inf")

    def prepare(self, model: Model) -> WarmStepper:
        """The solver made ready for a model."""
        return WarmStepper(self.solver.prepare(model), self.iterations)


class WarmStepper:
    """A stepper that is warm before its first step."""

    def __init__(self, stepper: Stepper, iterations: float) -> None:
        self._stepper, self._iterations = stepper, iterations
        self._warm = False

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs`, reached from `state`."""
        self._warm = self._warm or self._tried(state, inputs, watch)
        return self._stepper.step(state, inputs, watch)

    def _tried(self, state: State, inputs: Inputs, watch: Watch | None) -> bool:
        """Whether a trial of the step had anything to do."""
        # Needed only where a Hessian is indefinite, which may be in a later step.
        project_psd(np.eye(9)[None].copy())
        try:
            _, report = self._stepper.step(state, inputs, _until(self._iterations, watch))
        except Enough:
            return True
        return report.iterations > 0


class Enough(Exception):
    """A trial has done its part."""


def _until(iterations: float, watch: Watch | None) -> Watch:
    def inner(at: Moment) -> None:
        if watch:
            watch(at)
        if at.iteration >= iterations:
            raise Enough

    return inner
