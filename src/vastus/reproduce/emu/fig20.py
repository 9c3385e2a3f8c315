"""Fig. 20: the time of one step against the size of the mesh, and on two cores."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

import numpy as np

from vastus.bench.runs import Timer, clock
from vastus.files.html import Cell, Table
from vastus.numerics.jit import max_threads, thread_count
from vastus.reproduce import style
from vastus.reproduce.emu import paper
from vastus.reproduce.emu.racing import (
    EMU,
    FEM,
    NEWTON,
    QUASI,
    Lap,
    at_size,
    compile_methods,
    contestants,
    kept_laps,
    over_emu,
    race,
    ratio,
    table,
    trial,
)
from vastus.reproduce.emu.sweep import low_rank
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.style import times
from vastus.solvers.emu.emu import choose_alpha
from vastus.timeloop import Solver

SIZES = ((2_000, 5_000, 12_000, 25_000, 50_000), (2_000, 12_000, 50_000, 200_000, 600_000))
CORES_AT = (25_000, 200_000)  # tets
PATIENCE = (60.0, 3_600.0)  # [s] for one step
_HAS_LOAD = hasattr(os, "getloadavg")
COLOURS = {EMU: style.RED, FEM: style.GREY, NEWTON: style.INK, QUASI: style.BLUE}


def measure(setting: Setting) -> Finding:
    """Contract muscles of all sizes by all methods on one core, and one size on two."""
    compile_methods()
    small = paper.heterogeneous(SIZES[setting.full][0])
    choice = choose_alpha(small, low_rank(1.0, 300))
    solvers = contestants(choice.alpha)
    patience = PATIENCE[setting.full]
    laps: list[Lap] = []
    for tets in SIZES[setting.full]:
        slow = {lap.name for lap in laps if lap.late}
        run = partial(_raced, tets, patience, solvers, setting, slow)
        laps += kept_laps(setting, f"{tets} tets", run)
    cores = _on_cores(CORES_AT[setting.full], choice.alpha, patience, setting)
    return Finding(
        agreement=agreement(laps),
        sentence=sentence(laps, cores),
        tables=(table(laps, f"over {paper.FIG20_SPEEDUP:g}"), _cores_table(cores)),
        figure=_drawn(laps, cores),
        caption="One step from rest to full activation. Open marks: out of time. Dotted: to 1 % "
        "of the length from the equilibrium.",
        solvers=solvers,
    )


def _raced(
    tets: int,
    patience: float,
    solvers: Mapping[str, Solver],
    setting: Setting,
    without: Collection[str] = (),
    timer: Timer = clock,
) -> list[Lap]:
    return race(trial(paper.heterogeneous(tets), patience, timer), solvers, setting, without)


def _on_cores(tets: int, alpha: float, patience: float, setting: Setting) -> dict[int, list[Lap]]:
    """The laps by number of threads; those of one thread only where there is no other core.

    What threads gain, only the time that passes can tell.
    """
    solvers, timer = contestants(alpha), time.perf_counter
    found, run = {}, partial(_raced, tets, patience, solvers, setting, timer=timer)
    for threads in (1, 2)[: max_threads()]:
        with thread_count(threads):
            setting.note(f"{threads} threads")
            found[threads] = kept_laps(setting, f"{threads} threads", run)
    return found


def slope(laps: list[Lap], name: str) -> float:
    """The exponent of the growth of time with the number of tets, by least squares."""
    points = [(lap.tets, lap.seconds) for lap in laps if lap.name == name and not lap.late]
    if len(points) < 2:
        return float("nan")
    tets, seconds = np.log(np.array(points)).T
    return float(np.polyfit(tets, seconds, 1)[0])


def _compared(laps: list[Lap]) -> int | None:
    """The most tets at which EMU or the paper's finite elements finished; None if nowhere."""
    return max(
        (n for n in {lap.tets for lap in laps} if over_emu(laps, FEM, n).known), default=None
    )


def agreement(laps: list[Lap]) -> Agreement:
    """Whether EMU is faster where it can be said, as much as in the paper, and grows less."""
    last = _compared(laps)
    gain = over_emu(laps, FEM, last).low if last else 0.0
    return Agreement.of(
        gain > 1.0,
        gain > paper.FIG20_SPEEDUP,
        over_emu(laps, FEM, _as_fig1(laps)).low >= paper.FIG1_SPEEDUP,
        slope(laps, EMU) < slope(laps, FEM),
    )


