"""Fig. 11: flexors whose force-length curve is scaled down, and a dumbbell of five kilograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vastus.control.disorders import Weakness
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.control.arm import ExaminedArm, examined_arm, helpers
from vastus.reproduce.control.fig10 import Lift, lifted, table
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

SHARES = (1.0, *paper.WEAK)
CURVE = np.round(np.arange(1.0, 0.02, -0.05), 12)  # shares of which activations are drawn


def run(setting: Setting) -> Finding:
    """Hold a dumbbell with weaker and weaker biceps."""
    arm = examined_arm(setting.arm)
    shares = sorted({*SHARES, *CURVE.tolist()}, reverse=True)
    found = {share: _lift(arm, share) for share in shares}
    setting.note("pictures")
    shown = [(arm.body, arm.pose, found[share].activations) for share in SHARES]
    named = {f"x {share:g}": found[share] for share in SHARES}
    return Finding(
        agreement=agreement(arm, found),
        sentence=sentence(arm, found),
        tables=(table(arm, named, "Five kilograms in the hand, by the force of the biceps"),),
        figure=_drawn(arm, found, arm.pictures(shown, 460)),
        caption="The arm with five kilograms in the hand, the force-length curve of both heads of "
        "the biceps scaled by what is written above; muscles are the redder the more active they "
        "are. Below: strength of flexion, and activations over the scale.",
    )


def _lift(arm: ExaminedArm, share: float) -> Lift:
    weak = [] if share == 1.0 else [Weakness(muscles=arm.biceps, force=share)]
    return lifted(arm, paper.DUMBBELL, weak)


def agreement(arm: ExaminedArm, found: Mapping[float, Lift]) -> Agreement:
    """Whether strength falls with each step, and others are the more active."""
    lifts = [found[share] for share in SHARES]
    others = np.array([name not in arm.biceps for name in arm.body.names])
    squares = [float((lift.activations[others] ** 2).sum()) for lift in lifts]
    return Agreement.of(
        bool((np.diff([lift.strength for lift in lifts]) < 0).all()),
        bool((np.diff(squares) > 0).all()),
    )


def sentence(arm: ExaminedArm, found: Mapping[float, Lift]) -> str:
    """Who takes over."""
    lifts = [found[share] for share in SHARES]
    strength = ", ".join(f"{lift.strength:.0f}" for lift in lifts)
    took = helpers(arm, lifts[0].activations, lifts[-1].activations, 4)
    brachialis = arm.body.names.index(arm.brachialis[0])
    levels = ", ".join(f"{lift.activations[brachialis]:.2f}" for lift in lifts)
    over = "; ".join(f"{name} from {a:.2f} to {b:.2f}" for name, a, b in took)
    return (
        f"With both heads of the biceps at 1, {', '.join(f'{s:g}' for s in paper.WEAK)} of their "
        f"force the elbow flexes with {strength} N m, and the brachialis holds 5 kg with "
        f"activations of {levels}."
        + (f" At the weakest others rise as well: {over}." if over else "")
        + f" What is missing at the elbow is at most "
        f"{max(abs(lift.missing) for lift in lifts):.2g} N m. The controller knows nothing of the "
        "weakness but what muscles can give."
    )


def _drawn(arm: ExaminedArm, found: Mapping[float, Lift], pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abcd;abcd;SSAA;SSAA", width=3.1, height=1.5)
    for letter, share, pixels in zip("abcd", SHARES, pictures, strict=True):
        style.picture(axes[letter], pixels, f"x {share:g}")
    shares = np.array(list(found))
    axes["S"].plot(shares, [lift.strength for lift in found.values()], color=style.BLUE)
    levels = np.array([lift.activations for lift in found.values()])
    moved = np.argsort(-np.ptp(levels, axis=0))[:6]
    for k in moved:
        axes["A"].plot(shares, levels[:, k], label=arm.short(arm.body.names[k]))
    for letter in "SA":
        axes[letter].invert_xaxis()
    style.label(axes["S"], "elbow flexion at 90 degrees", "force of the biceps", "N m")
    axes["S"].set_ylim(0, None)
    style.label(axes["A"], "activations that hold 5 kg", "force of the biceps", "")
    style.legend(axes["A"], loc="center left", bbox_to_anchor=(1.0, 0.5))
    return made


EXPERIMENT = Experiment(
    "fig11",
    "Fig. 11: weakness",
    "The force-length curve of muscles of the right arm is scaled by 0.5, 0.2 and 0.05 while it "
    "holds a dumbbell of 5 kg. Nearby muscles are more active and compensate.",
    run,
    (0.2, 0.2),
    takes_arm=True,
)
