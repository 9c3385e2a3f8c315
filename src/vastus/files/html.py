"""Pages of one HTML file that needs nothing else: text is escaped, and no script can run."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from html import escape
from math import isnan

Cell = str | int | float | None
LONG = 24  # letters of a word that may be broken anywhere
STYLE = """
:root { color-scheme: light dark; --ink: #22272e; --faint: #59626e; --paper: #fff;
        --line: #dfe3e8; --good: #d9f0e0; --fair: #fcefcf; --bad: #f8dcd8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e3e7ec; --faint: #a3adb8; --paper: #16191d; --line: #363c44;
          --good: #1f4a2f; --fair: #57451a; --bad: #5f2a24; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
a { color: inherit; }
h1 { font-size: 1.7rem; line-height: 1.25; } h2 { font-size: 1.25rem; margin-top: 3rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0; }
img { max-width: 100%; height: auto; display: block; background: #fff; border-radius: 0.3rem; }
figure { margin: 1rem 0; } figcaption, .small { color: var(--faint); font-size: 0.85rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.85rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right;
         vertical-align: top; font-variant-numeric: tabular-nums; }
th { font-weight: 600; } td:first-child, th:first-child { text-align: left; padding-left: 0; }
td.text, th.text { text-align: left; } td { white-space: nowrap; }
td.text, td.long { white-space: normal; } .long, dd { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: 0.2rem 1rem;
     font-size: 0.85rem; } dt { color: var(--faint); } dd { margin: 0; }
.verdict { font-weight: 600; padding: 0.1rem 0.5rem; border-radius: 0.3rem; white-space: nowrap; }
.good { background: var(--good); } .fair { background: var(--fair); }
.bad { background: var(--bad); }
@media (max-width: 62rem) { th, td { padding: 0.25rem 0.35rem; } }
@media screen and (max-width: 52rem) {
  .stack thead { position: absolute; left: -99rem; }
  .stack, .stack tbody, .stack tr, .stack td, .stack caption { display: block; }
  .stack tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .stack td { display: flex; justify-content: space-between; gap: 1rem; padding: 0.1rem 0;
              border: 0; text-align: right; }
  .stack td::before { content: attr(data-label); color: var(--faint); text-align: left;
                      flex: none; max-width: 45%; }
  .stack td { overflow-wrap: anywhere; white-space: normal; }
  .squeeze { font-size: 0.72rem; } .squeeze th, .squeeze td { padding: 0.2rem 0.15rem; } }
@media print { body { max-width: none; margin: 0; } h2, h3, caption { break-after: avoid; }
  figure, tr { break-inside: avoid; } .wide { overflow: visible; }
  table { font-size: 0.7rem; } th, td { padding: 0.15rem 0.25rem; } }
"""


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


def page(title: str, body: str, style: str = "") -> str:
    """A whole page of a body that is HTML already; its title is text."""
    css = STYLE + style
    # Only this very style may apply, and only pictures within the page are shown.
    allowed = b64encode(sha256(css.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{allowed}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{css}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def table(given: Table, narrow: Narrow = Narrow.SCROLL) -> str:
    """A table, whose title stands above it."""
    words = [any(_words(row[k]) for row in given.rows) for k in range(len(given.columns))]
    columns = list(zip(given.columns, words, strict=True))
    head = "".join(f'<th scope="col"{_kind(w)}>{escape(name)}</th>' for name, w in columns)
    rows = "".join(f"<tr>{_cells(row, columns)}</tr>" for row in given.rows)
    caption = f"<caption>{escape(given.title)}</caption>" if given.title else ""
    made = f"{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide"><table class="{narrow.value}">{made}</div>'


def image(png: bytes, alt: str, caption: str = "") -> str:
    """A figure of a PNG, with a text for those who do not see it, and a line below."""
    data = b64encode(png).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><img src="data:image/png;base64,{data}" alt="{escape(alt)}">{below}</figure>'


def badge(text: str, kind: str) -> str:
    """A word on a ground that says `good`, `fair` or `bad`."""
    return f'<span class="verdict {escape(kind)}">{escape(text)}</span>'


def facts(pairs: Iterable[tuple[str, Cell]]) -> str:
    """Names and what they stand for, side by side."""
    return (
        f"<dl>{''.join(f'<dt>{escape(n)}</dt><dd>{escape(shown(v))}</dd>' for n, v in pairs)}</dl>"
    )


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """A paragraph for each text."""
    start = f'<p class="{escape(kind)}">' if kind else "<p>"
    return "".join(f"{start}{escape(text)}</p>" for text in texts)


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


def _cells(row: Sequence[Cell], columns: Sequence[tuple[str, bool]]) -> str:
    return "".join(
        f'<td{_kind(_words(cell), shown(cell))} data-label="{escape(name)}">'
        f"{escape(shown(cell))}</td>"
        for cell, (name, _) in zip(row, columns, strict=True)
    )


def _kind(words: bool, text: str = "") -> str:
    """How a cell is set: words to the left, and a long one may be broken."""
    kinds = ["text"] * words + ["long"] * any(len(word) > LONG for word in text.split())
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _words(cell: Cell) -> bool:
    """Whether a cell is text; a number with a mark is not."""
    return isinstance(cell, str) and not cell[:1].isdigit()
