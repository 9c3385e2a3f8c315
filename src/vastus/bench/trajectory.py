"""How a solver comes nearer to a known answer, iteration by iteration."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from vastus.errors import SolveError
from vastus.motion import Inputs, State
from vastus.numerics.minimise import Moment
from vastus.numerics.types import Floats
from vastus.timeloop import Stepper


@dataclass
class Trajectory:
    """The error before each iteration and at the end: largest vertex distance over a length.

    `seconds` do not count the measuring, nor does `total`, the time of the whole step; `failure` is
    the sentence of a solve that gave up, `stopped` that of one that was not let go on.
    """

    seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    total: float = 0.0
    state: State | None = None
    failure: str = ""
    stopped: str = ""
    late: bool = False  # whether it was stopped for its time

    def until(self, error: float) -> tuple[int, float]:
        """The iteration and time [s] from which the error stays at or below a bound, or -1, inf."""
        below = np.array(self.errors) <= error
        if not below.any() or not below[-1]:
            return -1, float("inf")
        last_above = np.flatnonzero(~below)
        first = int(last_above[-1]) + 1 if len(last_above) else 0
        return first, self.seconds[first]


@dataclass(frozen=True)
class Bounds:
    """How far a solver may go."""

    seconds: float = float("inf")
    iterations: float = float("inf")


class Enough(Exception):
    """A solver has come to its bounds."""


class OutOfTime(Enough):
    """A solver has had its time."""


@dataclass
class Follower:
    """A watch that notes time and distance to the vertices `truth` (n, 3) over `length` [m]."""

    truth: Floats
    length: float
    bounds: Bounds = Bounds()
    trajectory: Trajectory = field(default_factory=Trajectory)
    _began: float = field(default_factory=time.perf_counter)
    _paused: float = 0.0

    def __call__(self, at: Moment) -> None:
        """Note where the solver is."""
        now = time.perf_counter()
        self.trajectory.seconds.append(now - self._began - self._paused)
        self.trajectory.errors.append(self.error(at.place().x))
        self._paused += time.perf_counter() - now
        if self.elapsed() > self.bounds.seconds:
            raise OutOfTime("out of time")
        if len(self.trajectory.seconds) > self.bounds.iterations:
            count = self.bounds.iterations
            raise Enough(f"stopped after {count:g} iteration{'s' * (count != 1)}")

    def error(self, x: Floats) -> float:
        """The largest distance of any vertex to where it should be, over the length."""
        return float(np.sqrt(((x - self.truth) ** 2).sum(axis=1).max())) / self.length

    def elapsed(self) -> float:
        """The time [s] that the solver has had."""
        return time.perf_counter() - self._began - self._paused


def follow(
    stepper: Stepper,
    state: State,
    inputs: Inputs,
    truth: Floats,
    length: float,
    bounds: Bounds | None = None,
) -> Trajectory:
    """Solve one step and note how the solver came near the vertices `truth` (n, 3)."""
    follower = Follower(truth, length, bounds or Bounds())
    trajectory = follower.trajectory
    try:
        trajectory.state, _ = stepper.step(state, inputs, follower)
    except SolveError as error:
        trajectory.failure = str(error)
    except Enough as enough:
        trajectory.stopped, trajectory.late = str(enough), isinstance(enough, OutOfTime)
    trajectory.total = follower.elapsed()
    return trajectory
