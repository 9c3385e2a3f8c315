"""Parts to a labelled, attached, separated mesh with fibres, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.geometry.adjacency import walls
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Tissue
from vastus.modelling.anatomy.along import Way, way_along
from vastus.modelling.anatomy.attach import attached
from vastus.modelling.anatomy.attachment import Attachment
from vastus.modelling.anatomy.end_fibres import end_fibres, shared_vertices
from vastus.modelling.anatomy.gaps import extended, fill_gaps
from vastus.modelling.anatomy.ground import Scan
from vastus.modelling.anatomy.label import NOWHERE
from vastus.modelling.anatomy.parts import Part
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.anatomy.tendons import (
    cross_sections,
    in_tendon,
    spanned,
    tendon_fractions,
    with_tendons,
)
from vastus.modelling.anatomy.unglue import Separated, joined_walls, separated
from vastus.modelling.meshing.tetrahedralise import tetrahedralise
from vastus.numerics.types import Floats, Ints

SIZE = 0.01  # edge of a tet, of the diagonal of all parts


@dataclass(frozen=True, eq=False)
class Plan:
    """How parts become one mesh; lengths in metres."""

    size: float | None = None
    envelope: float | None = None
    gap: float = 0.003
    fused: bool = True
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Joined:
    """Parts joined where they are attached, and apart elsewhere."""

    body: Separated
    given: Ints  # (m,) the part whose surface each tet of the body is in
    labels: Ints  # (m,) the part it belongs to: a muscle has its tendons
    ways: dict[int, Way]  # of the muscles, on the vertices of the body
    attachments: tuple[Attachment, ...]


@dataclass(frozen=True, eq=False)
class Flesh:
    """Which tets are tendon, and their fibres."""

    tendon: np.ndarray  # (m,)
    fractions: dict[int, tuple[float, float]]
    fibre: Floats  # (m, 3)


def meshed(parts: Sequence[Part], plan: Plan, log: Log) -> TetMesh:
    """The tets in and around all parts."""
    X = np.concatenate([part.surface.X for part in parts])
    usual = plan.size or SIZE * float(np.linalg.norm(np.ptp(X, axis=0)))
    sizes = [part.size or usual for part in parts]
    shells = [part.surface for part in parts]
    return log.run(
        "mesh",
        tetrahedralise,
        shells,
        sizes,
        plan.envelope,
        watch=lambda how_far: log.watch(f"mesh: {how_far}"),
    )


def joined(mesh: TetMesh, labels: Ints, parts: Sequence[Part], plan: Plan) -> Joined:
    """Find the attachments, fill their gaps, and separate whatever else touches."""
    between = walls(mesh)
    scan = Scan(mesh, with_tendons(labels, parts, between), parts, between, plan.gap)
    ways: dict[int, Way] = {}
    attachments: list[Attachment] = []
    for part in _muscles(parts):
        way = way_along(mesh, np.flatnonzero(scan.labels == part))
        ways[part], found = attached(scan, part, way, np.array(plan.up))
        attachments += found
    scan = replace(scan, labels=fill_gaps(scan, ways, attachments))
    ways = {i: extended(way, mesh.X, scan.vertices(i)) for i, way in ways.items()}
    together = joined_walls(scan, ways, attachments, fused=plan.fused)
    body = separated(scan, together)
    inside = {i: Way(way.s[body.vertices], way.length) for i, way in ways.items()}
    given = _given(mesh, labels, scan.labels)
    return Joined(body, given[body.tets], scan.labels[body.tets], inside, tuple(attachments))


def _given(mesh: TetMesh, before: Ints, after: Ints) -> Ints:
    """(m,) the labels from before; where there was none, those of the nearest tets of the part."""
    given = before.copy()
    for part in np.unique(after[(before == NOWHERE) & (after != NOWHERE)]):
        filled = np.flatnonzero((before == NOWHERE) & (after == part))
        old = np.flatnonzero((before != NOWHERE) & (after == part))
        given[filled] = before[old[cKDTree(mesh.centroids[old]).query(mesh.centroids[filled])[1]]]
    return given


def fleshed(made: Joined, parts: Sequence[Part]) -> Flesh:
    """Tendons and fibres of all muscles."""
    mesh = made.body.mesh
    tendon = np.array([part.tissue is Tissue.TENDON for part in parts])[made.given]
    fibre = np.zeros((mesh.n_tets, 3))
    fractions = {}
    for part in _muscles(parts):
        tets = np.flatnonzero(made.labels == part)
        way = made.ways[part]
        s = way.at(mesh.T[tets])
        areas = cross_sections(s, mesh.volumes[tets], way.length)
        fractions[part] = parts[part].ends.tendons or tendon_fractions(areas)
        if not tendon[tets].any() or parts[part].ends.tendons:
            tendon[tets] |= in_tendon(s, fractions[part])
        else:
            fractions[part] = spanned(s[tendon[tets]])
        mine = [a for a in made.attachments if a.part == part]
        _require_hold(made, parts, mine)
        fibre[tets] = end_fibres(mesh, made.labels, way, mine)
    return Flesh(tendon, fractions, fibre)


def _require_hold(made: Joined, parts: Sequence[Part], attachments: list[Attachment]) -> None:
    """Refuse a muscle that shares no vertex with what it is attached to."""
    for a in attachments:
        if not len(shared_vertices(made.body.mesh, made.labels, made.ways[a.part], a)):
            muscle, other = (f"'{parts[i].name}'" for i in (a.part, a.to))
            there = "what is painted" if a.painted else "its tip"
            wider = f"more of '{a.end.word}_at'" if a.painted else "larger 'caps'"
            raise ModelError(
                f"muscle {muscle} shares no vertex with {other} at its {a.end.word}, from "
                f"which {there} is {1000 * a.distance:.2g} mm away: move it there, allow a wider "
                f"'gap' or {wider}, give a smaller 'size', or name another part"
            )


def _muscles(parts: Sequence[Part]) -> list[int]:
    return [i for i, part in enumerate(parts) if part.tissue is Tissue.MUSCLE]
