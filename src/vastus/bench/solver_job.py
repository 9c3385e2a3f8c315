"""One solver measured on one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bench.cases import Case
from vastus.bench.contenders import CONTENDERS, Contender
from vastus.bench.jobs import forget_peak, peak
from vastus.bench.rows import ERRORS, Reach, Row, Status
from vastus.bench.runs import Bounds, Run, Task, compile_kernels, fastest
from vastus.bench.truth import DEAR, load_truth
from vastus.numerics.jit import use_threads
from vastus.solvers.newton import length
from vastus.timeloop import Solver


@dataclass(frozen=True)
class SolverJob:
    """One solver on one case with a number of threads; `states` keeps answers for comparison."""

    case: Case
    solver: str
    threads: int
    limit: float  # [s]
    states: Path
    kind: str = "solver"

    @property
    def key(self) -> str:
        """What it is called among the results."""
        return f"{self.case.name} {self.case.tets} {self.solver} {self.threads}"

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""
        return 4.0 + min(1.5 * self.limit, 2e-4 * self.case.tets * self.case.frames)

    @property
    def patience(self) -> float:
        """After how long [s] by the clock the process is ended if it does not end by itself."""
        return 10.0 * self.limit + 30.0

    @property
    def contender(self) -> Contender:
        """The solver's entry."""
        return CONTENDERS[self.solver]

    def __call__(self, began: Callable[[], None]) -> dict[str, Any]:
        """The row, as JSON values."""
        use_threads(self.threads)
        small = self.case.small.model()
        compile_kernels(self.contender.solver, small, self.case.inputs(small)[0])
        task = self.task()
        forget_peak()
        began()
        runs = self.runs(task)
        most, own = peak(), runs[self.contender.solver]
        enough = own.reach(min(ERRORS))
        row = self.row(
            own.status,
            self.sentence(own),
            tets=task.model.mesh.n_tets,
            frames=len(task.inputs),
            prepare=own.prepare,
            seconds=own.seconds,
            iterations=own.iterations,
            error=own.error if np.isfinite(own.error) else None,
            peak=most,
            factors=own.tally.factors,
            failed=own.tally.failed,
            solves=own.tally.solves,
            enough=enough.seconds if enough else None,
            difference=self.difference(own, task.length),
            reached=self.reached(runs),
            curve=own.curve,
        )
        return row.record()

    def lost(self, sentence: str, *, late: bool) -> dict[str, Any]:
        """The row of a process that did not come back."""
        said = f"not within {self.limit:g} s ({sentence})" if late else sentence
        return self.row(Status.LATE if late else Status.FAILED, said).record()

    def row(self, status: Status, sentence: str, **figures: Any) -> Row:
        """A row of this job."""
        who = (self.case.name, self.case.tets, self.solver, self.threads)
        return Row(*who, status, sentence, self.limit, **figures)

    def task(self) -> Task:
        """The model and all that is known about it."""
        model = self.case.model()
        truth = load_truth(model, self.case).x
        only_one = self.contender.dear and self.case.tets >= DEAR
        bounds = Bounds(self.limit, 1 if only_one else float("inf"))
        return Task(model, self.case.inputs(model), truth, length(model), bounds)

    def runs(self, task: Task) -> dict[Solver, Run]:
        """A run at the solver's own settings, and for several frames those for each error."""
        told = self.contender.told if len(task.inputs) > 1 else None
        solvers = dict.fromkeys([self.contender.solver, *(told(e) for e in ERRORS if told)])
        return {solver: fastest(solver, task) for solver in solvers}

    def reached(self, runs: dict[Solver, Run]) -> dict[float, Reach]:
        """When each error was reached.

        A solver that can be told an error, and solves several frames, needs the whole time of the
        run at that setting, and must keep its word in every frame.
        """
        found: dict[float, Reach | None] = {}
        for error in ERRORS:
            told = self.contender.told(error) if self.contender.told else None
            if told in runs and runs[told].expected > 1:
                kept = runs[told].status is Status.DONE and runs[told].error <= error
                found[error] = Reach(runs[told].seconds, runs[told].iterations) if kept else None
            else:
                found[error] = runs[self.contender.solver].reach(error)
        return {error: reach for error, reach in found.items() if reach}

    def sentence(self, own: Run) -> str:
        """How the run ended, in words."""
        last = own.frames[-1]
        where = f" (frame {len(own.frames)} of {own.expected})" if own.expected > 1 else ""
        if own.status is Status.LATE:
            return f"not within {self.limit:g} s{where}"
        return f"{last.failure or last.stopped}{where}" if own.status is not Status.DONE else "done"

    def difference(self, own: Run, size: float) -> float | None:
        """The distance to the answer with other threads over the length, if there is one."""
        if own.status is not Status.DONE:
            return None
        states = [frame.state for frame in own.frames]
        x = np.array([state.x for state in states if state is not None])
        folder = self.states / f"{self.case.name} {self.case.tets} {self.solver}".replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        mine = folder / f"{self.threads}-threads.npy"
        np.save(mine, x)
        others = sorted(path for path in folder.iterdir() if path != mine)
        if not others:
            return None
        return float(np.linalg.norm(x - np.load(others[0]), axis=2).max()) / size
