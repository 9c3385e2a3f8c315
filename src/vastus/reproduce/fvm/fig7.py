"""Fig. 7: biceps and triceps contract while nothing moves; tendons stretch, bellies bulge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Cell, Table
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting
from vastus.reproduce.fvm.upper_arm import BEHIND, HEADS, Gauge, upper_arm
from vastus.schedules import ramp
from vastus.solvers.newton import Newton
from vastus.state import Frame
from vastus.timeloop import simulate

STEPS = (8, 20)  # from no activation to full
SOLVER = Newton(tolerance=1e-5)
HEIGHT = 1150  # [px] of a picture
UPPER, ACROSS = slice(0, 640), slice(110, -180)  # [px] where it shows the upper arm
SIZES = ("tendons", "section", "belly", "stretch")
COLOURS = (style.RED, style.ORANGE, style.BLUE, style.GREEN, style.VIOLET)


@dataclass(frozen=True, eq=False)
class Head:
    """A head over the activations: all arrays (frames,), sizes over those without activation."""

    name: str
    belly: Floats
    tendons: Floats
    section: Floats
    stretch: Floats
    force: Floats  # [N]


def run(setting: Setting) -> Finding:
    """Raise the activation of all heads together, all bones held."""
    model = upper_arm(setting)
    setting.note(f"{model.mesh.n_tets} tets, {len(model.soft)} of them soft")
    levels = ramp(model, fps=STEPS[setting.full], **dict.fromkeys(HEADS, 1.0))
    frames = list(simulate(model, SOLVER, levels))
    heads = [measured(model, name, frames) for name in HEADS]
    pictures = style.pictures(model, [f.state for f in frames], HEIGHT, view=BEHIND)
    upper = [picture[UPPER, ACROSS] for picture in pictures]
    return Finding(
        agreement=agreement(heads),
        sentence=sentence(heads),
        tables=(_table(heads),),
        figure=_drawn(heads, upper),
        caption="The upper arm from behind: triceps, and the biceps where it is not hidden. Left: "
        "passive; beside it: fully active. Right: all heads as their activation rises, sizes over "
        "those without activation.",
        solvers={"Newton": SOLVER},
        film=Film([*upper, *upper[::-1]], STEPS[setting.full] / 2),
    )


def measured(model: Model, name: str, frames: Sequence[Frame]) -> Head:
    """What becomes of a head in frames, the first of which is passive."""
    gauge = Gauge(model, name)
    shapes = [gauge.of(frame.state.x) for frame in frames]
    belly, tendons, section = (
        np.array([getattr(s, size) for s in shapes]) / getattr(shapes[0], size)
        for size in ("belly", "tendons", "section")
    )
    stretch = np.array([f.outputs[f"{name}_stretch"] for f in frames])
    force = np.array([f.outputs[f"{name}_force_N"] for f in frames])
    return Head(name, belly, tendons, section, stretch / stretch[0], force)


def agreement(heads: Sequence[Head]) -> Agreement:
    """Whether in every head tendons stretch, fibres shorten, and the belly bulges."""
    return Agreement.of(
        all(h.tendons[-1] > 1.0 for h in heads),
        all(h.stretch[-1] < 1.0 and h.belly[-1] < 1.0 for h in heads),
        all(h.section[-1] > 1.0 for h in heads),
    )


def sentence(heads: Sequence[Head]) -> str:
    """What the sizes say."""
    tendons, section = (_range([getattr(h, size)[-1] - 1.0 for h in heads]) for size in SIZES[:2])
    belly, stretch = (_range([1.0 - getattr(h, size)[-1] for h in heads]) for size in SIZES[2:])
    most = max(heads, key=lambda h: float(h.section[-1]))
    return (
        f"From no activation to full, the tendons of the {len(heads)} heads become longer by "
        f"{tendons}, their bellies shorter by {belly} and their fibres by {stretch}, and the "
        f"largest sections of the bellies grow by {section}, most in the {most.name} head, which "
        f"pulls with {most.force[-1]:.0f} N. No bone moves: what bulges is what the tendons give."
    )


def _range(parts: Sequence[float]) -> str:
    return f"{100 * min(parts):.1f} to {100 * max(parts):.1f} %"


def _table(heads: Sequence[Head]) -> Table:
    columns = (
        "head",
        "tendons longer [%]",
        "largest section larger [%]",
        "belly longer [%]",
        "fibres longer [%]",
        "fibre tension [N]",
    )
    rows: list[tuple[Cell, ...]] = [
        (
            h.name,
            *(float(100 * (getattr(h, size)[-1] - 1.0)) for size in SIZES),
            float(h.force[-1]),
        )
        for h in heads
    ]
    return Table("Full activation beside none", columns, rows)


def _drawn(heads: Sequence[Head], upper: Sequence[Image]) -> Any:
    made, axes = style.mosaic("PFTS;PFLN")
    style.picture(axes["P"], upper[0], "passive")
    style.picture(axes["F"], upper[-1], "full activation")
    for letter, size, title in (
        ("T", "tendons", "length of tendons"),
        ("S", "section", "largest section of belly"),
        ("L", "stretch", "fibre stretch"),
        ("N", "force", "fibre tension [N]"),
    ):
        for head, colour in zip(heads, COLOURS, strict=True):
            values = getattr(head, size)
            level = np.linspace(0, 1, len(values))
            axes[letter].plot(level, values, ".-", color=colour, label=head.name)
        style.label(axes[letter], title, "activation", "")
    style.legend(axes["N"], loc="upper left")
    return made


EXPERIMENT = Experiment(
    "fig7",
    "Fig. 7: isometric contraction of biceps and triceps",
    "With all bones held, biceps and triceps are activated, all their heads together. The bellies "
    "bulge, because the tendons, whose law is passive, stretch.",
    run,
    (1.0, 8.0),
)
