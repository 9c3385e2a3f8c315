"""The answers that errors are measured from, kept on disk because they are dear."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vastus.bench.cases import Case
from vastus.cache import Store, cache_root
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.jit import max_threads, use_threads
from vastus.numerics.types import Floats
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import rest
from vastus.timeloop import Solver

DEAR = 400_000  # tets from which Newton's method is not run to its end
FOLDER = "VASTUS_BENCH_CACHE"  # the variable that names another folder for the answers
ROOMS = ("energies", "materials", "numerics", "skeleton", "solvers")


@dataclass(frozen=True, eq=False)
class Truth:
    """The vertices `x` (frames, n, 3) [m] and how long they took [s]."""

    x: Floats
    seconds: float


@dataclass(frozen=True)
class TruthJob:
    """Make sure that the answers of a case are on disk."""

    case: Case
    kind: str = "truth"

    @property
    def key(self) -> str:
        """What it is called among the results."""
        return f"truth {self.case.name} {self.case.tets}"

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""
        return 3.0 + 2e-4 * self.case.tets * self.case.frames

    @property
    def patience(self) -> float:
        """After how long [s] the process is ended."""
        return 7200.0

    def __call__(self, began: Callable[[], None]) -> dict[str, Any]:
        """Compute the answers unless they are there."""
        began()
        use_threads(max_threads())
        model = self.case.model()
        solver = referee(self.case)
        truth, known = store().kept(_solved, model, tuple(self.case.inputs(model)), solver)
        return {
            "case": self.case.name,
            "tets": model.mesh.n_tets,
            "recipe": recipe(self.case),
            "seconds": truth.seconds,
            "known": known,
            "digest": model.digest,
        }

    def lost(self, sentence: str, *, late: bool) -> dict[str, Any]:
        """The record of a truth that could not be found."""
        return {"case": self.case.name, "tets": self.case.tets, "sentence": sentence}


def referee(case: Case) -> Solver:
    """The solver whose answer counts."""
    return Newton(1e-8) if case.tets < DEAR else QuasiNewton(1e-5)


def recipe(case: Case) -> str:
    """What the answer is, in words."""
    newton = "Newton's method to a force balance of 1e-8"
    return newton if case.tets < DEAR else "quasi-Newton to 1e-5 of the length (Newton is too dear)"


def store() -> Store:
    """Where the answers are kept."""
    named = os.environ.get(FOLDER)
    return Store(Path(named) if named else cache_root() / "bench", ROOMS)


def load_truth(model: Model, case: Case) -> Truth:
    """The answers of a case, which must be on disk."""
    truth = store().recall(_solved, model, tuple(case.inputs(model)), referee(case))
    if truth is None:
        raise ModelError(
            f"the answer of '{case.name}' with {case.tets} tets is not in '{store().folder}'; "
            "can that folder be written?"
        )
    return truth


def _solved(model: Model, inputs: Sequence[Inputs], solver: Solver) -> Truth:
    began = time.perf_counter()
    stepper, state, found = solver.prepare(model), rest(model), []
    for frame in inputs:
        state, _ = stepper.step(state, frame)
        found.append(state.x)
    return Truth(np.array(found), time.perf_counter() - began)
