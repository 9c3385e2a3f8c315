"""Tables of what was found as Markdown, and all figures as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastus.bench.contenders import CONTENDERS, PAPER, REFEREE
from vastus.bench.jobs import Record, describe
from vastus.bench.rows import ERRORS, Results, Row, results_of
from vastus.bench.targets import TARGETS
from vastus.files.safe import write_text
from vastus.results.provenance import command, described, now

JSON, PAGE = "bench.json", "bench.md"
NONE = "-"


@dataclass(frozen=True)
class Sheet:
    """A table: its title, what its columns are, and its lines."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    note: str = ""

    def markdown(self) -> str:
        """The table in Markdown."""
        rows = [self.columns, tuple("---" for _ in self.columns), *self.lines]
        body = "\n".join(
            "| " + " | ".join(cell.replace("|", "/") for cell in r) + " |" for r in rows
        )
        return f"## {self.title}\n\n{self.note}{chr(10) * 2 if self.note else ''}{body}\n"


def sheets(found: Results) -> list[Sheet]:
    """All tables that have something to say; the targets always have."""
    kinds = (speed, cost, parallel, parts, systems, peers, truths)
    made = [kind(found) for kind in kinds]
    return [targets(found), *(sheet for sheet in made if sheet.lines)]


def targets(found: Results) -> Sheet:
    """What the default is meant to achieve."""
    lines = tuple((t.text, *t.verdict(found)) for t in TARGETS)
    return Sheet("Targets of the default solver", ("target", "wanted", "found", "verdict"), lines)


def speed(found: Results) -> Sheet:
    """When each solver came to an error, on the fewest threads."""
    columns = (
        "case", "tets", "solver", "1 % [s]", "0.1 % [s]", "x Newton 1 %", "0.1 %",
        "x paper FEM 1 %", "0.1 %", "how it ended",
    )  # fmt: skip
    note = (
        f"Seconds to an error, on {found.few} thread{'s' * (found.few != 1)}. `x Newton` says how "
        "many times as fast as Newton a solver came there, `x paper FEM` the same for the paper's "
        "FEM; below 1 it is slower, and with > the rival was out of time."
    )
    return Sheet("Time to an error", columns, tuple(_speed(found, r) for r in _fewest(found)), note)


def cost(found: Results) -> Sheet:
    """What each solver took, on the fewest threads."""
    columns = (
        "case", "tets", "solver", "iterations to 1 %", "to 0.1 %", "own stop", "seconds", "error %",
        "over 0.1 %", "factors", "failed", "back-solves", "s/iteration", "prepare [s]", "peak MB",
    )  # fmt: skip
    note = (
        "Iterations, seconds and error at the solver's own stop, or where it was ended; an error "
        "is the largest distance of a vertex, in the worst frame, over the model's length. `over "
        "0.1 %` is how many times as long the solver went on as was enough for 0.1 %, which it "
        "cannot know. Factorisations that failed are among them; back-solves are right-hand sides, "
        "three of a scalar matrix for one."
    )
    return Sheet("Cost", columns, tuple(_cost(row) for row in _fewest(found)), note)


def parallel(found: Results) -> Sheet:
    """What more threads give."""
    columns = (
        "case",
        "tets",
        "solver",
        "threads",
        "s/iteration",
        "before",
        "times as fast",
        "difference",
    )
    lines = []
    for row in found.rows.values():
        base = found.row(row.case, row.size, row.solver, found.few)
        if base is None or row.threads == found.few:
            continue
        gain = base.pace / row.pace if base.pace and row.pace else None
        cells = (number(row.pace), number(base.pace), number(gain), number(row.difference))
        lines.append((*_who(row), str(row.threads), *cells))
    note = f"Against {found.few} before; the difference of the answers is over the model's length."
    return Sheet("Threads", columns, tuple(lines), note)


def parts(found: Results) -> Sheet:
    """What an iteration is made of."""
    names = list(dict.fromkeys(name for each in found.parts.values() for name in each))
    columns = ("case", "size", "threads", *(f"{name} [ms]" for name in names))
    lines = tuple(
        (case, f"{size:,}", str(n), *(number(each.get(name), scale=1e3) for name in names))
        for (case, size, n), each in found.parts.items()
    )
    return Sheet("Parts of an iteration", columns, lines)


def systems(found: Results) -> Sheet:
    """Steps a second of what moves, touches or is controlled."""
    columns = (
        "system",
        "size",
        "steps/s",
        "ms/step",
        "step [ms]",
        "x real time",
        "peak MB",
        "note",
    )
    lines = tuple(
        (
            s["system"],
            f"{s.get('true', s['size']):,} {s['unit']}",
            number(s.get("rate")),
            number(1 / s["rate"] if s.get("rate") else None, scale=1e3),
            number(s.get("length"), scale=1e3),
            number(s["rate"] * s["length"] if s.get("rate") else None),
            number(s.get("peak")),
            s["sentence"],
        )
        for s in found.systems
    )
    note = "On one thread; above 1 a system is quicker than what it simulates."
    return Sheet("Systems in motion", columns, lines, note)


