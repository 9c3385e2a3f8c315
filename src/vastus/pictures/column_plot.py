"""Any column of a table against any other, with published curves behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import known
from vastus.files.curve_file import PublishedCurve
from vastus.files.safe import replacing
from vastus.numerics.types import Floats
from vastus.pictures.renderer import load_pyvista
from vastus.pictures.table_curves import limits

GREYS = ("#555b63", "#8a929c", "#b0b6bd", "#c8ccd1")
STYLES = ("--", ":", "-.")


@dataclass(frozen=True)
class ColumnPlot:
    """Columns, each with its label, over the column `x`."""

    x: str
    columns: Mapping[str, str]
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    other_x: Mapping[str, str] = field(default_factory=dict)  # of columns that have their own
    joined: bool = True  # whether rows follow each other, so that a line leads through them

    @classmethod
    def of(cls, table: Mapping[str, Floats], x: str, columns: Sequence[str]) -> ColumnPlot:
        """The plot of these columns of a table, refused if it has no such ones."""
        for name in (x, *columns):
            if name not in table:
                raise known("column", name, list(table))
        single = columns[0] if len(columns) == 1 else ""
        return cls(x, {name: name for name in columns}, x, single)

    def draw(
        self,
        table: Mapping[str, Floats],
        path: str | Path,
        over: Sequence[PublishedCurve] = (),
    ) -> None:
        """Draw to a PNG file; published curves are grey, and do not widen the axis of x."""
        figure = self.figure(table, over)
        with replacing(path) as part:
            figure.savefig(part)

    def pixels(
        self, table: Mapping[str, Floats], over: Sequence[PublishedCurve] = ()
    ) -> np.ndarray:
        """(height, width, 3) the same picture as bytes."""
        canvas = import_module("matplotlib.backends.backend_agg").FigureCanvasAgg
        drawn = canvas(self.figure(table, over))
        drawn.draw()
        return np.asarray(drawn.buffer_rgba())[:, :, :3].copy()

    def figure(self, table: Mapping[str, Floats], over: Sequence[PublishedCurve] = ()) -> Any:
        """The plot as a figure of matplotlib."""
        load_pyvista()
        figure = import_module("matplotlib.figure").Figure((8.4, 4.4), dpi=130)
        axes = figure.add_subplot()
        low, high = limits(table[self.x], 1e-12)
        for number, curve in enumerate(over):
            inside = (curve.x >= low) & (curve.x <= high)
            style = STYLES[number % len(STYLES)]
            grey = GREYS[number % len(GREYS)]
            axes.plot(curve.x[inside], curve.y[inside], style, color=grey, label=curve.name)
        marker = "o" if len(table[self.x]) <= 40 or not self.joined else ""
        for name, label in self.columns.items():
            x, y = table[self.other_x.get(name, self.x)], table[name]
            shown = np.isfinite(x) & np.isfinite(y)
            x, y = x[shown], y[shown]
            line = "-" if self.joined else ""
            axes.plot(x, y, line, marker=marker, markersize=3.5, label=label)
        axes.set(xlabel=self.x_label, ylabel=self.y_label, xlim=(low, high))
        axes.set_title(self.title, fontsize="medium", loc="left")
        axes.ticklabel_format(useOffset=False)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        if len(over) + len(self.columns) > 1:
            beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
            axes.legend(frameon=False, fontsize="small", **beside)
        figure.tight_layout()
        return figure
