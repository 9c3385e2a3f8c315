"""Sections 3.1, 3.2 and 4.2: projective dynamics with Hill's force, and its derivative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.law import MotorUnit
from vastus.bellies.shapes import diamond
from vastus.files.html import Table
from vastus.numerics.types import Floats
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.control.published_law import Moduli, PublishedBelly
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

LENGTH, WIDTH, STRENGTH = 0.24, 0.036, 3e5  # [m], [m], [Pa]: about the biceps
STATES = [(stretch, level) for stretch in (0.85, 1.0, 1.15) for level in (0.1, 0.5, 1.0)]
LIMIT = (1000, 3000)  # iterations
PAPER, SOFT, MEND = "paper, mu 5e6, k 1e7", "soft, mu 2e4, k 1e7", "soft, even tension, k 3e6"
CASES: dict[str, Moduli] = {
    PAPER: Moduli(paper.SHEAR, paper.SHEAR, paper.FIBRES),
    SOFT: Moduli(2e4, 2e5, paper.FIBRES),
    "soft, mu 2e4, k 1e6": Moduli(2e4, 2e5, 1e6),
    "soft, mu 2e4, k 3e5": Moduli(2e4, 2e5, 3e5),
    MEND: Moduli(2e4, 2e5, 3e6, local=False),
}
COLOURS = (style.INK, style.RED, style.ORANGE, style.VIOLET, style.BLUE)
SAME = 1e-4  # of the force, by which the end of the iteration may be off Newton's method
GOOD = 0.01  # of the force
FALSE = 0.05  # of dF/da


@dataclass(frozen=True, eq=False)
class Course:
    """Relative errors of the pull (limit + 1, states) over iterations, against Newton's method.

    `derivative` (states,) is the relative error of dF/da with L in place of the stiffness;
    `differences` that of the exact one against differences of equilibria.
    """

    errors: Floats
    derivative: Floats
    differences: float

    def after(self, count: int) -> Floats:
        """(states,) errors after some iterations."""
        return np.asarray(self.errors[count])

    @property
    def ends(self) -> int:
        """In how many states it ends at the equilibrium."""
        return int((np.abs(self.errors[-1]) < SAME).sum())

    def until(self, error: float) -> Floats:
        """(states,) iterations until the error stays below another; infinite if it never does."""
        beyond = ~(np.abs(self.errors) < error)
        last = len(beyond) - 1 - np.argmax(beyond[::-1], axis=0)
        found = np.where(beyond.any(axis=0), last + 1.0, 0.0)
        return np.where(beyond[-1], np.inf, found)


def run(setting: Setting) -> Finding:
    """Iterate a belly of nine tets in nine states."""
    found = {}
    for name, moduli in CASES.items():
        setting.note(name)
        found[name] = course(moduli, LIMIT[setting.full])
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found),
        caption="Left: the error of the end force over iterations, from the evenly stretched "
        "belly, the largest of nine states (stretch 0.85, 1 and 1.15, activation 0.1, 0.5 and 1); "
        "the paper stops at the dashed line. Right: the error of dF/da with the matrix of "
        "projective dynamics in place of the stiffness, in each state.",
    )


def course(moduli: Moduli, limit: int) -> Course:
    """How a belly comes to its end force."""
    unit = MotorUnit("biceps", STRENGTH * WIDTH**2, LENGTH)
    belly = PublishedBelly(diamond(unit, width=WIDTH), moduli, STATES)
    x, forces = belly.iterated(belly.begun(), limit)
    balanced = belly.balanced(x)
    right = belly.force(balanced)
    exact, short = belly.derivatives(balanced)
    sides = [
        PublishedBelly(belly.belly, moduli, [(l, a + h) for l, a in STATES]) for h in (1e-4, -1e-4)
    ]
    ends = [side.force(side.balanced(balanced)) for side in sides]
    off = np.abs((ends[0] - ends[1]) / 2e-4 / exact - 1.0)
    return Course((forces - right) / right, short / exact - 1.0, float(np.nanmedian(off)))


def agreement(found: Mapping[str, Course]) -> Agreement:
    """Whether it ends at Hill's force, ten iterations come near it, and L gives dF/da."""
    ten = paper.ITERATIONS
    return Agreement.of(
        all(found[name].ends == len(STATES) for name in (PAPER, SOFT)),
        bool((np.abs(found[PAPER].after(ten)) < GOOD).all()),
        bool((np.abs(found[SOFT].after(ten)) < GOOD).all()),
        bool((np.abs(found[PAPER].derivative) < FALSE).all()),
    )


