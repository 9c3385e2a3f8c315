"""Parts to a labelled, attached, separated mesh with tendons and fibres, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.spatial import cKDTree

from vastus.cache import Log
from vastus.errors import ModelError
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.geometry.topology import Walls, walls
from vastus.modelling.fibres.laplace import laplace_fibres
from vastus.modelling.surfaces.attach import attached
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.ends import Attachment, Scan, Way, way_along
from vastus.modelling.surfaces.mesher import NOWHERE, tetrahedralise
from vastus.modelling.surfaces.separation import (
    Separated,
    extended,
    fill_gaps,
    joined_walls,
    parted,
    separated,
)
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End

BEYOND = 0.05  # of the length that fibres may begin past the first vertex that is held
BINS = 25
THIN = 0.3  # of the largest cross-section
LEAST = 0.03  # of the length
SIZE = 0.01  # edge of a tet, of the diagonal of all parts


def end_fibres(mesh: TetMesh, labels: Ints, way: Way, attachments: Sequence[Attachment]) -> Floats:
    """(k, 3) the fibres of the muscle that the attachments are of, harmonic between its ends.

    Its ends are the vertices by which the attachments hold, within their `fibre_cap`: whole areas
    of contact would make fibres leave the muscle sideways.
    """
    tets = np.flatnonzero(labels == attachments[0].part)
    ends = []
    for end in End:
        mine = [a for a in attachments if a.end is end]
        ends.append(np.concatenate([_beginning(mesh, labels, way, a) for a in mine]))
    origin, insertion = ends
    return laplace_fibres(mesh, tets, np.setdiff1d(origin, insertion), insertion)


def _beginning(mesh: TetMesh, labels: Ints, way: Way, attachment: Attachment) -> Ints:
    """The vertices of an attachment at which fibres begin or end."""
    held = shared_vertices(mesh, labels, way, attachment)
    along = attachment.end.along(way.s[held])
    return held[along <= max(attachment.fibre_cap, float(along.min(initial=1.0)) + BEYOND)]


def shared_vertices(mesh: TetMesh, labels: Ints, way: Way, attachment: Attachment) -> Ints:
    """The vertices by which an attachment holds."""
    mine = mesh.T[labels == attachment.part]
    both = np.intersect1d(mine, mesh.T[labels == attachment.to])
    if attachment.painted:
        faces = mine[np.isin(mine, both).sum(axis=1) >= 3][:, FACES].reshape(-1, 3)
        faces = faces[np.isin(faces, both).all(axis=1)]
        middles = mesh.X[faces].mean(axis=1)
        return np.unique(faces[attachment.reaches(middles, way.at(faces))])
    return both[attachment.reaches(mesh.X[both], way.s[both])]


def with_tendons(labels: Ints, parts: Sequence[Part], between: Walls) -> Ints:
    """(m,) the labels with each tendon that has a surface of its own given to its muscle.

    Of several heads it goes to the one that it shares most area with.
    """
    labels = labels.copy()
    for i, part in enumerate(parts):
        if part.tissue is Tissue.TENDON:
            heads = [k for k, p in enumerate(parts) if _head(p, part)]
            areas = [_shared(labels, between, i, head) for head in heads]
            if not areas or max(areas) == 0:
                raise ModelError(f"tendon '{part.name}' touches no part of muscle '{part.muscle}'")
            labels[labels == i] = heads[int(np.argmax(areas))]
    return labels


def _head(part: Part, tendon: Part) -> bool:
    return part.tissue is Tissue.MUSCLE and part.muscle == tendon.muscle


def _shared(labels: Ints, between: Walls, a: int, b: int) -> float:
    """The area [m^2] between two parts."""
    pair = np.sort(labels[between.tets], axis=1) == sorted((a, b))
    return float(between.areas[pair.all(axis=1)].sum())


def cross_sections(s: Floats, volumes: Floats, length: float) -> Floats:
    """(BINS,) the cross-section [m^2] of a muscle along its length [m], smoothed.

    Its tets have the coordinates s (m,) and volumes (m,) [m^3].
    """
    from scipy.ndimage import gaussian_filter1d  # as heavy as the rest of the package

    inside = np.clip((s * BINS).astype(int), 0, BINS - 1)
    areas = np.bincount(inside, volumes, BINS) / (length / BINS)
    return np.asarray(gaussian_filter1d(areas, 1.0, mode="nearest"))


def tendon_fractions(areas: Floats) -> tuple[float, float]:
    """How much of the length is tendon at the origin and at the insertion, from cross-sections."""
    thick = np.flatnonzero(areas >= THIN * areas.max())
    ends = (thick[0] / len(areas), 1.0 - (thick[-1] + 1) / len(areas))
    return max(LEAST, float(ends[0])), max(LEAST, float(ends[1]))


def spanned(s: Floats) -> tuple[float, float]:
    """How much of the length tendon takes at each end, from the coordinates (m,) of its tets."""
    ends = [end.along(s)[end.along(s) < 0.5] for end in End]
    first, last = (float(np.quantile(near, 0.95)) if len(near) else 0.0 for near in ends)
    return first, last


def in_tendon(s: Floats, fractions: tuple[float, float]) -> np.ndarray:
    """(m,) which tets with coordinates s (m,) are tendon."""
    tendon = np.zeros(len(s), bool)
    for end in End:
        tendon |= end.along(s) < end.of(fractions)
    return tendon


@dataclass(frozen=True, eq=False)
class Plan:
    """How parts become one mesh; lengths in metres.

    An attachment may bridge a `gap`; soft parts that only touch get a `clearance`.
    """

    size: float | None = None
    envelope: float | None = None
    gap: float = 0.003
    fused: bool = True
    clearance: float = 1e-3
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Joined:
    """Parts joined where they are attached, and apart elsewhere."""

    body: Separated
    given: Ints  # (m,) the part whose surface each tet of the body is in
    labels: Ints  # (m,) the part it belongs to: a muscle has its tendons
    volumes: Floats  # (m,) that of each tet before parts got their clearance [m^3]
    ways: dict[int, Way]  # of the muscles, on the vertices of the body
    attachments: tuple[Attachment, ...]
    short: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """How far the mesh of a muscle ends from the tips of its surface [m]."""


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
    short = {i: _short(scan, i) for i in ways}
    scan = replace(scan, labels=fill_gaps(scan, ways, attachments))
    ways = {i: extended(way, mesh.X, scan.vertices(i)) for i, way in ways.items()}
    together = joined_walls(scan, ways, attachments, fused=plan.fused)
    body = separated(scan, together)
    soft = np.flatnonzero([not part.bony for part in parts])
    volumes = body.mesh.volumes
    X = parted(body.mesh, scan.labels[body.tets], soft, plan.clearance)
    body = replace(body, mesh=TetMesh(X, body.mesh.T))
    inside = {i: Way(way.s[body.vertices], way.length) for i, way in ways.items()}
    given = _given(mesh, labels, scan.labels)
    labels = scan.labels[body.tets]
    return Joined(body, given[body.tets], labels, volumes, inside, tuple(attachments), short)


def _short(scan: Scan, part: int) -> tuple[float, float]:
    """How far the mesh of a muscle is from the tips of its surface [m]; zero if none is known."""
    decided = scan.parts[part].ends.decided
    if decided is None:
        return 0.0, 0.0
    first, last = cKDTree(scan.X[scan.vertices(part)]).query(np.array(decided.tips))[0].tolist()
    return first, last


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
            wider = f"more of '{a.end.value}_at'" if a.painted else "larger 'caps'"
            raise ModelError(
                f"muscle {muscle} shares no vertex with {other} at its {a.end.value}, from "
                f"which {there} is {1000 * a.distance:.2g} mm away: move it there, allow a wider "
                f"'gap' or {wider}, give a smaller 'size', or name another part"
            )


def _muscles(parts: Sequence[Part]) -> list[int]:
    return [i for i, part in enumerate(parts) if part.tissue is Tissue.MUSCLE]
