"""Every output of a study over every parameter, in small panels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vastus.pictures.studies.canvas import BLUE, figure, is_wide, plain
from vastus.pictures.studies.labels import label
from vastus.studies.folder import StudyFolder

OVERVIEW = "overview.png"
MOST = 6  # parameters and outputs in a picture


def draw_overview(study: StudyFolder, path: str | Path) -> bool:
    """Draw it to a PNG file; whether there was anything to draw."""
    parameters, outputs = study.numeric[:MOST], study.outputs[:MOST]
    if not (parameters and outputs and study.done):
        return False
    wide, high = len(parameters), len(outputs)
    with figure(path, 0.8 + 2.7 * wide, 0.6 + 2.2 * high) as made:
        for row, output in enumerate(outputs):
            for column, name in enumerate(parameters):
                axes = plain(made.add_subplot(high, wide, row * wide + column + 1))
                _panel(axes, study, name, output)
                axes.set_xlabel(label(study, name) if row == high - 1 else "", fontsize="small")
                axes.set_ylabel(label(study, output) if column == 0 else "", fontsize="small")
                axes.tick_params(labelsize="x-small")
    return True


def _panel(axes: Any, study: StudyFolder, name: str, output: str) -> None:
    """All rows as points, with a line where nothing else varies."""
    x, y = study.numbers(name), study.numbers(output)
    alone = len(study.numeric) == 1
    order = np.argsort(x, kind="stable")
    axes.plot(x[order], y[order], "o-" if alone else "o", color=BLUE, markersize=3, linewidth=1)
    if is_wide(x):
        axes.set_xscale("log")
