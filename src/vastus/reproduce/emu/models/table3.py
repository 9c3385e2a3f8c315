"""Table 3: all models, their sizes, and the time that their first frames take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vastus.modelling.gallery.members import PAPER
from vastus.reproduce import style
from vastus.reproduce.emu.models.figures import PUBLISHED, performance_table
from vastus.reproduce.emu.models.performance import QUICK, Performance, perform, size_of
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

FRAMES = 2  # of each model: whole scripts are those of its figures
NEAR = 0.2  # by which a number of tets may differ from what was asked for


def measure(setting: Setting) -> Finding:
    """Build all models and solve their first frames.

    The smallest is first: where the largest takes too long, all others are kept by then.
    """
    done = {}
    for member in sorted(PAPER.values(), key=lambda member: member.size.tets):
        setting.note(f"{member.name}: {size_of(member, setting.full):,} tets")
        done[member.name] = perform(member, setting, most=FRAMES)
    found = [done[name] for name in PAPER]
    return Finding(
        agreement=Agreement.of(
            all(_sized(each, setting.full) for each in found),
            all(_complete(each) for each in found),
            all(not each.sound.inverted for each in found),
        ),
        sentence=sentence(found, setting.full),
        tables=(performance_table(found),),
        figure=_drawn(found),
        caption=f"Seconds a frame, mean of the first {FRAMES}; crosses are the two that the paper "
        "gives, of whole scripts at its own numbers of tets.",
        solvers={each.member.name: each.job.solver for each in found},
    )


def _sized(found: Performance, full: bool) -> bool:
    wanted = size_of(found.member, full)
    return abs(found.tets - wanted) <= NEAR * wanted


def _complete(found: Performance) -> bool:
    """Whether it has all the bones and muscles that the paper has of it."""
    paper, model = found.member.published, found.job.model
    return paper is None or (
        len(model.bones) >= paper.bones and len(model.muscles) >= paper.muscles
    )


def sentence(found: Sequence[Performance], full: bool) -> str:
    """What sizes and times say."""
    off = {e.member.name: e.tets / size_of(e.member, full) - 1.0 for e in found}
    worst = max(off, key=lambda name: abs(off[name]))
    slowest = max(found, key=lambda each: each.pace.seconds)
    scale = "the paper's numbers" if full else f"the paper's numbers, or {QUICK:,},"
    return (
        f"{len(found)} models are within {abs(100 * off[worst]):.0f} % of {scale} of tets, "
        f"{worst} farthest; {slowest.member.name} takes longest, {slowest.pace} at "
        f"{slowest.tets:,} tets."
    )


def _drawn(found: Sequence[Performance]) -> Any:
    made, (axes,) = style.figure(1, width=7.0, height=4.8)
    names = [f"{each.member.name}, {each.tets:,} tets" for each in found]
    axes.barh(names, [each.pace.seconds for each in found], color=style.BLUE, label="here")
    known = [
        (PUBLISHED[e.member.name], k) for k, e in enumerate(found) if e.member.name in PUBLISHED
    ]
    axes.plot(*np.transpose(known), "x", color=style.RED, label="paper")
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    style.label(axes, "Time of a frame", "s", "", xscale="log")
    style.legend(axes)
    return made


EXPERIMENT = Experiment(
    "table3",
    "Table 3: the models",
    "Fourteen models from a soft robot of 3,000 tets to a muscle of 600,000, with the numbers of "
    "their bones and muscles.",
    measure,
    (3.0, 20.0),
)
