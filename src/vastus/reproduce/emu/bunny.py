"""The bunny: the speed of EMU on a body of one isotropic material."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.reproduce import style
from vastus.reproduce.emu import paper
from vastus.reproduce.emu.paper import body_from, egg
from vastus.reproduce.emu.racing import (
    EMU,
    FEM,
    NEWTON,
    QUASI,
    REFEREE,
    Lap,
    Trial,
    at_size,
    compile_methods,
    contestants,
    over_emu,
    race,
    table,
)
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.solving import solved
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.timeloop import Solver

SIZES = (5_000, 15_000, paper.BUNNY_TETS)
PATIENCE = (60.0, 1_800.0)  # [s]
ALPHAS = (10.0, 100.0)
RELATIVE_STOP = 1e-4  # of the energy released: what 0.01 J is for the contracting muscle


def measure(setting: Setting) -> Finding:
    """Let bodies of several sizes sag by all methods."""
    meshes = _meshes(setting)
    compile_methods()
    laps: list[Lap] = []
    for mesh in meshes:
        given = _trial(mesh, PATIENCE[setting.full])
        setting.note(f"{mesh.n_tets} tets, sags by {_sag(given):.1%} of its height")
        laps += race(given, _contestants(given.stop), setting)
    return Finding(
        agreement=agreement(laps),
        sentence=sentence(laps),
        tables=(table(laps, "{:g} to {:g}".format(*paper.BUNNY_SPEEDUP)),),
        figure=_drawn(given, laps),
        caption="Left: the largest body, sagged. Right: one step, and how far off it ends.",
        solvers=_contestants(given.stop),
    )


def _contestants(stop: float) -> dict[str, Solver]:
    """The usual ones, the paper's finite elements as elsewhere, and EMU at a larger alpha."""
    larger = contestants(ALPHAS[1], stop)[EMU]
    return contestants(ALPHAS[0], stop) | {f"{EMU}, alpha {ALPHAS[1]:g}": larger}


def _meshes(setting: Setting) -> list[TetMesh]:
    if setting.mesh is None:
        return [egg(tets) for tets in SIZES]
    return body_from(setting.mesh, SIZES)


def _trial(mesh: TetMesh, patience: float) -> Trial:
    model = paper.resting_on_feet(mesh)
    inputs = Inputs.rest(model, 1.0)
    truth = solved(REFEREE, model, inputs)
    problem = Problem(model, Reduction())
    released = Equilibrium(problem, inputs).value(problem.place(truth.x, truth.poses))
    return Trial(model, inputs, truth.x, patience, RELATIVE_STOP * abs(released))


def _sag(given: Trial) -> float:
    X = given.model.mesh.X
    return float(np.linalg.norm(given.truth - X, axis=1).max() / np.ptp(X[:, 1]))


def agreement(laps: list[Lap]) -> Agreement:
    """Whether EMU is as fast as the paper says on the last mesh."""
    gain = over_emu(laps, FEM, laps[-1].tets).low
    return Agreement.of(gain > 1.0, gain >= paper.BUNNY_SPEEDUP[0])


def sentence(laps: list[Lap]) -> str:
    """What the laps on the last mesh say."""
    last = laps[-1].tets
    there = at_size(laps, last)
    gain = {name: over_emu(laps, name, last) for name in there}
    low, high = paper.BUNNY_SPEEDUP
    second = there[f"{EMU}, alpha {ALPHAS[1]:g}"]
    return (
        f"At {last:,} tets the paper's finite elements take {gain[FEM]} as long as "
        f"EMU at alpha {ALPHAS[0]:g}, Newton {gain[NEWTON]} and quasi-Newton "
        f"{gain[QUASI]} (the paper: {low:g} to {high:g} for its finite elements). "
        f"EMU ends {there[EMU].off} of the length from the equilibrium, and "
        f"{second.off} at alpha {ALPHAS[1]:g} in {second.took}; the "
        f"finite elements {there[FEM].off}. Without bones there is nothing to turn: full "
        f"elements make {there[FEM].made} iterations where EMU makes {there[EMU].made}."
    )


def _drawn(given: Trial, laps: list[Lap]) -> Any:
    made, (left, right) = style.figure(2)
    style.silhouette(left, given.model, given.truth, "sagged", across=(0, 1))
    last = [lap for lap in reversed(laps) if lap.tets == laps[-1].tets]
    names = [lap.name for lap in last]
    right.barh(names, [lap.seconds for lap in last], color=style.BLUE)
    for place, lap in enumerate(last):
        told = f" {lap.took}, {lap.off} off"
        right.text(lap.seconds, place, told, va="center", fontsize=8)
    style.label(right, f"one step, {laps[-1].tets:,} tets, one core", "seconds", "")
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
    "than a ten-thousandth of what is released. The finite elements are the paper's as in Fig. 20; "
    "without bones only the Hessian, always projected, sets them apart from Newton.",
    measure,
    (1.0, 2.0),
    takes_mesh=True,
)
