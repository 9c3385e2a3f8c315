"""Fig. 9: juggling patterns, by muscles alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies import Body, juggler
from vastus.files.html import Table
from vastus.juggling.juggle import Juggle
from vastus.juggling.result import Result
from vastus.juggling.siteswap import Siteswap
from vastus.juggling.style import usual_style
from vastus.pictures.bodies.body_pictures import FRONT, BodyRenderer
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting

RAMP = "345, one ball more twice"
PASSING = "75, two jugglers"
FLOOR = 0.3  # [m] below, a ball waits until it is thrown in
FPS, FILMED = 15.0, (2.6, 5.0)  # [1/s], [s] of the film
SIDEWARDS = (0.25, -1.0, 0.18)  # the way to the camera that sees two jugglers


@dataclass(frozen=True)
class Pattern:
    """What is juggled: throws by beat, seconds quick and full, and how many jugglers."""

    throws: tuple[int, ...]
    seconds: tuple[float, float]
    jugglers: int = 1
    repeated: bool = True


PATTERNS: dict[str, Pattern] = {
    "3": Pattern((3,), (3.0, 30.0)),
    RAMP: Pattern((3,) * 6 + (4,) * 4 + (5,) * 20, (5.0, 6.5), repeated=False),
    "423": Pattern((4, 2, 3), (3.6, 12.0)),
    "64": Pattern((6, 4), (3.6, 12.0)),
    PASSING: Pattern((7, 5), (2.8, 10.0), jugglers=2),
}
SHOWN = (RAMP, "423", "64", PASSING)


@dataclass(frozen=True, eq=False)
class Act:
    """A pattern that was juggled on a stage."""

    body: Body
    result: Result
    balls: int
    seconds: float


def run(setting: Setting) -> Finding:
    """Juggle all patterns."""
    body, found = juggler(), {}
    for name, pattern in PATTERNS.items():
        setting.note(f"juggling {name}")
        found[name] = performed(body, pattern, pattern.seconds[setting.full])
    setting.note("pictures and film")
    pictures = [_picture(found[name], PATTERNS[name].jugglers) for name in SHOWN]
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, pictures),
        caption="Muscles are the redder the more active they are. Below: the heights of the balls "
        "over time. The film shows the five-ball part of the first, in real time.",
        film=Film(_film(found[RAMP], FILMED[setting.full]), FPS),
    )


def performed(body: Body, pattern: Pattern, seconds: float) -> Act:
    """A pattern for some seconds, in its usual style."""
    how = usual_style(pattern.throws, jugglers=pattern.jugglers)
    beats = int(seconds / how.timing.beat) + 1 + how.timing.hands
    values = Siteswap(pattern.throws).beats(beats) if pattern.repeated else pattern.throws
    run = Juggle(body, values, how, jugglers=pattern.jugglers)
    result = run.run(seconds)
    return Act(run.stage.body, result, len(run.stage.masses), seconds)


def agreement(found: Mapping[str, Act]) -> Agreement:
    """Whether every pattern is juggled without a drop."""
    return Agreement.of(*(a.result.drops == 0 and a.result.catches > 5 for a in found.values()))


def sentence(found: Mapping[str, Act]) -> str:
    """What was caught and dropped."""
    told = "; ".join(
        f"{name}: {a.result.catches} catches, {a.result.drops} drops, throws "
        f"{100 * float(a.result.landings.mean()):.1f} cm off their aim in the mean"
        for name, a in found.items()
    )
    lack = max(a.result.missing for a in found.values())
    cost = sum(a.result.cpu for a in found.values()) / sum(a.seconds for a in found.values())
    return (
        f"{told}. Muscles act alone, without reserve torques and without trajectory optimisation: "
        "hands follow polynomials that end with the velocity of the throw. The largest torque that "
        f"muscles lacked was {lack:.1f} N m. A second of juggling took {cost:.1f} s of the "
        "processor. Muscles are lines here, whose pull is that of volumes within a few per cent "
        "(Fig. 6)."
    )


def _table(found: Mapping[str, Act]) -> Table:
    columns = ("pattern", "balls", "seconds", "catches", "drops", "landing off, mean [cm]",
               "most [cm]", "torque missing [N m]", "sum of squared activations",
               "CPU a second [s]")  # fmt: skip
    rows = [
        (name, a.balls, a.seconds, a.result.catches, a.result.drops,
         100 * float(a.result.landings.mean()), 100 * float(a.result.landings.max()),
         a.result.missing, a.result.effort, a.result.cpu / a.seconds)
        for name, a in found.items()
    ]  # fmt: skip
    return Table("Patterns juggled by muscles of human strength, balls of 0.13 kg", columns, rows)


def _high(act: Act) -> Any:
    record = act.result.record
    assert record is not None
    points = record.balls.reshape(-1, 3)
    return record, points[points[:, 2] > FLOOR]


def _picture(act: Act, jugglers: int) -> Image:
    """The moment at three quarters of the time."""
    record, high = _high(act)
    row = int(0.75 * len(record.times))
    view = FRONT if jugglers == 1 else SIDEWARDS
    with BodyRenderer(act.body, record.positions, 560, points=high, view=view) as renderer:
        return renderer.picture(record.positions[row], record.activations[row])


def _film(act: Act, seconds: float) -> list[Image]:
    record, high = _high(act)
    last = float(record.times[-1])
    rows = np.searchsorted(record.times, np.arange(last - seconds, last, 1.0 / FPS))
    with BodyRenderer(act.body, record.positions, 480, points=high) as renderer:
        return [renderer.picture(record.positions[r], record.activations[r]) for r in rows]


def _drawn(found: Mapping[str, Act], pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abcd;abcd;efgh", width=3.3, height=2.3)
    for upper, lower, name, pixels in zip("abcd", "efgh", SHOWN, pictures, strict=True):
        style.picture(axes[upper], pixels, name)
        record, _ = _high(found[name])
        heights = np.where(record.balls[..., 2] > FLOOR, record.balls[..., 2], np.nan)
        axes[lower].plot(record.times, heights, lw=1.0)
        style.label(axes[lower], "height of balls", "time [s]", "m" if lower == "e" else "")
    return made


EXPERIMENT = Experiment(
    "fig9",
    "Fig. 9: juggling patterns",
    "A cascade of three balls that gains a fourth and a fifth; 423; 64, with five balls; and two "
    "jugglers who pass to each other. Swings come from trajectory optimisation, catches from "
    "inverse kinematics, activations from a quadratic program.",
    run,
    (1.6, 4.0),
)
