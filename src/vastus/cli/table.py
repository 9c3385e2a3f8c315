"""The table at the end of a run: as many columns as the terminal has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from vastus.model import Model
from vastus.numerics.types import Floats

ROWS, MUSCLES, JOINTS = 12, 2, 2
ENDLESS = 10_000  # the width where there is no terminal
Columns = Mapping[str, Floats]


@dataclass(frozen=True)
class Column:
    """What a column shows: its heading, where its values come from, and how they are written.

    Where there is no room for all, those of the highest `rank` go first.
    """

    heading: str
    name: str
    form: str
    rank: int = 0
    scale: float = 1.0

    def cell(self, table: Columns, row: int) -> str:
        """The text of one cell."""
        value = float(table[self.name][row]) * self.scale
        return "-" if np.isnan(value) else format(value, self.form)

    def width(self, table: Columns, rows: Sequence[int]) -> int:
        """The room that it takes, with a space on either side."""
        cells = [*self.heading.split("\n"), *(self.cell(table, row) for row in rows)]
        return max(len(cell) for cell in cells) + 2


def print_table(model: Model, table: Columns) -> None:
    """Print the most telling columns of a table of outputs, and some rows if there are many."""
    print_columns([c for c in _columns(model, table) if c.name in table], table)


def print_columns(known: Sequence[Column], table: Columns) -> None:
    """Print those columns of a table for which there is room, and some rows if there are many."""
    console, rows = stdout(), _rows(len(table["time_s"]))
    columns = fitting({c: c.width(table, rows) for c in known}, console.width)
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for column in columns:
        out.add_column(column.heading, justify="right", no_wrap=True)
    for row in rows:
        out.add_row(*(column.cell(table, row) for column in columns))
    console.print(out)


def fitting(widths: Mapping[Column, int], room: int) -> list[Column]:
    """The columns, given with their widths, for which there is room; the first in any case."""
    kept = list(widths)
    while len(kept) > 1 and sum(widths[c] for c in kept) > room:
        kept.remove(max(reversed(kept[1:]), key=lambda c: c.rank))
    return kept


def _columns(model: Model, table: Columns) -> list[Column]:
    muscles = list(enumerate(_most_active(model, table), 1))
    joints = [j.name for j in model.joints[:JOINTS]]
    return [
        Column("time\ns", "time_s", ".3g"),
        *(Column(f"{m[:10]}\nactivation", f"{m}_activation", ".2f", k) for k, m in muscles),
        *(Column(f"{m[:10]}\nN", f"{m}_force_N", ".1f", k) for k, m in muscles),
        *(
            Column(f"{m[:10]}\nvolume %", f"{m}_volume_change", "+.2f", MUSCLES + 1, 100)
            for _, m in muscles[:1]
        ),
        *(Column(f"{j[:10]}\ndeg", f"{j}_angle_deg", ".1f") for j in joints),
        Column("\niterations", "iterations", ".0f", MUSCLES + 2),
        Column("residual\nN", "residual_N", ".0e", MUSCLES + 3),
    ]


def _most_active(model: Model, table: Columns) -> list[str]:
    names = [m.name for m in model.muscles]
    peak = {n: float(np.max(table.get(f"{n}_activation", np.zeros(1)))) for n in names}
    return sorted(names, key=lambda n: -peak[n])[:MUSCLES]


def _rows(count: int) -> list[int]:
    """All rows, or evenly chosen ones with the first and the last."""
    return sorted({round(r) for r in np.linspace(0, count - 1, min(count, ROWS))})


def stdout() -> Console:
    """The console for results: plain, and without an edge, where it is not a terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = ENDLESS
    return console
