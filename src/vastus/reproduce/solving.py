"""One solve as the experiments need it: followed, without sub-steps, kept where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from vastus.bench.runs import Timer, Trajectory, clock, follow
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment, Outcome, Watch
from vastus.numerics.types import Floats
from vastus.reproduce.experiment import Setting
from vastus.reproduce.kept import remembered
from vastus.solvers.newton import length
from vastus.solvers.problem import Configuration, Equilibrium
from vastus.solvers.stepping import QuasiStaticStepper
from vastus.state import Report, State, rest
from vastus.timeloop import Solver

Guard = Callable[[Moment], bool]


class Once:
    """A stepper that stays where its solver stopped, converged or not: no sub-steps, no error."""

    dt: float | None = None

    def __init__(self, stepper: QuasiStaticStepper, guards: tuple[Guard, ...] = ()) -> None:
        self._stepper, self._guards = stepper, guards
        self.stopped_by: Guard | None = None
        self.outcome: Outcome[Configuration] | None = None

    def begin(self, state: State) -> State:
        """The state with what the method must remember."""
        return self._stepper.begin(state)

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """Where one solve from `state` ends."""

        def guarded(at: Moment) -> bool:
            enough = watch is not None and watch(at) is True
            self.stopped_by = next((guard for guard in self._guards if guard(at)), None)
            return enough or self.stopped_by is not None

        outcome = self.outcome = self._stepper.solve(state, inputs, guarded)
        return outcome.point.state(inputs), self._stepper.report(outcome, 1)


class EnergyStops:
    """A guard that ends a solve on full elements as the paper does: by the change of the energy."""

    def __init__(self, stepper: QuasiStaticStepper, inputs: Inputs, change: float) -> None:
        self._objective = Equilibrium(stepper.problem, inputs)
        self._change, self._last = change, np.inf

    def __call__(self, at: Moment) -> bool:
        before, self._last = self._last, self._objective.value(at.place())
        return abs(self._last - before) < self._change


class TimeIsUp:
    """A guard that ends a solve after so many seconds, as those of laps are counted."""

    def __init__(self, seconds: float, timer: Timer) -> None:
        self._timer, self._end = timer, timer() + seconds

    def __call__(self, at: Moment) -> bool:
        return self._timer() > self._end


@dataclass(frozen=True)
class Run:
    """How a solve went: errors are in per cent of the rest length."""

    trajectory: Trajectory
    converged: bool
    hausdorff: float  # [%]

    @property
    def iterations(self) -> int:
        """How many iterations were made."""
        return len(self.trajectory.errors) - 1

    @property
    def error(self) -> float:
        """The largest vertex distance at the end [%]."""
        return 100.0 * self.trajectory.errors[-1]

    @property
    def seconds(self) -> float:
        """The time until the end."""
        return self.trajectory.seconds[-1]


def kept_run(setting: Setting, name: str, compute: Callable[[], Run]) -> Run:
    """How a solve of an interrupted run went, by name, or one that is run now and kept.

    Where it ended is not kept, and left out in both cases.
    """

    def numbers() -> dict[str, Any]:
        found = compute()
        return {
            "seconds": found.trajectory.seconds,
            "errors": found.trajectory.errors,
            "converged": bool(found.converged),
            "hausdorff": float(found.hausdorff),
        }

    known = remembered(setting, name, numbers)
    return Run(
        Trajectory(known["seconds"], known["errors"]), known["converged"], known["hausdorff"]
    )


def run(solver: Solver, model: Model, inputs: Inputs, truth: Floats) -> Run:
    """One solve from rest, to the solver's own stop; `truth` (n, 3) is the right answer."""
    return run_prepared(Once(solver.prepare(model)), model, inputs, truth)  # type: ignore[arg-type]


def run_prepared(
    once: Once, model: Model, inputs: Inputs, truth: Floats, timer: Timer = clock
) -> Run:
    """The same with a stepper that is ready."""
    trajectory = follow(once, rest(model), inputs, truth, length(model), timer=timer)
    assert trajectory.state is not None
    assert once.outcome is not None
    converged = once.outcome.converged or once.stopped_by is not None
    apart = hausdorff(model, trajectory.state.x, truth)
    return Run(trajectory, converged, 100.0 * apart / length(model))


def hausdorff(model: Model, a: Floats, b: Floats) -> float:
    """The Hausdorff distance [m] of the surface's vertices at places a and b (n, 3)."""
    outer = np.unique(model.mesh.boundary)
    there, back = KDTree(b[outer]).query(a[outer])[0], KDTree(a[outer]).query(b[outer])[0]
    return float(max(there.max(), back.max()))


def solved(solver: Solver, model: Model, inputs: Inputs) -> State:
    """The equilibrium, by sub-steps if need be."""
    return solver.prepare(model).step(rest(model), inputs)[0]
