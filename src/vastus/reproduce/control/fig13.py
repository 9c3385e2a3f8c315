"""Fig. 13: a contracture of the biceps bends the relaxed elbow, and an operation frees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.control.disorders import Contracture, Disorder
from vastus.control.disorders.examination import Sweep
from vastus.files.html import Table
from vastus.numerics.types import Floats
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.control.arm import ExaminedArm, examined_arm
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

HEALTHY, SICK, OPERATED = "healthy", "contracture x 0.7", "operated"
LENGTHS = (0.9, 0.8, 0.7)
SHOWN = (HEALTHY, SICK, OPERATED)
FREED = 5.0  # [deg] within which the relaxed elbow is as straight as in health, or straighter
NO_ARM = 1e-4  # [m]


@dataclass(frozen=True, eq=False)
class Joint:
    """An elbow: relaxed [deg], moved to by an examiner [deg], and strong [N m] over its range."""

    rest: float
    least: float
    strength: float  # at 90 degrees
    best: float
    arm: float  # [m] of the biceps' long head about the elbow
    elsewhere: float  # [m] the largest of its arms about the other joints
    sweep: Sweep


def run(setting: Setting) -> Finding:
    """Shorten the biceps, then fix it to the humerus."""
    arm = examined_arm(setting.arm)
    disorders = changes(arm)
    found = {}
    for name, each in disorders.items():
        setting.note(name)
        found[name] = examined(arm, each)
    setting.note("pictures")
    shown = []
    for name in SHOWN:
        q = arm.pose
        q[arm.body.model.joint(arm.elbow).qposadr[0]] = np.radians(found[name].rest)
        body = arm.examine(disorders[name]).body
        shown.append((body, q, np.zeros(len(body.units))))
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, arm.pictures(shown, 520)),
        caption="The relaxed arm in health, with a biceps of 0.7 of its rest length, and after "
        "the operation. Right: the torque of the relaxed elbow over its angle, which rests where "
        "the curve crosses zero, and the strength of flexion.",
    )


def changes(arm: ExaminedArm) -> dict[str, list[Disorder]]:
    """Disorders by name: contractures, and an operation after the last."""
    found: dict[str, list[Disorder]] = {HEALTHY: []}
    for length in LENGTHS:
        found[f"contracture x {length:g}"] = [Contracture(muscles=arm.biceps, length=length)]
    found[OPERATED] = [*found[SICK], *arm.to_humerus()]
    return found


def examined(arm: ExaminedArm, disorders: Sequence[Disorder]) -> Joint:
    """What an examination of the elbow finds."""
    e = arm.examine(disorders)
    sweep = e.sweep(arm.elbow)
    dof = arm.body.dof_names.index(arm.elbow)
    arms: Floats = e.station().arms[arm.body.names.index(arm.biceps[0])]
    return Joint(
        float(np.degrees(e.rest(arm.elbow, sweep))),
        float(np.degrees(e.passive_range(arm.elbow, sweep)[0])),
        e.strength(arm.elbow)[0],
        float(sweep.raising.max()),
        float(arms[dof]),
        float(np.abs(np.delete(arms, dof)).max(initial=0.0)),
        sweep,
    )


def agreement(found: Mapping[str, Joint]) -> Agreement:
    """Whether the elbow bends with the contracture, straightens after it, and has lost strength."""
    healthy, sick, operated = (found[name] for name in SHOWN)
    bent = [found[name].rest for name in found if name != OPERATED]
    return Agreement.of(
        bool((np.diff(bent) > 0).all()),
        operated.rest < healthy.rest + FREED and operated.least < sick.least,
        operated.strength < healthy.strength,
        abs(operated.arm) < NO_ARM < operated.elsewhere,
    )


def sentence(found: Mapping[str, Joint]) -> str:
    """What happens to the elbow."""
    healthy, sick, operated = (found[name] for name in SHOWN)
    angles = ", ".join(f"{found[f'contracture x {x:g}'].rest:.0f}" for x in LENGTHS)
    loss = 1.0 - operated.strength / healthy.strength
    return (
        f"The relaxed elbow, which rests at {healthy.rest:.0f} degrees, bends to {angles} degrees "
        f"with a biceps of {', '.join(f'{x:g}' for x in LENGTHS)} of its rest length. With the "
        f"shortest, an examiner with 5 N m straightens it to {sick.least:.0f} degrees "
        f"({healthy.least:.0f} in health). Fixed to the humerus the biceps has an arm of "
        f"{1e3 * operated.arm + 0.0:.1f} mm about the elbow ({1e3 * healthy.arm:.0f} before) and "
        f"keeps up to {1e3 * operated.elsewhere:.0f} mm about the shoulder: a one-joint muscle. "
        f"The relaxed elbow comes to {operated.rest:.0f} degrees. The side effect is {loss:.0%} "
        f"less strength of flexion, {operated.strength:.0f} N m in place of "
        f"{healthy.strength:.0f}."
    )


def _table(found: Mapping[str, Joint]) -> Table:
    columns = (
        "elbow",
        "relaxed [°]",
        "straightened by 5 N m to [°]",
        "flexion at 90° [N m]",
        "flexion at best [N m]",
        "arm of the long head [mm]",
        "its largest other arm [mm]",
    )
    rows = [
        (name, j.rest, j.least + 0.0, j.strength, j.best, round(1e3 * j.arm, 3) + 0.0,
         1e3 * j.elsewhere)
        for name, j in found.items()
    ]  # fmt: skip
    return Table("The elbow before and after", columns, rows)


def _drawn(found: Mapping[str, Joint], pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abcPP;abcSS", width=2.4, height=2.1)
    for letter, name, pixels in zip("abc", SHOWN, pictures, strict=True):
        style.picture(axes[letter], pixels, f"{name}: {found[name].rest:.0f}°")
    colours = (style.GREY, style.ORANGE, style.VIOLET, style.RED, style.BLUE)
    for (name, joint), colour in zip(found.items(), colours, strict=True):
        angle = np.degrees(joint.sweep.angles)
        axes["P"].plot(angle, joint.sweep.relaxed, color=colour, label=name)
        axes["S"].plot(angle, joint.sweep.raising, color=colour)
        axes["P"].plot(joint.rest, 0.0, "o", ms=5, color=colour)
    axes["P"].axhline(0.0, color=style.INK, lw=0.6)
    style.label(axes["P"], "torque of the relaxed elbow", "", "N m", ylim=(-10, 30))
    style.label(axes["S"], "strength of flexion", "elbow [°]", "N m", ylim=(0, None))
    style.legend(axes["P"], loc="upper right")
    return made


EXPERIMENT = Experiment(
    "fig13",
    "Fig. 13: contracture and surgery",
    "The rest shape of the biceps is shrunk: its tension flexes the relaxed elbow. An operation "
    "moves its insertion from the radius to the lower humerus, which makes it a one-joint muscle: "
    "the elbow extends, and its greatest torque is less.",
    run,
    (0.2, 0.2),
    takes_arm=True,
)
