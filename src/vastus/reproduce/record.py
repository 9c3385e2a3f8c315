"""The numbers of an experiment as a JSON file, with where they came from."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastus import __version__
from vastus.bench.machine import describe
from vastus.io.files import write_text
from vastus.io.html import Table
from vastus.io.provenance import described, now
from vastus.reproduce.experiment import Experiment, Finding, Setting

SEED = 0  # of the random vectors; nothing else is random


@dataclass(frozen=True)
class Record:
    """What the page needs of one experiment: either a finding or the sentence of a failure."""

    contents: dict[str, Any]

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.contents["experiment"])

    @property
    def failure(self) -> str:
        """The sentence of a failure, or nothing."""
        return str(self.contents.get("failure", ""))

    @property
    def sentence(self) -> str:
        """What was found, or why not."""
        return self.failure or str(self.contents["sentence"])

    @property
    def verdict(self) -> str:
        """Whether it agrees with the paper, or that it failed."""
        return "failed" if self.failure else str(self.contents["agreement"])

    def answers(self, experiment: Experiment, setting: Setting) -> bool:
        """Whether this is a finding of the experiment in the same setting and version."""
        same = self.contents.get("setting") == _setting(experiment, setting)
        return same and self.contents.get("vastus") == __version__ and not self.failure


def record(experiment: Experiment, setting: Setting, seconds: float, finding: Finding) -> Record:
    """The record of a finding."""
    return Record(
        _head(experiment, setting, seconds)
        | {
            "agreement": finding.agreement.value,
            "sentence": finding.sentence,
            "tables": [_table(table) for table in finding.tables],
            "picture": f"{experiment.name}.png",
            "caption": finding.caption,
            "solvers": {name: described(solver) for name, solver in finding.solvers.items()},
        }
    )


def failed(experiment: Experiment, setting: Setting, seconds: float, sentence: str) -> Record:
    """The record of an experiment that failed."""
    return Record(_head(experiment, setting, seconds) | {"failure": sentence})


def write_record(folder: Path, made: Record) -> None:
    """Write a record as JSON, whole or not at all."""
    text = json.dumps(made.contents, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder / f"{made.name}.json", text + "\n")


def read_record(folder: Path, name: str) -> Record | None:
    """The record of an experiment, None if there is no whole one."""
    try:
        contents = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(contents, dict) and contents.get("experiment") == name
    return Record(contents) if whole else None


def _head(experiment: Experiment, setting: Setting, seconds: float) -> dict[str, Any]:
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "shows": experiment.shows,
        "setting": _setting(experiment, setting),
        "seconds": round(seconds, 2),
        "finished": now(),
        "vastus": __version__,
        "seed": SEED,
        "machine": describe(),
    }


def _setting(experiment: Experiment, setting: Setting) -> dict[str, Any]:
    if not (setting.mesh and experiment.takes_mesh):
        return {"full": setting.full, "mesh": None}
    return {
        "full": setting.full,
        "mesh": setting.mesh.name,
        "mesh_sha256": _digest(setting.mesh),
    }


def _digest(path: Path) -> str | None:
    """The hash of a file; None if it is gone, which must not cost a finding of hours."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _table(table: Table) -> dict[str, Any]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows}


def _cell(cell: Any) -> Any:
    """A cell as JSON knows it: no infinity, no numpy."""
    if isinstance(cell, str) or cell is None:
        return cell
    number = cell.item() if hasattr(cell, "item") else cell
    return number if math.isfinite(number) else None
