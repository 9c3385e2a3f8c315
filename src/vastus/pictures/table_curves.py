"""Curves of the scalar outputs of a table against time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from vastus.files.safe import replacing
from vastus.numerics.types import Floats
from vastus.pictures.renderer import load_pyvista
from vastus.results.result import read_result


@dataclass(frozen=True)
class Curves:
    """One plot: what ends its columns' names, its label, a factor, and the least height drawn."""

    ending: str
    label: str
    scale: float
    span: float


CURVES = (
    Curves("_angle_deg", "joint angle from rest [°]", 1.0, 2.0),
    Curves("_reaction_Nm", "moment that drives a joint [N m]", 1.0, 0.01),
    Curves("_force_N", "muscle force [N]", 1.0, 0.01),
    Curves("_length_m", "muscle length [cm]", 100.0, 0.01),
    Curves("_activation", "activation", 1.0, 0.1),
)
LEAST = 0.02  # of the largest value, so that round-off is drawn flat


def plot_table(source: Mapping[str, Floats] | str | Path, path: str | Path) -> None:
    """Draw angles, forces, lengths and activations of a table or result folder to a PNG file."""
    load_pyvista()
    table = source if isinstance(source, Mapping) else read_result(source).table
    shown = [curves for curves in CURVES if any(name.endswith(curves.ending) for name in table)]
    figure = import_module("matplotlib.figure").Figure((3.6 * max(len(shown), 1), 3.0), dpi=130)
    for number, curves in enumerate(shown, 1):
        _draw(figure.add_subplot(1, len(shown), number), table, curves)
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)


def _draw(axes: Any, table: Mapping[str, Floats], curves: Curves) -> None:
    names = [name for name in table if name.endswith(curves.ending)]
    values = [curves.scale * table[name] for name in names]
    for name, curve in zip(names, values, strict=True):
        axes.plot(table["time_s"], curve, label=name.removesuffix(curves.ending))
    axes.ticklabel_format(useOffset=False)
    shown = limits(np.concatenate(values), curves.span)
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
