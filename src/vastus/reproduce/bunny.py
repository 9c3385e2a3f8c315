"""The bunny: the speed of EMU on a body of one isotropic material."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.motion import rest_inputs
from vastus.reproduce import bodies, paper, plots
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting, Table
from vastus.reproduce.filling import body_from, egg
from vastus.reproduce.racing import (
    EMU,
    FEM,
    NEWTON,
    QUASI,
    REFEREE,
    Lap,
    Trial,
    contestants,
    race,
    warm_up,
)
from vastus.reproduce.solving import solved
from vastus.reproduce.wording import percent, times
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.timeloop import Solver

SIZES = (5_000, 15_000, paper.BUNNY_TETS)
PATIENCE = (60.0, 1_800.0)  # [s]
ALPHAS = (10.0, 100.0)
RELATIVE_STOP = 1e-4  # of the energy released: what 0.01 J is for the contracting muscle


def measure(setting: Setting) -> Finding:
    """Let bodies of several sizes sag by all methods."""
    meshes = _meshes(setting)
    warm_up()
    laps: list[Lap] = []
    for mesh in meshes:
        given = _trial(mesh, PATIENCE[setting.full])
        setting.note(f"{mesh.n_tets} tets, sags by {_sag(given):.1%} of its height")
        laps += race(given, _contestants(given.stop), setting)
    return Finding(
        agreement=_agreement(laps),
        sentence=_sentence(laps),
        tables=(_table(laps),),
        figure=_drawn(given, laps),
        caption="Left: the largest body, sagged. Right: one step, and how far off it ends.",
        solvers=_contestants(given.stop),
    )


def _contestants(stop: float) -> dict[str, Solver]:
    """The usual ones and EMU at a larger alpha; without bones the paper's finite elements are
    Newton's method with Hessians that are always projected.
    """
    larger = contestants(ALPHAS[1], stop)[EMU]
    fem = Newton(always_project=True)
    return contestants(ALPHAS[0], stop) | {FEM: fem, f"{EMU}, alpha {ALPHAS[1]:g}": larger}


def _meshes(setting: Setting) -> list[TetMesh]:
    if setting.mesh is None:
        return [egg(tets) for tets in SIZES]
    return body_from(setting.mesh, SIZES)


def _trial(mesh: TetMesh, patience: float) -> Trial:
    model = bodies.resting_on_feet(mesh)
    inputs = rest_inputs(model, 1.0)
    truth = solved(REFEREE, model, inputs)
    problem = Problem(model, Reduction())
    released = Equilibrium(problem, inputs).value(problem.place(truth.x, truth.poses))
    return Trial(model, inputs, truth.x, patience, RELATIVE_STOP * abs(released))


def _sag(given: Trial) -> float:
    X = given.model.mesh.X
    return float(np.linalg.norm(given.truth - X, axis=1).max() / np.ptp(X[:, 1]))


def gain(laps: list[Lap], other: str) -> float:
    """How many times as long as EMU another method takes on the largest mesh."""
    last = max(lap.tets for lap in laps)
    times = {lap.name: lap.seconds for lap in laps if lap.tets == last}
    return times[other] / times[EMU]


def _agreement(laps: list[Lap]) -> Agreement:
    return Agreement.of(gain(laps, FEM) > 1.0, gain(laps, FEM) >= paper.BUNNY_SPEEDUP[0])


def _sentence(laps: list[Lap]) -> str:
    last = max(lap.tets for lap in laps)
    off = {lap.name: lap for lap in laps if lap.tets == last}
    low, high = paper.BUNNY_SPEEDUP
    second = f"{EMU}, alpha {ALPHAS[1]:g}"
    return (
        f"At {last:,} tets the paper's finite elements take {times(gain(laps, FEM))} as long as "
        f"EMU at alpha {ALPHAS[0]:g}, Newton {times(gain(laps, NEWTON))} and quasi-Newton "
        f"{times(gain(laps, QUASI))} (the paper: {low:g} to {high:g} for its finite elements). "
        f"EMU ends {percent(off[EMU].error)} of the length from the equilibrium, and "
        f"{percent(off[second].error)} at alpha {ALPHAS[1]:g} in {off[second].seconds:.2g} s; the "
        f"finite elements {percent(off[FEM].error)}. Without bones there is nothing to turn: full "
        f"elements make {off[FEM].iterations} iterations where EMU makes {off[EMU].iterations}."
    )


def _table(laps: list[Lap]) -> Table:
    columns = (
        "tets",
        "method",
        "step [s]",
        "iterations",
        "error at its stop [%]",
        "to 1 % [s]",
        "over EMU's time",
        "paper",
    )
    emu = {lap.tets: lap.seconds for lap in laps if lap.name == EMU}
    rows = [
        (
            lap.tets,
            lap.name,
            lap.told,
            lap.iterations,
            lap.error,
            lap.to_one_per_cent,
            lap.seconds / emu[lap.tets],
            "5 to 6" if lap.name == FEM else None,
        )
        for lap in laps
    ]
    return Table("One core", columns, rows)


def _drawn(given: Trial, laps: list[Lap]) -> Any:
    made, (left, right) = plots.figure(2)
    plots.silhouette(left, given.model, given.truth, "sagged", across=(0, 1))
    last = [lap for lap in reversed(laps) if lap.tets == laps[-1].tets]
    names = [lap.name for lap in last]
    right.barh(names, [lap.seconds for lap in last], color=plots.BLUE)
    for place, lap in enumerate(last):
        told = f" {lap.seconds:.2g} s, {percent(lap.error)} off"
        right.text(lap.seconds, place, told, va="center", fontsize=8)
    plots.label(right, f"one step, {laps[-1].tets:,} tets, one core", "seconds", "")
    right.set_xlim(0, 1.35 * max(lap.seconds for lap in last))
    right.grid(axis="y", visible=False)
    return made


EXPERIMENT = Experiment(
    "bunny",
    "The bunny: one isotropic material",
    "On the Stanford bunny, up to 40,000 tets of one isotropic material, EMU is said to be 5 to 6 "
    "times as fast as finite elements. The paper names neither load nor stiffness. Here the body "
    "stands on its lowest tenth and sags under its weight; it is the mesh given with `--mesh`, "
    "or an egg filled with cubes of six tets. Iterations stop where they change the energy by less "
    "than a ten-thousandth of what is released.",
    measure,
    (1.0, 2.0),
    takes_mesh=True,
)
