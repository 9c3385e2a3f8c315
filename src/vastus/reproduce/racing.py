"""Methods timed on the same model: where each stops, when, and when it came near."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from vastus.model import Model
from vastus.motion import Inputs, ramp
from vastus.numerics.types import Floats
from vastus.reproduce import bodies, paper
from vastus.reproduce.experiment import Setting
from vastus.reproduce.solving import (
    EnergyStops,
    Guard,
    Once,
    TimeIsUp,
    run_prepared,
    solved,
)
from vastus.reproduce.sweep import low_rank
from vastus.solvers.baselines.paper_fem import paper_fem
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.timeloop import Solver

EMU, FEM, NEWTON, QUASI = "EMU", "FEM as in the paper", "Newton", "quasi-Newton"
REFEREE = QuasiNewton(1e-4)  # Newton's method would not fit in memory on the largest meshes
MOST = 2_000  # iterations


@dataclass(frozen=True, eq=False)
class Trial:
    """A model, its inputs and equilibrium (n, 3), the time allowed [s] and the stop [J]."""

    model: Model
    inputs: Inputs
    truth: Floats
    patience: float
    stop: float = paper.STOP


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


def contestants(alpha: float, stop: float = paper.STOP) -> dict[str, Solver]:
    """EMU as the paper has it, its finite elements, and this package's own methods."""
    return {
        EMU: replace(low_rank(alpha, MOST), paper_stop=stop),
        FEM: paper_fem(max_iterations=MOST),
        NEWTON: Newton(max_iterations=MOST),
        QUASI: QuasiNewton(),
    }


def trial(model: Model, patience: float) -> Trial:
    """The full contraction of a fusiform muscle."""
    inputs = ramp(model, belly=1.0, fps=1)[-1]
    return Trial(model, inputs, solved(REFEREE, model, inputs).x, patience)


def race(
    given: Trial, solvers: Mapping[str, Solver], setting: Setting, without: Collection[str] = ()
) -> list[Lap]:
    """A step by each method but some, kernels compiled before."""
    laps = []
    for name, solver in solvers.items():
        if name not in without:
            lap = _lap(name, solver, given)
            setting.note(f"{lap.tets} tets, {name}: {lap.seconds:.2f} s, {lap.error:.2g} % off")
            laps.append(lap)
    return laps


def warm_up() -> None:
    """Compile what the methods need."""
    model = bodies.heterogeneous(1_000)
    race(trial(model, 60.0), contestants(10.0), Setting(note=_nothing))


def _nothing(text: str) -> None:
    """Say nothing."""


def _lap(name: str, solver: Solver, given: Trial) -> Lap:
    stepper = solver.prepare(given.model)
    time_is_up = TimeIsUp(given.patience)
    guards: tuple[Guard, ...] = (time_is_up,)
    if name in (FEM, NEWTON):  # the others have stops of their own
        guards += (EnergyStops(stepper, given.inputs, given.stop),)  # type: ignore[arg-type]
    once = Once(stepper, guards)  # type: ignore[arg-type]
    found = run_prepared(once, given.model, given.inputs, given.truth)
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
