"""Fig. 10: muscles side by side and round a corner, with contact as in the paper and otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.files.html import Cell, Table
from vastus.inputs import Inputs
from vastus.measure.contact_outputs import ContactOutputs
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.reproduce import style
from vastus.reproduce.emu.touching import round_a_corner, side_by_side
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.solvers.emu.collisions import Collisions
from vastus.solvers.emu.emu import Emu, EmuContact
from vastus.solvers.newton import Newton, length
from vastus.state import State, rest
from vastus.timeloop import Solver

BESIDE = (3_000, 20_000)  # tets
CORNER = (2_500, 11_000)
ALPHA = 1e3
EDGE = 2e-3  # [m] around what is drawn
SMALL = 5e-4  # [m] an overlap that is still small
WITHOUT, NEWTON, ENERGY, PAPER = (
    "no contact",
    "Newton, barrier",
    "EMU, energy of contact",
    "EMU, collision forces",
)
SOLVERS: dict[str, Solver] = {
    WITHOUT: Newton(),
    NEWTON: Newton(),
    ENERGY: Emu(ALPHA),
    PAPER: Emu(ALPHA, contact=EmuContact.PAPER),
}


@dataclass(frozen=True)
class Scene:
    """A model and the activations of all muscles in its frames."""

    name: str
    model: Model
    levels: tuple[float, ...]


@dataclass(frozen=True)
class Contracted:
    """How a method contracted a scene; lengths in [m], the distance in per cent of the length."""

    scene: str
    method: str
    state: State
    iterations: int
    seconds: float
    depth: float
    force: float  # [N] between the bodies; nan without contact
    raised: float  # of the last bone
    off: float = np.nan  # [%] of the length, from Newton's method with barriers

    @property
    def row(self) -> tuple[Cell, ...]:
        """A row of the table."""
        force = None if np.isnan(self.force) else self.force
        off = None if np.isnan(self.off) else self.off
        lengths = 1e3 * self.depth, 1e3 * self.raised
        told = self.iterations, self.seconds
        return (self.scene, self.method, lengths[0], force, lengths[1], off, *told)


def compare(setting: Setting) -> Finding:
    """Contract each scene without contact and by three methods with it."""
    found: list[Contracted] = []
    scenes = _scenes(setting.full)
    for scene in scenes:
        setting.note(f"{scene.name}: {scene.model.mesh.n_tets} tets")
        found += contracted(scene)
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(scenes, found),
        caption="Seen from the side, from rest to full contraction. Top: two muscles between the "
        "same bones, the lower one fixed, then released. Bottom: a muscle over the edge of a fixed "
        "bracket lifts a square bone.",
        solvers=SOLVERS,
    )


def _scenes(full: bool) -> tuple[Scene, ...]:
    return (
        Scene("isometric", side_by_side(BESIDE[full], released=False), (1.0,)),
        Scene("released", side_by_side(BESIDE[full], released=True), (1.0,)),
        Scene("corner", round_a_corner(CORNER[full]), (0.1, 0.2, 0.3)),
    )


def contracted(scene: Scene) -> list[Contracted]:
    """The scene contracted by all methods."""
    made = {name: _contract(scene, name) for name in SOLVERS}
    truth, whole = made[NEWTON].state.x, length(scene.model)
    for name in (WITHOUT, ENERGY, PAPER):
        apart = np.linalg.norm(made[name].state.x - truth, axis=1).max()
        made[name] = replace(made[name], off=100.0 * float(apart) / whole)
    return list(made.values())


def _contract(scene: Scene, method: str) -> Contracted:
    """The scene contracted by one method from rest, frame by frame."""
    model = scene.model.with_(contact=None) if method == WITHOUT else scene.model
    stepper, state = SOLVERS[method].prepare(model), rest(model)
    iterations, seconds = 0, 0.0
    for number, level in enumerate(scene.levels):
        inputs = Inputs.rest(model, time=number + 1.0)
        excitation = np.full(len(model.muscles), level)
        state, report = stepper.step(state, replace(inputs, excitation=excitation))
        iterations, seconds = iterations + report.iterations, seconds + report.seconds
    depth = max((p.depth for p in penetrations(scene.model, state.x)), default=0.0)
    force = np.nan if method == WITHOUT else _force(scene.model, state, method)
    raised = _height(model, state) - _height(model, rest(model))
    return Contracted(scene.name, method, state, iterations, seconds, depth, force, raised)


def _force(model: Model, state: State, method: str) -> float:
    """The size of the resultant [N] between the bodies that touch."""
    if method == PAPER:
        pushes = Collisions(model).present(state.x)
        muscle = np.unique(model.mesh.T[model.muscle_of_tet == 0])
        return float(np.linalg.norm(pushes.force[muscle].sum(axis=0)))
    outputs = ContactOutputs(model).of(state)
    return max(v for name, v in outputs.items() if name.endswith("contact_N"))


def _height(model: Model, state: State) -> float:
    """The mean height [m] of the vertices of the last bone."""
    return float(state.x[np.unique(model.mesh.T[model.tets_of(model.bones[-1].regions)]), 2].mean())


def of(found: Sequence[Contracted], scene: str, method: str) -> Contracted:
    """One of them."""
    return next(c for c in found if (c.scene, c.method) == (scene, method))


def agreement(found: Sequence[Contracted]) -> Agreement:
    """Whether collision forces keep bodies apart, but for a small overlap, and bones move."""
    mine = [c for c in found if c.method == PAPER]
    through = [c for c in found if c.method == WITHOUT]
    return Agreement.of(
        all(c.depth < SMALL for c in mine),
        all(c.depth > 2 * SMALL for c in through),
        all(of(found, scene, PAPER).raised > 0.01 for scene in ("released", "corner")),
    )


def sentence(found: Sequence[Contracted]) -> str:
    """What the depths and places say."""
    parts = []
    for scene in dict.fromkeys(c.scene for c in found):
        through, paper = of(found, scene, WITHOUT), of(found, scene, PAPER)
        energy, newton = of(found, scene, ENERGY), of(found, scene, NEWTON)
        parts.append(
            f"{scene}: {1e3 * through.depth:.1f} mm deep without contact, "
            f"{1e3 * paper.depth:.2f} mm with EMU's collision forces, {1e3 * energy.depth:.2f} mm "
            f"with the energy of contact and {1e3 * newton.depth:.2f} mm by Newton's method, from "
            f"which these two ways of EMU are {style.percent(paper.off)} and "
            f"{style.percent(energy.off)} of the length away"
        )
    raised = 1e3 * of(found, "corner", PAPER).raised
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}. The muscle lifts the square bone by {raised:.0f} mm."


def _table(found: Sequence[Contracted]) -> Table:
    columns = (
        "scene",
        "method",
        "depth [mm]",
        "contact force [N]",
        "bone raised [mm]",
        "off Newton with barriers [%]",
        "iterations",
        "seconds",
    )
    return Table("Bodies in each other", columns, [c.row for c in found])


def _drawn(scenes: Sequence[Scene], found: Sequence[Contracted]) -> Any:
    isometric, released, corner = scenes
    beside = [(s.name, m) for s in (isometric, released) for m in (WITHOUT, PAPER)]
    bent = [(corner.name, m) for m in (WITHOUT, PAPER, ENERGY, NEWTON)]
    made, axes = style.figure(5, rows=2, width=2.6, height=3.4)
    for model, chosen, row in (
        (isometric.model, beside, axes[:5]),
        (corner.model, bent, axes[5:]),
    ):
        places = [model.mesh.X, *(of(found, *each).state.x for each in chosen)]
        low, high = np.min(places, axis=(0, 1)) - EDGE, np.max(places, axis=(0, 1)) + EDGE
        titles = ["rest", *("\n".join(each) for each in chosen)]
        for each, x, title in zip(row, places, titles, strict=True):
            style.silhouette(each, model, x, title)
            each.set(xlim=(low[0], high[0]), ylim=(low[2], high[2]))
            each.axis("off")
    return made


EXPERIMENT = Experiment(
    "fig10",
    "Fig. 10: muscles in contact",
    "Two fusiform muscles side by side contract, with the bone below fixed and then released, and "
    "do not enter each other; a muscle with a sharp bend pulls a square bone round a corner and "
    "does not enter the bone below it. Contact is that of the paper, forces on vertices that are "
    "inside other bodies, beside this package's own: an energy of the mesh, and barriers in "
    "Newton's method.",
    compare,
    (0.7, 7.0),
)
