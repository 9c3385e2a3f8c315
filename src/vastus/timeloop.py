"""The only time loop: a generator of frames. Writers, viewers and progress bars consume it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from vastus.errors import SolveError
from vastus.measure import Outputs
from vastus.measure_overlap import Penetrations, deepest
from vastus.model import Model
from vastus.motion import Frame, Inputs, Report, State, rest
from vastus.numerics.minimise import Moment, Watch


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
