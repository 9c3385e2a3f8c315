"""Section 5.2: a cascade that is pushed, and balls of very different masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies import Body, juggler
from vastus.control.observer import Observer
from vastus.control.tracking import Tracker
from vastus.files.html import Table
from vastus.juggling.juggle import Push, juggle
from vastus.juggling.result import Result
from vastus.juggling.style import usual_style
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

BEGIN, SECONDS = 1.2, (3.0, 6.0)  # [s] of a push, and the end
WAYS = {"back": (-1.0, 0.0, 0.0), "inward": (0.0, 1.0, 0.0), "down": (0.0, 0.0, -1.0)}
# Where, how hard [N], which ways, and whether quick runs have it.
PUSHES = (
    ("trunk", "torso", 300.0, ("back",), True),
    ("upper arm", "r_humerus", 300.0, ("back",), True),
    ("upper arm", "r_humerus", 150.0, ("back", "inward", "down"), False),
    ("forearm", "r_radius", 150.0, ("back", "inward", "down"), True),
    ("forearm", "r_radius", 300.0, ("back",), False),
    ("hand", "r_hand", 50.0, ("back", "inward", "down"), False),
    ("hand", "r_hand", 150.0, ("back",), True),
)
# The observer's bounds [N m] at shoulder, elbow, forearm and wrist.
MOST = np.array([80.0, 80.0, 60.0, 80.0, 8.0, 20.0, 15.0])


@dataclass(frozen=True, eq=False)
class Trial:
    """A cascade that was pushed with a force [N] somewhere in a direction."""

    where: str
    force: float
    way: str
    result: Result

    @property
    def kept(self) -> bool:
        """Whether nothing fell."""
        return self.result.drops == 0

    @property
    def name(self) -> str:
        """What was done, in words."""
        return f"{self.force:.0f} N {self.way}, {self.where}"


def run(setting: Setting) -> Finding:
    """Push, and juggle balls of different masses."""
    trials = []
    for where, body, force, ways, quick in PUSHES:
        if quick or setting.full:
            for way in ways if setting.full else ways[:1]:
                setting.note(f"{force:.0f} N {way} on the {where}")
                trials.append(pushed(where, body, force, way, SECONDS[setting.full]))
    setting.note(f"balls of {', '.join(f'{m:g}' for m in paper.MASSES)} kg")
    how = usual_style((3,))
    masses = juggle(juggler(), "3", 2 * SECONDS[0], how, masses=list(paper.MASSES))
    return Finding(
        agreement=agreement(trials, masses),
        sentence=sentence(trials, masses),
        tables=(_table(trials, masses),),
        figure=_drawn(trials, masses),
        caption="Left: how far from its aim each throw comes down, over time; the push lasts while "
        "it is grey. Right: heights of balls of 0.1, 0.5 and 2 kg, and the activations of the "
        "right arm squared and summed.",
    )


def pushed(where: str, body: str, force: float, way: str, seconds: float) -> Trial:
    """A cascade with one push of half a second."""
    whole: Body = juggler(torso=body == "torso")
    x, y, z = (force * np.array(WAYS[way])).tolist()
    tracker = Tracker(whole, observer=Observer(most=MOST))
    push = Push(body, (x, y, z), BEGIN, paper.PUSH_SECONDS)
    result = juggle(whole, "3", seconds, usual_style((3,)), tracker=tracker, pushes=[push])
    return Trial(where, force, way, result)


def agreement(trials: Sequence[Trial], masses: Result) -> Agreement:
    """Whether trunk and upper arm bear 300 N and the hand does not, and heights are alike."""
    hard = [t for t in trials if t.force >= paper.PUSH and t.where in ("trunk", "upper arm")]
    hand = [t for t in trials if t.where == "hand" and t.force < paper.PUSH]
    return Agreement.of(all(t.kept for t in hard), not all(t.kept for t in hand), masses.drops == 0)


def sentence(trials: Sequence[Trial], masses: Result) -> str:
    """What held and what did not."""
    kept = "; ".join(t.name for t in trials if t.kept)
    lost = "; ".join(f"{t.name} ({t.result.drops})" for t in trials if not t.kept)
    land = 100 * masses.landings
    return (
        f"Pushed for {paper.PUSH_SECONDS:g} s the cascade goes on without a drop after: {kept}."
        + (f" Balls fall (how many) after: {lost}." if lost else "")
        + " Hands plan anew from where they are, in milliseconds, and an observer finds the torque "
        "of the push; nothing is optimised again. With balls of 0.1, 0.5 and 2 kg there were "
        f"{masses.catches} catches and {masses.drops} drops, throws {land.mean():.1f} cm off their "
        f"aim (at most {land.max():.1f}): the swing need not last longer for a heavier ball, as it "
        "does by eq. 20, for its mass is in the equations of motion."
    )


def _table(trials: Sequence[Trial], masses: Result) -> Table:
    columns = ("what", "catches", "drops", "landing off, most [cm]", "torque missing [N m]")
    both = [(t.name, t.result) for t in trials] + [("balls of 0.1, 0.5 and 2 kg", masses)]
    rows = [
        (name, r.catches, r.drops, 100 * float(r.landings.max(initial=0.0)), r.missing)
        for name, r in both
    ]
    return Table("A cascade of three balls", columns, rows)


def _drawn(trials: Sequence[Trial], masses: Result) -> Any:
    made, axes = style.mosaic("PPM;PPA", width=3.9, height=2.2)
    axes["P"].axvspan(BEGIN, BEGIN + paper.PUSH_SECONDS, color=style.GREY, alpha=0.2, lw=0)
    for t in trials:
        x, y = [e.time for e in t.result.throws], 100 * t.result.landings
        axes["P"].semilogy(x, np.maximum(y, 0.05), "o-", ms=4, lw=1, label=t.name)
    style.label(axes["P"], "how far off throws come down", "time [s]", "cm")
    style.legend(axes["P"], loc="upper right")
    record = masses.record
    assert record is not None
    heights = np.where(record.balls[..., 2] > 0.3, record.balls[..., 2], np.nan)
    for k, mass in enumerate(paper.MASSES):
        axes["M"].plot(record.times, heights[:, k], lw=1, label=f"{mass:g} kg")
    half = record.activations.shape[1] // 2
    axes["A"].plot(record.times, (record.activations[:, :half] ** 2).sum(axis=1), color=style.RED)
    style.label(axes["M"], "height of balls", "", "m")
    style.label(axes["A"], "right arm: sum of squared activations", "time [s]", "")
    style.legend(axes["M"], loc="upper left", ncols=3)
    axes["M"].set_ylim(None, float(np.nanmax(heights)) + 0.15)
    return made


EXPERIMENT = Experiment(
    "pushes",
    "Section 5.2: pushes and masses",
    "Random forces of 300 N for 0.5 s on trunk, shoulder and elbow are borne by optimising swings "
    "anew; at the extremities even small ones can be critical. Balls of 0.1, 0.5 and 2 kg are "
    "thrown to the same height, with swings that last longer for heavier balls.",
    run,
    (0.8, 3.0),
)
