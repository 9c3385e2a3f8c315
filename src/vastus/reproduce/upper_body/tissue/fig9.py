"""Fig. 9: a lattice is cut along the skin, and what is apart stays apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.geometry.indices import components
from vastus.geometry.lattice.bcc import CORNERS
from vastus.geometry.lattice.cutting import Cut, cut
from vastus.geometry.lattice.level_set import LevelSet, sampled
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Bools, Floats
from vastus.pictures.colours import PALE, SKIN
from vastus.pictures.panels import Shape, surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_lattice, upper_skin

GAPS = (0.006, 0.003, 0.002, 0.001)  # [m] between two fingers
RADIUS, LENGTH, CELL = 0.008, 0.03, 0.0005  # [m] of fingers, and of the grid of their level set
VIEW = (0.45, -0.85, 0.28)
HEIGHT = (460, 800)
SAME = 0.01  # of the volume that may differ


@dataclass(frozen=True, eq=False)
class Cutting:
    """The lattice of the body, and the pieces of two fingers with each gap [m]."""

    tets: int
    copies: int
    dropped: int
    volume: float  # [m^3] of voxels
    level_set: float  # [m^3] inside the skin
    pieces: Mapping[float, int]


def run(setting: Setting) -> Finding:
    """Cut a lattice along the skin, and one along two fingers."""
    spacing = SPACING[setting.full]
    setting.note("cutting the lattice")
    skin, lattice = upper_skin(), upper_lattice(spacing)
    found = Cutting(
        len(lattice.nodes), int((~lattice.alone).sum()), lattice.dropped,
        float(np.count_nonzero(lattice.owner >= 0)) * lattice.voxel**3, skin.volume,
        {gap: pieces_of(cut(fingers(gap), paper.SPACING)) for gap in GAPS},
    )  # fmt: skip
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found, spacing),
        tables=(_table(found),),
        figure=_drawn(_pictures(skin, 2 * SPACING[0], HEIGHT[setting.full])),
        caption="The skin; a lattice that covers it, its front half left out; the part inside the "
        "skin, whole; and the mould that is left, its front half taken off. The lattice is drawn "
        "coarser than it is.",
    )


def fingers(gap: float) -> LevelSet:
    """Two fingers, side by side, `gap` [m] apart."""
    apart = RADIUS + gap / 2

    def field(X: Floats) -> Floats:
        z = np.clip(X[:, 2], 0.0, LENGTH)
        off = [X - np.stack([0 * z + s * apart, 0 * z, z], axis=1) for s in (-1.0, 1.0)]
        return np.min([np.linalg.norm(d, axis=1) for d in off], axis=0) - RADIUS

    reach = np.array([apart + RADIUS, RADIUS, RADIUS]) + 0.004
    return sampled(field, -reach, reach + np.array([0.0, 0.0, LENGTH]), CELL)


def pieces_of(lattice: Cut) -> int:
    """The number of pieces that the tets of a cut lattice make, joined by common nodes."""
    pairs = np.concatenate([lattice.nodes[:, [0, k]] for k in (1, 2, 3)])
    piece = components(len(lattice.places), pairs)
    return len(np.unique(piece[lattice.nodes[:, 0]]))


def agreement(found: Cutting) -> Agreement:
    """Whether the volume is the skin's, and fingers nearer than a spacing stay apart."""
    return Agreement.of(
        abs(found.volume / found.level_set - 1.0) < SAME,
        all(number == 2 for number in found.pieces.values()),
    )


def sentence(found: Cutting, spacing: float) -> str:
    """What the cut keeps apart."""
    gaps = ", ".join(f"{1e3 * gap:g}" for gap in found.pieces)
    numbers = ", ".join(str(n) for n in found.pieces.values())
    return (
        f"Of a lattice of {1e3 * spacing:g} mm {found.tets:,} tets meet the inside of the skin; "
        f"{found.copies:,} of them are copies of tets in which parts of the body are apart, and "
        f"{found.dropped:,} that hung by an edge or a corner were dropped. Their voxels fill "
        f"{1e3 * found.volume:.2f} l, the skin {1e3 * found.level_set:.2f}. Two fingers of 16 mm "
        f"with gaps of {gaps} mm, in a lattice of {1e3 * paper.SPACING:g} mm, are {numbers} "
        "pieces."
    )


def _table(found: Cutting) -> Table:
    rows = [(f"{1e3 * gap:g} mm", number) for gap, number in found.pieces.items()]
    return Table("Two fingers in a lattice of 7 mm", ("gap", "pieces"), rows)


def covering(low: Floats, high: Floats, spacing: float) -> TetMesh:
    """All tets of a lattice whose cells are in a box [m]."""
    first, last = np.floor(low / spacing).astype(int), np.ceil(high / spacing).astype(int)
    spans = [np.arange(a, b) for a, b in zip(first, last, strict=True)]
    cells = np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = (2 * cells[:, None, None, :] + CORNERS[None]).reshape(-1, 3)
    places, T = np.unique(nodes, axis=0, return_inverse=True)
    return TetMesh(np.asarray(places * (spacing / 2), float), T.reshape(-1, 4))


def _pictures(skin: LevelSet, spacing: float, height: int) -> list[Image]:
    surface = skin.surface()
    low, high = surface.X.min(axis=0) - 0.03, surface.X.max(axis=0) + 0.03
    every = covering(low, high, spacing)
    value = skin.at(every.X[every.T].reshape(-1, 3)).reshape(-1, 4)
    inside = value.min(axis=1) < 0
    behind = every.centroids[:, 1] > float(np.median(surface.X[:, 1]))
    views = (
        [surface_shape(surface.X, surface.faces, SKIN)],
        [_shape(every, behind, PALE)],
        [_shape(every, inside, SKIN)],
        [_shape(every, behind & (value.max(axis=1) > 0), PALE)],
    )
    return [seen(shapes, every.X, height, sides=(VIEW,))[0] for shapes in views]


def _shape(mesh: TetMesh, chosen: Bools, colour: Floats) -> Shape:
    part = mesh.submesh(np.flatnonzero(chosen))[0]
    return surface_shape(part.X, part.boundary, colour, edges=True)


def _drawn(pictures: Sequence[Image]) -> Any:
    made, plots = style.figure(4, width=3.6, height=4.4)
    names = ("(a) skin", "(b) lattice", "(c) what is inside", "(d) what is left")
    for axes, pixels, name in zip(plots, pictures, names, strict=True):
        style.picture(axes, pixels, name)
    return made


EXPERIMENT = Experiment(
    "fig9",
    "Fig. 9: cutting the lattice",
    "A lattice of tets of 7 mm that covers the body is cut along the skin. Where parts that are "
    "near each other share a tet, such as fingers, it gets copies with nodes of their own.",
    run,
    (0.4, 1.5),
)
