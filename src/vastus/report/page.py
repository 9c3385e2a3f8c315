"""A result as one page that needs no other file: how its run ended, and all sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.html import page
from vastus.files.safe import make_folder, write_text
from vastus.report.sections import (
    Chosen,
    Section,
    chart_section,
    check_section,
    chosen_section,
    contact_section,
    mesh_section,
    model_section,
    penetration_section,
    picture_section,
    referee_section,
    solver_section,
)
from vastus.results.provenance import Status
from vastus.results.result import Result, read_result

PAGE = "report.html"
TEMPLATE, STYLE = "report/templates/report.html", "report/templates/report.css"
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
KINDS = {
    Status.FINISHED: "good",
    Status.INTERRUPTED: "fair",
    Status.RUNNING: "fair",
    Status.FAILED: "bad",
}


def write_report(
    folder: str | Path,
    path: str | Path | None = None,
    *,
    overwrite: bool = False,
    chosen: Chosen | None = None,
) -> Path:
    """Write the page of a result folder to a file, `report.html` in the folder unless given.

    Columns that are `chosen` are drawn against each other.
    """
    path = Path(folder) / PAGE if path is None else Path(path)
    result = read_result(folder)
    require_free(path, overwrite)
    make_folder(path.parent)
    write_text(path, report(result, chosen))
    return path


def report(result: Result, chosen: Chosen | None = None) -> str:
    """The page of a result, finished or not, with columns that are `chosen`."""
    name = result.model.name
    sections = (
        picture_section(result),
        chart_section(result),
        *([chosen_section(result, chosen)] if chosen else []),
        model_section(result.model),
        mesh_section(result.model),
        check_section(result.model),
        referee_section(result.verdicts),
        contact_section(result),
        penetration_section(result),
        solver_section(result),
        origin_section(result.provenance),
    )
    values = {"model": name, "ending": ending(result), "sections": sections}
    return page(TEMPLATE, f"{name}: report", style=STYLE, **values)


def require_free(path: Path, overwrite: bool) -> None:
    """Refuse a path that is no place for a page, or holds one that may not be replaced."""
    if path.is_dir():
        raise FileError(f"'{path}' is a folder; give the name of a file, such as {PAGE}")
    if path.exists() and not overwrite:
        raise FileError(f"'{path}' is there already; --overwrite replaces it")


def origin_section(provenance: Mapping[str, Any]) -> Section:
    """The record of a run in pairs of a name and a value."""
    pairs = [(title, provenance.get(name)) for name, title in NAMES.items()]
    return Section("Provenance", facts=[(title, _told(value)) for title, value in pairs])


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
        return Ending("unknown", "fair", _sentence("it is not known how the run ended", result))
    status = Status(said)
    if status is Status.RUNNING:
        why = "the run goes on, or was killed"
    return Ending(status.value, KINDS[status], _sentence(why, result))


def _sentence(why: str, result: Result) -> str:
    text = "; ".join(part for part in (why, frames(result)) if part)
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


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
