"""A figure for pictures of studies: its axes, and the file that it becomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from vastus.files.safe import replacing
from vastus.pictures.renderer import load_pyvista

BLUE, RED, GREY = "#33658a", "#c4512f", "#8a929c"


@contextmanager
def figure(path: str | Path, width: float = 7.2, height: float = 4.4) -> Iterator[Any]:
    """A figure of so many inches, which is written to a PNG file at the end."""
    load_pyvista()
    made = import_module("matplotlib.figure").Figure((width, height), dpi=130)
    yield made
    made.tight_layout()
    with replacing(path) as part:
        made.savefig(part)


def plain(axes: Any) -> Any:
    """Axes without a box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.locator_params(nbins=5)
    axes.ticklabel_format(scilimits=(-3, 4), useOffset=False)
    return axes


def is_wide(values: Any) -> bool:
    """Whether numbers are better seen on a logarithmic axis: most are much below the largest."""
    ranked = sorted(values)
    if not ranked or ranked[0] <= 0:
        return False
    return bool(ranked[-1] >= 30 * ranked[0] and ranked[-1] >= 4 * ranked[len(ranked) // 2])


def short(value: Any) -> str:
    """A number or word for a legend."""
    return f"{value:.4g}".replace("e+0", "e") if isinstance(value, float | int) else str(value)
