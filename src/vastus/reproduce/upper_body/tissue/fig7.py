"""Fig. 7: the skin, the anatomy under it, and the lattice that is simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.flesh.build import Flesh
from vastus.flesh.solver import FleshSolver
from vastus.numerics.types import Floats
from vastus.pictures.colours import SKIN
from vastus.pictures.flesh.flesh_pictures import FleshRenderer, Layers
from vastus.pictures.panels import surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import BACK, FRONT, seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_solver

HEIGHT = (520, 900)
NEAR = 0.5  # of a spacing, that a vertex of the skin may be outside the tet that carries it


def run(setting: Setting) -> Finding:
    """Build flesh around the body, and draw it."""
    setting.note("building flesh")
    solver = upper_solver(SPACING[setting.full])
    flesh = solver.flesh
    outside = outside_of(flesh)
    setting.note("pictures")
    return Finding(
        agreement=agreement(flesh, outside),
        sentence=sentence(flesh, outside),
        tables=(_table(flesh),),
        figure=_drawn(_pictures(solver, HEIGHT[setting.full])),
        caption="The skin; bones and muscles under it; the graded lattice of tets in which both "
        "are embedded. Above from the front, below from behind.",
    )


def outside_of(flesh: Flesh) -> Floats:
    """(v,) [m] how far vertices of the skin are outside the tets that carry them, 0 inside."""
    places = flesh.skin.places
    steepness = np.linalg.norm(flesh.mesh.gradients[places.tets], axis=2)
    return np.maximum((-places.weights / steepness).max(axis=1), 0.0)


def agreement(flesh: Flesh, outside: Floats) -> Agreement:
    """Whether fewer tets than triangles would ask for carry skin, bones and muscles."""
    named = len(flesh.muscle_names) > 0 and len(flesh.bodies) == paper.BODIES
    near = bool(outside.max() < NEAR * flesh.settings.spacing)
    return Agreement.of(named, flesh.facts["coarsening"] > 1.0, near)


def sentence(flesh: Flesh, outside: Floats) -> str:
    """What is embedded in what."""
    facts = flesh.facts
    return (
        f"A skin of {flesh.skin.surface.n_faces:,} triangles around {1e3 * facts['volume']:.1f} l, "
        f"{len(flesh.bones)} surfaces of bones on {len(flesh.bodies)} bodies and "
        f"{len(flesh.muscle_names)} muscles are embedded in {flesh.mesh.n_tets:,} tets of a "
        f"lattice of {1e3 * flesh.settings.spacing:g} mm; the paper embeds "
        f"{paper.SKIN_TRIANGLES:,} triangles in {paper.TETS:,} tets, legs included. "
        f"Vertices of the skin are at most {1e3 * outside.max():.1f} mm outside the tet that "
        f"carries them, {1e3 * outside.mean():.2f} mm on the mean."
    )


def _table(flesh: Flesh) -> Table:
    rows: Sequence[tuple[str, float, Any]] = [
        ("triangles of the skin", flesh.skin.surface.n_faces, paper.SKIN_TRIANGLES),
        ("tets", flesh.mesh.n_tets, paper.TETS),
        ("spacing of the lattice [mm]", 1e3 * flesh.settings.spacing, 1e3 * paper.SPACING),
        ("volume [l]", 1e3 * flesh.facts["volume"], None),
        ("bodies", len(flesh.bodies), paper.BODIES),
        ("muscles", len(flesh.muscle_names), None),
        ("samples of bones", len(flesh.samples), None),
        ("free nodes", flesh.P.shape[1], None),
        ("hanging nodes", flesh.P.shape[0] - flesh.P.shape[1], None),
    ]
    return Table("Flesh at rest", ("what", "here", "paper, with legs"), rows)


def _pictures(solver: FleshSolver, height: int) -> list[Image]:
    """Skin, anatomy and lattice, from the front and from behind."""
    flesh, out = solver.flesh, []
    X = flesh.skin.surface.X
    for side in (FRONT, BACK):
        for layers in (Layers(), Layers(skin=False)):
            with FleshRenderer(solver, X, height, view=side, layers=layers) as renderer:
                out.append(renderer.picture(solver.start))
        lattice = surface_shape(flesh.mesh.X, flesh.mesh.boundary, SKIN, edges=True)
        out += seen([lattice], flesh.mesh.X, 2 * height, sides=(side,))
    return out


def _drawn(pictures: Sequence[Image]) -> Any:
    made, plots = style.figure(3, rows=2, width=4.4, height=4.8)
    names: Mapping[int, str] = {0: "(a) skin", 1: "(b) anatomy", 2: "(c) lattice"}
    for k, (axes, pixels) in enumerate(zip(plots, pictures, strict=True)):
        style.picture(axes, pixels, names.get(k, ""))
    return made


EXPERIMENT = Experiment(
    "fig7",
    "Fig. 7: skin, anatomy and lattice",
    "Skin and anatomy are fine surfaces; what is simulated is a coarser lattice of tets in which "
    "they are embedded.",
    run,
    (1.0, 4.0),
)
