"""Fig. 10: the uniform lattice, and the same after two coarsenings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.geometry.lattice.coarsening import Coarse, coarsen
from vastus.geometry.tetmesh import TetMesh
from vastus.pictures.colours import SKIN
from vastus.pictures.panels import Shape, surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import FRONT, seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_lattice, upper_skin

LEVELS = 2
COLOURS = np.array([(0.93, 0.76, 0.66), (0.62, 0.78, 0.90), (0.72, 0.85, 0.62)])
HEIGHT = (560, 1000)
EXACT = 1e-9  # by how much a linear field may be missed, of its size


@dataclass(frozen=True, eq=False)
class Graded:
    """Tets before coarsening and after it by level, nodes, and how linear fields are kept."""

    uniform: int
    levels: tuple[int, ...]
    free: int
    hanging: int
    missed: float

    @property
    def tets(self) -> int:
        """All of them."""
        return sum(self.levels)

    @property
    def ratio(self) -> float:
        """How many times fewer."""
        return self.uniform / self.tets


def run(setting: Setting) -> Finding:
    """Coarsen the lattice, count, and draw a section."""
    spacing = SPACING[setting.full]
    setting.note("cutting and coarsening the lattice")
    lattice = upper_lattice(spacing)
    uniform, coarse = coarsen(lattice, 0), coarsen(lattice, LEVELS)
    found = graded(uniform, coarse)
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found, spacing),
        tables=(_table(found, spacing),),
        figure=_drawn(_pictures(uniform, coarse, HEIGHT[setting.full])),
        caption="The skin; the uniform lattice and the graded one, both cut open at the middle "
        "from left to right. Colours are levels: pink finest, green coarsest. T-junctions are "
        "where they meet.",
    )


def graded(uniform: Coarse, coarse: Coarse) -> Graded:
    """What coarsening does."""
    levels = np.bincount(coarse.level, minlength=LEVELS + 1)
    return Graded(
        len(uniform.T), tuple(int(n) for n in levels), int(coarse.P.shape[1]), coarse.hanging,
        linear_miss(coarse),
    )  # fmt: skip


def linear_miss(coarse: Coarse) -> float:
    """How far the map from free nodes to all is from keeping linear fields, of their size."""
    own = np.flatnonzero(np.diff(coarse.P.indptr) == 1)
    free = np.empty((coarse.P.shape[1], 3))
    free[coarse.P.indices[coarse.P.indptr[own]]] = coarse.X[own]
    return float(np.abs(coarse.P @ free - coarse.X).max() / np.abs(coarse.X).max())


def agreement(found: Graded) -> Agreement:
    """Whether there are some times fewer, and hanging nodes keep linear fields."""
    return Agreement.of(found.ratio > 0.5 * paper.FINE_TETS / paper.TETS, found.missed < EXACT)


def sentence(found: Graded, spacing: float) -> str:
    """How many tets are left."""
    sizes = ", ".join(f"{n:,} of {1e3 * spacing * 2**k:g} mm" for k, n in enumerate(found.levels))
    return (
        f"{found.uniform:,} tets of {1e3 * spacing:g} mm become {found.tets:,} ({sizes}), "
        f"{found.ratio:.1f} times fewer; the paper's {paper.FINE_TETS:,} of "
        f"{1e3 * paper.SPACING:g} mm, legs included, become {paper.TETS:,}, "
        f"{paper.FINE_TETS / paper.TETS:.1f} times fewer. {found.hanging:,} of "
        f"{found.free + found.hanging:,} nodes hang at T-junctions; as combinations of others they "
        f"keep linear fields within {found.missed:.0e} of their size."
        + (
            ""
            if spacing <= paper.SPACING
            else " With a coarser spacing less of the inside can be coarsened: the ratio falls."
        )
    )


def _table(found: Graded, spacing: float) -> Table:
    rows: list[tuple[Any, ...]] = [
        ("uniform", found.uniform, paper.FINE_TETS),
        ("after two coarsenings", found.tets, paper.TETS),
        ("times fewer", found.ratio, paper.FINE_TETS / paper.TETS),
    ]
    rows += [
        (f"of {1e3 * spacing * 2**k:g} mm", number, None) for k, number in enumerate(found.levels)
    ]
    rows += [("free nodes", found.free, None), ("hanging nodes", found.hanging, None)]
    return Table("Tets", ("what", "here", "paper, with legs"), rows)


def _pictures(uniform: Coarse, coarse: Coarse, height: int) -> list[Image]:
    skin = upper_skin().surface()
    middle = float(np.median(uniform.X[:, 1]))
    views = (
        [surface_shape(skin.X, skin.faces, SKIN)], [_opened(uniform, middle)],
        [_opened(coarse, middle)],
    )  # fmt: skip
    return [seen(shapes, skin.X, height, sides=(FRONT,))[0] for shapes in views]


def _opened(lattice: Coarse, middle: float) -> Shape:
    """The tets behind a plane, coloured by level."""
    behind = np.flatnonzero(lattice.X[lattice.T, 1].mean(axis=1) > middle)
    mesh = TetMesh(lattice.X, lattice.T).submesh(behind)[0]
    colours = COLOURS[lattice.level[behind[mesh.boundary_tets]]]
    return surface_shape(mesh.X, mesh.boundary, colours, edges=True)


def _drawn(pictures: Sequence[Image]) -> Any:
    made, plots = style.figure(3, width=4.6, height=5.6)
    names = ("(a) skin", "(b) uniform", "(c) after two coarsenings")
    for axes, pixels, name in zip(plots, pictures, names, strict=True):
        style.picture(axes, pixels, name)
    return made


EXPERIMENT = Experiment(
    "fig10",
    "Fig. 10: coarsening the lattice",
    "Eight tets that are all there, and of which the cut has made no copies, become one; twice. "
    "3.8 million tets become 354,000, with T-junctions between levels.",
    run,
    (0.3, 1.0),
)
