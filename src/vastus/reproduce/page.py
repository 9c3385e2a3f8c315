"""The page of all findings: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from vastus.io.files import write_text
from vastus.io.html import Table, badge, image, page, shown, table
from vastus.reproduce.record import Record

PAGE, TITLE = "index.html", "EMU, reproduced"
KINDS = {"agrees": "good", "agrees in part": "fair", "does not agree": "bad", "failed": "bad"}
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
    whole = f"<h1>{TITLE}</h1><p>{INTRODUCTION}</p>{_summary(records)}{body}{_machine(records)}"
    write_text(folder / PAGE, page(TITLE, whole))
    return folder / PAGE


def _summary(records: Sequence[Record]) -> str:
    rows = "".join(
        f'<tr><td><a href="#{r.name}">{escape(r.contents["title"])}</a></td>'
        f'<td class="text">{_badge(r)}</td><td>{shown(float(r.contents["seconds"]))}</td></tr>'
        for r in records
    )
    head = "<tr><th>experiment</th><th></th><th>seconds</th></tr>"
    return f"<table>{head}{rows}</table>"


def _badge(r: Record) -> str:
    return badge(r.verdict, KINDS[r.verdict])


def _section(folder: Path, r: Record) -> str:
    c = r.contents
    head = f'<h2 id="{r.name}">{escape(c["title"])} {_badge(r)}</h2><p>{escape(c["shows"])}</p>'
    if r.failure:
        return f"{head}<p>It failed: {escape(r.failure)}</p>"
    tables = "".join(table(Table(**t)) for t in c["tables"])
    size = "all sizes" if c["setting"]["full"] else "small sizes"
    mesh = f", mesh {escape(c['setting']['mesh'])}" if c["setting"]["mesh"] else ""
    return (
        f"{head}{_picture(folder, c)}<p><strong>Found:</strong> {escape(r.sentence)}</p>{tables}"
        f'<p class="small">{shown(float(c["seconds"]))} s, {size}{mesh}; numbers in '
        f'<a href="{r.name}.json">{r.name}.json</a>.</p>'
    )


def _picture(folder: Path, contents: Mapping[str, Any]) -> str:
    try:
        png = (folder / contents["picture"]).read_bytes()
    except OSError:
        return "<p>(The picture is missing.)</p>"
    return image(png, contents["caption"], contents["caption"])


def _machine(records: Sequence[Record]) -> str:
    if not records:
        return ""
    c = records[-1].contents
    m = c["machine"]
    return (
        f'<p class="small">vastus {c["vastus"]}, {escape(str(m["processor"]))}, '
        f"{m['cores']} cores, {m['memory_GB']} GB, Python {m['python']}, {c['finished']}.</p>"
    )
