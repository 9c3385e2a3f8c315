"""The mesh: slivers, vertices of no tet, stray and hanging tets, tets that tie bones together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.geometry.topology import pieces_of, walls
from vastus.model import Model
from vastus.modelling.labelled.repair_tets import SLIVER, STRAY
from vastus.numerics.types import Ints
from vastus.parts import Tissue


def slivers(model: Model) -> Iterator[Finding]:
    """Nearly flat tets among those that deform."""
    angles = model.mesh.quality().min_dihedral[model.soft]
    count = int((angles < SLIVER).sum())
    if count:
        worst = model.soft[np.argmin(angles)]
        yield warning(
            "the mesh",
            f"has {count} slivers among {len(angles)} soft tets: tet {worst} near "
            f"{_place(model, worst)} has a dihedral angle of {angles.min():.2g} degrees",
            f"remesh so that no angle is below {SLIVER:g} degrees, or expect slow convergence",
            model.mesh.centroids[worst],
        )


def unused_vertices(model: Model) -> Iterator[Finding]:
    """Vertices that no tet uses."""
    unused = model.mesh.unused
    if len(unused):
        yield warning(
            "the mesh",
            f"has {len(unused)} vertices that belong to no tet",
            "they stay where they are",
            model.mesh.X[unused[0]],
        )


def stray_labels(model: Model) -> Iterator[Finding]:
    """Soft regions with a few tets apart from the rest, which are mostly labelled by mistake."""
    for index, region in enumerate(model.regions):
        tets = np.flatnonzero(model.region == index)
        piece = model.mesh.submesh(tets)[0].components
        sizes = np.bincount(piece)
        stray = sizes[sizes < STRAY * len(tets)]
        if region.tissue is not Tissue.BONE and len(stray):
            yield warning(
                f"region '{region.name}'",
                f"has {stray.sum()} of its {len(tets)} tets apart from the rest, in pieces of "
                f"{stray.min()} or more",
                "give stray tets to their neighbours, or ignore this if it is meant",
                model.mesh.centroids[tets[np.argmin(sizes[piece])]],
            )


def hanging_tets(model: Model) -> Iterator[Finding]:
    """Muscles or other regions with tets that hang on the rest by a vertex or an edge only."""
    body = _bodies(model)
    piece = pieces_of(body, walls(model.mesh))
    for index in np.unique(body):
        tets = np.flatnonzero(body == index)
        loose = tets[_hanging(piece[tets], model.mesh.submesh(tets)[0].components)]
        if len(loose):
            yield warning(
                f"region '{model.regions[model.region[loose[0]]].name}'",
                f"has {len(loose)} tets hanging on the rest by a vertex or an edge only, the first "
                f"near {_place(model, loose[0])}",
                "let 'vastus check --fix' take them away or give them to the tissue around",
                model.mesh.centroids[loose[0]],
            )


def _bodies(model: Model) -> Ints:
    """(m,) the region of each tet, and the first of them for all regions of a muscle."""
    first: dict[str, int] = {}
    bodies = [first.setdefault(r.muscle or r.name, i) for i, r in enumerate(model.regions)]
    return np.array(bodies)[model.region]


def _hanging(piece: Ints, component: Ints) -> np.ndarray:
    """(k,) the tets in any but the largest piece, joined by faces, of what shares vertices."""
    sizes = np.bincount(piece)[piece]
    largest = np.zeros(component.max(initial=-1) + 1, np.int64)
    order = np.argsort(sizes, kind="stable")
    largest[component[order]] = piece[order]
    return largest[component] != piece


def tied_bones(model: Model) -> Iterator[Finding]:
    """Soft tets that lie between bones with no vertex of their own, so that they hold a joint."""
    carrier = model.bone_of_vertex[model.mesh.T[model.soft]]
    tied = (carrier >= 0).all(axis=1) & (carrier != carrier[:, :1]).any(axis=1)
    if tied.any():
        first = int(model.soft[tied][0])
        names = [model.bones[b].name for b in np.unique(carrier[tied][0])]
        yield warning(
            "the mesh",
            f"has {tied.sum()} soft tets with all their vertices on bones, the first near "
            f"{_place(model, first)} on bones {' and '.join(repr(n) for n in names)}",
            "they stiffen the joint: refine the mesh there, or leave a gap between the bones",
            model.mesh.centroids[first],
        )


def _place(model: Model, tet: int) -> str:
    return f"[{', '.join(f'{c:.3g}' for c in model.mesh.centroids[tet])}] m"


CHECKS = (slivers, unused_vertices, stray_labels, hanging_tets, tied_bones)
