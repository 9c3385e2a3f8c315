"""Table 1: the lines of each muscle, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from vastus.bodies.upper.lines import Line
from vastus.files.html import Table
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import upper_body

Counts = Mapping[tuple[str, str], int]  # lines by region and muscle
REGIONS = {"neck": "head and neck", "trunk": "trunk", "arm": "arm, a side"}


def run(setting: Setting) -> Finding:
    """Count the lines of the body."""
    lines = upper_body().lines
    counts = counted(lines)
    return Finding(
        agreement=agreement(counts, len(lines)),
        sentence=sentence(counts, len(lines)),
        tables=(_sums(counts, len(lines)), _rows(counts)),
        figure=_drawn(counts),
        caption="Lines of each muscle: bars are ours, the marks the paper's. Of head, neck and "
        "trunk both sides are counted, of the arm one.",
    )


def counted(lines: Iterable[Line]) -> Counts:
    """The lines of each muscle of a region; of the arm those of the left."""
    return Counter(
        (line.region, line.group.replace("_", " "))
        for line in lines
        if line.region != "arm" or line.side == "L"
    )


def published() -> dict[tuple[str, str], int]:
    """The paper's counts."""
    return {(r, name): n for r, rows in paper.TABLE1.items() for name, n in rows.items()}


def sum_of(counts: Counts, region: str) -> int:
    """The lines of a region."""
    return sum(n for (where, _), n in counts.items() if where == region)


def differing(counts: Counts) -> list[tuple[str, str]]:
    """The rows that are not the paper's, ours or theirs."""
    theirs = published()
    return [row for row in {**theirs, **counts} if theirs.get(row) != counts.get(row)]


def agreement(counts: Counts, total: int) -> Agreement:
    """Whether all rows and all sums are the paper's."""
    sums = all(sum_of(counts, region) == n for region, n in paper.LINES_OF.items())
    return Agreement.of(not differing(counts), sums, total == paper.LINES)


def sentence(counts: Counts, total: int) -> str:
    """What was counted."""
    wrong, rows = differing(counts), len(published())
    sums = ", ".join(f"{sum_of(counts, r)} of {n} ({REGIONS[r]})"
                     for r, n in paper.LINES_OF.items())  # fmt: skip
    differ = (
        "; rows that differ: " + ", ".join(f"{name} ({region})" for region, name in wrong)
        if wrong
        else ""
    )
    return (
        f"{rows - len(wrong)} of the {rows} rows have the paper's number of lines{differ}. Sums: "
        f"{sums}; {total} lines in all, {paper.LINES} in the paper."
    )


def _sums(counts: Counts, total: int) -> Table:
    rows = [
        (name, len(paper.TABLE1[region]), sum_of(counts, region), paper.LINES_OF[region])
        for region, name in REGIONS.items()
    ]
    rows.append(("all, both arms", len(published()), total, paper.LINES))
    return Table("Sums", ("region", "rows", "lines here", "lines in the paper"), rows)


def _rows(counts: Counts) -> Table:
    rows = [
        (REGIONS[region], name, counts.get((region, name), 0), n)
        for (region, name), n in published().items()
    ]
    columns = ("region", "muscle", "lines here", "lines in the paper")
    return Table("All rows", columns, rows)


def _drawn(counts: Counts) -> Any:
    made, plots = style.figure(3, width=4.2, height=7.2)
    colours = (style.BLUE, style.GREEN, style.RED)
    for axes, region, colour in zip(plots, REGIONS, colours, strict=True):
        names = list(paper.TABLE1[region])[::-1]
        axes.barh(names, [counts.get((region, name), 0) for name in names], color=colour, alpha=0.6)
        axes.plot([paper.TABLE1[region][name] for name in names], range(len(names)), "|",
                  color=style.INK, ms=9, mew=2)  # fmt: skip
        axes.tick_params(axis="y", labelsize=7)
        axes.set_ylim(-0.6, len(names) - 0.4)
        title = f"{REGIONS[region]}: {sum_of(counts, region)} of {paper.LINES_OF[region]}"
        style.label(axes, title, "lines", "")
    return made


EXPERIMENT = Experiment(
    "table1",
    "Table 1: 814 muscles",
    "Most muscles of the upper body are modelled, each by one or more lines: 300 of head and "
    "neck, 432 of the trunk, 41 of each arm.",
    run,
    (0.2, 0.2),
)
