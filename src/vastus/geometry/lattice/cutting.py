"""A lattice of tets cut along a surface: a tet is copied for each part of the body that is in it.

Nodes of copies are one where the body hangs together about them, so that two fingers closer than
a tet stay two (virtual nodes; Molino, Bao and Fedkiw 2004, Sifakis, Der and Fedkiw 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.indices import components, distinct, groups
from vastus.geometry.lattice import cut_kernels as kernels
from vastus.geometry.lattice.bcc import NEIGHBOURS, TYPES, corners
from vastus.geometry.lattice.level_set import LevelSet
from vastus.numerics.types import Bools, Floats, Ints

VOXELS = 4  # along a spacing
# Of a voxel: centres of an even subdivision would lie exactly on the faces of tets.
SHIFT = np.array([0.61, 0.73, 0.81])
REACH = 0.62  # of the spacing: a corner is 0.559 from the centroid
SMALLEST = 1e-3  # of the volume: a piece that is smaller is dropped
# To all neighbours of a voxel, those with a common corner included.
WAYS = tuple(way for way in product((-1, 0, 1), repeat=3) if any(way))
MOST_VOXELS = 2_000_000_000


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut lattice of a spacing s: copies of tets, their nodes, and the voxels of each copy."""

    spacing: float  # [m]
    places: Ints  # (n, 3) the nodes in half spacings
    nodes: Ints  # (copies, 4)
    cells: Ints  # (copies, 4) cell and type
    alone: Bools  # (copies,) whether the tet has no other copy
    piece: Ints  # (copies,) which face-connected piece of the body, the largest first
    first: Floats  # (3,) the first voxel's centre [m]
    voxel: float  # [m] the size of a voxel
    owner: np.ndarray  # (p, q, r) int32, the copy that each voxel belongs to, or -1
    dropped: int  # copies that were left out: they hang on the body by an edge or a corner

    def embed(self, points: Floats, *, reach: int = 4) -> Ints:
        """(k,) the copy that each of points (k, 3) [m] lies in, or -1 if none is near."""
        out = np.empty(len(points), np.int64)
        frame = (self.first, self.voxel, self.spacing)
        X = np.ascontiguousarray(points)
        kernels.embed(frame, self.owner, self.nodes, self.cells, X, reach, out)
        return out


def cut(body: LevelSet, spacing: float, *, voxels: int = VOXELS) -> Cut:
    """Cut the lattice of a spacing [m] along a level set, with so many `voxels` along a spacing."""
    if not (body.values < 0).any():
        raise ModelError("there is nothing inside the surface that could be cut out of a lattice")
    low, table, cells, full = _tets(body, spacing)
    first = (low + SHIFT / voxels) * spacing
    size = spacing / voxels
    shape = tuple(int(n) * voxels for n in np.array(table.shape[:3]) - 1)
    if np.prod(shape, dtype=float) > MOST_VOXELS:
        raise ModelError(
            f"a lattice of {1e3 * spacing:g} mm needs {np.prod(shape, dtype=float):.1e} voxels; "
            "make it coarser"
        )
    owner = np.empty(shape, np.int32)
    kernels.own(
        body.values, body.corner, body.cell, (first, size, spacing, low), table, full, owner
    )
    copies = _copied(body, first, size, owner, full)
    nodes, places = _numbered(cells[copies.tet], copies)
    nodes, cells, owner = _merged(nodes, cells, copies, owner)
    return _kept(_Draft(spacing, places, nodes, cells, first, size, owner), low, table, copies)


def _tets(body: LevelSet, spacing: float) -> tuple[Ints, np.ndarray, Ints, Bools]:
    """The first cell, the table of tets by cell and type, their cells and types, which are full."""
    inside = np.argwhere((body.values < 0).any(axis=(1, 2)))[[0, -1], 0]
    span = [inside]
    for axes in ((0, 2), (0, 1)):
        span.append(np.argwhere((body.values < 0).any(axis=axes))[[0, -1], 0])
    ends = body.corner + body.cell * (np.array(span).T + np.array([[-1], [1]]))
    low = np.floor(ends[0] / spacing).astype(np.int64) - 1
    shape = np.ceil(ends[1] / spacing).astype(np.int64) + 2 - low
    found = np.empty((*shape, TYPES), np.int8)
    kernels.classify(body.values, body.corner, body.cell, low, spacing, REACH * spacing, found)
    chosen = np.flatnonzero(found)
    table = np.full(found.shape, -1, np.int32)
    table.reshape(-1)[chosen] = np.arange(len(chosen), dtype=np.int32)
    cells = np.stack(np.unravel_index(chosen, found.shape), axis=1)
    cells[:, :3] += low
    return low, table, cells, found.reshape(-1)[chosen] == kernels.FULL


