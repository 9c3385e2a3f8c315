"""Which cases, sizes, solvers and threads a benchmark goes through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vastus.bench.cases import KINDS, Case
from vastus.bench.contenders import CONTENDERS, DEFAULT, LEADERS, REFEREE
from vastus.bench.iteration import PartsJob
from vastus.bench.jobs import STATES, Job
from vastus.bench.peers import PEERS, PeerJob
from vastus.bench.solver_job import SolverJob
from vastus.bench.systems import SYSTEMS, SystemJob
from vastus.bench.truth import TruthJob
from vastus.errors import ModelError, known
from vastus.modelling.shapes.assembly import check_tets
from vastus.numerics.jit import max_threads

ALL = tuple(CONTENDERS)
SIZES = (2_000, 12_000, 50_000, 200_000, 600_000)
CONTRASTS = (1e2, 1e3, 1e4, 1e5)
ANIMATION, CONTRAST = "animation", "contrast"
SWEEPS = (*KINDS, CONTRAST)
ARMS, UPPER_BODY = "control", "upper body"  # systems that have one size


@dataclass(frozen=True)
class Sweep:
    """Some solvers over some sizes of a case; `limit` [s] is for one run of one solver."""

    name: str
    kind: str
    sizes: tuple[int, ...]
    solvers: tuple[str, ...]
    limit: float
    threads: tuple[int, ...] = (1,)
    contrasts: tuple[float | None, ...] = (None,)

    def cases(self) -> list[Case]:
        """The cases in order."""
        return [Case(self.kind, tets, c) for tets in self.sizes for c in self.contrasts]


def contrasts(values: tuple[float, ...], solvers: tuple[str, ...], limit: float) -> Sweep:
    """A sweep over stiffness contrasts at one size."""
    return Sweep(CONTRAST, "fusiform", (12_000,), solvers, limit, contrasts=values)


@dataclass(frozen=True)
class Plan:
    """Sweeps, the sizes of systems in motion, and the tets that other packages get (0: none)."""

    sweeps: tuple[Sweep, ...]
    peer_tets: int = 0
    systems: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def jobs(self, folder: Path) -> list[Job]:
        """All jobs in order, each once."""
        made = {job.key: job for job in self._jobs(folder)}
        return list(made.values())

    def _jobs(self, folder: Path) -> Iterator[Job]:
        for sweep in self.sweeps:
            for case in sweep.cases():
                yield TruthJob(case)
                for threads in sweep.threads:
                    for solver in sweep.solvers:
                        yield SolverJob(case, solver, threads, sweep.limit, folder / STATES)
                    if sweep.name == "fusiform":
                        yield PartsJob(case, threads)
        for name, sizes in self.systems.items():
            for size in sizes:
                yield SystemJob(name, size)
        if self.peer_tets:
            for name in PEERS:
                yield PeerJob(name, self.peer_tets, folder / STATES)


def moving(tets: tuple[int, ...], muscles: tuple[int, ...]) -> Mapping[str, tuple[int, ...]]:
    """All systems of a size of their own choice; the upper body takes minutes to make."""
    sizes = {"tets": tets, "muscles": muscles}
    free = {name: sizes[s.unit] for name, s in SYSTEMS.items() if name not in (ARMS, UPPER_BODY)}
    return {**free, ARMS: (70,)}


QUICK = Plan(
    (
        Sweep("fusiform", "fusiform", (2_000,), ALL, 3.0),
        Sweep("fusiform", "fusiform", (12_000,), LEADERS, 8.0),
        Sweep("fusiform", "fusiform", (12_000,), (DEFAULT,), 8.0, (1, 2)),
        Sweep("elbow", "elbow", (2_000, 12_000), LEADERS, 8.0),
        Sweep(ANIMATION, ANIMATION, (2_000,), (REFEREE, DEFAULT), 10.0),
        contrasts((1e2, 1e4), (REFEREE, DEFAULT), 8.0),
    ),
    peer_tets=1_920,
    systems=moving((2_000,), (130,)),
)
USUAL = Plan(
    (
        Sweep("fusiform", "fusiform", (2_000, 12_000), ALL, 5.0),
        Sweep("fusiform", "fusiform", (50_000,), LEADERS, 30.0),
        Sweep("fusiform", "fusiform", (50_000,), (DEFAULT,), 30.0, (1, 2)),
        Sweep("elbow", "elbow", (2_000,), ALL, 5.0),
        Sweep("elbow", "elbow", (12_000, 70_000), LEADERS, 40.0),
        Sweep(ANIMATION, ANIMATION, (12_000,), (REFEREE, DEFAULT), 30.0),
        contrasts(CONTRASTS, (REFEREE, DEFAULT), 10.0),
    ),
    peer_tets=6_480,
    systems=moving((2_000, 12_000), (32, 130, 520)),
)
FULL = Plan(
    (
        Sweep("fusiform", "fusiform", SIZES, ALL, 600.0, (1, 2)),
        Sweep("elbow", "elbow", tuple(sorted((*SIZES, 70_000))), ALL, 600.0, (1, 2)),
        Sweep(ANIMATION, ANIMATION, (12_000, 70_000, 200_000), (REFEREE, DEFAULT), 600.0),
        contrasts(CONTRASTS, ALL, 120.0),
    ),
    peer_tets=15_360,
    systems={**moving((2_000, 12_000, 70_000), (32, 130, 520)), UPPER_BODY: (814,)},
)


@dataclass(frozen=True)
class Wishes:
    """What a user wants instead of a plan's own; None or nothing leaves it as it is."""

    cases: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    solvers: tuple[str, ...] = ()
    threads: tuple[int, ...] = ()
    limit: float | None = None
    peers: bool = True

    def check(self) -> None:
        """Refuse what does not exist."""
        _require("case", self.cases, (*SWEEPS, *SYSTEMS))
        _require("solver", self.solvers, ALL)
        for tets in self.sizes:
            check_tets(tets)
        for count in self.threads:
            if count > max_threads():
                raise ModelError(f"cannot use {count} threads; this machine has {max_threads()}")


