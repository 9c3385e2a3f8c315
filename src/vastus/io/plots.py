"""Curves of the scalar outputs against time."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from vastus.io.files import replacing
from vastus.io.result import read_result
from vastus.io.stage import drawing
from vastus.numerics.types import Floats

# What ends a column's name, the label of its axis, and what to multiply by.
PANELS = (
    ("_angle_deg", "joint angle [°]", 1.0),
    ("_force_N", "tendon force [N]", 1.0),
    ("_length_m", "muscle length [cm]", 100.0),
    ("_activation", "activation", 1.0),
)


def plot_table(source: Mapping[str, Floats] | str | Path, path: str | Path) -> None:
    """Draw angles, forces, lengths and activations of a table or result folder to a PNG file."""
    drawing()
    table = source if isinstance(source, Mapping) else read_result(source).table
    shown = [panel for panel in PANELS if any(name.endswith(panel[0]) for name in table)]
    figure = import_module("matplotlib.figure").Figure((3.6 * max(len(shown), 1), 3.0), dpi=130)
    for number, panel in enumerate(shown, 1):
        _draw(figure.add_subplot(1, len(shown), number), table, *panel)
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)


def _draw(axes: Any, table: Mapping[str, Floats], ending: str, label: str, scale: float) -> None:
    for name, column in table.items():
        if name.endswith(ending):
            axes.plot(table["time_s"], scale * column, label=name.removesuffix(ending))
    axes.set(xlabel="time [s]", ylabel=label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize="small")
