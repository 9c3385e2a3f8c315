"""What a benchmark found: a row for each solver on each case, as files hold it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

ERRORS = (1e-2, 1e-3)  # largest vertex distance over the model's length
RowKey = tuple[str, int, str, int]  # case, size, solver, threads
PartsKey = tuple[str, int, int]  # case, size, threads


class Status(StrEnum):
    """How a run ended: by its own rule, at the time limit, as planned before its end, badly."""

    DONE = "done"
    LATE = "late"
    PART = "part"
    FAILED = "failed"


@dataclass(frozen=True)
class Reach:
    """When an error was reached for good: seconds of solving, and iterations."""

    seconds: float
    iterations: int


@dataclass(frozen=True)
class Row:
    """One solver on one case; unknown figures are None.

    `seconds`, `iterations` and `error` are at the solver's own stop, over all frames; `curve` holds
    the seconds and errors of the last frame.
    """

    case: str
    size: int  # tets that were asked for
    solver: str
    threads: int
    status: Status
    sentence: str
    limit: float  # [s]
    tets: int | None = None
    frames: int | None = None
    prepare: float | None = None  # [s]
    seconds: float | None = None
    iterations: int | None = None
    error: float | None = None
    peak: float | None = None  # [MB]
    factors: int | None = None
    failed: int | None = None  # factorisations of matrices that were not positive definite
    solves: float | None = None  # back-solves, in right-hand sides of the largest matrix
    enough: float | None = None  # [s] after which each frame was within the least of the errors
    difference: float | None = None  # to the same with the first number of threads, over the length
    reached: Mapping[float, Reach] | None = None
    curve: tuple[Sequence[float], Sequence[float]] = ((), ())

    @property
    def pace(self) -> float | None:
        """Seconds per iteration."""
        if self.seconds is None or not self.iterations:
            return None
        return self.seconds / self.iterations

    @property
    def over(self) -> float | None:
        """How many times as long as was enough the solver went on, by its own rule."""
        if self.seconds is None or not self.enough or self.status is not Status.DONE:
            return None
        return self.seconds / self.enough

    def time_to(self, error: float) -> float | None:
        """Seconds to an error, or None if it was not reached."""
        reach = (self.reached or {}).get(error)
        return reach.seconds if reach else None

    def at_least(self, error: float) -> float | None:
        """A time [s] that the solver needs to an error and more, if time ended it before that."""
        if self.status is not Status.LATE or self.time_to(error) is not None:
            return None
        return self.limit if self.seconds is None else self.seconds

    def record(self) -> dict[str, Any]:
        """The row as JSON values."""
        reached = {f"{e:g}": asdict(r) for e, r in (self.reached or {}).items()}
        return asdict(self) | {"reached": reached, "seconds_per_iteration": self.pace}


def row_of(record: Mapping[str, Any]) -> Row:
    """The row of JSON values."""
    names = {f.name for f in fields(Row)}
    given = {name: value for name, value in record.items() if name in names}
    reached = {float(e): Reach(**r) for e, r in record["reached"].items()}
    seconds, errors = record["curve"]
    exact = {"status": Status(record["status"]), "reached": reached, "curve": (seconds, errors)}
    return Row(**given | exact)


@dataclass(frozen=True, eq=False)
class Results:
    """Rows of solvers, seconds of parts, and the records of truths, systems and other packages."""

    rows: Mapping[RowKey, Row] = field(default_factory=dict)
    parts: Mapping[PartsKey, Mapping[str, float]] = field(default_factory=dict)
    truths: tuple[Mapping[str, Any], ...] = ()
    peers: tuple[Mapping[str, Any], ...] = ()
    systems: tuple[Mapping[str, Any], ...] = ()

    def row(self, case: str, size: int, solver: str, threads: int = 1) -> Row | None:
        """The row of a solver, if it was run."""
        return self.rows.get((case, size, solver, threads))

    @property
    def threads(self) -> list[int]:
        """The numbers of threads, fewest first."""
        return sorted({row.threads for row in self.rows.values()})

    @property
    def few(self) -> int:
        """The fewest threads, by which solvers are compared."""
        return min(self.threads, default=1)


def results_of(records: Iterable[Mapping[str, Any]]) -> Results:
    """The results in records."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        kinds.setdefault(record["kind"], []).append(record)
    rows = [row_of(record) for record in kinds.get("solver", [])]
    return Results(
        {(r.case, r.size, r.solver, r.threads): r for r in rows},
        {(p["case"], p["size"], p["threads"]): p["parts"] for p in kinds.get("parts", [])},
        tuple(kinds.get("truth", [])),
        tuple(kinds.get("peer", [])),
        tuple(kinds.get("system", [])),
    )
