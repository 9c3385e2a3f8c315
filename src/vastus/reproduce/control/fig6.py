"""Fig. 6: force, length and speed of a belly that is lengthened and shortened at two speeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.line import LineLaw
from vastus.bellies.volumes import Bellies
from vastus.bodies import juggler
from vastus.control.disorders import Patient
from vastus.files.html import Table
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.style import percent

HEAD = "r_BICshort"
RATES = (0.5, 2.0)  # [1/s] of the two motions
SWING = 0.25  # of the optimal length, to either side
STEPS = (120, 480)  # of a period
STRETCHES = (0.6, 1.4)
ON_CURVE = 0.02  # of the greatest force, by which a belly may be off Hill's curve
COLOURS = (style.BLUE, style.RED)


@dataclass(frozen=True, eq=False)
class Loop:
    """A period at full activation: times [s], stretches, and forces over the greatest, (k,) each.

    Of the volume, and of Hill's curves.
    """

    rate: float
    times: Floats
    stretch: Floats
    volume: Floats
    line: Floats

    @property
    def off(self) -> float:
        """How far the volume is from Hill's curves at most [greatest forces]."""
        return float(np.abs(self.volume - self.line).max())

    @property
    def ends(self) -> tuple[float, float]:
        """The force at the optimal length while it lengthens, and while it shortens."""
        rising = np.gradient(self.stretch, self.times) > 0
        at = [np.argmin(np.abs(self.stretch - 1.0) + 9.0 * (rising != up)) for up in (True, False)]
        return float(self.volume[at[0]]), float(self.volume[at[1]])


@dataclass(frozen=True, eq=False)
class Still:
    """Forces over the greatest at stretches (k,), active and passive together, at rest."""

    stretch: Floats
    volume: Floats
    line: Floats
    passive: Floats

    @property
    def best(self) -> float:
        """The stretch of the greatest active force."""
        return float(self.stretch[np.argmax(self.volume - self.passive)])


def run(setting: Setting) -> Finding:
    """Move the short head of the biceps to and fro."""
    belly = Patient.of(juggler()).belly(HEAD)
    setting.note("at rest")
    still = _still(belly, 41 if setting.full else 21)
    loops = []
    for rate in RATES:
        setting.note(f"{rate:g} times a second")
        loops.append(moved(belly, rate, STEPS[setting.full]))
    return Finding(
        agreement=agreement(still, loops[0], loops[1]),
        sentence=sentence(still, loops[0], loops[1]),
        tables=(_table(still, {f"{loop.rate:g} a second": loop for loop in loops}),),
        figure=_drawn(still, loops),
        caption=f"The short head of the biceps as a volume of {belly.mesh.n_tets} tets (lines) and "
        "by Hill's curves (dots), at full activation. Left: at rest, and round a period at two "
        "speeds, the loop run clockwise in force above length as it lengthens. Right: over time.",
    )


def _still(belly: Belly, count: int) -> Still:
    bellies, line, unit = Bellies([belly]), _line(belly), belly.units[0]
    relaxed = Bellies([belly])
    rows = []
    for stretch in np.linspace(*STRETCHES, count):
        length, speed = np.array([stretch * unit.optimal]), np.zeros(1)
        full, none = np.ones(1), np.zeros(1)
        forces = (bellies.forces(length, speed, full), line.forces(length, speed, full),
                  relaxed.forces(length, speed, none))  # fmt: skip
        rows.append((stretch, *(float(each.force[0]) / unit.force for each in forces)))
    return Still(*np.array(rows).T)


def _line(belly: Belly) -> LineLaw:
    """Hill's curves of a belly, without the tendon of its unit."""
    return LineLaw([replace(belly.units[0], slack=0.0)])


