"""Fig. 10: atrophy and hypertrophy of biceps and brachialis, and ten kilograms in the hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.disorders import Atrophy, Disorder, Hypertrophy
from vastus.files.html import Cell, Table
from vastus.numerics.types import Floats
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.control.arm import ExaminedArm, examined_arm, helpers
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

HEALTHY, THIN, NARROW, THICK = (
    "healthy", "atrophy, area x 0.5", "atrophy, width x 0.5", "hypertrophy, area x 1.5",
)  # fmt: skip
SHOWN = (THIN, HEALTHY, THICK)
MISSED = 0.1  # [N m] that counts as missing


@dataclass(frozen=True, eq=False)
class Lift:
    """What an arm can do, and how it holds a weight."""

    strength: float  # [N m] of all flexors, at 90 degrees
    activations: Floats  # (units,)
    missing: float  # [N m] at the elbow


def run(setting: Setting) -> Finding:
    """Hold ten kilograms with thinner and thicker muscles."""
    arm = examined_arm(setting.arm)
    disorders = changes(arm)
    found = {name: lifted(arm, paper.HEAVY, each) for name, each in disorders.items()}
    setting.note("pictures")
    shown = [
        (arm.examine(disorders[name]).body, arm.pose, found[name].activations) for name in SHOWN
    ]
    return Finding(
        agreement=agreement(arm, found),
        sentence=sentence(arm, found),
        tables=(table(arm, found, "Ten kilograms in the hand of a bent arm"),),
        figure=_drawn(arm, found, arm.pictures(shown, 520)),
        caption="The arm with ten kilograms in the hand: muscles are the redder the more active "
        "they are. Below: strength of elbow flexion at 90 degrees, and activations.",
    )


def changes(arm: ExaminedArm) -> dict[str, list[Disorder]]:
    """Disorders by name."""
    return {
        HEALTHY: [],
        THIN: [Atrophy(muscles=arm.flexors, area=paper.THIN)],
        NARROW: [Atrophy(muscles=arm.flexors, width=paper.THIN)],
        THICK: [Hypertrophy(muscles=arm.flexors, area=paper.THICK)],
    }


def lifted(arm: ExaminedArm, mass: float, disorders: Sequence[Disorder]) -> Lift:
    """How a mass [kg] is held after disorders."""
    held = arm.hold(mass, disorders)
    strength = arm.examine(disorders).strength(arm.elbow)[0]
    return Lift(strength, held.activations, held.missing[arm.elbow])


def levels(arm: ExaminedArm, lift: Lift) -> list[float]:
    """The activations of biceps and brachialis."""
    return [float(lift.activations[arm.body.names.index(name)]) for name in arm.flexors]


def agreement(arm: ExaminedArm, found: Mapping[str, Lift]) -> Agreement:
    """Whether thick muscles lift at low activations, and thin ones are weak and fully active."""
    thin, healthy, thick = (found[name] for name in SHOWN)
    sums = [sum(levels(arm, lift)) for lift in (thin, healthy, thick)]
    return Agreement.of(
        thin.strength < healthy.strength < thick.strength,
        sums[0] > sums[1] > sums[2],
        abs(thick.missing) < MISSED,
    )


def sentence(arm: ExaminedArm, found: Mapping[str, Lift]) -> str:
    """What was found."""
    thin, healthy, thick = (found[name] for name in SHOWN)
    means = [float(np.mean(levels(arm, lift))) for lift in (thin, healthy, thick)]
    took = helpers(arm, healthy.activations, thin.activations)
    over = "; ".join(f"{name} from {a:.2f} to {b:.2f}" for name, a, b in took)
    short = f" and {thin.missing:.1f} N m are missing" if abs(thin.missing) > MISSED else ""
    return (
        f"With half the area of biceps and brachialis the elbow flexes with {thin.strength:.0f} "
        f"N m in place of {healthy.strength:.0f}, with half as much more with "
        f"{thick.strength:.0f}. To hold 10 kg their mean activation is {means[1]:.2f} in health, "
        f"{means[2]:.2f} in hypertrophy and {means[0]:.2f} in atrophy{short}."
        + (f" Others take over: {over}." if over else "")
        + " The paper scales the cross-section by 0.5 and calls it the area; a width of one half "
        f"would leave {found[NARROW].strength:.0f} N m."
    )


def table(arm: ExaminedArm, found: Mapping[str, Lift], title: str) -> Table:
    """Strength, what is missing, and activations of the flexors and of what takes over."""
    first, *_, last = found.values()
    most = [name for lift in (*found.values(), last)
            for name, _, _ in helpers(arm, first.activations, lift.activations)]  # fmt: skip
    named = dict.fromkeys(most)
    others = [name for name in arm.body.names if arm.short(name) in named]
    columns = ("arm", "flexion [N m]", "missing [N m]",
               *(arm.short(name) for name in (*arm.flexors, *others)))  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for name, lift in found.items():
        shown = [float(lift.activations[arm.body.names.index(m)]) for m in (*arm.flexors, *others)]
        rows.append((name, lift.strength, round(lift.missing, 3) + 0.0, *shown))
    return Table(title, columns, rows)


def bars(axes: Any, arm: ExaminedArm, found: Mapping[str, Lift], title: str) -> None:
    """Activations of all muscles that any lift uses much, side by side."""
    peak = np.max([lift.activations for lift in found.values()], axis=0)
    moved = np.ptp([lift.activations for lift in found.values()], axis=0)
    often = [k for k in np.argsort(-moved)[:9] if peak[k] > 0.05]
    width = 0.8 / len(found)
    colours = (style.GREY, style.BLUE, style.VIOLET, style.RED, style.ORANGE)
    for n, (name, lift) in enumerate(found.items()):
        at = np.arange(len(often)) + (n - 0.5 * (len(found) - 1)) * width
        axes.bar(at, lift.activations[often], width, label=name, color=colours[n % len(colours)])
    names = [arm.short(arm.body.names[k]) for k in often]
    axes.set_xticks(np.arange(len(often)), names, rotation=35, ha="right", fontsize=8)
    axes.set_yticks(np.linspace(0.0, 1.0, 5))
    style.label(axes, title, "", "", ylim=(0, 1.3))
    style.legend(axes, loc="upper left", ncols=len(found), columnspacing=1.0)


def _drawn(arm: ExaminedArm, found: Mapping[str, Lift], pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("aabbcc;aabbcc;SSAAAA;SSAAAA", width=2.1, height=1.6)
    for letter, name, pixels in zip("abc", SHOWN, pictures, strict=True):
        style.picture(axes[letter], pixels, name)
    names = list(found)
    axes["S"].barh(names[::-1], [found[name].strength for name in names[::-1]], color=style.BLUE)
    style.label(axes["S"], "elbow flexion at 90 degrees", "N m", "")
    bars(axes["A"], arm, found, "activations that hold 10 kg")
    return made


EXPERIMENT = Experiment(
    "fig10",
    "Fig. 10: atrophy and hypertrophy",
    "The cross-section of biceps and brachialis of the right arm is scaled by 0.5 and by 1.5. "
    "Hypertrophy lets the arm lift 10 kg at low activations.",
    run,
    (0.2, 0.2),
    takes_arm=True,
)
