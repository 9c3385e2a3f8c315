"""The shares of an output's variance that parameters explain, with their errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.pictures.studies.canvas import BLUE, RED, figure, plain
from vastus.studies.analysis import Indices


def draw_indices(found: Indices, path: Path) -> None:
    """Bars with their 95 % errors, the largest on top."""
    ranked = sorted(found.indices, key=lambda one: one.first)
    places, both = np.arange(len(ranked)), any(one.total is not None for one in ranked)
    with figure(path, 7.2, 1.5 + 0.5 * len(ranked)) as made:
        axes = plain(made.add_subplot())
        bars = {"capsize": 3, "error_kw": {"linewidth": 1.0}}
        height, shift = (0.36, 0.19) if both else (0.6, 0.0)
        axes.barh(
            places + shift, [one.first for one in ranked], height, color=BLUE, label="by itself",
            xerr=[one.first_error for one in ranked], **bars,
        )  # fmt: skip
        if both:
            axes.barh(
                places - shift, [one.total or 0.0 for one in ranked], height, color=RED,
                xerr=[one.total_error or 0.0 for one in ranked], label="with others", **bars,
            )  # fmt: skip
            axes.legend(frameon=False, fontsize="small", loc="lower right")
        axes.set_yticks(places, [one.parameter for one in ranked])
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_xlabel(f"{found.output}: {found.label}, {found.rows} rows, bars are 95 %")
