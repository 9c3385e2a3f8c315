"""How each frame was solved, one JSON text a line."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from vastus.errors import FileError
from vastus.io.files import append_text
from vastus.io.limits import DAMAGED, read_text
from vastus.motion import Report


def append_report(path: Path, report: Report, *, warmed: bool) -> None:
    """Add the report of one more frame; if `warmed`, its seconds have no compiling in them."""
    append_text(path, json.dumps(asdict(report) | {"warmed": warmed}) + "\n")


def read_reports(path: Path, count: int) -> tuple[dict[str, Any], ...]:
    """The reports of the first `count` frames, a mapping each; none if there is no file."""
    if not path.exists():
        return ()
    try:
        reports = tuple(json.loads(line) for line in read_text(path).split("\n")[:count])
        TypeAdapter(tuple[Report, ...]).validate_python(reports)
    except DAMAGED:
        raise FileError(f"the reports '{path}' are damaged") from None
    if len(reports) != count:
        raise FileError(f"'{path}' has {len(reports)} reports, but {count} frames are finished")
    return reports
