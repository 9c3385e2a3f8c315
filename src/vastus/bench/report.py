"""Write what was found: figures as JSON, tables as Markdown."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vastus.bench.contenders import CONTENDERS
from vastus.bench.machine import describe
from vastus.bench.results import Results, results_of
from vastus.bench.row import ERRORS
from vastus.bench.session import Record
from vastus.bench.sheets import page
from vastus.bench.targets import TARGETS
from vastus.io.files import write_text
from vastus.io.provenance import command, described, now

JSON, PAGE = "bench.json", "bench.md"


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
