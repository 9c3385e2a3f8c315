"""Fig. 12: paralysis that spreads over the cells of biceps and brachialis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.belly import Belly
from vastus.control.disorders import Disorder, Paralysis, Patient
from vastus.control.disorders.paralysis import remaining
from vastus.files.html import Cell, Table
from vastus.pictures.panels import Panel, render_panels, surface_shape, view_toward, window_around
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.control.arm import ExaminedArm, examined_arm, helpers
from vastus.reproduce.control.fig10 import Lift, bars, lifted, table
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

PATTERNS = ("sector", "band", "random")
PARTS = ((0.125, 0.25, 0.5), (0.125, 0.25, 0.375, 0.5, 0.625, 0.75))
SPREAD = ((0.25, 0.5), (0.25, 0.5, 0.75))  # of the arm that holds a weight
SEEDS = (1, 4)
PICTURED = 0.25
LIVING, DEAD = np.array([0.80, 0.33, 0.28]), np.array([0.25, 0.13, 0.09])


@dataclass(frozen=True)
class Left:
    """The share of force that a belly has left, of a pattern and a part of its cells."""

    pattern: str
    part: float
    share: float


def run(setting: Setting) -> Finding:
    """Paralyse more and more cells, in three ways."""
    arm = examined_arm(setting.arm)
    belly = Patient.of(arm.body).belly(arm.biceps[0])
    left = []
    for pattern in PATTERNS:
        setting.note(f"cells of a {pattern}")
        left += [Left(pattern, part, _share(belly, pattern, part, SEEDS[setting.full]))
                 for part in PARTS[setting.full]]  # fmt: skip
    lifts = {"none": lifted(arm, paper.DUMBBELL, [])}
    for part in SPREAD[setting.full]:
        setting.note(f"holding 5 kg with {part:.0%} of the cells of biceps and brachialis dead")
        lifts[f"{part:.0%} of cells"] = lifted(arm, paper.DUMBBELL, spread(arm, part))
    return Finding(
        agreement=agreement(left, list(lifts.values())),
        sentence=sentence(arm, left, lifts),
        tables=(_table(left), table(arm, lifts, "Five kilograms, scattered cells paralysed")),
        figure=_drawn(arm, left, lifts, _pictures(belly, PICTURED)),
        caption="A quarter of the cells is paralysed and dark: a sector along the fibres, a band "
        "across them, and any. Below: the force that is left at rest length, and the activations "
        "that hold 5 kg while scattered cells of biceps and brachialis are paralysed.",
    )


def spread(arm: ExaminedArm, part: float) -> list[Disorder]:
    """Scattered cells of all heads of biceps and brachialis."""
    return [Paralysis(muscles=arm.flexors, pattern="random", part=part)]


def _share(belly: Belly, pattern: Any, part: float, seeds: int) -> float:
    sick = [
        Paralysis(muscles=("any",), pattern=pattern, part=part, seed=seed)
        for seed in range(seeds if pattern == "random" else 1)
    ]
    return float(np.mean([remaining(each.belly(belly), belly, np.ones(1)) for each in sick]))


def agreement(left: Sequence[Left], lifts: Sequence[Lift]) -> Agreement:
    """Whether muscles weaken as cells die, and which cells they are matters."""
    falling = all(
        bool((np.diff([each.share for each in left if each.pattern == p]) < 0).all())
        for p in PATTERNS
    )
    strength = [lift.strength for lift in lifts]
    effort = [float((lift.activations**2).sum()) for lift in lifts]
    return Agreement.of(
        falling, bool((np.diff(strength) < 0).all()), bool((np.diff(effort) > 0).all())
    )


def sentence(arm: ExaminedArm, left: Sequence[Left], lifts: dict[str, Lift]) -> str:
    """What the patterns leave, and who takes over."""
    part = sorted({each.part for each in left})[-1]
    shares = {each.pattern: each.share for each in left if each.part == part}
    first, *_, last = lifts.values()
    name = list(lifts)[-1]
    took = helpers(arm, first.activations, last.activations, 4)
    over = "; ".join(f"{muscle} from {a:.2f} to {b:.2f}" for muscle, a, b in took)
    return (
        f"With {part:.0%} of its cells paralysed the long head of the biceps keeps "
        f"{shares['sector']:.0%} of its force if they lie in a sector along the fibres, "
        f"{shares['band']:.0%} if in a band across them, which passes the tension on, and "
        f"{shares['random']:.0%} if they are scattered: a line, which has one scale for its whole "
        f"muscle, cannot tell these apart. With {name} of biceps and brachialis dead, scattered, "
        f"the elbow flexes with {last.strength:.0f} N m in place of {first.strength:.0f}"
        + (f", and to hold 5 kg others rise: {over}." if over else ".")
    )


def _table(left: Sequence[Left]) -> Table:
    parts = sorted({each.part for each in left})
    by = {(each.pattern, each.part): each.share for each in left}
    rows: list[tuple[Cell, ...]] = [(p, *(by[p, part] for part in parts)) for p in PATTERNS]
    columns = ("cells", *(f"{part:.3g} of all" for part in parts))
    return Table("Force left at rest length, of the healthy belly's", columns, rows)


def _pictures(belly: Belly, part: float) -> dict[str, Image]:
    """The belly with paralysed cells dark, by pattern."""
    mesh, panels = belly.mesh, []
    view = view_toward(np.array([0.25, 0.75, 0.6]), np.array([0.0, 0.0, 1.0]))
    for pattern in PATTERNS:
        dead = np.zeros(mesh.n_tets, bool)
        sick = Paralysis.model_validate({"muscles": "any", "pattern": pattern, "part": part})
        dead[sick.tets(belly)] = True
        rgb = np.where(dead[mesh.boundary_tets][:, None], DEAD, LIVING)
        shape = surface_shape(mesh.X, mesh.boundary, rgb, edges=True)
        panels.append(Panel([shape], window_around(mesh.X, view), pattern))
    return {p.name: r.image for p, r in zip(panels, render_panels(panels, 260), strict=True)}


def _drawn(
    arm: ExaminedArm, left: Sequence[Left], lifts: dict[str, Lift], pictures: dict[str, Image]
) -> Any:
    made, axes = style.mosaic("aabbcc;SSSAAA", width=2.0, height=2.7)
    for letter, pattern in zip("abc", PATTERNS, strict=True):
        style.picture(axes[letter], pictures[pattern], pattern)
    colours = (style.RED, style.BLUE, style.ORANGE)
    for pattern, colour in zip(PATTERNS, colours, strict=True):
        rows = [(each.part, each.share) for each in left if each.pattern == pattern]
        x, y = np.array([(0.0, 1.0), *rows]).T
        axes["S"].plot(x, y, "o-", color=colour, label=pattern)
    axes["S"].plot([0, 1], [1, 0], "--", color=style.GREY, lw=1, label="a line, by the share")
    style.label(axes["S"], "force left at rest length", "share of cells paralysed", "",
                ylim=(0, 1.05), xlim=(0, 0.8))  # fmt: skip
    style.legend(axes["S"], loc="lower left")
    bars(axes["A"], arm, lifts, "activations that hold 5 kg")
    return made


EXPERIMENT = Experiment(
    "fig12",
    "Fig. 12: progressive paralysis",
    "Single cells of biceps and brachialis lose their contractile force. As they spread, the "
    "muscles weaken and nearby ones of forearm and shoulder are more active. Line muscles have "
    "only one scale for the whole muscle.",
    run,
    (1.0, 3.0),
    takes_arm=True,
)
