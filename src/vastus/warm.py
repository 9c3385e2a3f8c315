"""Steps timed fairly: compiling kernels and analysing matrices come before the clock starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.model import Model
from vastus.motion import Inputs, Report, State
from vastus.numerics.minimise import Moment, Watch
from vastus.numerics.psd import project_psd
from vastus.timeloop import Solver, Stepper


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
