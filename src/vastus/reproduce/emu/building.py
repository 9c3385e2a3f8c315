"""Fig. 5 and 7: what joints leave free, and fibres by a potential against a closed form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.modelling.fibres.laplace import laplace_fibres
from vastus.modelling.shapes.simple import box
from vastus.numerics.rotation import log_map
from vastus.numerics.types import Floats
from vastus.parts import Load
from vastus.reproduce import style
from vastus.reproduce.emu import paper
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.solving import solved
from vastus.skeleton.joints import Ball
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.timeloop import Solver

FORCE = 50.0  # [N] at the end of the bone
SPAN = 0.01  # [m] between the points of a hinge
CLOSED, STIFF, FREE = 1e-9, 1e-3, 0.1  # [m] a gap; [deg] that a hinge may not turn, and a ball does
SOLVERS: dict[str, Solver] = {"EMU": Emu(1e3), "Newton": Newton()}
RADII, HEIGHT = (0.03, 0.07), 0.02  # [m] of the quarter of a ring
CELLS = ((4, 12), (8, 24), (16, 48))  # across and along it
ALONG = 1.0  # [deg] that fibres may be off the circles


@dataclass(frozen=True)
class Pulled:
    """A bone pulled across its joint and sideways: how far it turned [deg], and the gap [m]."""

    joint: str
    method: str
    bends: float
    sideways: float
    gap: float


def compare_joints(setting: Setting) -> Finding:
    """Pull at a bone that hangs on a hinge, and on a ball, by two methods."""
    hinge = paper.hinged_muscle()
    (tie,) = hinge.joints
    ball = hinge.with_(joints=(Ball("ball", tie.bones, tie.centre),))
    found = [
        _pulled(model, name, method) for name, model in (("hinge", hinge), ("ball", ball))
        for method in SOLVERS
    ]  # fmt: skip
    fixed = [p.sideways for p in found if p.joint == "hinge"]
    loose = [p.sideways for p in found if p.joint == "ball"]
    widest = max(p.gap for p in found)
    columns = ("joint", "method", "turned about the hinge [deg]", "sideways [deg]", "gap [m]")
    rows = [(p.joint, p.method, p.bends, p.sideways, p.gap) for p in found]
    return Finding(
        agreement=Agreement.of(max(fixed) < STIFF, min(loose) > FREE, widest < CLOSED),
        sentence=f"Pulled sideways with {FORCE:g} N, the bone turns by at most {max(fixed):.1g} "
        f"deg on a hinge and by at least {min(loose):.2g} deg on a ball, and joints open by at "
        f"most {widest:.1g} m.",
        tables=(Table("A bone on two joints", columns, rows),),
        figure=_bars(found),
        caption="How far the bone turns about the axis of the hinge when it is pulled up, and "
        "across it when it is pulled sideways.",
        solvers=SOLVERS,
    )


def _pulled(model: Model, joint: str, method: str) -> Pulled:
    end = np.flatnonzero(model.mesh.X[:, 0] > model.mesh.X[:, 0].max() - 1e-9)
    load = Load("pull", end, np.full(len(end), 1 / len(end)), np.zeros(3))
    pulled = model.with_(loads=(load,))
    turns, gaps = {}, []
    for axis, direction in (("y", (0.0, 0.0, FORCE)), ("z", (0.0, FORCE, 0.0))):
        inputs = replace(Inputs.rest(pulled, time=1.0), loads=np.array([direction]))
        state = solved(SOLVERS[method], pulled, inputs)
        pose = state.poses[pulled.bone("B")]
        turns[axis] = abs(float(np.degrees(log_map(pose[:, :3])["xyz".index(axis)])))
        span = 0.01
        points = pulled.joints[0].points(span)
        gaps.append(
            float(np.linalg.norm(points @ pose[:, :3].T + pose[:, 3] - points, axis=1).max())
        )
    return Pulled(joint, method, turns["y"], turns["z"], max(gaps))


def _bars(found: list[Pulled]) -> Any:
    made, (axes,) = style.figure(1, width=6.0, height=3.6)
    at = np.arange(len(found))
    axes.bar(at - 0.2, [p.bends for p in found], 0.38, color=style.BLUE, label="about the hinge")
    axes.bar(at + 0.2, [p.sideways for p in found], 0.38, color=style.ORANGE, label="sideways")
    axes.set_xticks(at, [f"{p.joint}\n{p.method}" for p in found])
    style.label(axes, f"Turned by {FORCE:g} N", "", "deg")
    style.legend(axes)
    return made


def compare_fibres(setting: Setting) -> Finding:
    """Fibres of a quarter of a ring, which are arcs, at several sizes."""
    rings = [quarter_ring(*cells) for cells in CELLS]
    off = [_off(ring) for ring in rings]
    medians, worst = ([float(f(each)) for each in off] for f in (np.median, np.max))
    rows = [(ring.n_tets, *each) for ring, *each in zip(rings, medians, worst, strict=True)]
    told = f"{medians[-1]:.2g} deg in the median and {worst[-1]:.2g} deg at most"
    return Finding(
        agreement=Agreement.of(medians[-1] < ALONG, medians[-1] < 0.6 * medians[-2]),
        sentence="In a quarter of a ring, whose potential is the angle, fibres are off the arcs "
        f"by {told} at {rings[-1].n_tets:,} tets; each halving of the tets takes the median to "
        f"{medians[-1] / medians[-2]:.2f} of what it was.",
        tables=(Table("Fibres off the arcs", ("tets", "median [deg]", "most [deg]"), rows),),
        figure=_field(rings[0]),
        caption="Fibres of the coarsest mesh, seen along the axis of the ring.",
    )


def quarter_ring(across: int, along: int) -> TetMesh:
    """A quarter of a ring about z, of cubes of six tets."""
    mesh = box((across, along, 2), (1.0, 1.0, HEIGHT))
    s, t, z = (mesh.X - mesh.X.min(axis=0)).T
    r, angle = RADII[0] + (RADII[1] - RADII[0]) * s, 0.5 * np.pi * t
    X = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
    return TetMesh(X, mesh.T).oriented()


def _fibres(mesh: TetMesh) -> Floats:
    origin, insertion = (np.flatnonzero(np.abs(mesh.X[:, axis]) < 1e-9) for axis in (1, 0))
    return laplace_fibres(mesh, np.arange(mesh.n_tets), origin, insertion)


def _off(mesh: TetMesh) -> Floats:
    """(m,) [deg] between the fibres and the arcs."""
    x, y, _ = mesh.centroids.T
    arcs = np.column_stack([-y, x, np.zeros_like(x)]) / np.hypot(x, y)[:, None]
    along = np.einsum("mi,mi->m", _fibres(mesh), arcs)
    return np.asarray(np.degrees(np.arccos(np.clip(along, -1.0, 1.0))))


def _field(mesh: TetMesh) -> Any:
    made, (axes,) = style.figure(1, width=4.6, height=4.2)
    at, fibre = 1e3 * mesh.centroids, _fibres(mesh)
    axes.quiver(at[:, 0], at[:, 1], fibre[:, 0], fibre[:, 1], color=style.RED, width=0.003)
    style.label(axes, "Fibres by a potential", "x [mm]", "y [mm]", aspect="equal")
    return made


JOINTS = Experiment(
    "fig5",
    "Fig. 5: joints",
    "Ball joints and hinges are constraints on points that two bones share.",
    compare_joints,
    (0.1, 0.1),
)
FIBRES = Experiment(
    "fig7",
    "Fig. 7: fibres by a potential",
    "Fibres are the directions of the gradient of a potential that is given where a muscle begins "
    "and ends.",
    compare_fibres,
    (0.1, 0.1),
)