def moved(belly: Belly, rate: float, steps: int) -> Loop:
    """A belly at full activation through one period of a motion, `rate` of which are a second."""
    bellies, line, unit = Bellies([belly]), _line(belly), belly.units[0]
    times = np.linspace(0.0, 1.0 / rate, steps + 1)
    turn = 2 * np.pi * rate
    rows = []
    for t in times:
        stretch = 1.0 + SWING * np.sin(turn * t)
        length = np.array([stretch * unit.optimal])
        speed = np.array([SWING * turn * np.cos(turn * t) * unit.optimal])
        laws = (bellies, line)
        rows.append(
            (stretch, *(float(law.forces(length, speed, np.ones(1)).force[0]) / unit.force
                        for law in laws))
        )  # fmt: skip
    return Loop(rate, times, *np.array(rows).T)


def agreement(still: Still, slow: Loop, fast: Loop) -> Agreement:
    """Whether force peaks at rest length, rises with lengthening, and follows Hill's curves."""
    return Agreement.of(
        abs(still.best - 1.0) < 0.05,
        fast.ends[0] > slow.ends[0] > slow.ends[1] > fast.ends[1],
        float(np.abs(still.volume - still.line).max()) < ON_CURVE,
        max(slow.off, fast.off) < ON_CURVE,
    )


def sentence(still: Still, slow: Loop, fast: Loop) -> str:
    """What the loops say."""
    off = 100 * max(slow.off, fast.off, float(np.abs(still.volume - still.line).max()))
    return (
        f"At rest the active force is greatest at {still.best:.2f} of the rest length. Passing it, "
        f"the belly pulls with {slow.ends[0]:.2f} of its greatest force while it lengthens and "
        f"{slow.ends[1]:.2f} while it shortens at {slow.rate:g} periods a second, and with "
        f"{fast.ends[0]:.2f} and {fast.ends[1]:.2f} at {fast.rate:g}: the faster, the wider the "
        f"loop, with the larger force in lengthening. The volume is never further than "
        f"{percent(off)} of the greatest force from Hill's curves. It is so because force-length "
        "and force-velocity are those of the whole belly, and each tet has the strength that makes "
        "tension even from end to end; with both in each tet, as in the paper, a belly longer than "
        "its rest length has several equilibria."
    )


def _table(still: Still, loops: Mapping[str, Loop]) -> Table:
    columns = ("motion", "force lengthening", "force shortening", "most", "least",
               "off Hill's curves at most")  # fmt: skip
    rest = float(np.interp(1.0, still.stretch, still.volume))
    off = float(np.abs(still.volume - still.line).max())
    rows = [("at rest", rest, rest, float(still.volume.max()), float(still.volume.min()), off)]
    for name, loop in loops.items():
        most, least = float(loop.volume.max()), float(loop.volume.min())
        rows.append((name, *loop.ends, most, least, loop.off))
    return Table("Force over the greatest; the first two at rest length", columns, rows)


def _drawn(still: Still, loops: list[Loop]) -> Any:
    made, (left, right) = style.figure(2, width=5.6, height=4.2)
    left.plot(still.stretch, still.volume, color=style.INK, label="at rest")
    left.plot(still.stretch[::2], still.line[::2], ".", color=style.INK)
    left.plot(still.stretch, still.passive, color=style.GREY, label="relaxed")
    for loop, colour in zip(loops, COLOURS, strict=True):
        few = slice(None, None, max(1, len(loop.times) // 24))
        left.plot(loop.stretch, loop.volume, color=colour, label=f"{loop.rate:g} a second")
        left.plot(loop.stretch[few], loop.line[few], ".", color=colour)
        part = loop.times * loop.rate
        right.plot(part, loop.volume, color=colour, label=f"{loop.rate:g} a second")
        right.plot(part[few], loop.line[few], ".", color=colour)
    right.plot(part, loop.stretch, "--", color=style.GREY, label="length over rest length")
    style.label(left, "force over length", "length over rest length", "force over the greatest")
    style.label(right, "over a period", "part of a period", "")
    style.legend(left, loc="best")
    style.legend(right, loc="best")
    return made


EXPERIMENT = Experiment(
    "fig6",
    "Fig. 6: force, length and velocity",
    "The contractile force of the biceps' short head while it lengthens and shortens periodically "
    "at two speeds. It is greatest near the rest length, and larger when the muscle lengthens "
    "quickly.",
    run,
    (0.3, 0.6),
)
