"""The only time loop, a generator of frames, and what it takes: solver, controller, observers.

Writers, viewers, tables and progress bars consume it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Protocol

import numpy as np

from vastus.errors import ModelError, SolveError
from vastus.geometry.penetration import Penetration
from vastus.inputs import Inputs, Schedule
from vastus.measure.outputs import Outputs
from vastus.measure.overlap import Penetrations, deepest
from vastus.model import Model
from vastus.numerics.minimise import Moment, Watch
from vastus.numerics.psd import project_psd
from vastus.state import Frame, Report, State, rest


class Controller(Protocol):
    """Says what drives the model, knowing where it is; a `Schedule` is one that does not look."""

    def inputs(self, time: float, state: State) -> Inputs:
        """The inputs that lead from `state` to a time [s]."""


class Stepper(Protocol):
    """A solver prepared for one model: it owns the factorisations, and remembers nothing else."""

    dt: float | None = None  # [s] the longest step; None if any distance is one, as in statics

    def begin(self, state: State) -> State:
        """The state with what the method must remember: nothing, unless it says so."""
        return state

    @abstractmethod
    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs.time`, reached from `state`."""


class Solver(Protocol):
    """A solver's settings: a frozen value."""

    def prepare(self, model: Model) -> Stepper:
        """The solver made ready for a model."""


class Observer(Protocol):
    """Measures a state."""

    def of(self, state: State) -> Mapping[str, float]:
        """Scalars by name."""


@dataclass(frozen=True)
class Progress:
    """Where a simulation is: frame of frames, and the residual [N] of its present iteration."""

    step: int
    steps: int
    iteration: int
    residual: float
    target: float


ProgressWatch = Callable[[Progress], object]  # an answer of True ends the simulation


def simulate(
    model: Model,
    solver: Solver,
    controller: Controller | Sequence[Inputs],
    *,
    times: Sequence[float] | None = None,
    observers: Sequence[Observer] = (),
    measured: bool = True,
    gauges: Gauges | None = None,
    start: State | None = None,
    first: int = 0,
    watch: ProgressWatch | None = None,
) -> Iterator[Frame]:
    """Frames at the `times` [s] from the `first` on, each reached from the one before.

    A schedule has its own times; any other controller needs them. Each frame is measured, unless
    `measured` is false, and `observers` add to its outputs; `gauges` of the same model stand for
    both, so that they need not be made again. `start` is the state before the first
    frame (at rest unless given), at whatever time it was reached. A step that fails raises
    `SolveError`, whose `state` is the last good one.
    """
    _require_solver(solver)
    plan = _plan(controller, times)
    gauges = gauges or Gauges(model, observers, measured)
    return _frames(solver, plan, gauges, start or rest(model), first, watch)


def _frames(
    solver: Solver,
    plan: Plan,
    gauges: Gauges,
    state: State,
    first: int,
    watch: ProgressWatch | None,
) -> Iterator[Frame]:
    stepper = solver.prepare(gauges.model)
    if plan.times and first == 0 and state.time > plan.times[0]:
        state = replace(state, time=plan.times[0])  # it was reached by other inputs
    state, count = stepper.begin(state), len(plan.times)
    for index in range(first, count):
        stop, before = _Stop(watch, index, count) if watch else None, state
        try:
            state, report, inputs = _advance(stepper, state, plan, index, stop)
        except SolveError as error:
            raise SolveError(f"frame {index} of {count}: {error}", error.state) from error
        if stop and stop.asked:
            return
        outputs, inside = gauges.of(state, before)
        yield Frame(index, state, report, outputs, inside, gauges.model, inputs)


class Gauges:
    """What is measured in each frame."""

    def __init__(
        self, model: Model, observers: Sequence[Observer] = (), measured: bool = True
    ) -> None:
        self.model, self._observers, self._measured = model, tuple(observers), measured

    @cached_property
    def _own(self) -> tuple[Outputs, Penetrations] | None:
        return (Outputs(self.model), Penetrations(self.model)) if self._measured else None

    def of(self, state: State, before: State) -> tuple[dict[str, float], tuple[Penetration, ...]]:
        """Scalars by name, and the bodies in each other, after the state `before`."""
        values: dict[str, float] = {}
        inside: tuple[Penetration, ...] = ()
        if self._own:
            inside = self._own[1].of(state.x)
            values |= self._own[0].of(state, before) | deepest(inside)
        for observer in self._observers:
            values |= observer.of(state)
        return values, inside


@dataclass(frozen=True)
class Plan:
    """The times [s] of the frames, and who drives the model towards them."""

    times: Sequence[float]
    controller: Controller

    def inputs(self, index: int, time: float, state: State) -> Inputs:
        """The inputs that lead to a time on the way to a frame."""
        if isinstance(self.controller, Schedule) and time == self.times[index]:
            return self.controller[index]  # of several at one time, each has its turn
        return self.controller.inputs(time, state)


