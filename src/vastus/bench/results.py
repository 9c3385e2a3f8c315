"""All that a benchmark found, and where to find it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vastus.bench.row import Row, row_of

RowKey = tuple[str, int, str, int]  # case, size, solver, threads
PartsKey = tuple[str, int, int]  # case, size, threads


@dataclass(frozen=True, eq=False)
class Results:
    """Rows of solvers, seconds of parts, and the records of truths and of other packages."""

    rows: Mapping[RowKey, Row] = field(default_factory=dict)
    parts: Mapping[PartsKey, Mapping[str, float]] = field(default_factory=dict)
    truths: tuple[Mapping[str, Any], ...] = ()
    peers: tuple[Mapping[str, Any], ...] = ()

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
    )
