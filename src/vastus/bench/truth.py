"""The answers that errors are measured from, kept on disk because they are dear."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from vastus import __version__
from vastus.bench.cases import Case
from vastus.cache import sources
from vastus.errors import FileError, ModelError
from vastus.files.model_file import digest
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import make_folder
from vastus.model import Model
from vastus.motion import Inputs, rest
from vastus.numerics.jit import max_threads, use_threads
from vastus.numerics.types import Floats
from vastus.results.provenance import described
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.timeloop import Solver

DEAR = 400_000  # tets from which Newton's method is not run to its end
FOLDER = "VASTUS_BENCH_CACHE"  # the variable that names another folder for the answers
UNUSED = 30 * 86400.0  # [s] after which an answer is removed
SOURCES = ("energies", "materials", "numerics", "skeleton", "solvers")


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
        path = place(model, self.case)
        known = path.exists()
        if not known:
            _write(path, _solved(model, self.case.inputs(model), referee(self.case)))
        with suppress(OSError):
            os.utime(path)
        prune(path.parent)
        return {
            "case": self.case.name,
            "tets": model.mesh.n_tets,
            "recipe": recipe(self.case),
            "seconds": load_truth(model, self.case).seconds,
            "known": known,
            "digest": digest(model),
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


def place(model: Model, case: Case) -> Path:
    """The file of the answers of a model."""
    named = os.environ.get(FOLDER)
    folder = Path(named) if named else Path(platformdirs.user_cache_dir("vastus")) / "bench"
    told = (digest(model), case.frames, described(referee(case)), __version__, sources(*SOURCES))
    return folder / f"{hashlib.sha256(repr(told).encode()).hexdigest()[:24]}.npz"


def prune(folder: Path) -> None:
    """Remove the answers that were not used for a month."""
    for path in folder.glob("*.npz"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - UNUSED:
                path.unlink()


def load_truth(model: Model, case: Case) -> Truth:
    """The answers of a case, which must be on disk."""
    try:
        stored = read_npz(place(model, case))
    except FileError:
        raise ModelError(f"the answer of '{case.name}' with {case.tets} tets is unknown") from None
    return Truth(stored["x"], float(stored["seconds"]))


def _solved(model: Model, inputs: Sequence[Inputs], solver: Solver) -> Truth:
    began = time.perf_counter()
    stepper, state, found = solver.prepare(model), rest(model), []
    for frame in inputs:
        state, _ = stepper.step(state, frame)
        found.append(state.x)
    return Truth(np.array(found), time.perf_counter() - began)


def _write(path: Path, truth: Truth) -> None:
    make_folder(path.parent)
    write_npz(path, {"x": truth.x, "seconds": truth.seconds})
