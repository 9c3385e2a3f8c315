"""The figures that tell at a glance whether an elbow was bent well."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from vastus.cli.table import stdout
from vastus.io.result import read_result
from vastus.model import Model
from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Figure:
    """A number with the bound it should keep."""

    what: str
    value: float
    bound: float
    text: str  # how the value is written
    above: bool = False

    @property
    def good(self) -> bool:
        """Whether the bound is kept."""
        return self.value > self.bound if self.above else self.value < self.bound


def figures(model: Model, table: dict[str, Floats]) -> list[Figure]:
    """What a bent elbow is judged by, over all frames."""
    joint = model.joints[0].name
    turned = float(np.abs(table[f"{joint}_angle_deg"]).max())
    gap = float(table[f"{joint}_gap_m"].max()) / min(_length(model, b.name) for b in model.bones)
    volume = max(float(np.abs(table[f"{m.name}_volume_change"]).max()) for m in model.muscles)
    strain, inverted = float(table["bone_strain"].max()), float(table["inverted"].max())
    return [
        Figure(f"{joint} flexion", turned, 40.0, f"{turned:.1f} deg", above=True),
        Figure("hinge gap over bone length", gap, 1e-6, f"{gap:.1e}"),
        Figure("strain of bones", strain, 1e-6, f"{strain:.1e}"),
        Figure("volume change of muscle", volume, 0.05, f"{volume:.2%}"),
        Figure("inverted tets", inverted, 1.0, f"{inverted:.0f}"),
    ]


def print_figures(model: Model, output: Path) -> None:
    """Print the figures of a result with their bounds."""
    out = Table(box=None, padding=(0, 1), show_header=False)
    for figure in figures(model, read_result(output).table):
        bound = f"{'above' if figure.above else 'below'} {figure.bound:g}"
        out.add_row(figure.what, figure.text, bound, "good" if figure.good else "NOT GOOD")
    stdout().print(out)


def _length(model: Model, bone: str) -> float:
    X = model.mesh.X[model.bone_of_vertex == model.bone(bone)]
    return float(np.ptp(X, axis=0).max())
