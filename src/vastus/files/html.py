"""Pages of one HTML file that needs nothing else: text is escaped, and no script can run."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from hashlib import sha256
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

Cell = str | int | float | None
LONG = 24  # letters of a word that may be broken anywhere
ROOT = Path(__file__).parents[1]  # templates are named by their path in the package
STYLE = "files/templates/page.css"


class Narrow(StrEnum):
    """What a table does on a narrow page: scroll, make lines of each row, or use small letters."""

    SCROLL = "scroll"
    STACK = "stack"
    SQUEEZE = "squeeze"


@dataclass(frozen=True)
class Table:
    """A table of a page: a row has a text, a number or None in each column."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    def is_text(self, column: int) -> bool:
        """Whether any cell of a column is text."""
        return any(_is_text(row[column]) for row in self.rows)


def page(template: str, title: str, *, style: str = "", **values: object) -> str:
    """A whole page by a template that extends `page.html`, with a style sheet of its own."""
    css = "".join((ROOT / name).read_text(encoding="utf-8") for name in (STYLE, style) if name)
    digest = _base64(sha256(css.encode()).digest())
    return render(template, title=title, css=css, digest=digest, **values)


def render(template: str, **values: object) -> str:
    """The text of a template, named by its path in the package; all values are escaped."""
    return _environment().get_template(template).render(values)


def shown(cell: Cell) -> str:
    """A cell as people read it."""
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 1000:
        return f"{cell:,.0f}"
    if 0 < abs(cell) < 1e-6:
        return "0" if abs(cell) < 1e-12 else f"{cell:.0e}"
    return f"{cell:.3g}"


@cache
def _environment() -> Environment:
    # Jinja is imported where a page is made: nothing else needs it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(ROOT),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": shown, "kinds": _kinds, "base64": _base64}
    return made


def _kinds(cell: Cell) -> str:
    """How a cell is set: words to the left, and a long one may be broken."""
    is_long = any(len(word) > LONG for word in shown(cell).split())
    return " ".join(["text"] * _is_text(cell) + ["long"] * is_long)


def _is_text(cell: Cell) -> bool:
    """Whether a cell is text; a number with a mark is not."""
    return isinstance(cell, str) and not cell[:1].isdigit()


def _base64(contents: bytes) -> str:
    return b64encode(contents).decode("ascii")