def fitted(plan: Plan, wishes: Wishes) -> Plan:
    """The plan changed as wished; sizes of one's own replace all sweeps over size."""
    # Scenes spell a solver's name with underscores.
    wishes = replace(wishes, solvers=tuple(s.replace("_", "-") for s in wishes.solvers))
    wishes.check()
    wanted = [s for s in plan.sweeps if not wishes.cases or s.name in wishes.cases]
    if wishes.sizes:
        at_one_size = [s for s in wanted if s.name == CONTRAST and wishes.cases]
        wanted = [replace(s, sizes=wishes.sizes) for s in at_one_size] + [
            Sweep(kind, kind, wishes.sizes, ALL, _longest(plan))
            for kind in KINDS
            if kind in (wishes.cases or set(KINDS) - {ANIMATION})
        ]
    sweeps = tuple(_changed(sweep, wishes) for sweep in wanted)
    return Plan(sweeps, plan.peer_tets if wishes.peers else 0, _systems(plan, wishes))


def _systems(plan: Plan, wishes: Wishes) -> Mapping[str, tuple[int, ...]]:
    """The systems that are wished for; sizes of one's own are tets."""
    own = {name: sizes for name, sizes in plan.systems.items() if not wishes.cases}
    if UPPER_BODY in wishes.cases:
        own[UPPER_BODY] = FULL.systems[UPPER_BODY]
    own |= {name: plan.systems[name] for name in wishes.cases if name in plan.systems}
    if not wishes.sizes:
        return own
    return {n: wishes.sizes if SYSTEMS[n].unit == "tets" else sizes for n, sizes in own.items()}


def _changed(sweep: Sweep, wishes: Wishes) -> Sweep:
    return replace(
        sweep,
        solvers=wishes.solvers or sweep.solvers,
        threads=wishes.threads or tuple(n for n in sweep.threads if n <= max_threads()),
        limit=wishes.limit or sweep.limit,
    )


def _longest(plan: Plan) -> float:
    return max(sweep.limit for sweep in plan.sweeps)


def _require(kind: str, asked: Sequence[str], names: Sequence[str]) -> None:
    for name in asked:
        if name not in names:
            raise known(kind, name, names)
