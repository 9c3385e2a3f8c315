"""The table at the end of a run, narrow enough for any terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from vastus.model import Model
from vastus.numerics.types import Floats

ROWS, MUSCLES, JOINTS, WIDTH = 12, 2, 2, 100
Columns = Mapping[str, Floats]


@dataclass(frozen=True)
class Column:
    """What a column shows: its heading, where its values come from, and how they are written."""

    heading: str
    name: str
    form: str
    scale: float = 1.0

    def cell(self, table: Columns, row: int) -> str:
        """The text of one cell."""
        return format(float(table[self.name][row]) * self.scale, self.form)


def print_table(model: Model, table: Columns) -> None:
    """Print the most telling columns of a table of outputs, and some rows if there are many."""
    columns = [c for c in _columns(model, table) if c.name in table]
    out = Table(box=None, padding=(0, 1), header_style="bold")
    for column in columns:
        out.add_column(column.heading, justify="right", no_wrap=True)
    for row in _rows(len(table["time_s"])):
        out.add_row(*(column.cell(table, row) for column in columns))
    stdout().print(out)


def _columns(model: Model, table: Columns) -> list[Column]:
    muscles = _most_active(model, table)
    joints = [j.name for j in model.joints[:JOINTS]]
    return [
        Column("time\ns", "time_s", ".3g"),
        *(Column(f"{m[:10]}\nactivation", f"{m}_activation", ".2f") for m in muscles),
        *(Column(f"{m[:10]}\nN", f"{m}_force_N", ".1f") for m in muscles),
        *(Column(f"{m[:10]}\nvolume %", f"{m}_volume_change", "+.2f", 100) for m in muscles[:1]),
        *(Column(f"{j[:10]}\ndeg", f"{j}_angle_deg", ".1f") for j in joints),
        Column("\niterations", "iterations", ".0f"),
        Column("residual\nN", "residual_N", ".0e"),
    ]


def _most_active(model: Model, table: Columns) -> list[str]:
    names = [m.name for m in model.muscles]
    peak = {n: float(np.max(table.get(f"{n}_activation", np.zeros(1)))) for n in names}
    return sorted(names, key=lambda n: -peak[n])[:MUSCLES]


def _rows(count: int) -> list[int]:
    """All rows, or evenly chosen ones with the first and the last."""
    return sorted({round(r) for r in np.linspace(0, count - 1, min(count, ROWS))})


def stdout() -> Console:
    """The console for results: no wider than a page, plain where it is not a terminal."""
    console = Console(highlight=False)
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    return console
