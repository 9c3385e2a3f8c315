"""Other packages on the same mesh, law and load; each is optional."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from vastus.bench.cases import STEPS, TOLERANCE, Cantilever
from vastus.bench.jobs import forget_peak, installed, peak
from vastus.bench.peers.elsewhere import Told, interpreter
from vastus.bench.rows import Status
from vastus.bench.runs import clock
from vastus.numerics.jit import use_threads
from vastus.numerics.types import Floats

LIMIT, SMALL = 600.0, 240  # [s]; tets of a first run, which compiles or loads what is needed
OWN = "vastus"


@dataclass(frozen=True)
class Peer:
    """A package, the module it is imported by, our module for it, and its number of load steps."""

    package: str
    module: str
    ours: str
    note: str
    steps: int = STEPS
    source: str = ""  # where to get it, unless it is a Python package
    script: bool = False  # whether any Python of this machine may run our module

    @property
    def install(self) -> str:
        """How to get it."""
        return f"not installed: {self.source or f'pip install {self.package}'}"

    @property
    def python(self) -> str | None:
        """The Python that has it, if one does."""
        if self.script:
            return interpreter(self.module)
        return sys.executable if find_spec(self.module) else None


PEERS: Mapping[str, Peer] = {
    OWN: Peer("vastus", "vastus", "own", "Newton"),
    "vastus in one step": Peer("vastus", "vastus", "own", "Newton, the whole load", 1),
    "felupe": Peer("felupe", "felupe", "felupe", "its Newton and default linear solver"),
    "scikit-fem": Peer("scikit-fem", "skfem", "scikit_fem", "its assembly and solver"),
    "ngsolve": Peer("ngsolve", "ngsolve", "ngsolve", "its Newton, sparse Cholesky"),
    "dolfinx": Peer(
        "dolfinx",
        "dolfinx",
        "dolfinx",
        "its compiled assembly, MUMPS; the first run compiles it",
        source="apt install python3-dolfinx",
        script=True,
    ),
}


@dataclass(frozen=True)
class PeerJob:
    """One package on the cantilever, on one thread; `states` keeps answers for comparison."""

    name: str
    tets: int
    states: Path
    kind: str = "peer"

    @property
    def key(self) -> str:
        """What it is called among the results."""
        return f"peer {self.name} {self.tets}"

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""
        return 4.0 + 1e-3 * self.tets

    @property
    def patience(self) -> float:
        """After how long [s] the process is ended."""
        return LIMIT

    def __call__(self, began: Callable[[], None]) -> dict[str, Any]:
        """The record, as JSON values."""
        peer = PEERS[self.name]
        if peer.python is None:
            return self._record(Status.FAILED, peer.install)
        if peer.script:
            return self._elsewhere(peer, began)
        use_threads(1)
        displacement = import_module(f"vastus.bench.peers.{peer.ours}").displacement
        displacement(Cantilever(SMALL, peer.steps))
        case = Cantilever(self.tets, peer.steps)
        _ = case.forces
        forget_peak()
        began()
        start = clock()
        u = displacement(case)
        seconds = clock() - start
        figures = {
            "tets": case.mesh.n_tets,
            "version": installed(peer.package),
            "seconds": seconds,
            "peak": peak(),
            "difference": self._difference(u),
        }
        return self._record(Status.DONE, peer.note, **figures)

    def _elsewhere(self, peer: Peer, began: Callable[[], None]) -> dict[str, Any]:
        """The record of a package that runs in a Python of its own."""
        cases = {"small": Cantilever(SMALL, peer.steps), "large": Cantilever(self.tets, peer.steps)}
        folder = Path(__file__).parent
        began()
        with TemporaryDirectory() as place:
            told, answer = Path(place) / "told.npz", Path(place) / "answer.npz"
            np.savez(told, **_arrays(cases))
            script = [folder / "elsewhere.py", folder / f"{peer.ours}.py", told, answer]
            # Isolated, so that our module is not taken for the package that it is named after.
            command = [str(peer.python), "-I", *map(str, script)]
            one = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            ran = subprocess.run(command, capture_output=True, text=True, env=one)
            if ran.returncode:
                said = ran.stderr.strip().splitlines() or [f"exit code {ran.returncode}"]
                return self._record(Status.FAILED, said[-1])
            with np.load(answer) as found:
                seconds, most = float(found["seconds"]), found["peak"].tolist()
                version, apart = str(found["version"]), self._difference(found["u"])
        figures: dict[str, Any] = {
            "tets": cases["large"].mesh.n_tets,
            "version": version,
            "seconds": seconds,
            "peak": most[0] if most else None,
            "difference": apart,
        }
        return self._record(Status.DONE, peer.note, **figures)

    def lost(self, sentence: str, *, late: bool) -> dict[str, Any]:
        """The record of a process that did not come back."""
        said = f"not within {LIMIT:g} s" if late else sentence
        return self._record(Status.LATE if late else Status.FAILED, said)

    def _record(self, status: Status, sentence: str, **figures: Any) -> dict[str, Any]:
        who = {"peer": self.name, "size": self.tets, "status": status, "sentence": sentence}
        return who | {"limit": LIMIT, **figures}

    def _difference(self, u: Floats) -> float | None:
        """The largest difference to our displacement (n, 3) over the largest displacement."""
        path = self.states / f"cantilever-{self.tets}.npy"
        if self.name == OWN:
            self.states.mkdir(parents=True, exist_ok=True)
            np.save(path, u)
        if not path.exists():
            return None
        ours = np.load(path)
        return float(np.abs(u - ours).max() / np.abs(ours).max())


def _arrays(cases: Mapping[str, Cantilever]) -> dict[str, Any]:
    """What another Python is told of some bars, by their names."""
    arrays: dict[str, Any] = {}
    for name, case in cases.items():
        steps = np.array(list(case.steps()))
        told = Told(case.mesh.X, case.mesh.T, case.clamped, steps, *case.lame, TOLERANCE)
        arrays |= {f"{name}_{part}": value for part, value in vars(told).items()}
    return arrays
