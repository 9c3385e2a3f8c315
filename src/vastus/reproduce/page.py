"""The page of all findings: one HTML file that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from vastus.io.files import write_text
from vastus.reproduce.record import Record

PAGE = "index.html"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #22272e; background: #fff;
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 3rem; }
img { max-width: 100%; height: auto; display: block; margin: 1rem 0 0; }
figcaption, .small { color: #59626e; font-size: 0.85rem; }
figure { margin: 1rem 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.85rem; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid #dfe3e8; text-align: right;
         vertical-align: top; font-variant-numeric: tabular-nums; }
th { font-weight: 600; } td:first-child, th:first-child { text-align: left; }
td.text, th.text { text-align: left; }
.verdict { font-weight: 600; padding: 0.1rem 0.5rem; border-radius: 0.3rem; white-space: nowrap; }
.agrees { background: #d9f0e0; } .agrees-in-part { background: #fcefcf; }
.does-not-agree, .failed { background: #f8dcd8; }
"""
INTRODUCTION = (
    "The figures and tables of V. Modi, L. Fulton, A. Jacobson, S. Sueda and D. I. W. Levin, "
    "<em>EMU: Efficient muscle simulation in deformation space</em> (Computer Graphics Forum, "
    "2020) as experiments of this package. Every sentence below a figure is made from the numbers "
    "of the run. Errors are in per cent of the model's rest length. The paper gives neither its "
    "shapes nor its activations, and its alpha depends on mesh and units; here alpha has no unit, "
    "materials are the paper's, and the active stress equals the muscle's Young's modulus, but in "
    "the elbow (Figs. 3 and 4) and the bipennate muscle (Fig. 4), which have this package's own "
    "materials, and in the bunny, whose modulus is 7 times density, gravity and height."
)


def write_page(folder: Path, records: Sequence[Record]) -> Path:
    """Write the page of these records; pictures are taken from the folder."""
    body = "".join(_section(folder, r) for r in records)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>EMU, reproduced</title><style>{STYLE}</style></head><body>"
        f"<h1>EMU, reproduced</h1><p>{INTRODUCTION}</p>{_summary(records)}{body}{_machine(records)}"
        "</body></html>\n"
    )
    write_text(folder / PAGE, text)
    return folder / PAGE


def shown(cell: Any) -> str:
    """A cell as people read it."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 1000:
        return f"{cell:,.0f}"
    if 0 < abs(cell) < 1e-6:
        return "0" if abs(cell) < 1e-12 else f"{cell:.0e}"
    return f"{cell:.3g}"


def _summary(records: Sequence[Record]) -> str:
    rows = "".join(
        f'<tr><td><a href="#{r.name}">{escape(r.contents["title"])}</a></td>'
        f'<td class="text">{_badge(r)}</td><td>{shown(float(r.contents["seconds"]))}</td></tr>'
        for r in records
    )
    head = "<tr><th>experiment</th><th></th><th>seconds</th></tr>"
    return f"<table>{head}{rows}</table>"


def _badge(r: Record) -> str:
    return f'<span class="verdict {r.verdict.replace(" ", "-")}">{escape(r.verdict)}</span>'


def _section(folder: Path, r: Record) -> str:
    c = r.contents
    head = f'<h2 id="{r.name}">{escape(c["title"])} {_badge(r)}</h2><p>{escape(c["shows"])}</p>'
    if r.failure:
        return f"{head}<p>It failed: {escape(r.failure)}</p>"
    tables = "".join(_table(t) for t in c["tables"])
    size = "all sizes" if c["setting"]["full"] else "small sizes"
    mesh = f", mesh {escape(c['setting']['mesh'])}" if c["setting"]["mesh"] else ""
    return (
        f"{head}{_picture(folder, c)}<p><strong>Found:</strong> {escape(r.sentence)}</p>{tables}"
        f'<p class="small">{shown(float(c["seconds"]))} s, {size}{mesh}; numbers in '
        f'<a href="{r.name}.json">{r.name}.json</a>.</p>'
    )


def _picture(folder: Path, contents: Mapping[str, Any]) -> str:
    try:
        data = b64encode((folder / contents["picture"]).read_bytes()).decode("ascii")
    except OSError:
        return "<p>(The picture is missing.)</p>"
    caption = escape(contents["caption"])
    return (
        f'<figure><img src="data:image/png;base64,{data}" alt="{caption}">'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _table(table: Mapping[str, Any]) -> str:
    columns = list(zip(table["columns"], *table["rows"], strict=True))
    head = "".join(_heading(name, cells) for name, *cells in columns)
    rows = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in table["rows"])
    caption = f"<caption>{escape(table['title'])}</caption>"
    return f'<div class="wide"><table>{caption}<tr>{head}</tr>{rows}</table></div>'


def _cell(cell: Any) -> str:
    start = '<td class="text">' if _words(cell) else "<td>"
    return f"{start}{escape(shown(cell))}</td>"


def _heading(name: str, cells: Sequence[Any]) -> str:
    start = '<th class="text">' if any(map(_words, cells)) else "<th>"
    return f"{start}{escape(name)}</th>"


def _words(cell: Any) -> bool:
    """Whether a cell is text; a number with a mark is not."""
    return isinstance(cell, str) and not cell[:1].isdigit()


def _machine(records: Sequence[Record]) -> str:
    if not records:
        return ""
    c = records[-1].contents
    m = c["machine"]
    return (
        f'<p class="small">vastus {c["vastus"]}, {escape(str(m["processor"]))}, '
        f"{m['cores']} cores, {m['memory_GB']} GB, Python {m['python']}, {c['finished']}.</p>"
    )