@dataclass(frozen=True, eq=False)
class _Copies:
    """The copies of tets: those of full tets, then a copy for each part of a cut one."""

    tet: Ints  # (copies,)
    full: int  # how many are of full tets
    pairs: Ints  # (k, 2) copies that hang together, one of them at least of a cut tet


def _copied(body: LevelSet, first: Floats, size: float, owner: np.ndarray, full: Bools) -> _Copies:
    """Find the copies, and let voxels name them instead of their tets."""
    flat = owner.reshape(-1)
    mine = np.flatnonzero((flat >= 0) & ~full[flat])
    voxels = np.stack(np.unravel_index(mine, owner.shape), axis=1)
    number = np.full(flat.shape, -1, np.int32)
    number[mine] = np.arange(len(mine), dtype=np.int32)
    tet = flat[mine].astype(np.int64)
    held = np.empty(len(mine), bool)
    linked, within = [], []
    for way in WAYS:
        kernels.link(body.values, body.corner, body.cell, (first, size, way), owner, voxels, held)
        here = np.flatnonzero(held)
        there = mine[here] + int(np.dot(way, [owner.shape[1] * owner.shape[2], owner.shape[2], 1]))
        same = flat[there] == tet[here]
        within.append(np.stack([here[same], number[there[same]]], axis=1))
        # Two cut ones are seen from both sides: once is enough.
        apart = ~same & ((number[there] < 0) | (way > (0, 0, 0)))
        linked.append((here[apart], there[apart]))
    part = components(len(mine), np.concatenate(within))
    whole = np.flatnonzero(full)
    count = int(part.max(initial=-1)) + 1
    of_part = np.empty(count, np.int64)
    of_part[part] = tet
    renamed = np.full(len(full), -1, np.int32)
    renamed[whole] = np.arange(len(whole), dtype=np.int32)
    np.copyto(flat, np.where(flat >= 0, renamed[flat], -1))
    flat[mine] = len(whole) + part
    total = len(whole) + count
    found = [np.zeros(0, np.int64)]
    for here, there in linked:
        one, two = flat[mine[here]].astype(np.int64), flat[there].astype(np.int64)
        found.append(distinct(np.minimum(one, two) * total + np.maximum(one, two)))
    keys = distinct(np.concatenate(found))
    pairs = np.stack(np.divmod(keys, total), axis=1)
    return _Copies(np.concatenate([whole, of_part]), len(whole), pairs)


def _numbered(cells: Ints, copies: _Copies) -> tuple[Ints, Ints]:
    """The nodes (copies, 4) of all copies, and the places (n, 3) of nodes in half spacings."""
    where = corners(cells[:, :3], cells[:, 3])
    low = where.min(axis=(0, 1))
    spans = where.max(axis=(0, 1)) - low + 1
    key = _packed(where - low, spans)
    # Full tets hold their corners, which are therefore one and the same for all of them.
    common, entry = np.unique(key[: copies.full], return_inverse=True)
    loose = len(common) + np.arange(4 * (len(cells) - copies.full)).reshape(-1, 4)
    entries = np.concatenate([entry.reshape(-1, 4), loose])
    one, two = copies.pairs.T
    links = []
    for a in range(4):
        for b in range(4):
            shared = key[one, a] == key[two, b]
            links.append(np.stack([entries[one[shared], a], entries[two[shared], b]], axis=1))
    count = len(common) + loose.size
    label = components(count, np.concatenate(links))
    nodes = label[entries]
    places = np.empty((int(label.max()) + 1, 3), np.int64)
    places[nodes.ravel()] = where.reshape(-1, 3)
    return nodes, places


def _packed(where: Ints, spans: Ints) -> Ints:
    return (where[..., 0] * spans[1] + where[..., 1]) * spans[2] + where[..., 2]


