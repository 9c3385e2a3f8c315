"""Fig. 20: the time of one step against the size of the mesh, and on two cores."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from vastus.numerics.jit import max_threads, use_threads
from vastus.reproduce import bodies, paper, plots
from vastus.reproduce.experiment import Agreement, Cell, Experiment, Finding, Setting, Table
from vastus.reproduce.racing import EMU, FEM, NEWTON, QUASI, Lap, contestants, race, trial, warm_up
from vastus.reproduce.sweep import low_rank
from vastus.reproduce.wording import percent, times
from vastus.solvers.emu import choose_alpha

SIZES = ((2_000, 5_000, 12_000, 25_000, 50_000), (2_000, 12_000, 50_000, 200_000, 600_000))
CORES_AT = (25_000, 200_000)  # tets
PATIENCE = (60.0, 3_600.0)  # [s] for one step
_HAS_LOAD = hasattr(os, "getloadavg")
COLOURS = {EMU: plots.RED, FEM: plots.GREY, NEWTON: plots.INK, QUASI: plots.BLUE}


def measure(setting: Setting) -> Finding:
    """Contract muscles of all sizes by all methods on one core, and one size on two."""
    warm_up()
    small = bodies.heterogeneous(SIZES[setting.full][0])
    choice = choose_alpha(small, low_rank(1.0, 300))
    solvers = contestants(choice.alpha)
    patience = PATIENCE[setting.full]
    laps: list[Lap] = []
    for tets in SIZES[setting.full]:
        model = bodies.heterogeneous(tets)
        slow = {lap.name for lap in laps if lap.late}
        laps += race(trial(model, patience), solvers, setting, without=slow)
    cores = _on_cores(CORES_AT[setting.full], choice.alpha, patience, setting)
    return Finding(
        agreement=_agreement(laps, cores),
        sentence=_sentence(laps, cores),
        tables=(_table(laps), _cores_table(cores)),
        figure=_drawn(laps, cores),
        caption="One step from rest to full activation. Open marks: out of time. Dotted: to 1 % "
        "of the length from the equilibrium.",
        solvers=solvers,
    )


def _on_cores(tets: int, alpha: float, patience: float, setting: Setting) -> dict[int, list[Lap]]:
    """The laps by number of threads; those of one thread only where there is no other core."""
    model, found = bodies.heterogeneous(tets), {}
    try:
        for threads in (1, 2)[: max_threads()]:
            use_threads(threads)
            setting.note(f"{threads} threads")
            found[threads] = race(trial(model, patience), contestants(alpha), setting)
    finally:
        use_threads(1)
    return found


def _pairs(laps: list[Lap], one: str, other: str) -> dict[int, float]:
    """By number of tets, how many times as long as the other one takes."""
    times = {(lap.name, lap.tets): lap.seconds for lap in laps if not lap.late}
    sizes = sorted({lap.tets for lap in laps})
    return {
        n: times[other, n] / times[one, n]
        for n in sizes
        if (one, n) in times and (other, n) in times
    }


def slope(laps: list[Lap], name: str) -> float:
    """The exponent of the growth of time with the number of tets, by least squares."""
    points = [(lap.tets, lap.seconds) for lap in laps if lap.name == name and not lap.late]
    if len(points) < 2:
        return float("nan")
    tets, seconds = np.log(np.array(points)).T
    return float(np.polyfit(tets, seconds, 1)[0])


def _agreement(laps: list[Lap], cores: dict[int, list[Lap]]) -> Agreement:
    gains = _pairs(laps, EMU, FEM)
    largest = gains[max(gains)] if gains else 0.0
    return Agreement.of(
        largest > 1.0, largest > paper.FIG20_SPEEDUP, slope(laps, EMU) < slope(laps, FEM)
    )


def _sentence(laps: list[Lap], cores: dict[int, list[Lap]]) -> str:
    gains, newton = _pairs(laps, EMU, FEM), _pairs(laps, EMU, NEWTON)
    quasi = _pairs(laps, EMU, QUASI)
    last = max(gains)
    there = {lap.name: lap for lap in laps if lap.tets == last}
    off = {name: lap.error for name, lap in there.items()}
    cheap = there[FEM].pace / there[EMU].pace
    return (
        f"At {last:,} tets EMU's step is {times(gains[last])} as fast as the paper's finite "
        f"elements (the paper: over {paper.FIG20_SPEEDUP:.0f} on medium to large meshes); its time "
        f"grows as tets^{slope(laps, EMU):.2f}, theirs as tets^{slope(laps, FEM):.2f}. Its "
        f"iteration costs {times(cheap)} less, but it makes {there[EMU].iterations} of them where "
        f"they make {there[FEM].iterations}, and stops {percent(off[EMU])} of the length from the "
        f"equilibrium, they {percent(off[FEM])}. With rigid bones and the true Hessian tried first "
        f"Newton takes {times(newton[last])} as long as EMU there ({percent(off[NEWTON])} off), "
        f"and quasi-Newton {times(quasi[last])} ({percent(off[QUASI])} off). "
        f"{_cores_sentence(cores)}"
    )


def _cores_sentence(cores: dict[int, list[Lap]]) -> str:
    if len(cores) < 2:
        return "This machine has one core, so that nothing can be said of several."
    one, two = ({lap.name: lap.seconds for lap in laps} for laps in cores.values())
    gains = ", ".join(f"{name} {one[name] / two[name]:.2f}" for name in one)
    load = f" The load of the machine was {os.getloadavg()[0]:.1f}." if _HAS_LOAD else ""
    return (
        f"Two cores make a step faster by these factors: {gains} (the paper: EMU "
        f"{paper.FIG20_CORES_GAIN:g} on {paper.FIG20_CORES} cores).{load}"
    )


def _table(laps: list[Lap]) -> Table:
    columns = (
        "tets",
        "method",
        "step [s]",
        "iterations",
        "one iteration [s]",
        "error at its stop [%]",
        "to 1 % [s]",
        "over EMU's time",
    )
    emu = {lap.tets: lap.seconds for lap in laps if lap.name == EMU}
    rows = [
        (
            lap.tets,
            lap.name,
            lap.told,
            lap.iterations,
            lap.pace,
            lap.error,
            lap.to_one_per_cent,
            None if lap.late else lap.seconds / emu[lap.tets],
        )
        for lap in laps
    ]
    return Table("One core", columns, rows)


def _cores_table(cores: dict[int, list[Lap]]) -> Table:
    times = {n: {lap.name: lap.seconds for lap in laps} for n, laps in cores.items()}
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            seconds,
            times[2][name] if 2 in times else None,
            seconds / times[2][name] if 2 in times else None,
            f"{paper.FIG20_CORES_GAIN:g} on {paper.FIG20_CORES} cores" if name == EMU else None,
        )
        for name, seconds in times[1].items()
    ]
    tets = cores[1][0].tets
    columns = ("method", "1 core [s]", "2 cores [s]", "gain", "paper's gain")
    return Table(f"Cores, {tets:,} tets", columns, rows)


def _drawn(laps: list[Lap], cores: dict[int, list[Lap]]) -> Any:
    made, (left, right) = plots.figure(2)
    for name, colour in COLOURS.items():
        mine = [lap for lap in laps if lap.name == name]
        sizes = [lap.tets for lap in mine]
        left.plot(sizes, [lap.seconds for lap in mine], "-", color=colour, label=name)
        near = [lap.to_one_per_cent or np.nan for lap in mine]
        left.plot(sizes, near, ":", color=colour, lw=1.2)
        for lap in mine:
            fill = "white" if lap.late else colour
            left.plot(lap.tets, lap.seconds, "o", ms=5, color=colour, mfc=fill)
    plots.label(left, "one core", "tets", "seconds for one step", yscale="log")
    plots.sizes(left, sorted({lap.tets for lap in laps}))
    plots.legend(left)
    for name, colour in COLOURS.items():
        times = [lap.seconds for laps in cores.values() for lap in laps if lap.name == name]
        right.plot(list(cores), times, "o-", color=colour, label=name)
    title = f"cores, {cores[1][0].tets:,} tets"
    plots.label(right, title, "cores", "seconds for one step")
    right.set_xticks(list(cores))
    right.set_ylim(bottom=0)
    return made


EXPERIMENT = Experiment(
    "fig20",
    "Fig. 20: time against the size of the mesh, and cores",
    "On one core EMU is faster than the paper's finite elements on all but the smallest fusiform "
    "muscles, over 20 times on medium to large ones, and its time grows more slowly; on 12 cores "
    "it is 3 times as fast as on one. Both stop where an iteration changes the energy by less than "
    "0.01 J. Here the finite elements are the paper's (Hessians always projected, affine bones) "
    "and, besides, this package's own Newton and quasi-Newton methods.",
    measure,
    (0.8, 240.0),
)
