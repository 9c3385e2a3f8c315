"""One style for plots (no frame on top and right, a light grid) and for numbers in sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from vastus.files.safe import replacing
from vastus.model import Model
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.pictures.renderer import Image, Renderer, load_pyvista
from vastus.results.playback import snapshot_of
from vastus.state import State

INK, GREY, RED, BLUE, GREEN, ORANGE, VIOLET = (
    "#22272e", "#8a929c", "#c0392b", "#2c6fbb", "#2e8b57", "#d98324", "#7d4ea3",
)  # fmt: skip
IVORY, FLESH = "#e6d9b8", "#d99a90"


def figure(
    columns: int = 2, *, rows: int = 1, width: float = 5.0, height: float = 3.9
) -> tuple[Any, list[Any]]:
    """A figure with so many plots side by side, row by row, each `width` by `height` inches."""
    load_pyvista()
    made = import_module("matplotlib.figure").Figure(
        (width * columns, height * rows), dpi=120, layout="constrained"
    )
    axes = [made.add_subplot(rows, columns, k + 1) for k in range(rows * columns)]
    for each in axes:
        _plain(each)
    return made, axes


def mosaic(layout: str, *, width: float = 3.2, height: float = 2.8) -> tuple[Any, dict[str, Any]]:
    """A figure with plots by letters: `AAB;AAC` has a large A and two small ones at its right.

    A letter stands for `width` by `height` inches.
    """
    load_pyvista()
    rows = layout.split(";")
    made = import_module("matplotlib.figure").Figure(
        (width * len(rows[0]), height * len(rows)), dpi=120, layout="constrained"
    )
    axes: dict[str, Any] = made.subplot_mosaic(layout)
    for each in axes.values():
        _plain(each)
    return made, axes


def _plain(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def label(axes: Any, title: str, x: str, y: str, **settings: Any) -> None:
    """Say what a plot shows."""
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    axes.set(xlabel=x, ylabel=y, **settings)


def sizes(axes: Any, tets: Sequence[int]) -> None:
    """Mark these numbers of tets on a logarithmic axis, and no others."""
    axes.set_xscale("log")
    axes.set_xticks(tets, [f"{round(n / 1000)}k" for n in tets])
    axes.set_xticks([], minor=True)


def legend(axes: Any, **where: Any) -> None:
    """A legend; beside the plot unless told where."""
    axes.legend(frameon=False, fontsize=8, **where)


def silhouette(
    axes: Any, model: Model, x: Floats, title: str, across: tuple[int, int] = (0, 2)
) -> None:
    """The boundary of a model at places x (n, 3) over two axes: bone ivory, the rest flesh."""
    collection = import_module("matplotlib.collections").PolyCollection
    faces, tets = model.mesh.boundary, model.mesh.boundary_tets
    depth = 3 - sum(across)
    behind = np.argsort(x[faces, depth].mean(axis=1) * (1 if depth == 2 else -1))
    stiff = model.is_tissue(Tissue.BONE)[tets[behind]]
    colours = np.where(stiff, IVORY, FLESH)
    axes.add_collection(
        collection(
            x[faces[behind]][:, :, list(across)], facecolors=colours, edgecolors=INK, linewidths=0.3
        )
    )
    axes.set_aspect("equal")
    axes.locator_params(axis="x", nbins=4)
    axes.autoscale_view()
    axes.grid(visible=False)
    axes.set_title(title, fontsize=10, loc="left", color=INK)
    axes.set(xlabel=f"{'xyz'[across[0]]} [m]", ylabel=f"{'xyz'[across[1]]} [m]")


def pictures(
    model: Model,
    states: Sequence[State],
    height: int,
    *,
    view: Sequence[float],
    glass: Collection[Tissue] = (Tissue.PASSIVE,),
) -> list[Image]:
    """Pictures of states, `height` pixels high, before one camera in the direction `view` (3,).

    Tissues of `glass` are seen through.
    """
    snapshots = [snapshot_of(state) for state in states]
    side = unit(np.array([view], float))[0]
    with Renderer(model, snapshots, height, view=side, glass=glass) as renderer:
        return [renderer.picture(snapshot) for snapshot in snapshots]


def picture(axes: Any, pixels: Image, title: str) -> None:
    """Show a picture in place of a plot."""
    axes.imshow(pixels)
    axes.set_axis_off()
    axes.set_title(title, fontsize=10, loc="left", color=INK)


def save(made: Any, path: Path) -> None:
    """Write a figure as PNG, whole or not at all."""
    with replacing(path) as part:
        made.savefig(part)


def percent(value: float, least: float = 1e-3) -> str:
    """A per cent value with two digits that matter: `0.52 %`, `under 0.001 %`, `180 %`.

    Below `least` [%] nothing is known of it.
    """
    if abs(value) < least:
        return f"under {least:g} %"
    return f"{value:.0f} %" if abs(value) >= 99.5 else f"{value:.2g} %"


def seconds(value: float) -> str:
    """A time in words, to two figures or whole seconds."""
    return f"{value:.0f} s" if value >= 99.5 else f"{value:.2g} s"


def times(value: float) -> str:
    """A factor with two digits that matter: `0.37 times`, `12 times`."""
    return f"{value:.0f} times" if abs(value) >= 9.95 else f"{value:.2g} times"
