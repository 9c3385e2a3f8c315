"""Fig. 8: the error of EMU on a homogeneous muscle falls as alpha grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.reproduce import style
from vastus.reproduce.emu import paper
from vastus.reproduce.emu.sweep import Sweep, count, exact, low_rank, power, sweep
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.solving import Run
from vastus.reproduce.style import percent
from vastus.solvers.emu.emu import EmuStepper

ALPHAS = (1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
MOST = (400, 5_000)  # iterations, quick and full


def run(setting: Setting) -> Finding:
    """Sweep alpha on both sizes of the paper."""
    most = MOST[setting.full]
    found = [sweep(paper.homogeneous(tets), ALPHAS, most, setting) for tets in paper.FIG8_TETS]
    largest = found[-1]
    return Finding(
        agreement=_agreement(largest),
        sentence=_sentence(largest),
        tables=tuple(_table(s) for s in found),
        figure=_drawn(found),
        caption="Open marks, and a plus in the table: the iterations were not enough.",
        solvers={"Woodbury": low_rank(ALPHAS[0], most), "exact": exact(ALPHAS[0])},
    )


def _agreement(found: Sweep) -> Agreement:
    first, last = found.pairs[0], found.pairs[-1]
    return Agreement.of(
        found.falls and last.exact.error < 0.1 * first.exact.error,
        last.low.error < 0.1 * first.low.error,
        max(p.low.iterations for p in found.pairs) > 10 * first.low.iterations,
    )


def _sentence(found: Sweep) -> str:
    first, last, best = found.pairs[0], found.pairs[-1], found.best
    weight = _weight(found)
    longest = max((p.low for p in found.pairs), key=lambda r: r.iterations)
    most = max(p.exact.iterations for p in found.pairs)
    return (
        f"With the exact direction the error falls from {percent(first.exact.error)} at alpha "
        f"{power(first.alpha)} to {percent(last.exact.error)} at {power(last.alpha)}, in at most "
        f"{most} iterations. The paper's direction with its stop, a change of energy below "
        f"{paper.STOP:g} J, takes {count(first.low)} iterations at alpha {power(first.alpha)}, "
        f"{count(longest)} at most and {count(last.low)} at {power(last.alpha)} (the paper: "
        f"{paper.FIG8_ITERATIONS[1.0]} at 1, {paper.FIG8_ITERATIONS[1e8]:,} at 10⁸). It is "
        f"{percent(first.low.error)} off at the smallest alpha, {percent(best.low.error)} at best "
        f"(alpha {power(best.alpha)}) and {percent(last.low.error)} at the largest. "
        f"{_why(last.low)}"
        "The paper's alpha has no stiffness or volume in it: one unit of ours is a weight of "
        f"{weight:.2g} J a tet on this mesh."
    )


def _why(last: Run) -> str:
    if last.error < 1.0:
        return ""
    return (
        "So its error falls only while its iterations converge: the stop ends them early, because "
        "each changes the energy little. "
    )


def _weight(found: Sweep) -> float:
    stepper: EmuStepper = exact(1.0).prepare(found.model)
    return float(np.mean(stepper.space.w))


def _table(found: Sweep) -> Table:
    columns = (
        "alpha",
        "Woodbury: error [%]",
        "iterations",
        "paper's iterations (22k)",
        "exact: error [%]",
        "iterations",
    )
    rows = [
        (
            power(p.alpha),
            p.low.error,
            count(p.low),
            paper.FIG8_ITERATIONS.get(p.alpha),
            p.exact.error,
            count(p.exact),
        )
        for p in found.pairs
    ]
    return Table(f"Homogeneous muscle, {found.tets:,} tets", columns, rows)


def _drawn(found: list[Sweep]) -> Any:
    made, (left, right) = style.figure(2)
    for s, dash in zip(found, ("-", "--"), strict=False):
        for name, colour, runs in (
            ("Woodbury", style.RED, [p.low for p in s.pairs]),
            ("exact", style.BLUE, [p.exact for p in s.pairs]),
        ):
            told = f"{name}, {s.tets:,} tets"
            alphas = [p.alpha for p in s.pairs]
            left.plot(alphas, [r.error for r in runs], dash, color=colour, label=told)
            right.plot(alphas, [r.iterations for r in runs], dash, color=colour, label=told)
            for alpha, r in zip(alphas, runs, strict=True):
                fill = colour if r.converged else "white"
                left.plot(alpha, r.error, "o", ms=5, color=colour, mfc=fill)
                right.plot(alpha, r.iterations, "o", ms=5, color=colour, mfc=fill)
    theirs = paper.FIG8_ITERATIONS
    right.plot(list(theirs), list(theirs.values()), "x", color=style.INK, label="paper, 22k tets")
    style.label(left, "distance from full elements", "alpha", "largest error [% of length]")
    style.label(right, "iterations", "alpha", "iterations")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        style.legend(axes)
    return made


EXPERIMENT = Experiment(
    "fig8",
    "Fig. 8: error against alpha on a homogeneous muscle",
    "On a muscle of one stiffness, with 2,000 and 22,000 tets, the distance between EMU and full "
    "elements goes to zero as alpha grows, at the price of many more iterations: 21 at alpha 1 and "
    "42,151 at alpha 10⁸ on the larger mesh.",
    run,
    (1.5, 20.0),
)
