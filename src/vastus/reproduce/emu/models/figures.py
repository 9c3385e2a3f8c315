"""Fig. 1, 11 to 16, 18 and 19: models of the gallery perform what the paper's models do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.modelling.gallery.members import MEMBERS
from vastus.reproduce import style
from vastus.reproduce.emu.models.deeds import (
    Deed,
    all_of,
    carried,
    rolled,
    spread,
    swung,
    tip,
    turned,
)
from vastus.reproduce.emu.models.performance import Measure, Performance, perform
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

# Section 4: seconds a frame, on the authors' machine
PUBLISHED = {"picker": 13.3, "swimmer": 127.9}
QUARTERS = ("upper left", "upper right", "lower left", "lower right")
TALL, WIDE, TITLE = 2.7, 3.2, 0.3  # [inch] of a picture at most, and of the line above it
CLUBS = tuple(f"club {letter}" for letter in "abcd")


@dataclass(frozen=True, eq=False)
class Role:
    """What a model of the gallery is to do, and how that is measured."""

    member: str
    measure: Measure
    deeds: tuple[Deed, ...]


def bends(joint: str, least: float = 40.0) -> Deed:
    """A joint turns."""
    return Deed(f"{joint} reached", least, f"turns its {joint} by {{:.0f}} deg")


ROLES = {
    "fig1": (Role("chest", turned("elbow"), (bends("elbow"),)),),
    "fig11": (
        Role("elephant", tip(QUARTERS, "mouth"), (
            Deed("tip rises", 50.0, "raises the tip of its trunk by {:.0f} mm"),
            Deed("nearer", 20.0, "ends with it {:.0f} mm nearer to the mouth"),
        )),
    ),
    "fig12": (
        Role("biceps", all_of(turned("elbow"), swung("shoulder")), (
            bends("elbow"), Deed("shoulder swung", 1.0, "swings the upper arm by {:.1f} deg"),
        )),
    ),
    "fig13": (Role("leg", turned("knee"), (bends("knee", 30.0),)),),
    "fig14": (
        Role("wheel", turned("axle"), (
            Deed("axle forward", 5.0, "turns its ring by {:.0f} deg"),
            Deed("axle backward", 5.0, "and by {:.0f} deg the other way"),
        )),
        Role("hand", carried("ball"), (
            Deed("ball lifted", 20.0, "lifts its ball by {:.0f} mm"),
            Deed("ball fell", 20.0, "and lets it fall by {:.0f} mm"),
        )),
    ),
    "fig15": (
        Role("picker", carried("apple"), (
            Deed("apple carried", 50.0, "carries a fruit by {:.0f} mm"),
            Deed("apple fell", 20.0, "and drops it by {:.0f} mm"),
        )),
    ),
    "fig16": (
        Role("swimmer", spread(CLUBS), (
            Deed("opens", 10.0, "opens its arms by {:.0f} mm"),
            Deed("closes", 10.0, "and closes them by {:.0f} mm"),
        )),
    ),
    "fig18": (
        Role("upper_arm", turned("elbow"), (
            bends("elbow"), Deed("elbow returned", 30.0, "stretches it again by {:.0f} deg"),
            Deed("elbow beyond", 1.0, "to {:.0f} deg beyond where it began"),
        )),
    ),
    "fig19": (
        Role("skull", rolled("skull"), (
            Deed("skull leans", 8.0, "leans by up to {:.0f} deg"),
            Deed("skull rolls", 180.0, "round {:.0f} deg of a circle"),
        )),
    ),
}  # fmt: skip


def show(roles: Sequence[Role], setting: Setting) -> Finding:
    """Let the models of a figure perform."""
    found = []
    for role in roles:
        member = MEMBERS[role.member]
        setting.note(f"{member.name}: {member.line}")
        found.append(perform(member, setting, role.measure))
    claims = [d.done(p.measured) for r, p in zip(roles, found, strict=True) for d in r.deeds]
    return Finding(
        agreement=Agreement.of(*claims, all(each.is_sound for each in found)),
        sentence=" ".join(told(r, p, setting.full) for r, p in zip(roles, found, strict=True)),
        tables=(performance_table(found),),
        figure=_drawn(found),
        caption="Moments of the script that the model comes with: "
        + "; ".join(f"{MEMBERS[role.member].line}" for role in roles)
        + f" (vastus demo {roles[-1].member}).",
        solvers={each.member.name: each.job.solver for each in found},
    )


def told(role: Role, found: Performance, full: bool) -> str:
    """What a performance says."""
    deeds = ", ".join(deed.sentence(found.measured) for deed in role.deeds)
    sound = found.sound
    deep = f"at most {1e3 * sound.depth:.2f} mm" if sound.depth else "nowhere"
    state = f"{sound.inverted or 'no'} tets are inverted and bodies are {deep} in each other"
    paper, size = PUBLISHED.get(role.member), found.member.published
    beside = (
        f" (the paper: {paper:g} s at {size.tets:,} tets"
        + ("" if full else ", which this quick run does not have")
        + ")"
        if paper and size
        else ""
    )
    return (
        f"The {found.member.name.replace('_', ' ')} {deeds}; {state}, at {found.tets:,} tets and "
        f"{found.pace}{beside}."
    )


def performance_table(found: Sequence[Performance]) -> Table:
    """Sizes and times beside those of the paper."""
    columns = (
        "model", "tets, paper", "tets", "bones (paper)", "muscles (paper)", "frames",
        "s a frame, paper", "s a frame", "processor s a frame", "inverted", "depth [mm]",
        "gap [mm]",
    )  # fmt: skip
    rows = []
    for each in found:
        model, sound, paper = each.job.model, each.sound, each.member.published
        bones, muscles = str(len(model.bones)), str(len(model.muscles))
        if paper:
            bones, muscles = f"{bones} ({paper.bones})", f"{muscles} ({paper.muscles})"
        rows.append((
            each.member.name, paper.tets if paper else None, each.tets, bones, muscles,
            each.frames, PUBLISHED.get(each.member.name), each.pace.seconds, each.pace.processor,
            sound.inverted, 1e3 * sound.depth, None if sound.gap is None else 1e3 * sound.gap,
        ))  # fmt: skip
    return Table("Models", columns, rows)


def _drawn(found: Sequence[Performance]) -> Any:
    most = max(len(each.pictures) for each in found)
    shapes = np.array([each.pictures[0].shape[:2] for each in found])
    tall, wide = TALL * shapes.max(axis=0) / shapes[:, 0].max()
    small = min(WIDE / wide, 1.0)
    made, axes = style.figure(
        most, rows=len(found), width=small * wide, height=small * tall + TITLE
    )
    for number, each in enumerate(found):
        for k in range(most):
            plot = axes[number * most + k]
            if k < len(each.pictures):
                style.picture(plot, each.pictures[k], f"{each.times[k]:.2f} s")
            else:
                plot.set_axis_off()
    return made


TITLES = {
    "fig1": ("chest, arm and back", "Muscles of a chest, an arm and a back are flexed: a pump. "
             "EMU is said to be ten times as fast as finite elements at this size, which the "
             "experiment of Fig. 20 measures.", (2.0, 4.0)),
    "fig11": ("an elephant's trunk", "Four muscles along a trunk reach up and then bring food to "
              "the mouth.", (1.0, 3.0)),
    "fig12": ("a biceps over two joints", "A biceps that skips the humerus moves humerus and "
              "forearm.", (0.5, 2.0)),
    "fig13": ("a leg", "Hamstrings drive a leg of several muscles and joints.", (0.7, 3.0)),
    "fig14": ("soft robots", "A mechanism turns its outer ring by its actuators, and a gripper "
              "reaches down and grasps a ball.", (1.5, 4.0)),
    "fig15": ("a fruit picker", "A robot of 289,000 tets rolls on rails, grabs fruits and drops "
              "them, at 13.3 s a frame.", (2.0, 20.0)),
    "fig16": ("a swimmer", "A squid-like animal of 220,000 tets, at 127.9 s a frame.", (2.0, 30.0)),
    "fig18": ("an upper arm", "A biceps bends an elbow, then a triceps stretches it.", (1.0, 4.0)),
    "fig19": ("a cartoon skull", "Four muscles of the neck alone roll a head.", (0.7, 3.0)),
}  # fmt: skip

EXPERIMENTS = tuple(
    Experiment(
        name,
        f"Fig. {name.removeprefix('fig')}: {title}",
        shows,
        partial(show, ROLES[name]),
        minutes,
    )
    for name, (title, shows, minutes) in TITLES.items()
)
