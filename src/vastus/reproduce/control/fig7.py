"""Fig. 7: diagrams of the siteswaps 333 and 423, drawn from throws and catches that happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies import Body, juggler
from vastus.files.html import Table
from vastus.juggling.juggle import juggle
from vastus.juggling.result import Result
from vastus.juggling.siteswap import Siteswap
from vastus.juggling.style import Style, usual_style
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

PATTERNS = ("333", "423")
SECONDS = (3.6, 9.0)
SOON = 0.02  # [s] by which a catch may be late
COLOURS = (style.RED, style.BLUE, style.ORANGE, style.GREEN, style.VIOLET)


@dataclass(frozen=True)
class Flight:
    """A ball in the air: from a hand and time to another [s]; `value` as thrown."""

    ball: int
    value: int
    hand: str
    left: float
    caught_by: str
    came: float


@dataclass(frozen=True, eq=False)
class Diagram:
    """A pattern that was juggled, its flights, and the timing that they should have."""

    pattern: str
    style: Style
    result: Result
    flights: tuple[Flight, ...]

    @property
    def crossed(self) -> bool:
        """Whether odd throws went to the other hand, and even ones came back."""
        return all((f.hand != f.caught_by) == bool(f.value % 2) for f in self.flights)

    @property
    def late(self) -> float:
        """The most [s] by which a flight was longer or shorter than T (V - 2 D)."""
        return max(abs(f.came - f.left - self.style.timing.flight(f.value)) for f in self.flights)

    @property
    def heights(self) -> dict[int, float]:
        """How high [m] balls rise above the hand, by the value of the throw."""
        speed = {t.value: float(t.velocity[2]) for t in self.result.throws}
        return {value: v**2 / (2 * 9.81) for value, v in sorted(speed.items())}


def run(setting: Setting) -> Finding:
    """Juggle both patterns, and draw what happened."""
    body = juggler()
    found = []
    for pattern in PATTERNS:
        setting.note(f"juggling {pattern}")
        found.append(juggled(body, pattern, SECONDS[setting.full]))
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="Throws (dots) and catches (rings) of both hands as they happened, in beats; an "
        "arc is a ball in the air, a thick line one in a hand. Numbers are those of the siteswap.",
    )


def juggled(body: Body, pattern: str, seconds: float) -> Diagram:
    """A pattern, by muscles."""
    how = usual_style(Siteswap.read(pattern).values)
    result = juggle(body, pattern, seconds, how)
    return Diagram(pattern, how, result, flights(result))


def flights(result: Result) -> tuple[Flight, ...]:
    """Each throw with the catch that followed it."""
    found = []
    for throw in result.throws:
        after = [e for e in result.events if e.ball == throw.ball and e.time > throw.time]
        if after and after[0].held:
            end = after[0]
            found.append(
                Flight(throw.ball, throw.value, throw.hand, throw.time, end.hand, end.time)
            )
    return tuple(found)


def agreement(found: list[Diagram]) -> Agreement:
    """Whether throws go where and when the notation says, and higher values higher."""
    rising = all(list(d.heights.values()) == sorted(d.heights.values()) for d in found)
    return Agreement.of(
        all(d.crossed and d.result.drops == 0 for d in found),
        all(d.late < SOON for d in found),
        rising,
    )


def sentence(found: list[Diagram]) -> str:
    """What the events say."""
    parts = []
    for d in found:
        high = ", ".join(f"{100 * h:.0f} cm for a {v}" for v, h in d.heights.items())
        parts.append(
            f"{d.pattern}: {len(d.flights)} flights, {d.result.drops} drops, balls rise by {high}, "
            f"flights last T (V - 2D) within {1e3 * d.late:.0f} ms"
        )
    return (
        f"{'; '.join(parts)}. Every odd throw came down in the other hand and every even one in "
        "its own. The paper says that heights are proportional to V; they grow with the square of "
        "the flight, which is T (V - 2D). It says that a ball lands after V beats; it is thrown "
        "again after V."
    )


def _table(found: list[Diagram]) -> Table:
    columns = ("pattern", "throw", "flight wanted [s]", "flight, mean [s]", "height [cm]", "count")
    rows = []
    for d in found:
        for value, high in d.heights.items():
            own = [f.came - f.left for f in d.flights if f.value == value]
            rows.append((d.pattern, value, d.style.timing.flight(value),
                         float(np.mean(own)), 100 * high, len(own)))  # fmt: skip
    return Table("Flights by their value", columns, rows)


def _drawn(found: list[Diagram]) -> Any:
    made, axes = style.figure(1, rows=len(found), width=11.0, height=2.5)
    for each, diagram in zip(axes, found, strict=True):
        _diagram(each, diagram)
    return made


def _diagram(axes: Any, d: Diagram) -> None:
    beat = d.style.timing.beat
    rows = {"right": 1.0, "left": 0.0}
    start = min(t.time for t in d.result.throws)
    s = np.linspace(0.0, 1.0, 40)
    for f in d.flights:
        colour = COLOURS[f.ball % len(COLOURS)]
        a, b = (f.left - start) / beat, (f.came - start) / beat
        y0, y1 = rows[f.hand], rows[f.caught_by]
        way = 1.0 if y0 > 0.5 else -1.0
        bow = way * (0.10 * f.value if y0 == y1 else 0.0) * 4 * s * (1 - s)
        axes.plot(a + (b - a) * s, y0 + (y1 - y0) * s**2 * (3 - 2 * s) + bow, color=colour, lw=1.4)
        axes.plot(a, y0, "o", color=colour, ms=6)
        axes.plot(b, y1, "o", color=colour, ms=7, mfc="none")
        axes.annotate(str(f.value), (a, y0), (0, 9 if way > 0 else -16), ha="center", fontsize=8,
                      textcoords="offset points", color=style.INK)  # fmt: skip
        held = [g.left for g in d.flights if g.ball == f.ball and g.left > f.came]
        if held:
            axes.plot([b, (min(held) - start) / beat], [y1, y1], color=colour, lw=5, alpha=0.35)
    axes.set_yticks([0.0, 1.0], ["left", "right"])
    style.label(axes, d.pattern, "beats", "", ylim=(-0.6, 1.6))


EXPERIMENT = Experiment(
    "fig7",
    "Fig. 7: siteswap patterns",
    "The siteswap value of a throw is the number of beats until its ball is thrown again. In 333 "
    "all throws are alike; in 423 two of three balls go higher than the third.",
    run,
    (0.2, 0.4),
)
