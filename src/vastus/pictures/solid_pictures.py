"""Pictures of the solids of B-splines that muscles have their fibres from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vastus.geometry.bspline.solid import BSplineSolid
from vastus.geometry.queries import locate
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.authored_solids import SolidReport, solid_text
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Tissue
from vastus.pictures.build_sheets import part_shape, view_panels
from vastus.pictures.colours import BLUE, ORANGE, PALE, RED, TISSUE_COLOURS
from vastus.pictures.panels import Shape, lines_shape, upward
from vastus.pictures.sheets import Entry, Sheet

LINES, STEPS = 9, 120  # along u and v each, and points of a line
LATTICE = np.array([0.45, 0.47, 0.50])
SOLIDS = (RED, BLUE, ORANGE, np.array([0.10, 0.55, 0.45]))


def draw_solids(reports: Sequence[SolidReport], model: Model, path: Path) -> None:
    """Draw solids, their lines along the fibres and their control points to a PNG file."""
    solids_sheet(reports, model).save(path)


def solids_sheet(reports: Sequence[SolidReport], model: Model) -> Sheet:
    """Lines of constant u and v within the muscles, and the control points from four sides."""
    bones = model.is_tissue(Tissue.BONE)
    shapes = [part_shape(model.mesh, bones, PALE, glassy=True)] if bones.any() else []
    entries, seen = [], []
    for report in reports:
        tets = np.flatnonzero(model.muscle_of_tet == model.muscle(report.muscle))
        mine = np.isin(np.arange(model.mesh.n_tets), tets)
        shapes.append(part_shape(model.mesh, mine, TISSUE_COLOURS[Tissue.MUSCLE], glassy=True))
        entries.append(Entry(0, PALE, f"{report.muscle}: {report.summary}"))
        for i, (name, one) in enumerate(report.solids.items()):
            rgb = SOLIDS[i % len(SOLIDS)]
            shapes += _solid_shapes(one.solid, model.mesh, tets[report.field.which == i], rgb)
            entries.append(
                Entry(0, rgb, f"{report.muscle}: lines along w of {solid_text(name, one)}")
            )
            seen.append(one.solid.control.reshape(-1, 3))
    head = [
        "7 Solids: lines along the fibres of the B-spline solids, within the muscle",
        "grey: control points and the lattice between them",
    ]
    panels = view_panels(shapes, np.concatenate(seen), upward(model.gravity))
    return Sheet(head, panels, entries)


def _solid_shapes(solid: BSplineSolid, mesh: TetMesh, tets: Ints, rgb: Floats) -> list[Shape]:
    shapes = [lines_shape(lattice_lines(solid), LATTICE, width=1.0, opacity=0.35)]
    lines = lines_within(solid, mesh, tets)
    return shapes + ([lines_shape(lines, rgb, width=2.5)] if lines else [])


def lattice_lines(solid: BSplineSolid) -> list[Floats]:
    """The lines (k, 3) [m] that connect the control points of a solid along u, v and w."""
    turned = [np.moveaxis(solid.control, axis, 2) for axis in range(3)]
    return [line for rows in turned for line in rows.reshape(-1, rows.shape[2], 3)]


def lines_within(solid: BSplineSolid, mesh: TetMesh, tets: Ints) -> list[Floats]:
    """Lines (k, 3) [m] along w, where they are within some tets of a mesh."""
    if not len(tets):
        return []
    part, _ = mesh.submesh(tets)
    u = solid.grid((LINES, LINES, STEPS)).reshape(-1, STEPS, 3)
    x = solid.value(u.reshape(-1, 3))
    within = (locate(part, x).tets >= 0).reshape(-1, STEPS)
    return [
        run
        for line, inside in zip(x.reshape(-1, STEPS, 3), within, strict=True)
        for run in _runs(line, inside)
    ]


def _runs(line: Floats, inside: Bools) -> list[Floats]:
    """The stretches of a line (k, 3) that are inside (k,)."""
    changes = np.diff(np.concatenate([[0], inside.astype(int), [0]]))
    starts, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    return [line[a:b] for a, b in zip(starts, ends, strict=True) if b - a > 2]
