"""Where a result came from.

How a run ended, in a word and a line.

A result as one page that needs no other file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.html import badge, facts, page
from vastus.files.safe import make_folder, write_text
from vastus.report import chart
from vastus.report.sections import (
    chart_section,
    check_section,
    mesh_section,
    model_section,
    penetration_section,
    picture_section,
    referee_section,
    solver_section,
)
from vastus.results.provenance import Status
from vastus.results.result import Result, read_result

NAMES = {
    "vastus": "version of vastus",
    "python": "version of Python",
    "packages": "packages",
    "platform": "machine",
    "command": "command",
    "scene": "hash of the scene",
    "model": "hash of the model",
    "seed": "seed",
    "solver": "solver",
    "started": "started",
    "finished": "ended",
}


def origin_section(provenance: Mapping[str, Any]) -> str:
    """The record of a run in pairs of a name and a value."""
    pairs = [(title, provenance.get(name)) for name, title in NAMES.items()]
    return facts([(title, _told(value)) for title, value in pairs])


def _told(value: Any) -> str | None:
    if isinstance(value, Mapping):
        return ", ".join(_flat(value))
    return None if value in (None, "") else str(value)


def _flat(value: Mapping[str, Any]) -> Iterator[str]:
    """Settings within settings, one after the other; a `name` is that of the whole."""
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield f"{name} ({', '.join(_flat(inner))})"
        else:
            yield str(inner) if name == "name" else f"{name} {'–' if inner is None else inner}"


KINDS = {
    Status.FINISHED: "good",
    Status.INTERRUPTED: "fair",
    Status.RUNNING: "fair",
    Status.FAILED: "bad",
}


@dataclass(frozen=True)
class Ending:
    """A word, whether that is `good`, `fair` or `bad`, and a sentence."""

    word: str
    kind: str
    sentence: str


def ending(result: Result) -> Ending:
    """How the run of a result ended."""
    said, why = str(result.provenance.get("status")), str(result.provenance.get("sentence") or "")
    if said not in list(Status):
        return Ending("unknown", "fair", f"it is not known how the run ended; {frames(result)}")
    status = Status(said)
    if status is Status.RUNNING:
        why = "the run goes on, or was killed"
    parts = [part for part in (why, frames(result)) if part]
    return Ending(status.value, KINDS[status], "; ".join(parts))


def frames(result: Result) -> str:
    """How many frames are finished, their times, and what they took."""
    count = len(result.times)
    if not count:
        return "no frame is finished"
    when = f"at {result.times[0]:g} s"
    if count > 1:
        when = f"from {result.times[0]:g} to {result.times[-1]:g} s"
    took = sum(float(report.get("seconds", 0.0)) for report in result.reports)
    return f"{count} frame{'s' * (count > 1)} {when}" + f", solved in {took:.3g} s" * bool(took)


PAGE = "report.html"
STYLE = """
nav { font-size: 0.85rem; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; }
.pictures { display: grid; gap: 1rem;
            grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
@media screen and (max-width: 40rem) {
  .pictures { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
.pictures figure { margin: 0; overflow-wrap: anywhere; } .pictures img { width: 100%; }
@media print { nav { display: none; } .charts { grid-template-columns: 1fr 1fr; }
  .pictures { grid-template-columns: repeat(3, 1fr); } }
"""


def write_report(
    folder: str | Path, path: str | Path | None = None, *, overwrite: bool = False
) -> Path:
    """Write the page of a result folder to a file, `report.html` in the folder unless given."""
    path = Path(folder) / PAGE if path is None else Path(path)
    result = read_result(folder)
    require_free(path, overwrite)
    make_folder(path.parent)
    write_text(path, report(result))
    return path


def report(result: Result) -> str:
    """The page of a result, finished or not."""
    sections = {
        "Pictures": picture_section(result),
        "Motion": chart_section(result),
        "Model": model_section(result.model),
        "Mesh": mesh_section(result.model),
        "Checks": check_section(result.model),
        "Referee": referee_section(result.verdicts),
        "Bodies in each other": penetration_section(result),
        "Solver": solver_section(result),
        "Provenance": origin_section(result.provenance),
    }
    links = "".join(f'<a href="#{_anchor(title)}">{title}</a>' for title in sections)
    parts = "".join(
        f'<section><h2 id="{_anchor(title)}">{title}</h2>{text}</section>'
        for title, text in sections.items()
    )
    body = f"<header>{_head(result)}<nav>{links}</nav></header><main>{parts}</main>"
    return page(f"{result.model.name}: report", body, chart.STYLE + STYLE)


def require_free(path: Path, overwrite: bool) -> None:
    """Refuse a path that is no place for a page, or holds one that may not be replaced."""
    if path.is_dir():
        raise FileError(f"'{path}' is a folder; give the name of a file, such as {PAGE}")
    if path.exists() and not overwrite:
        raise FileError(f"'{path}' is there already; --overwrite replaces it")


def _head(result: Result) -> str:
    end = ending(result)
    sentence = f"{end.sentence[:1].upper()}{end.sentence[1:].removesuffix('.')}."
    return (
        f"<h1>{escape(result.model.name)}</h1><p>{badge(end.word, end.kind)} {escape(sentence)}</p>"
    )


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")
