"""One column of a study over another: lines, one for each value of a third, or points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import ModelError
from vastus.files.curve_file import PublishedCurve
from vastus.pictures.studies.canvas import BLUE, GREY, figure, is_wide, plain, short
from vastus.pictures.studies.labels import label
from vastus.studies.folder import StudyFolder

MOST_LINES = 12


def draw_curve(
    study: StudyFolder,
    path: Path,
    *,
    x: str,
    y: str,
    by: str | None = None,
    over: Sequence[PublishedCurve] = (),
) -> None:
    """Lines of y over x, one for each value of `by`; measured curves are grey behind them.

    Where other parameters vary too, a line goes through the means, with all rows as points.
    """
    xs, ys = study.numbers(x), study.numbers(y)
    groups = study.column(by) if by else [None] * len(xs)
    values = sorted(set(groups), key=lambda v: (isinstance(v, str), v)) if by else [None]
    if len(values) > MOST_LINES:
        raise ModelError(f"'{by}' has {len(values)} values, too many for lines of their own")
    with figure(path) as made:
        axes = plain(made.add_subplot())
        for value in values:
            mine = np.array([group == value for group in groups])
            mine &= np.isfinite(xs) & np.isfinite(ys)
            _line(axes, xs[mine], ys[mine], f"{by} = {short(value)}" if by else y)
        _behind(axes, over)
        axes.set(
            xlabel=label(study, x),
            ylabel=label(study, y),
            xscale="log" if is_wide(xs) else "linear",
        )
        if by or over:
            axes.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))


def _line(axes: Any, x: Any, y: Any, label: str) -> None:
    """The means of y at each x, and all of them as points where there are several."""
    where, which = np.unique(x, return_inverse=True)
    means = np.bincount(which, y) / np.maximum(np.bincount(which), 1)
    (line,) = axes.plot(where, means, marker="o", markersize=3.5, label=label)
    if len(where) < len(x):
        axes.plot(x, y, ".", color=line.get_color(), alpha=0.35, markersize=4)


def draw_scatter(
    study: StudyFolder,
    path: Path,
    *,
    x: str,
    y: str,
    colour: str | None = None,
    over: Sequence[PublishedCurve] = (),
) -> None:
    """A point for each row, coloured by a third column; measured curves are grey behind them."""
    xs, ys = study.numbers(x), study.numbers(y)
    with figure(path) as made:
        axes = plain(made.add_subplot())
        if colour:
            points = axes.scatter(xs, ys, s=18, c=study.numbers(colour), cmap="viridis", zorder=3)
            made.colorbar(points, ax=axes, label=label(study, colour))
        else:
            axes.plot(xs, ys, "o", color=BLUE, markersize=4, zorder=3)
        _behind(axes, over)
        axes.set(
            xlabel=label(study, x),
            ylabel=label(study, y),
            xscale="log" if is_wide(xs) else "linear",
        )
        if over:
            axes.legend(frameon=False, fontsize="small")


def _behind(axes: Any, over: Sequence[PublishedCurve]) -> None:
    for number, curve in enumerate(over):
        style = ("s", "^", "D", "v")[number % 4]
        axes.plot(
            curve.x, curve.y, f"{style}--", color=GREY, markersize=4, label=curve.name, zorder=2
        )
