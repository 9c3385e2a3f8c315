"""Fig. 13: skin and embedded muscles of flexed arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.flesh.solver import FleshFrame, FleshReport, FleshSolver
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats
from vastus.pictures.flesh.flesh_pictures import FleshRenderer, Layers
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_solver
from vastus.reproduce.upper_body.tissue.held import flexed_frame

HEIGHT = (560, 1000)
VIEWS = {"from the front": (0.35, -0.92, 0.12), "from behind": (-0.35, 0.92, 0.12)}
KEPT = 0.05  # of the volume of a muscle that may change, on the median
FAR = 1e-3  # [m] from a bone, on the mean


def run(setting: Setting) -> Finding:
    """Flex the arms."""
    spacing = SPACING[setting.full]
    setting.note("building flesh")
    solver = upper_solver(spacing)
    setting.note("bending the arms")
    frame = flexed_frame(spacing, 0.0)
    changes = volume_changes(solver, frame)
    assert frame.report is not None
    setting.note("pictures")
    return Finding(
        agreement=agreement(frame.report, changes),
        sentence=sentence(frame.report, changes),
        tables=(_table(frame.report, changes),),
        figure=_drawn(_pictures(solver, frame, HEIGHT[setting.full])),
        caption="Elbows bent by 90 degrees and arms lifted by 15, held by muscles: skin, and "
        "muscles in it, which are the redder the more active they are. Above from the front, "
        "below from behind.",
    )


def volume_changes(solver: FleshSolver, frame: FleshFrame) -> dict[str, float]:
    """By how much of its volume each muscle has changed, as its surface says."""
    now: Mapping[str, Floats] = solver.muscles(frame)
    return {
        name: Surface(now[name], own.surface.faces).volume / own.surface.volume - 1.0
        for name, own in zip(solver.flesh.muscle_names, solver.flesh.muscles, strict=True)
    }


def agreement(report: FleshReport, changes: Mapping[str, float]) -> Agreement:
    """Whether an equilibrium was found, bones are held, and muscles keep their volume."""
    kept = float(np.median(np.abs(list(changes.values()))))
    return Agreement.of(
        report.converged and report.inverted == 0, report.stretch < FAR, kept < KEPT
    )


def sentence(report: FleshReport, changes: Mapping[str, float]) -> str:
    """What the flesh does."""
    values = np.abs(list(changes.values()))
    worst = max(changes, key=lambda name: abs(changes[name]))
    return (
        f"Elbows bent by 90 degrees and arms lifted by 15 in {report.steps} steps: "
        f"{report.newton} iterations of Newton's method and {report.seconds:.0f} s of the "
        f"processor; {report.sentence}. Bones are off by {1e3 * report.stretch:.2f} mm on the mean "
        f"({1e3 * report.greatest_stretch:.0f} mm at most), no tet is below "
        f"{report.least_volume:.2f} of its volume, {report.inverted} are inverted. Muscles change "
        f"their volume by {100 * np.median(values):.1f} % on the median and "
        f"{100 * changes[worst]:+.0f} % at most ({worst.replace('_', ' ')}), all flesh by "
        f"{100 * (report.volume - 1):+.2f} %. The paper shows a picture and gives no numbers."
    )


def _table(report: FleshReport, changes: Mapping[str, float]) -> Table:
    values = np.abs(list(changes.values()))
    rows = [
        ("steps of bones", report.steps),
        ("iterations of Newton's method", report.newton),
        ("processor [s]", report.seconds),
        ("bones off by, mean [mm]", 1e3 * report.stretch),
        ("bones off by, most [mm]", 1e3 * report.greatest_stretch),
        ("least volume of a tet, of that at rest", report.least_volume),
        ("inverted tets", report.inverted),
        ("volume of all flesh, change [%]", 100 * (report.volume - 1)),
        ("volume of a muscle, change, median [%]", 100 * float(np.median(values))),
        ("volume of a muscle, change, 95 % [%]", 100 * float(np.quantile(values, 0.95))),
    ]
    return Table("Flexed arms", ("what", "here"), rows)


def _pictures(solver: FleshSolver, frame: FleshFrame, height: int) -> list[Image]:
    X, out = solver.skin(frame), []
    for view in VIEWS.values():
        for layers in (Layers(), Layers(skin=False)):
            with FleshRenderer(solver, X, height, view=view, layers=layers) as renderer:
                out.append(renderer.picture(frame))
    return out


def _drawn(pictures: Sequence[Image]) -> Any:
    made, plots = style.figure(2, rows=2, width=6.0, height=5.4)
    names = [f"{what}, {side}" for side in VIEWS for what in ("(a) skin", "(b) muscles")]
    for axes, pixels, name in zip(plots, pictures, names, strict=True):
        style.picture(axes, pixels, name)
    return made


EXPERIMENT = Experiment(
    "fig13",
    "Fig. 13: flexed arms",
    "Soft tissue deforms as muscles are active and the skeleton moves; embedded muscles bulge and "
    "keep their volume.",
    run,
    (0.6, 2.0),
)
