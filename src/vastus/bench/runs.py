"""A solver run over the frames of a case, followed to the right answer iteration by iteration."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from vastus.bench.rows import Reach, Status
from vastus.bench.tally import Tally, counted
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.jit import threads_used
from vastus.numerics.minimise import Moment
from vastus.numerics.types import Floats
from vastus.state import State, rest
from vastus.timeloop import Solver, Stepper, warm_up

WARM = 50  # iterations on a small model, in which every kernel is compiled
SHORT, REPEATS = 1.0, 3  # [s]; what takes less is repeated and the fastest counts


Timer = Callable[[], float]  # the seconds since some moment


def clock() -> float:
    """Seconds of the processor on one thread, which other work changes least, else by the clock."""
    return time.process_time() if threads_used() == 1 else time.perf_counter()


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


@dataclass
class Follower:
    """A watch that notes time and distance to the vertices `truth` (n, 3) over `length` [m]."""

    truth: Floats
    length: float
    bounds: Bounds = Bounds()
    timer: Timer = clock
    trajectory: Trajectory = field(default_factory=Trajectory)
    _paused: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.timer()

    def __call__(self, at: Moment) -> bool:
        """Note where the solver is; whether it has come to its bounds."""
        now = self.timer()
        self.trajectory.seconds.append(now - self._began - self._paused)
        self.trajectory.errors.append(self.error(at.place().x))
        self._paused += self.timer() - now
        if self.elapsed() > self.bounds.seconds:
            self.trajectory.stopped, self.trajectory.late = "out of time", True
        elif len(self.trajectory.seconds) > self.bounds.iterations:
            count = self.bounds.iterations
            self.trajectory.stopped = f"stopped after {count:g} iteration{'s' * (count != 1)}"
        return bool(self.trajectory.stopped)

    def error(self, x: Floats) -> float:
        """The largest distance of any vertex to where it should be, over the length."""
        return float(np.sqrt(((x - self.truth) ** 2).sum(axis=1).max())) / self.length

    def elapsed(self) -> float:
        """The time [s] that the solver has had."""
        return self.timer() - self._began - self._paused


def follow(
    stepper: Stepper,
    state: State,
    inputs: Inputs,
    truth: Floats,
    length: float,
    bounds: Bounds | None = None,
    timer: Timer = clock,
) -> Trajectory:
    """Solve one step and note how the solver came near the vertices `truth` (n, 3)."""
    follower = Follower(truth, length, bounds or Bounds(), timer)
    trajectory = follower.trajectory
    try:
        trajectory.state, _ = stepper.step(state, inputs, follower)
    except SolveError as error:
        trajectory.failure = str(error)
    trajectory.total = follower.elapsed()
    return trajectory


@dataclass(frozen=True, eq=False)
class Task:
    """A model, its frames, the right answers (frames, n, 3), and the bounds of a run."""

    model: Model
    inputs: Sequence[Inputs]
    truth: Floats
    length: float  # [m]
    bounds: Bounds


@dataclass(frozen=True, eq=False)
class Run:
    """A run over the frames: seconds of preparation, and a trajectory for each frame begun."""

    prepare: float
    frames: list[Trajectory]
    expected: int
    error: float  # worst over the frames; not finite if one of them is nowhere
    tally: Tally = field(default_factory=Tally)

    @property
    def seconds(self) -> float:
        """Seconds of solving."""
        return sum(frame.total for frame in self.frames)

    @property
    def iterations(self) -> int:
        """Iterations of all frames."""
        return sum(max(len(frame.seconds) - 1, 0) for frame in self.frames)

    @property
    def status(self) -> Status:
        """How it ended."""
        last = self.frames[-1]
        if last.failure:
            return Status.FAILED
        if last.stopped:
            return Status.LATE if last.late else Status.PART
        return Status.DONE

    @property
    def curve(self) -> tuple[list[float], list[float]]:
        """Seconds and finite errors of the last frame begun."""
        last = self.frames[-1]
        seen = [k for k, error in enumerate(last.errors) if np.isfinite(error)]
        return [last.seconds[k] for k in seen], [last.errors[k] for k in seen]

    def reach(self, error: float) -> Reach | None:
        """The sum over the frames of the time until each came to the error for good."""
        found = [frame.until(error) for frame in self.frames]
        if len(found) < self.expected or any(first < 0 for first, _ in found):
            return None
        return Reach(sum(s for _, s in found), sum(first for first, _ in found))


def run(solver: Solver, task: Task) -> Run:
    """Solve the frames one after the other, each from the one before."""
    with counted() as tally:
        return _run(solver, task, tally)


def _run(solver: Solver, task: Task, tally: Tally) -> Run:
    began = clock()
    stepper = solver.prepare(task.model)
    prepare = used = clock() - began
    state, frames, worst = rest(task.model), [], 0.0
    for inputs, truth in zip(task.inputs, task.truth, strict=True):
        left = Bounds(task.bounds.seconds - used, task.bounds.iterations)
        frames.append(frame := follow(stepper, state, inputs, truth, task.length, left))
        used += frame.total
        worst = max(worst, frame.errors[-1] if frame.errors else np.inf)
        if frame.state is None or frame.stopped:
            break
        state = frame.state
    return Run(prepare, frames, len(task.inputs), worst, tally)


def fastest(solver: Solver, task: Task) -> Run:
    """The fastest of some runs if they are short, else the only one."""
    runs = [run(solver, task)]
    while sum(r.seconds for r in runs) < SHORT and len(runs) < REPEATS:
        runs.append(run(solver, task))
    return min(runs, key=lambda r: r.seconds)


def compile_kernels(solver: Solver, model: Model, inputs: Inputs) -> None:
    """Compile what the solver needs by some iterations on a small model."""
    with suppress(SolveError):  # where it fails, it has called its kernels nevertheless
        warm_up(solver.prepare(model), rest(model), inputs, WARM)
