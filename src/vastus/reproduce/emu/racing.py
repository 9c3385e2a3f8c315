"""Methods timed on the same model: where each stops, when, and when it came near."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from vastus.bench.runs import Timer, clock, compile_kernels
from vastus.files.html import Cell, Table
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.reproduce.emu import paper
from vastus.reproduce.emu.sweep import low_rank
from vastus.reproduce.experiment import Setting
from vastus.reproduce.kept import remembered
from vastus.reproduce.solving import (
    EnergyStops,
    Guard,
    Once,
    TimeIsUp,
    run_prepared,
    solved,
)
from vastus.reproduce.style import percent, times
from vastus.reproduce.style import seconds as in_words
from vastus.schedules import ramp
from vastus.solvers.emu.baselines import paper_fem
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.timeloop import Solver

EMU, FEM, NEWTON, QUASI = "EMU", "FEM as in the paper", "Newton", "quasi-Newton"
REFEREE = QuasiNewton(1e-4)  # Newton's method would not fit in memory on the largest meshes
KNOWN = 100 * REFEREE.accuracy  # [%] smaller errors cannot be told from the referee's own
MOST = 2_000  # iterations


@dataclass(frozen=True, eq=False)
class Trial:
    """A model, its inputs and equilibrium (n, 3), the time allowed [s], the stop [J], and
    what tells the time.
    """

    model: Model
    inputs: Inputs
    truth: Floats
    patience: float
    stop: float = paper.STOP
    timer: Timer = clock


@dataclass(frozen=True)
class Lap:
    """One step of one method; `late` if it was out of time."""

    name: str
    tets: int
    seconds: float
    iterations: int
    error: float  # [%] at its stop
    to_one_per_cent: float | None  # [s]
    late: bool

    @property
    def pace(self) -> float:
        """The time of one iteration [s]."""
        return self.seconds / max(self.iterations, 1)

    @property
    def told(self) -> str | float:
        """The seconds, with a mark if it was not finished."""
        return f"over {self.seconds:.0f}" if self.late else self.seconds

    @property
    def made(self) -> str:
        """The iterations, with a mark if it was not finished."""
        return f"over {self.iterations}" if self.late else str(self.iterations)

    @property
    def off(self) -> str:
        """The error at the stop in words, as far as the referee knows it."""
        return percent(self.error, KNOWN)

    @property
    def took(self) -> str:
        """The seconds in words, with a mark if it was not finished."""
        return f"over {self.seconds:.0f} s" if self.late else in_words(self.seconds)


@dataclass(frozen=True)
class Ratio:
    """How many times as long one method takes as another: between two bounds, or just so many."""

    low: float = 0.0
    high: float = math.inf

    @property
    def known(self) -> bool:
        """Whether anything is known of it."""
        return self.low > 0.0 or self.high < math.inf

    @property
    def cell(self) -> Cell:
        """It in a table."""
        if not self.known:
            return None
        if self.low == self.high:
            return self.low
        return f"at least {self.low:.3g}" if self.low else f"at most {self.high:.3g}"

    def __str__(self) -> str:
        if not self.known:
            return "an unknown number of times"
        if self.low == self.high:
            return times(self.low)
        return f"at least {times(self.low)}" if self.low else f"at most {times(self.high)}"


def ratio(lap: Lap | None, other: Lap | None) -> Ratio:
    """How many times as long as the other a lap takes; out of time, it takes at least so long."""
    if lap is None or other is None:
        return Ratio()
    value = lap.seconds / other.seconds
    return Ratio(0.0 if other.late else value, math.inf if lap.late else value)


def over_emu(laps: Sequence[Lap], name: str, tets: int) -> Ratio:
    """How many times as long as EMU a method takes on a mesh."""
    there = at_size(laps, tets)
    return ratio(there.get(name), there.get(EMU))


def at_size(laps: Sequence[Lap], tets: int) -> dict[str, Lap]:
    """The laps on a mesh by method."""
    return {lap.name: lap for lap in laps if lap.tets == tets}


def table(laps: Sequence[Lap], published: str) -> Table:
    """All laps, with what the paper says of its finite elements over EMU."""
    columns = (
        "tets",
        "method",
        "step [s]",
        "iterations",
        "one iteration [s]",
        "error at its stop [%]",
        "to 1 % [s]",
        "over EMU's time",
        "paper",
    )
    rows = [
        (
            lap.tets,
            lap.name,
            lap.told,
            lap.iterations,
            lap.pace,
            lap.error if lap.error >= KNOWN else f"under {KNOWN:g}",
            lap.to_one_per_cent,
            over_emu(laps, lap.name, lap.tets).cell,
            published if lap.name == FEM else None,
        )
        for lap in laps
    ]
    return Table("One core", columns, rows)


def contestants(alpha: float, stop: float = paper.STOP) -> dict[str, Solver]:
    """EMU as the paper has it, its finite elements, and this package's own methods."""
    return {
        EMU: replace(low_rank(alpha, MOST), paper_stop=stop),
        FEM: paper_fem(max_iterations=MOST),
        NEWTON: Newton(max_iterations=MOST),
        QUASI: QuasiNewton(),
    }


def trial(model: Model, patience: float, timer: Timer = clock) -> Trial:
    """The full contraction of a fusiform muscle."""
    inputs = ramp(model, belly=1.0, fps=1)[-1]
    return Trial(model, inputs, solved(REFEREE, model, inputs).x, patience, timer=timer)


def race(
    given: Trial, solvers: Mapping[str, Solver], setting: Setting, without: Collection[str] = ()
) -> list[Lap]:
    """A step by each method but some, kernels compiled before."""
    laps = []
    for name, solver in solvers.items():
        if name not in without:
            lap = _lap(name, solver, given)
            setting.note(f"{lap.tets} tets, {name}: {lap.seconds:.2f} s, {lap.off} off")
            laps.append(lap)
    return laps


def kept_laps(setting: Setting, name: str, run: Callable[[], list[Lap]]) -> list[Lap]:
    """The laps of an interrupted run under this name, or those that are run now."""
    rows = remembered(setting, name, lambda: [asdict(lap) for lap in run()])
    return [Lap(**row) for row in rows]


def compile_methods() -> None:
    """Compile what the methods need."""
    model = paper.heterogeneous(1_000)
    inputs = ramp(model, belly=1.0, fps=1)[-1]
    for solver in contestants(10.0).values():
        compile_kernels(solver, model, inputs)


def _lap(name: str, solver: Solver, given: Trial) -> Lap:
    stepper = solver.prepare(given.model)
    time_is_up = TimeIsUp(given.patience, given.timer)
    guards: tuple[Guard, ...] = (time_is_up,)
    if name in (FEM, NEWTON):  # the others have stops of their own
        guards += (EnergyStops(stepper, given.inputs, given.stop),)  # type: ignore[arg-type]
    once = Once(stepper, guards)  # type: ignore[arg-type]
    found = run_prepared(once, given.model, given.inputs, given.truth, given.timer)
    first, near = found.trajectory.until(0.01)
    return Lap(
        name=name,
        tets=given.model.mesh.n_tets,
        seconds=found.seconds,
        iterations=found.iterations,
        error=found.error,
        to_one_per_cent=near if first >= 0 else None,
        late=once.stopped_by is time_is_up,
    )