def peers(found: Results) -> Sheet:
    """Other packages on the cantilever."""
    columns = (
        "package",
        "version",
        "tets",
        "seconds",
        "times ours",
        "peak MB",
        "difference",
        "note",
    )
    ours = next((p.get("seconds") for p in found.peers), None)
    lines = tuple(
        (
            p["peer"],
            p.get("version", NONE),
            f"{p.get('tets', p['size']):,}",
            number(p.get("seconds")),
            number(p["seconds"] / ours if p.get("seconds") and ours else None),
            number(p.get("peak")),
            number(p.get("difference")),
            p["sentence"],
        )
        for p in found.peers
    )
    note = (
        "A neo-Hookean cantilever in five load steps, on one thread. The difference is that of "
        "displacements from the first line's, over the largest."
    )
    return Sheet("Other packages", columns, lines, note)


def truths(found: Results) -> Sheet:
    """What errors are measured from."""
    columns = ("case", "tets", "answer by", "seconds")
    lines = tuple(
        (
            t["case"],
            f"{t['tets']:,}",
            t.get("recipe", t.get("sentence", "")),
            number(t.get("seconds")),
        )
        for t in found.truths
    )
    return Sheet("Answers that errors are measured from", columns, lines)


def number(value: float | None, scale: float = 1.0) -> str:
    """A figure as people read it, or a dash."""
    if value is None:
        return NONE
    value *= scale
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _fewest(found: Results) -> list[Row]:
    return [row for row in found.rows.values() if row.threads == found.few]


def _speed(found: Results, row: Row) -> tuple[str, ...]:
    times = [number(row.time_to(error)) for error in ERRORS]
    rivals = [found.row(row.case, row.size, name, row.threads) for name in (REFEREE, PAPER)]
    ratios = [_ratio(row, rival, error) for rival in rivals for error in ERRORS]
    return (*_who(row), *times, *ratios, row.sentence)


def _cost(row: Row) -> tuple[str, ...]:
    reached = row.reached or {}
    counts = [str(reached[e].iterations) if e in reached else NONE for e in ERRORS]
    own = NONE if row.iterations is None else str(row.iterations)
    work = (row.over, row.factors, row.failed, row.solves)
    return (
        *_who(row),
        *counts,
        own,
        number(row.seconds),
        number(row.error, 100.0),
        *map(number, (*work, row.pace, row.prepare, row.peak)),
    )


def _ratio(row: Row, rival: Row | None, error: float) -> str:
    own = row.time_to(error)
    if rival is None or not own:
        return NONE
    other, late = rival.time_to(error), rival.at_least(error)
    if other is None:
        return f">{number(late / own)}" if late else NONE
    return number(other / own)


def _who(row: Row) -> tuple[str, str, str]:
    return row.case, f"{row.tets or row.size:,}", row.solver


def page(found: Results, machine: Sequence[tuple[str, str]]) -> str:
    """All tables on one page of Markdown."""
    about = "\n".join(f"- {name}: {value}" for name, value in machine)
    tables = "\n".join(sheet.markdown() for sheet in sheets(found))
    return f"# Benchmark\n\n{about}\n\n{tables}"


def write_report(records: Sequence[Record], folder: Path, *, finished: bool) -> Results:
    """Write the figures and the tables; the results."""
    found, machine = results_of(records), describe()
    contents = {
        "command": command(sys.argv),
        "written": now(),
        "finished": finished,
        "machine": machine,
        "seed": None,  # nothing is drawn at random
        "errors": ERRORS,
        "solvers": {name: described(c.solver) | {"note": c.note} for name, c in CONTENDERS.items()},
        "targets": [_judged(found, k) for k in range(len(TARGETS))],
        "records": list(records),
    }
    write_text(folder / JSON, json.dumps(contents, indent=1) + "\n")
    write_text(folder / PAGE, page(found, _facts(machine)))
    return found


def _judged(found: Results, index: int) -> dict[str, str]:
    wanted, value, verdict = TARGETS[index].verdict(found)
    return {"text": TARGETS[index].text, "wanted": wanted, "found": value, "verdict": verdict}


def _facts(machine: dict[str, Any]) -> list[tuple[str, str]]:
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    return [(name, str(value)) for name, value in machine.items() if name != "packages"] + [
        ("packages", packages)
    ]