def _merged(
    nodes: Ints, cells: Ints, copies: _Copies, owner: np.ndarray
) -> tuple[Ints, Ints, np.ndarray]:
    """Copies of one tet with the same nodes become one: they would only double its stiffness."""
    count = len(copies.tet)
    several = np.flatnonzero(np.bincount(copies.tet)[copies.tet] > 1)
    stands = np.arange(count)
    if len(several):
        order, starts = groups(nodes[several])
        leader = np.repeat(order[starts], np.diff(np.append(starts, len(several))))
        stands[several[order]] = several[leader]
    kept, number = np.unique(stands, return_inverse=True)
    flat = owner.reshape(-1)
    np.copyto(flat, np.where(flat >= 0, number.astype(np.int32)[flat], -1))
    return nodes[kept], cells[copies.tet[kept]], owner


@dataclass(frozen=True, eq=False)
class _Draft:
    spacing: float
    places: Ints
    nodes: Ints
    cells: Ints
    first: Floats
    voxel: float
    owner: np.ndarray


def _kept(draft: _Draft, low: Ints, table: np.ndarray, copies: _Copies) -> Cut:
    """Drop what is not face-connected with a piece of some size, and number what is left."""
    index = np.concatenate([draft.cells[:, :3] - low, draft.cells[:, 3:]], axis=1)
    tet = table[tuple(index.T)].astype(np.int64)
    several = np.bincount(tet)[tet] > 1
    piece = _pieces(draft, index, table, tet, several)
    held = np.bincount(draft.owner[draft.owner >= 0], minlength=len(tet))
    volume = np.bincount(piece, held)
    rank = np.argsort(np.argsort(-volume, kind="stable"))
    stay = volume[piece] >= SMALLEST * volume.sum()
    number = np.where(stay, np.cumsum(stay) - 1, -1).astype(np.int32)
    flat = draft.owner.reshape(-1)
    np.copyto(flat, np.where(flat >= 0, number[flat], -1))
    used, nodes = np.unique(draft.nodes[stay], return_inverse=True)
    return Cut(
        draft.spacing,
        draft.places[used],
        nodes.reshape(-1, 4),
        draft.cells[stay],
        ~several[stay],
        rank[piece[stay]],
        draft.first,
        draft.voxel,
        draft.owner,
        int((~stay).sum()),
    )


def _pieces(draft: _Draft, index: Ints, table: np.ndarray, tet: Ints, several: Bools) -> Ints:
    """(copies,) the face-connected piece of each copy."""
    count = len(tet)
    single = np.full(int(table.max()) + 1, -1, np.int64)
    single[tet[~several]] = np.flatnonzero(~several)
    rows = np.flatnonzero(~several)
    links = []
    shape = np.array(table.shape[:3])
    for face in range(4):
        beyond = NEIGHBOURS[index[rows, 3], face]
        cell = index[rows, :3] + beyond[:, :3]
        known = ((cell >= 0) & (cell < shape)).all(axis=1)
        neighbour = np.full(len(rows), -1, np.int64)
        neighbour[known] = table[(*cell[known].T, beyond[known, 3])]
        other = np.where(neighbour >= 0, single[neighbour], -1)
        pair = np.stack([rows, other], axis=1)[other > rows]
        links.append(pair[_shared(draft.nodes, pair) >= 3])
    links.append(_beside_copies(draft, several))
    return components(count, np.concatenate(links))


def _beside_copies(draft: _Draft, several: Bools) -> Ints:
    """(k, 2) pairs that share a face, one of them a copy beside others of its tet."""
    rows = np.flatnonzero(several)
    near = np.flatnonzero(np.isin(draft.nodes, distinct(draft.nodes[rows])).any(axis=1))
    near = np.union1d(near, rows)
    faces = np.sort(draft.nodes[near][:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]], axis=2)
    order, starts = groups(faces.reshape(-1, 3))
    owner = near[order // 4]
    first = np.ones(len(order), bool)
    first[starts] = False
    same = np.flatnonzero(first)
    return np.stack([owner[same - 1], owner[same]], axis=1)


def _shared(nodes: Ints, pairs: Ints) -> Ints:
    """(k,) how many nodes both of a pair have."""
    one, two = nodes[pairs[:, 0]], nodes[pairs[:, 1]]
    return np.asarray((one[:, :, None] == two[:, None, :]).sum(axis=(1, 2)))
