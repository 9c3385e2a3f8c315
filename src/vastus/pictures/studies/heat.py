"""A colour for each pair of values of two parameters."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.errors import ModelError
from vastus.pictures.studies.canvas import figure, plain, short
from vastus.pictures.studies.labels import label
from vastus.studies.folder import StudyFolder

MOST_CELLS = 400  # of a heat map; rows of designs that draw are points
NUMBERED = 64  # cells up to which each has its number in it


def draw_heat(study: StudyFolder, path: Path, *, x: str, y: str, colour: str) -> None:
    """The mean of a column for each pair of values of x and y; points where no pair repeats."""
    xs, ys, values = study.numbers(x), study.numbers(y), study.numbers(colour)
    if not len(values):
        raise ModelError("no variant has a result yet")
    across, i = np.unique(xs, return_inverse=True)
    up, j = np.unique(ys, return_inverse=True)
    with figure(path, 6.4, 4.8) as made:
        axes = made.add_subplot()
        if across.size * up.size > min(MOST_CELLS, 4 * values.size):
            drawn = plain(axes).scatter(xs, ys, c=values, s=28, cmap="viridis", zorder=3)
        else:
            total, count = np.zeros((up.size, across.size)), np.zeros((up.size, across.size))
            np.add.at(total, (j, i), values)
            np.add.at(count, (j, i), 1)
            mean = np.where(count > 0, total / np.maximum(count, 1), np.nan)
            drawn = axes.imshow(mean, origin="lower", aspect="auto", cmap="viridis")
            axes.set_xticks(range(across.size), [short(v) for v in across])
            axes.set_yticks(range(up.size), [short(v) for v in up])
            axes.spines[:].set_visible(False)
            if mean.size <= NUMBERED:
                _number(axes, mean)
        axes.set(xlabel=label(study, x), ylabel=label(study, y))
        made.colorbar(drawn, ax=axes, label=label(study, colour))


def _number(axes: object, mean: np.ndarray) -> None:
    """Write each cell's number in it, in a colour that is seen."""
    middle = (np.nanmin(mean) + np.nanmax(mean)) / 2
    for (row, column), value in np.ndenumerate(mean):
        text = short(float(value)) if np.isfinite(value) else "none"
        ink = "black" if value > middle else "white"
        write = getattr(axes, "text")  # noqa: B009  (matplotlib has no types)
        write(
            column, row, text, ha="center", va="center", fontsize=7,
            color=ink if np.isfinite(value) else "black",
        )  # fmt: skip
