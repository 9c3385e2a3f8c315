"""Plots of a result's table beside the timeline: over time, or any column against any other."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

import numpy as np

from vastus.app.text import label
from vastus.app.web_page import Page
from vastus.measure.energy_balance import PARTS
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.column_plot import ColumnPlot

MOST = 8  # curves in one plot; more are not told apart
COLOURS = (
    "#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951", "#ff8ab7", "#a463f2", "#9c6b4e",
)  # fmt: skip
NOW = "#888888"
MARGIN = 0.05  # of the range of values
LEAST = 1e-4  # of the values themselves, and in their unit
Curves = dict[str, Floats]
UNITS = {"J": 1.0, "mJ": 1e3, "\N{MICRO SIGN}J": 1e6}  # of energies, and how many are a joule
LEAST_UNIT = list(UNITS)[-1]


class Plots:
    """Joint angles [deg], muscle lengths [mm], forces [N] and energies [J] over time [s]."""

    def __init__(self, page: Page, model: Model, table: Mapping[str, Floats]) -> None:
        self._plots = []
        for title, curves in families(model, table).items():
            if curves:
                self._plots.append(Plot(page, title, table["time_s"], curves))

        if drawable():
            ColumnChoice(page, table)

    def at(self, time: float) -> None:
        """Move the line to a time [s]."""
        for plot in self._plots:
            plot.at(time)


def drawable() -> bool:
    """Whether the package is here that draws columns against each other."""
    return find_spec("pyvista") is not None


class ColumnChoice:
    """Two columns of the table, chosen by a visitor, one against the other."""

    def __init__(self, page: Page, table: Mapping[str, Floats]) -> None:
        self._table = table
        names, gui = tuple(table), page.server.gui
        self._x = gui.add_dropdown("Across", names, initial_value="time_s")
        last = next((name for name in names if name.endswith("_force_N")), names[-1])
        self._y = gui.add_dropdown("Upwards", names, initial_value=last)
        self._image = gui.add_image(self._picture(), label="Column against column")
        for choice in (self._x, self._y):
            page.when(choice, lambda _: self._show(), key="columns")

    def _show(self) -> None:
        self._image.image = self._picture()

    def _picture(self) -> np.ndarray:
        x, y = self._x.value, self._y.value
        return ColumnPlot(x, {y: y}, x, y).pixels(self._table)


class Plot:
    """Some curves (k,) over times (k,) [s]."""

    def __init__(self, page: Page, title: str, times: Floats, curves: Curves) -> None:
        self._times, self._curves = times, curves
        self._range = axis_range(np.concatenate(list(curves.values())))
        lines = [
            {"label": label(name, 24), "stroke": colour, "width": 2, "points": {"show": False}}
            for name, colour in zip(curves, COLOURS, strict=False)
        ]
        now = {"label": "now", "stroke": NOW, "width": 1, "points": {"show": False}}
        self._plot = page.server.gui.add_uplot(
            self._data(float(times[0])),
            ({"label": "time [s]"}, *lines, now),
            title=title,
            scales={"x": {"time": False}, "y": {"auto": False, "range": self._range}},
            aspect=1.6,
        )

    def at(self, time: float) -> None:
        """Move the line to a time [s]."""
        self._plot.data = self._data(time)

    def _data(self, time: float) -> tuple[Floats, ...]:
        """The curves with the present time added twice: there the line rises from end to end."""
        where = int(np.searchsorted(self._times, time))
        x = np.insert(self._times, where, [time, time])
        curves = [
            np.insert(y, where, [np.interp(time, self._times, y)] * 2)
            for y in self._curves.values()
        ]
        line = np.full(len(x), np.nan)
        line[where : where + 2] = self._range
        return (x, *curves, line)


def axis_range(values: Floats) -> tuple[float, float]:
    """The ends of an axis for values, of which some may be no numbers."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    # The page fails at an axis so short that its ends are the same number.
    margin = max(MARGIN * (high - low), LEAST * max(abs(low), abs(high)), LEAST)
    return low - margin, high + margin


def families(model: Model, table: Mapping[str, Floats]) -> dict[str, Curves]:
    """The columns of a table that are plotted together, in the units of their titles."""
    joints, muscles = [j.name for j in model.joints], [m.name for m in model.muscles]
    wanted = {
        "joint angle [deg]": (joints, "_angle_deg", 1.0),
        "muscle length [mm]": (muscles, "_length_m", 1e3),
        "muscle force [N]": (muscles, "_force_N", 1.0),
    }
    found = {
        title: {
            name: scale * table[f"{name}{ending}"]
            for name in names[:MOST]
            if f"{name}{ending}" in table
        }
        for title, (names, ending, scale) in wanted.items()
    }
    return found | energies(table)


def energies(table: Mapping[str, Floats]) -> dict[str, Curves]:
    """The account of energy of a motion, in a unit of its size; parts that stay zero are left out.

    A table of equilibria has none.
    """
    columns = {name: table[f"energy_{name}_J"] for name in PARTS if f"energy_{name}_J" in table}
    curves = {name: values for name, values in columns.items() if np.nan_to_num(values).any()}
    if not curves:
        return {}
    largest = max(float(np.nanmax(np.abs(values))) for values in curves.values())
    unit, scale = next((u, s) for u, s in UNITS.items() if s * largest >= 1.0 or u == LEAST_UNIT)
    shown = list(curves.items())[:MOST]
    return {f"energies and works [{unit}]": {name: scale * values for name, values in shown}}