def _plan(controller: Controller | Sequence[Inputs], times: Sequence[float] | None) -> Plan:
    if isinstance(controller, Sequence):
        schedule = controller if isinstance(controller, Schedule) else Schedule(controller)
        if times is None:
            return Plan(schedule.times, schedule)
        schedule = Schedule([schedule.inputs(time) for time in times])
        return Plan(schedule.times, schedule)
    if not hasattr(controller, "inputs"):
        raise ModelError(
            f"{_called(controller)} drives no model; give inputs such as vastus.ramp(...), or a "
            "controller with a method inputs(time, state)"
        )
    if times is None:
        raise ModelError(f"{_called(controller)} has no times of its own; give times=[...] [s]")
    return Plan([float(time) for time in times], controller)


def _advance(
    stepper: Stepper, state: State, plan: Plan, index: int, watch: Watch | None
) -> tuple[State, Report, Inputs]:
    """The state at the time of a frame, by one step or by as many as the stepper needs."""
    due = plan.times[index]
    if stepper.dt is None:
        inputs = plan.inputs(index, due, state)
        return *stepper.step(state, inputs, watch), inputs
    inputs, report = plan.inputs(index, state.time, state), _NO_STEP
    while state.time < due - 1e-9 * stepper.dt:
        # Steps of one frame are equally long, and the last ends at the frame exactly.
        left = max(1, ceil((due - state.time) / stepper.dt - 1e-6))
        time = due if left == 1 else state.time + (due - state.time) / left
        inputs = plan.inputs(index, time, state)
        state, step = stepper.step(state, inputs, watch)
        report = _with_effort(report, step)
        if isinstance(watch, _Stop) and watch.asked:
            break
    return state, report, inputs


def _with_effort(before: Report, step: Report) -> Report:
    """The report of a step, with the effort of those before it in its frame."""
    return replace(
        step,
        iterations=before.iterations + step.iterations,
        substeps=before.substeps + step.substeps,
        projected=before.projected + step.projected,
        seconds=before.seconds + step.seconds,
    )


_NO_STEP = Report(True, 0, 0.0, 0.0, 0.0, substeps=0, sentence="the time had come already")


class _Stop:
    """Tells a watch of a simulation's iterations, and whether it has asked to stop."""

    def __init__(self, watch: ProgressWatch, step: int, steps: int) -> None:
        self._watch, self._step, self._steps = watch, step, steps
        self.asked = False

    def __call__(self, at: Moment) -> bool:
        progress = Progress(self._step, self._steps, at.iteration, at.residual, at.target)
        self.asked = self._watch(progress) is True
        return self.asked


def _require_solver(solver: object) -> None:
    if isinstance(solver, type):
        raise ModelError(f"{solver.__name__} is a kind of solver; give one: {solver.__name__}()")
    if not hasattr(solver, "prepare"):
        raise ModelError(f"{_called(solver)} is no solver; give one such as vastus.QuasiNewton()")


def _called(thing: object) -> str:
    name = type(thing).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


@dataclass(frozen=True)
class Warm:
    """A solver that tries its first step before it makes it: only the second time is reported.

    So compiling kernels and analysing matrices come before the clock starts. A trial ends after
    so many iterations; one that needed none is tried again at the next step.
    """

    solver: Solver
    iterations: float = float("inf")

    def prepare(self, model: Model) -> WarmStepper:
        """The solver made ready for a model."""
        return WarmStepper(self.solver.prepare(model), self.iterations)


class WarmStepper:
    """A stepper that is warm before its first step."""

    def __init__(self, stepper: Stepper, iterations: float = float("inf")) -> None:
        self._stepper, self._iterations = stepper, iterations
        self._warm = False
        self.dt = stepper.dt

    def begin(self, state: State) -> State:
        """The state with what the method must remember."""
        return self._stepper.begin(state)

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs`, reached from `state`."""
        self._warm = self._warm or warm_up(self._stepper, state, inputs, self._iterations, watch)
        return self._stepper.step(state, inputs, watch)


def warm_up(
    stepper: Stepper,
    state: State,
    inputs: Inputs,
    iterations: float = float("inf"),
    watch: Watch | None = None,
) -> bool:
    """Try a step, for so many iterations at most; whether there was anything to do."""
    # Needed only where a Hessian is indefinite, which may be in a later step.
    project_psd(np.eye(9)[None].copy())

    def enough(at: Moment) -> bool:
        return (watch is not None and watch(at) is True) or at.iteration >= iterations

    return stepper.step(state, inputs, enough)[1].iterations > 0
