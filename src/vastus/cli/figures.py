"""The figures that tell at a glance whether an elbow was bent well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """A number with the bound it should keep, and how they are written."""

    what: str
    value: float
    bound: float
    form: str
    above: bool = False

    @property
    def good(self) -> bool:
        """Whether the bound is kept."""
        return self.value > self.bound if self.above else self.value < self.bound

    def row(self) -> tuple[str, str, str, str]:
        """The cells of a table."""
        bound = f"wanted {'above' if self.above else 'below'} {self.form.format(self.bound)}"
        verdict = "good" if self.good else "NOT GOOD"
        return self.what, self.form.format(self.value), bound, verdict


def figures(model: Model, table: Mapping[str, Floats]) -> list[Figure]:
    """What a bent elbow is judged by: flexion from rest at the end, the rest over all frames."""
    joint = model.joints[0].name
    length = min(_length(model, bone) for bone in model.joints[0].bones)
    volume = max(float(np.abs(table[f"{m.name}_volume_change"]).max()) for m in model.muscles)
    worst = {name: float(np.max(column)) for name, column in table.items()}
    return [
        Figure(f"{joint} flexion", table[f"{joint}_angle_deg"][-1], 40.0, "{:.1f} deg", True),
        Figure("gap over bone length", worst[f"{joint}_gap_m"] / length, 1e-6, "{:.0e}"),
        Figure("strain of bones", worst["bone_strain"], 1e-6, "{:.0e}"),
        Figure("volume change of muscle", volume, 0.05, "{:.2%}"),
        Figure("inverted tets", worst["inverted"], 1.0, "{:.0f}"),
    ]


def figures_of(model: Model, folder: Path) -> list[Figure]:
    """The figures of a result folder."""
    return figures(model, read_result(folder).table)


def print_figures(found: Sequence[Figure]) -> None:
    """Print figures with their bounds."""
    out = Table(box=None, padding=(0, 1), show_header=False)
    for figure in found:
        out.add_row(*figure.row())
    stdout().print(out)


def _length(model: Model, bone: str) -> float:
    X = model.mesh.X[model.bone_of_vertex == model.bone(bone)]
    return float(np.ptp(X, axis=0).max())
