"""Parts that only touch get vertices of their own and room; gaps at attachments are filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from vastus.geometry.indices import components
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import Walls
from vastus.modelling.surfaces.ends import Attachment, Scan, Way
from vastus.modelling.surfaces.mesher import NOWHERE, without_strays
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Tissue

STEEPEST = 0.3  # cosine beyond which a way inward is no longer stretched: teeth keep their tips
ROUNDS = 200  # of the search for a way inward
LEFT, TRIES = 0.3, 8  # volume that a tet keeps; how often less is tried


@dataclass(frozen=True, eq=False)
class Separated:
    """The tets of the parts with vertices that only joined parts share."""

    mesh: TetMesh
    tets: Ints  # (m,) the tet of the former mesh
    vertices: Ints  # (n,) the vertex of the former mesh


def separated(scan: Scan, joined: np.ndarray) -> Separated:
    """The labelled tets, connected only through the walls (k,) that are `joined`.

    Where soft tissue would tie two bones together at a vertex, it lets one of them go.
    """
    kept = np.flatnonzero(scan.labels != NOWHERE)
    walls = scan.between.where(joined & (scan.labels[scan.between.tets] != NOWHERE).all(axis=1))
    while True:
        vertex = _vertices(scan, kept, walls)
        tying = _tying(scan, kept, vertex, walls)
        if not tying.any():
            break
        walls = walls.where(~tying)
    former = np.empty(vertex.max(initial=-1) + 1, np.int64)
    former[vertex] = scan.mesh.T[kept]
    return Separated(TetMesh(scan.mesh.X[former], vertex), kept, former)


def _vertices(scan: Scan, kept: Ints, walls: Walls) -> Ints:
    """(m, 4) new vertices: the corners of the kept tets that walls connect are one."""
    place = np.full(scan.mesh.n_tets, -1)
    place[kept] = np.arange(len(kept))
    sides = [_corners(scan.mesh.T, walls.tets[:, i], walls.faces) for i in range(2)]
    nodes = [(4 * place[walls.tets[:, i], None] + c).ravel() for i, c in enumerate(sides)]
    return components(4 * len(kept), np.stack(nodes, axis=1)).reshape(-1, 4)


def _tying(scan: Scan, kept: Ints, vertex: Ints, walls: Walls) -> np.ndarray:
    """(k,) the walls of bones that share a vertex with a bone of more tets there."""
    bony = np.array([part.bony for part in scan.parts])
    owner = scan.labels[kept]
    n = int(vertex.max(initial=-1)) + 1
    count = np.zeros((n, len(bony)), np.int64)
    np.add.at(count, (vertex.ravel(), np.repeat(owner, 4)), 1)
    count[:, ~bony] = 0
    shared = (count > 0).sum(axis=1) > 1
    strongest = count.argmax(axis=1)
    place = np.full(scan.mesh.n_tets, -1)
    place[kept] = np.arange(len(kept))
    tying = np.zeros(len(walls.faces), bool)
    for i in range(2):
        tets, other = walls.tets[:, i], walls.tets[:, 1 - i]
        mine = scan.labels[tets]
        corners = vertex[place[tets][:, None], _corners(scan.mesh.T, tets, walls.faces)]
        weaker = (shared[corners] & (strongest[corners] != mine[:, None])).any(axis=1)
        tying |= weaker & bony[mine] & (scan.labels[other] != mine)
    return tying


def _corners(T: Ints, tets: Ints, faces: Ints) -> Ints:
    """(k, 3) the corners of tets (k,) at which the vertices of faces (k, 3) are."""
    return np.asarray((T[tets][:, None, :] == faces[:, :, None]).argmax(axis=2))


def joined_walls(
    scan: Scan, ways: dict[int, Way], attachments: Sequence[Attachment], *, fused: bool
) -> np.ndarray:
    """(k,) whether what is on both sides of each wall belongs together.

    That is the case inside a part, where attachments reach, between parts of one muscle, around
    passive tissue, and, if `fused`, between muscles of one compartment.
    """
    sides = scan.labels[scan.between.tets]
    joined = sides[:, 0] == sides[:, 1]
    within = (sides != NOWHERE).all(axis=1)
    for a, b in {(min(p), max(p)) for p in np.unique(sides[within & ~joined], axis=0).tolist()}:
        if _together(scan, a, b, fused=fused):
            joined |= _pair(sides, a, b)
    for attachment in attachments:
        pair = np.flatnonzero(_pair(sides, attachment.part, attachment.to))
        joined[pair] |= holding(scan, ways[attachment.part], attachment, pair)
    return joined


def holding(scan: Scan, way: Way, attachment: Attachment, walls: Ints) -> np.ndarray:
    """(k,) which of some walls between both parts of an attachment it reaches."""
    faces = scan.between.faces[walls]
    return attachment.reaches(scan.X[faces].mean(axis=1), way.at(faces))


def _pair(sides: Ints, a: int, b: int) -> np.ndarray:
    return ((sides == [a, b]) | (sides == [b, a])).all(axis=1)


def _together(scan: Scan, a: int, b: int, *, fused: bool) -> bool:
    one, two = scan.parts[a], scan.parts[b]
    if Tissue.PASSIVE in (one.tissue, two.tissue):
        return True
    if one.bony or two.bony:
        return False
    return one.muscle == two.muscle or (fused and one.compartment == two.compartment)


def fill_gaps(scan: Scan, ways: dict[int, Way], attachments: Sequence[Attachment]) -> Ints:
    """(m,) the labels, with outside tets near both parts of an attachment given to the muscle."""
    labels = scan.labels.copy()
    for attachment in attachments:
        outside = np.flatnonzero(labels == NOWHERE)
        way = ways[attachment.part]
        near = outside[_near_both(scan, way, attachment, outside)]
        smooth = _without_teeth(scan, attachment, labels, near)
        touching = len(smooth) or _touches(scan, way, attachment, labels)
        labels[smooth if touching else near] = attachment.part
    return without_strays(labels, scan.between)


def _touches(scan: Scan, way: Way, attachment: Attachment, labels: Ints) -> bool:
    """Whether muscle and bone share a face where the attachment may be."""
    pair = np.sort(labels[scan.between.tets], axis=1)
    both = (pair == sorted((attachment.part, attachment.to))).all(axis=1)
    return bool(holding(scan, way, attachment, np.flatnonzero(both)).any())


def _without_teeth(scan: Scan, attachment: Attachment, labels: Ints, tets: Ints) -> Ints:
    """Those of the tets that leave no vertex sticking out of muscle and bone into the open."""
    T = scan.mesh.T
    held = np.zeros(scan.mesh.n_vertices, bool)
    held[T[np.isin(labels, (attachment.part, attachment.to))]] = True
    while len(tets):
        outside = labels == NOWHERE
        outside[tets] = False
        loose = np.zeros(len(held), bool)
        loose[T[outside]] = True
        kept = tets[~(loose & ~held)[T[tets]].any(axis=1)]
        if len(kept) == len(tets):
            break
        tets = kept
    return tets


def _near_both(scan: Scan, way: Way, attachment: Attachment, tets: Ints) -> Ints:
    """Which of some tets are near both parts of an attachment, where it reaches."""
    mine = scan.vertices(attachment.part)
    middles = scan.mesh.centroids[tets]
    gap = scan.gap_of(attachment.part)
    reach = gap + _longest(scan)
    away, nearest = cKDTree(scan.mesh.X[mine]).query(middles, distance_upper_bound=reach)
    near = np.flatnonzero(np.isfinite(away))
    near = near[attachment.reaches(middles[near], way.s[mine[nearest[near]]])]
    for part in (attachment.part, attachment.to):
        if len(near):
            near = near[scan.distances(part, middles[near]) <= gap]
    return near


def _longest(scan: Scan) -> float:
    """An edge that few tets of the parts exceed [m]."""
    volume = float(np.quantile(scan.mesh.volumes[scan.labels != NOWHERE], 0.95))
    return 2.0 * (6.0 * volume) ** (1 / 3)


def extended(way: Way, X: Floats, vertices: Ints) -> Way:
    """The way with vertices that it does not know, as their nearest neighbours that it does."""
    s = way.s.copy()
    bare = vertices[np.isnan(s[vertices])]
    known = np.flatnonzero(~np.isnan(s))
    s[bare] = s[known[cKDTree(X[known]).query(X[bare])[1]]]
    return Way(s, way.length)


def parted(mesh: TetMesh, owner: Ints, soft: Ints, clearance: float) -> Floats:
    """(n, 3) [m] the vertices of a mesh whose soft parts (k,) have a clearance [m].

    Parts that are cut out of one mesh have vertices at the same places, where contact has no room.
    Each vertex is moved into its own part, in the direction that is farthest inward of all its
    faces, by so much that these move by half of the clearance. What would flatten a tet is left
    undone. `owner` (m,) is the part of each tet; what bones have, and what parts share, stays.
    """
    touching, shift = _touching(mesh, owner, soft), np.zeros_like(mesh.X)
    for part in np.intersect1d(soft, owner):
        inner, kept = mesh.submesh(owner == part)
        own = kept[inner.boundary]
        chosen = np.intersect1d(own, np.flatnonzero(touching))
        if len(chosen):
            inward, cosine = _inward(mesh.X, own, chosen)
            shift[chosen] = 0.5 * clearance * inward / np.maximum(cosine, STEEPEST)[:, None]
    return _upright(mesh, shift)


def _touching(mesh: TetMesh, owner: Ints, soft: Ints) -> Bools:
    """(n,) the vertices of one soft part alone, at whose place another has one too."""
    place = np.unique(mesh.X, axis=0, return_inverse=True)[1].reshape(-1)
    parts, at_place = np.zeros(mesh.n_vertices, np.int64), np.zeros(len(place), np.int64)
    for part in np.unique(owner):
        vertices = np.unique(mesh.T[owner == part])
        parts[vertices] += 1 if part in soft else 2
        if part in soft:
            at_place[np.unique(place[vertices])] += 1
    return np.asarray((parts == 1) & (at_place[place] > 1))


def _inward(X: Floats, faces: Ints, vertices: Ints) -> tuple[Floats, Floats]:
    """(k, 3) unit directions into the solid, and (k,) their least cosine with a face's normal.

    The direction is that of the point of the normals' convex hull that is nearest to the origin,
    which Frank and Wolfe's method finds; it is farthest from all faces.
    """
    a, b, c = (X[faces[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    normals = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    order = np.argsort(faces.ravel(), kind="stable")
    order = order[np.isin(faces.ravel()[order], vertices)]
    N = normals[order // 3]
    which = np.searchsorted(vertices, faces.ravel()[order])
    first = np.searchsorted(which, np.arange(len(vertices)))
    point = np.add.reduceat(N, first) / np.bincount(which)[:, None]
    for _ in range(ROUNDS):
        along = np.einsum("ki,ki->k", N, point[which])
        least = np.minimum.reduceat(along, first)
        at = np.flatnonzero(along == least[which])
        lowest = at[np.searchsorted(which[at], np.arange(len(vertices)))]
        way = N[lowest] - point
        square = np.einsum("ki,ki->k", way, way)
        step = -np.einsum("ki,ki->k", point, way) / np.maximum(square, 1e-300)
        point = point + np.clip(step, 0.0, 1.0)[:, None] * way
    length = np.linalg.norm(point, axis=1)
    away = point / np.maximum(length, 1e-300)[:, None]
    # Where faces look in opposite directions, no way leads off all of them.
    return np.where(length[:, None] > 1e-3, -away, 0.0), length


def _upright(mesh: TetMesh, shift: Floats) -> Floats:
    """(n, 3) the vertices, moved by as much of the shift (n, 3) [m] as tets bear."""
    for last in range(TRIES + 1):
        volumes = TetMesh(mesh.X + shift, mesh.T).volumes
        flat = np.unique(mesh.T[volumes < LEFT * mesh.volumes])
        shift[flat] *= 0.5 if last < TRIES else 0.0
        if not len(flat):
            break
    return mesh.X + shift
