"""The published force-length and force-velocity curves of muscle and tendon, drawn side by side."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.files.safe import replacing
from vastus.materials.fibres.published import Kind, published
from vastus.pictures.renderer import load_pyvista

RANGES = {
    Kind.ACTIVE: (0.3, 1.9),
    Kind.PASSIVE: (0.9, 1.7),
    Kind.TENDON: (0.995, 1.06),
    Kind.VELOCITY: (-1.1, 1.1),
}
HIGHEST = {Kind.ACTIVE: 1.05, Kind.PASSIVE: 1.5, Kind.TENDON: 1.5, Kind.VELOCITY: 1.5}
LABELS = {
    Kind.ACTIVE: "fibre length over optimal",
    Kind.PASSIVE: "fibre length over optimal",
    Kind.TENDON: "tendon length over slack",
    Kind.VELOCITY: "fibre velocity over greatest",
}


def draw_curves(path: str | Path) -> None:
    """Draw all curves, a panel for each kind, to a PNG file."""
    load_pyvista()  # which names the extra that brings matplotlib
    figure = import_module("matplotlib.figure").Figure(figsize=(16.0, 4.0), layout="constrained")
    for axes, kind in zip(figure.subplots(1, len(Kind)), Kind, strict=True):
        x = np.linspace(*RANGES[kind], 321)
        for name, one in published(kind).items():
            axes.plot(x, [one.curve.force(float(at)) for at in x], label=name)
        axes.set(title=kind.value, xlabel=LABELS[kind], ylabel="relative force")
        axes.set_ylim(-0.02, HIGHEST[kind])
        axes.set_xlim(*RANGES[kind])
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    with replacing(path) as part:
        figure.savefig(part, dpi=120, format="png")
