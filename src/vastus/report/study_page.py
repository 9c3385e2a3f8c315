"""A study as one page that needs no other file: what varied, what came, and what matters."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from vastus.errors import MissingExtra, VastusError
from vastus.files.html import Table, page
from vastus.files.safe import make_folder, read_bytes, write_text
from vastus.pictures.studies.curve import draw_scatter
from vastus.pictures.studies.index_bars import draw_indices
from vastus.pictures.studies.overview import draw_overview
from vastus.pictures.studies.tornado import draw_tornado
from vastus.report.page import KINDS, PAGE, STYLE, TEMPLATE, Ending, origin_section, require_free
from vastus.report.sections import Picture, Section
from vastus.results.provenance import Status as Ended
from vastus.studies.analysis import Indices, indices
from vastus.studies.folder import StudyFolder, read_folder
from vastus.studies.records import counts, sentences
from vastus.studies.study import is_done

ROWS, OUTPUTS = 200, 4  # that are shown at most


def write_study_report(
    folder: str | Path, path: str | Path | None = None, *, overwrite: bool = False
) -> Path:
    """Write the page of a study to a file, `report.html` in its folder unless given."""
    path = Path(folder) / PAGE if path is None else Path(path)
    study = read_folder(folder)
    require_free(path, overwrite)
    make_folder(path.parent)
    write_text(path, study_report(study))
    return path


def study_report(study: StudyFolder) -> str:
    """The page of a study, finished or not."""
    sections = [
        _outcome_section(study),
        _picture_section(study),
        _matter_section(study),
        _row_section(study),
        origin_section(study.provenance),
    ]
    values = {"model": f"Study of {study.subject}", "ending": _ending(study)}
    title = f"{study.subject}: study"
    return page(TEMPLATE, title, style=STYLE, **values, sections=[s for s in sections if s])


def _ending(study: StudyFolder) -> Ending:
    said = str(study.provenance.get("status"))
    status = Ended(said) if said in list(Ended) else Ended.RUNNING
    told = ", ".join(f"{n} {word}" for word, n in counts(study.outcomes).items() if n)
    return Ending(status.value, KINDS[status], f"{told or 'None'} of {len(study.rows)} variants.")


def _outcome_section(study: StudyFolder) -> Section:
    """What varied, by which design, and why some variants have no result."""
    took = sum(outcome.seconds for outcome in study.outcomes if outcome is not None)
    paths = study.provenance["study"]["parameters"]
    varied = [(name, ", ".join(paths[name]), *_range(study, name)) for name in study.parameters]
    tables = [Table("Parameters", ("parameter", "path", "from", "to"), varied)]
    failed = [
        (len(some), some[0].status.value, sentence)
        for sentence, some in sentences(study.outcomes).items()
    ]
    if failed:
        tables.append(Table("Variants without a result", ("number", "status", "why"), failed))
    facts = [
        ("design", f"{study.design}, {len(study.rows)} variants"),
        ("engine", str(study.provenance["study"].get("engine"))),
        ("time of all variants [s]", f"{took:.4g}"),
    ]
    return Section("Study", facts=facts, tables=tables)


def _range(study: StudyFolder, name: str) -> tuple[Any, Any]:
    """The smallest and the largest value, or the first and the last word."""
    values = [row[name] for row in study.rows]
    with suppress(TypeError):
        return _cell(min(values)), _cell(max(values))
    return _cell(values[0]), _cell(values[-1])


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict | bool) else value


def _picture_section(study: StudyFolder) -> Section | None:
    """Every output over every parameter, and the first two outputs over each other."""
    made = [_picture(lambda path: draw_overview(study, path), "All outputs over all parameters")]
    if len(study.outputs) > 1 and study.done:
        x, y = study.outputs[:2]
        made.append(_picture(lambda path: draw_scatter(study, path, x=x, y=y), f"{y} over {x}"))
    return Section("Pictures", pictures=[picture for picture in made if picture])


def _matter_section(study: StudyFolder) -> Section | None:
    """Which parameters matter, as far as the design can say it."""
    pictures, tables, notes = [], [], []
    for output in study.outputs[:OUTPUTS]:
        if study.design == "one_at_a_time":
            pictures.append(_tornado(study, output))
            continue
        if len(study.numeric) < 2 or study.design in ("grid", "list"):
            continue
        with suppress(VastusError):
            found = indices(study, output)
            pictures.append(_bars(found))
            tables.append(_table(found))
            notes += [f"{output}: {doubt}." for doubt in found.doubts]
    if not (pictures or tables):
        return None
    shown = [picture for picture in pictures if picture]
    return Section("What matters", notes, pictures=shown, tables=tables)


def _tornado(study: StudyFolder, output: str) -> Picture | None:
    return _picture(
        lambda path: draw_tornado(study, path, output=output), f"{output}, one at a time"
    )


def _bars(found: Indices) -> Picture | None:
    return _picture(lambda path: draw_indices(found, path), f"{found.output}: {found.label}")


def _table(found: Indices) -> Table:
    rows = [
        (one.parameter, one.first, one.first_error, one.total, one.total_error)
        for one in sorted(found.indices, key=lambda index: -index.first)
    ]
    head = ("parameter", "by itself", "± (95 %)", "with others", "± (95 %)")
    return Table(f"{found.output}: {found.label}", head, rows)


def _row_section(study: StudyFolder) -> Section:
    """The first rows of the table."""
    head = ("variant", *study.parameters, *study.outputs)
    rows = [
        (k, *map(_cell, study.rows[k].values()), *(outcome.outputs.get(n) for n in study.outputs))
        for k, outcome in enumerate(study.outcomes)
        if outcome is not None and is_done(outcome)
    ]
    more = f", the first {ROWS}" if len(rows) > ROWS else ""
    return Section("Table", tables=[Table(f"{len(rows)} variants{more}", head, rows[:ROWS])])


def _picture(draw: Callable[[Path], object], caption: str) -> Picture | None:
    """A picture in memory; None where nothing can be drawn."""
    with tempfile.TemporaryDirectory(prefix="vastus-study-") as folder:
        path = Path(folder) / "picture.png"
        try:
            drawn = draw(path)
        except (MissingExtra, VastusError):
            return None
        return None if drawn is False else Picture(read_bytes(path), caption, caption)
