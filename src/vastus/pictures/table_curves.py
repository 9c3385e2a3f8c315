"""Curves of the scalar outputs of a table against time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from vastus.files.safe import replacing
from vastus.numerics.types import Floats
from vastus.pictures.renderer import load_pyvista
from vastus.results.result import read_result


@dataclass(frozen=True)
class Curves:
    """One plot: what ends its columns' names, its label, a factor, and the least height drawn.

    All names begin with `beginning`, which is left out as the ending is.
    """

    ending: str
    label: str
    scale: float
    span: float
    beginning: str = ""

    def of(self, table: Mapping[str, Floats]) -> dict[str, Floats]:
        """The columns of a table that it shows, times the factor, by what is left of their names.

        A column that is zero all along, as where nothing slows, is left out of those that begin
        alike.
        """
        affixes = len(self.beginning) + len(self.ending)
        found = {
            name.removeprefix(self.beginning).removesuffix(self.ending): self.scale * values
            for name, values in table.items()
            if name.startswith(self.beginning)
            and name.endswith(self.ending)
            and len(name) > affixes
        }
        if not self.beginning:
            return found
        return {name: values for name, values in found.items() if np.any(values)}


CURVES = (
    Curves("_angle_deg", "joint angle from rest [°]", 1.0, 2.0),
    Curves("_reaction_Nm", "moment that drives a joint [N m]", 1.0, 0.01),
    Curves("_force_N", "muscle force [N]", 1.0, 0.01),
    Curves("_length_m", "length [cm]", 100.0, 0.01),
    Curves("_tension_N", "tension of cables [N]", 1.0, 0.01),
    Curves("_pressure_Pa", "pressure [kPa]", 1e-3, 0.01),
    Curves("_volume_m3", "volume of cavities [cm³]", 1e6, 0.01),
    Curves("_activation", "activation", 1.0, 0.1),
    Curves("_J", "energies and works [J]", 1.0, 1e-3, "energy_"),
)
LEAST = 0.02  # of the largest value, so that round-off is drawn flat


def plot_table(source: Mapping[str, Floats] | str | Path, path: str | Path) -> bool:
    """Draw angles, forces, lengths, pressures and the like of a table or result to a PNG file.

    Says whether the table has any of them; without, no file is made.
    """
    load_pyvista()
    table = source if isinstance(source, Mapping) else read_result(source).table
    shown = [curves for curves in CURVES if curves.of(table)]
    if not shown:
        return False
    figure = import_module("matplotlib.figure").Figure((3.6 * len(shown), 3.0), dpi=130)
    for number, curves in enumerate(shown, 1):
        _draw(figure.add_subplot(1, len(shown), number), table, curves)
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)
    return True


class Panel(NamedTuple):
    """A label, curves (k,) by name, and what they shall be, grey behind them."""

    label: str
    curves: Mapping[str, Floats]
    wanted: Mapping[str, Floats] = MappingProxyType({})
    span: float = 0.0  # the least height drawn


def draw_panels(times: Floats, panels: Sequence[Panel], path: str | Path) -> None:
    """Draw curves over times (k,) [s] to a PNG file, one panel below the other."""
    load_pyvista()
    figure = import_module("matplotlib.figure").Figure((9.0, 2.5 * len(panels)), dpi=130)
    for number, panel in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, number)
        for values in panel.wanted.values():
            axes.plot(times, values, color="0.75", linewidth=3.0)
        for name, values in panel.curves.items():
            axes.plot(times, values, label=name, linewidth=1.0)
        last = number == len(panels)
        axes.set(ylabel=panel.label, xlabel="time [s]" if last else "")
        if panel.span:
            axes.set_ylim(*limits(np.concatenate(list(panel.curves.values())), panel.span))
        if panel.wanted:
            axes.plot([], [], color="0.75", linewidth=3.0, label="wanted")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.align_ylabels()
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)


def _draw(axes: Any, table: Mapping[str, Floats], curves: Curves) -> None:
    columns = curves.of(table)
    for name, values in columns.items():
        axes.plot(table["time_s"], values, label=name)
    axes.ticklabel_format(useOffset=False)
    shown = limits(np.concatenate(list(columns.values())), curves.span)
    axes.set(xlabel="time [s]", ylabel=curves.label, ylim=shown)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small")


def limits(values: Floats, span: float) -> tuple[float, float]:
    """What an axis shows: all finite values with a margin, and no less than `span`."""
    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)
    least = max(span, LEAST * max(abs(low), abs(high)))
    half = max(1.1 * (high - low), least) / 2
    return (low + high) / 2 - half, (low + high) / 2 + half