def sentence(found: Mapping[str, Course]) -> str:
    """What holds and what does not."""
    ten = paper.ITERATIONS
    stiff, soft, mend = (found[name] for name in (PAPER, SOFT, MEND))
    stays = [name for name, each in found.items() if each.ends < len(STATES)]
    spans = {name: _span(found[name].after(ten)) for name in (PAPER, SOFT, MEND)}
    return (
        f"Where the paper's iteration ends, the pull is that of Newton's method on the same "
        f"energy: eq. 9 is right. After {ten} iterations, where the authors stop, it is off by "
        f"{spans[PAPER]} with the paper's moduli, whose matrix is some 1000 times as stiff as "
        f"relaxed muscle, and by {spans[SOFT]} with a matrix of 20 kPa, which needs "
        f"{np.median(soft.until(GOOD)):.0f} iterations in the median for 1 % "
        f"({np.median(stiff.until(GOOD)):.0f} with the paper's). k is not arbitrary either: a "
        "larger one is slower, and a smaller one "
        + (f"does not converge in every state ({'; '.join(stays)})." if stays else "costs more.")
        + " The matrix that is factored is not the stiffness: with it dF/da is off by "
        f"{_span(stiff.derivative)} at the paper's moduli and by {_span(soft.derivative)} in soft "
        f"muscle, while the exact one is that of differences within {stiff.differences:.0e}. With "
        "force-length of the whole belly and the strengths that make its tension even, as in this "
        f"package, ten iterations leave {spans[MEND]}, and dF/da is right within "
        f"{100 * float(np.abs(mend.derivative).max()):.1g} %, for shapes hardly change."
    )


def _span(values: Floats) -> str:
    low, high = 100 * values.min(), 100 * values.max()
    return f"{low:+.1f} to {high:+.1f} %"


def _table(found: Mapping[str, Course]) -> Table:
    columns = (
        "belly",
        "after 10, least [%]",
        "after 10, most [%]",
        "iterations to 1 %, median",
        "iterations to 0.1 %, median",
        "states that converge",
        "dF/da by L, least [%]",
        "most [%]",
    )
    rows = []
    for name, each in found.items():
        ten = 100 * each.after(paper.ITERATIONS)
        slope = 100 * each.derivative
        rows.append((
            name, ten.min(), ten.max(), float(np.median(each.until(GOOD))),
            float(np.median(each.until(1e-3))), f"{each.ends} of {len(STATES)}",
            slope.min(), slope.max(),
        ))  # fmt: skip
    return Table("Errors of the end force, and of its derivative, in nine states", columns, rows)


def _drawn(found: Mapping[str, Course]) -> Any:
    made, (left, right) = style.figure(2, width=5.8, height=4.2)
    for (name, each), colour in zip(found.items(), COLOURS, strict=True):
        worst = 100 * np.abs(each.errors).max(axis=1)
        left.loglog(np.arange(1, len(worst)), worst[1:], color=colour, label=name)
        x = np.arange(len(STATES)) + 1
        right.plot(x, 100 * each.derivative, "o-", ms=4, color=colour, lw=1)
    left.axvline(paper.ITERATIONS, color=style.GREY, ls="--", lw=1)
    style.label(left, "error of the end force, worst state", "iterations", "%", ylim=(1e-3, 200))
    style.legend(left, loc="lower left")
    right.axhline(0.0, color=style.INK, lw=0.6)
    names = [f"{l:g}, {a:g}" for l, a in STATES]
    right.set_xticks(np.arange(len(STATES)) + 1, names, rotation=40, ha="right", fontsize=8)
    style.label(right, "error of dF/da with L in place of K", "stretch, activation", "%")
    return made


EXPERIMENT = Experiment(
    "projective",
    "Sections 3.2 and 4.2: projective dynamics",
    "Hill's force enters projective dynamics by a projection that leaves its stress exact at "
    "equilibrium, with an arbitrary stiffness k. The derivative of forces by activations follows "
    "from the stiffness matrix, which the paper takes to be factored already.",
    run,
    (0.4, 2.0),
)