def _as_fig1(laps: list[Lap]) -> int:
    """The number of tets that is nearest to that of Fig. 1."""
    return min({lap.tets for lap in laps}, key=lambda n: abs(np.log(n / paper.FIG1_TETS)))


def sentence(laps: list[Lap], cores: dict[int, list[Lap]]) -> str:
    """What the laps of all sizes, and those by cores, say."""
    last = _compared(laps)
    if last is None:
        return (
            "Neither EMU nor the paper's finite elements finished in time on any mesh. "
            f"{_cores_sentence(cores)}"
        )
    there, near = at_size(laps, last), _as_fig1(laps)
    emu, fem = there[EMU], there[FEM]
    return (
        f"At {last:,} tets EMU's step is {over_emu(laps, FEM, last)} as fast as the paper's finite "
        f"elements (the paper: over {paper.FIG20_SPEEDUP:.0f} on medium to large meshes), and "
        f"{over_emu(laps, FEM, near)} at {near:,}, the size nearest to Fig. 1 (the paper: "
        f"{paper.FIG1_SPEEDUP:.0f}); its time grows {_growth(laps, EMU)}, theirs "
        f"{_growth(laps, FEM)}. Its iteration costs {times(fem.pace / emu.pace)} less, but it "
        f"makes {emu.made} of them where they make {fem.made}, and stops {emu.off} of the length "
        f"from the equilibrium, they {fem.off}. "
        f"With rigid bones and the true Hessian tried first Newton takes "
        f"{_beside(laps, NEWTON, last)}, and quasi-Newton {_beside(laps, QUASI, last)}. "
        f"{_cores_sentence(cores)}"
    )


def _growth(laps: list[Lap], name: str) -> str:
    exponent = slope(laps, name)
    return "by an unknown power" if np.isnan(exponent) else f"as tets^{exponent:.2f}"


def _beside(laps: list[Lap], name: str, tets: int) -> str:
    lap = at_size(laps, tets).get(name)
    if lap is None:
        return "too long on smaller meshes already"
    return f"{over_emu(laps, name, tets)} as long as EMU there ({lap.off} off)"


def _cores_sentence(cores: dict[int, list[Lap]]) -> str:
    if len(cores) < 2:
        return "This machine has one core, so that nothing can be said of several."
    pairs = zip(*cores.values(), strict=True)
    gains = ", ".join(f"{one.name} {ratio(one, two)}" for one, two in pairs)
    load = f" The load of the machine was {os.getloadavg()[0]:.1f}." if _HAS_LOAD else ""
    return (
        f"On two cores a step is so many times as fast: {gains} (the paper: EMU "
        f"{paper.FIG20_CORES_GAIN:g} times on {paper.FIG20_CORES} cores).{load}"
    )


def _cores_table(cores: dict[int, list[Lap]]) -> Table:
    tets = cores[1][0].tets
    two = at_size(cores.get(2, []), tets)
    rows: list[tuple[Cell, ...]] = [
        (
            one.name,
            one.told,
            two[one.name].told if two else None,
            ratio(one, two.get(one.name)).cell,
            f"{paper.FIG20_CORES_GAIN:g} on {paper.FIG20_CORES} cores" if one.name == EMU else None,
        )
        for one in cores[1]
    ]
    columns = ("method", "1 core [s]", "2 cores [s]", "gain", "paper's gain")
    return Table(f"Cores, {tets:,} tets", columns, rows)


def _drawn(laps: list[Lap], cores: dict[int, list[Lap]]) -> Any:
    made, (left, right) = style.figure(2)
    for name, colour in COLOURS.items():
        mine = [lap for lap in laps if lap.name == name]
        sizes = [lap.tets for lap in mine]
        left.plot(sizes, [lap.seconds for lap in mine], "-", color=colour, label=name)
        near = [lap.to_one_per_cent or np.nan for lap in mine]
        left.plot(sizes, near, ":", color=colour, lw=1.2)
        for lap in mine:
            fill = "white" if lap.late else colour
            left.plot(lap.tets, lap.seconds, "o", ms=5, color=colour, mfc=fill)
    style.label(left, "one core", "tets", "seconds for one step", yscale="log")
    style.sizes(left, sorted({lap.tets for lap in laps}))
    style.legend(left)
    for name, colour in COLOURS.items():
        times = [lap.seconds for laps in cores.values() for lap in laps if lap.name == name]
        right.plot(list(cores), times, "o-", color=colour, label=name)
    title = f"cores, {cores[1][0].tets:,} tets"
    style.label(right, title, "cores", "seconds for one step")
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
