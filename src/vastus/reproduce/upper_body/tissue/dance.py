"""Section 5: the pectoral dance, muscles of the chest that contract in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.upper_body.coactivation import Prescribed, Sharer
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.exercises import PECTORALS
from vastus.files.html import Table
from vastus.flesh.solver import FleshFrame, FleshSolver
from vastus.numerics.types import Floats
from vastus.pictures.colours import rgb
from vastus.pictures.flesh.flesh_pictures import FleshRenderer
from vastus.pictures.panels import surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body.body import dynamics_of, seen
from vastus.reproduce.upper_body.motion.poses import holding
from vastus.reproduce.upper_body.tissue.fig14 import outward
from vastus.reproduce.upper_body.tissue.flesh import SPACING, levels_of, upper_solver

MOST = 0.5  # the activation of a pectoral
BEATS = {"at rest": "", "left": "L", "at rest again": "", "right": "R", "both": "LR"}
VIEW = (0.25, -0.95, 0.15)
HEIGHT = (400, 760)
BULGES = 1e-3  # [m] that can be seen


@dataclass(frozen=True, eq=False)
class Beat:
    """Skin over the chest: how far it goes outward on the left and on the right at most [m].

    `others` is the largest activation of all other muscles, which hold the skeleton.
    """

    left: float
    right: float
    others: float


def run(setting: Setting) -> Finding:
    """Contract the pectorals in turn."""
    dynamics, spacing = dynamics_of(), SPACING[setting.full]
    setting.note("building flesh")
    solver = upper_solver(spacing)
    frames, levels = {}, {}
    start: FleshFrame | None = None
    for name, sides in BEATS.items():
        setting.note(name)
        levels[name] = prescribed(dynamics, sides)
        start = frames[name] = solver.frame({}, levels_of(levels[name]), start=start)
    found = {
        name: beat(dynamics, solver, frames["at rest"], frame, levels[name])
        for name, frame in frames.items()
    }
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(_pictures(solver, frames, HEIGHT[setting.full])),
        caption="The chest with its pectorals relaxed, contracted on the left, relaxed, "
        "contracted on the right, and on both sides; below, how far the skin goes outward (red) "
        "or inward (blue).",
    )


def prescribed(dynamics: Dynamics, sides: str) -> Floats:
    """(m,) activations with the pectorals of some sides at their most, all others holding still."""
    body = dynamics.body
    muscles = body.group(PECTORALS)
    mine = np.array([body.names[k].rsplit("_", 1)[-1][0] in sides for k in muscles])
    given = Prescribed(muscles, np.where(mine, MOST, 0.0))
    sharer = Sharer(len(body.muscles))
    return sharer.share(*holding(dynamics, dynamics.rest), prescribed=given).activations


def beat(
    dynamics: Dynamics, solver: FleshSolver, rest: FleshFrame, frame: FleshFrame, levels: Floats
) -> Beat:
    """What a contraction does to the skin before the chest."""
    moved, x = outward(solver, rest, frame), solver.skin(rest)
    sternum = solver.flesh.samples[solver.flesh.sample_body == solver.flesh.bodies.index("sternum")]
    low, high = sternum[:, 2].min(), sternum[:, 2].max()
    chest = (x[:, 1] < sternum[:, 1].max()) & (x[:, 2] > low) & (x[:, 2] < high)
    others = np.delete(levels, dynamics.body.group(PECTORALS))
    left, right = (float(moved[chest & (s * x[:, 0] > 0.02)].max()) for s in (1.0, -1.0))
    return Beat(left, right, float(others.max()))


def agreement(found: Mapping[str, Beat]) -> Agreement:
    """Whether the side that contracts bulges more than the other, and visibly."""
    left, right, both = found["left"], found["right"], found["both"]
    return Agreement.of(
        left.left > left.right,
        right.right > right.left,
        min(left.left, right.right, both.left, both.right) > BULGES,
    )


def sentence(found: Mapping[str, Beat]) -> str:
    """How far the chest bulges."""
    left, right, both = found["left"], found["right"], found["both"]
    return (
        f"With the left pectoral at {MOST:g} the skin before the chest goes outward by "
        f"{1e3 * left.left:.2f} mm on the left and {1e3 * left.right:.2f} on the right, with the "
        f"right one by {1e3 * right.left:.1f} and {1e3 * right.right:.1f}, with both by "
        f"{1e3 * both.left:.1f} and {1e3 * both.right:.1f}. All other muscles hold the skeleton "
        f"still, with activations of up to {max(b.others for b in found.values()):.2f}. The paper "
        "has a film and no numbers."
    )


def _table(found: Mapping[str, Beat]) -> Table:
    rows = [(name, 1e3 * b.left, 1e3 * b.right, b.others) for name, b in found.items()]
    columns = ("pectorals", "outward, left [mm]", "outward, right [mm]", "others, at most")
    return Table("The chest", columns, rows)


def _pictures(
    solver: FleshSolver, frames: Mapping[str, FleshFrame], height: int
) -> list[tuple[Image, Image]]:
    rest = frames["at rest"]
    x, faces = solver.skin(rest), solver.flesh.skin.surface.faces
    sternum = solver.flesh.samples[solver.flesh.sample_body == solver.flesh.bodies.index("sternum")]
    middle = sternum.mean(axis=0)
    near = x[(np.abs(x[:, 0]) < 0.22) & (np.abs(x[:, 2] - middle[2]) < 0.14)]
    moves = {name: outward(solver, rest, frame) for name, frame in frames.items()}
    most = max(max(float(np.abs(moved).max()) for moved in moves.values()), 1e-6)
    out = []
    with FleshRenderer(solver, near, height, view=VIEW) as renderer:
        for name, frame in frames.items():
            colours = rgb(moves[name][faces].mean(axis=1), "blue-red", -most, most) / 255.0
            shape = surface_shape(solver.skin(frame), faces, colours)
            (mapped,) = seen([shape], near, height, sides=(VIEW,))
            out.append((renderer.picture(frame), mapped))
    return out


def _drawn(pictures: Sequence[tuple[Image, Image]]) -> Any:
    made, plots = style.figure(len(BEATS), rows=2, width=3.0, height=2.6)
    for k, (name, (skin, moved)) in enumerate(zip(BEATS, pictures, strict=True)):
        style.picture(plots[k], skin, name)
        style.picture(plots[len(BEATS) + k], moved, "")
    return made


EXPERIMENT = Experiment(
    "dance",
    "Section 5: pectoral dance",
    "Activations of the pectorals rise and fall in turn, so that the chest bulges rhythmically.",
    run,
    (0.5, 2.0),
)
