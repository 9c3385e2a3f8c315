"""A result as one page that needs no other file."""

from __future__ import annotations

from html import escape
from pathlib import Path

from vastus.errors import FileError
from vastus.io.files import make_folder, write_text
from vastus.io.html import badge, page
from vastus.io.result import Result, read_result
from vastus.report import chart
from vastus.report.anatomy import check_section, mesh_section, model_section
from vastus.report.motion import chart_section, picture_section
from vastus.report.origin import origin_section
from vastus.report.solving import penetration_section, referee_section, solver_section
from vastus.report.verdict import ending

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
