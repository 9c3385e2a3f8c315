"""Red coarsening of a cut lattice, and what its T-junctions follow: x = P y.

Eight tets of a lattice are one of the lattice of twice the spacing, if all are there, none has a
copy and they have ten nodes in all. The middles of its edges that finer neighbours still have
follow their ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from vastus.geometry.indices import distinct
from vastus.geometry.lattice.bcc import EDGES, corners, locate
from vastus.geometry.lattice.cutting import Cut
from vastus.numerics.types import Bools, Floats, Ints

CHILDREN, NODES = 8, 10


@dataclass(frozen=True, eq=False)
class Coarse:
    """A graded lattice: its nodes, its tets, and the map from free nodes to all of them."""

    X: Floats  # (n, 3) [m]
    T: Ints  # (m, 4)
    level: Ints  # (m,) 0 for tets of the spacing, 1 of twice that, ...
    P: sparse.csr_array  # (n, free): rows sum to 1
    tet_of_copy: Ints  # (copies,) which tet each copy of the cut lattice is in
    piece: Ints  # (m,) as in the cut lattice

    @property
    def hanging(self) -> int:
        """The number of nodes that follow others."""
        return int(self.P.shape[0] - self.P.shape[1])


@dataclass(frozen=True, eq=False)
class _Layer:
    """Tets of one level: nodes (k, 4), cells (k, 4), and whether each may become part of one."""

    nodes: Ints
    cells: Ints
    alone: Bools


def coarsen(lattice: Cut, levels: int) -> Coarse:
    """Make of eight tets one wherever possible, so many times."""
    layer = _Layer(lattice.nodes, lattice.cells, lattice.alone)
    into = np.arange(len(lattice.nodes))  # the tet of the present layer that each copy is in
    tet_of_copy = np.full(len(into), -1)
    finished, level, followed = [], [], []
    count = 0
    for number in range(levels + 1):
        grouped = _Groups.of(layer, lattice.places, number) if number < levels else None
        member = grouped.member if grouped else np.full(len(layer.nodes), -1)
        stay = member < 0
        place = np.where(stay, count + np.cumsum(stay) - 1, -1)
        inside = into >= 0
        tet_of_copy[inside] = np.where(stay[into[inside]], place[into[inside]], tet_of_copy[inside])
        finished.append(layer.nodes[stay])
        level.append(np.full(int(stay.sum()), number))
        count += int(stay.sum())
        if grouped is None:
            break
        into[inside] = member[into[inside]]
        followed.append(grouped.middles)
        layer = _Layer(grouped.nodes, grouped.cells, np.ones(len(grouped.nodes), bool))
    T = np.concatenate(finished)
    P, used = _followers(len(lattice.places), T, followed)
    number_of = np.full(len(lattice.places), -1)
    number_of[used] = np.arange(len(used))
    piece = np.empty(len(T), np.int64)
    piece[tet_of_copy] = lattice.piece
    X = np.asarray(lattice.places[used] * (lattice.spacing / 2), float)
    return Coarse(X, number_of[T], np.concatenate(level), P, tet_of_copy, piece)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Tets of a layer that become one: nodes (g, 4) and cells (g, 4) of those that they become."""

    nodes: Ints
    cells: Ints
    member: Ints  # (k,) what each tet of the layer becomes part of, or -1
    middles: Ints  # (6 g, 3) nodes in the middle of two others

    @classmethod
    def of(cls, layer: _Layer, places: Ints, level: int) -> _Groups:
        """The groups of a layer whose spacing is 2^level."""
        own = corners(layer.cells[:, :3], layer.cells[:, 3])
        cell, kind = locate(own.sum(axis=1) / 16.0)
        parents = np.column_stack([cell, kind])
        low = parents[:, :3].min(axis=0, initial=0)
        spans = parents[:, :3].max(axis=0, initial=0) - low + 1
        key = cell - low
        packed = ((key[:, 0] * spans[1] + key[:, 1]) * spans[2] + key[:, 2]) * 12 + kind
        usable = np.flatnonzero(layer.alone)
        order = usable[np.argsort(packed[usable], kind="stable")]
        _, starts, sizes = np.unique(packed[order], return_index=True, return_counts=True)
        eights = order[starts[sizes == CHILDREN][:, None] + np.arange(CHILDREN)]
        nodes = np.sort(layer.nodes[eights].reshape(len(eights), 32), axis=1)
        distinct = 1 + (np.diff(nodes, axis=1) > 0).sum(axis=1)
        eights = eights[distinct == NODES]
        return cls._made(layer, places, level, eights, parents[eights[:, 0]])

    @classmethod
    def _made(cls, layer: _Layer, places: Ints, level: int, eights: Ints, cells: Ints) -> _Groups:
        member = np.full(len(layer.nodes), -1)
        member[eights] = np.arange(len(eights))[:, None]
        nodes = layer.nodes[eights].reshape(len(eights), 32)
        ends = corners(cells[:, :3], cells[:, 3]) << (level + 1)
        spans = places.max(axis=0) - places.min(axis=0) + 1
        held = _packed(places, spans)[nodes]
        corner_keys = _packed(ends, spans)
        found = np.stack([_place(held, nodes, corner_keys[:, a]) for a in range(4)], axis=1)
        middles = []
        for a, b in EDGES:
            half = (corner_keys[:, a] + corner_keys[:, b]) // 2
            middle = _place(held, nodes, half)
            middles.append(np.stack([middle, found[:, a], found[:, b]], axis=1))
        return cls(found, cells, member, np.concatenate(middles))


def _packed(where: Ints, spans: Ints) -> Ints:
    """One number for each place, linear in it, so that a middle has the mean of both."""
    return np.asarray((where[..., 0] * spans[1] + where[..., 1]) * spans[2] + where[..., 2])


def _place(held: Ints, nodes: Ints, key: Ints) -> Ints:
    """(g,) the node of each group whose place has the key (g,)."""
    return np.take_along_axis(nodes, (held == key[:, None]).argmax(axis=1)[:, None], axis=1)[:, 0]


def _followers(count: int, T: Ints, followed: list[Ints]) -> tuple[sparse.csr_array, Ints]:
    """P over the nodes that tets have, and which these are."""
    rows = np.concatenate([*followed, np.zeros((0, 3), np.int64)])
    middle, first = np.unique(rows[:, 0], return_index=True)
    rows = rows[first]
    free = np.ones(count)
    free[middle] = 0.0
    i = np.concatenate([np.arange(count), rows[:, 0], rows[:, 0]])
    j = np.concatenate([np.arange(count), rows[:, 1], rows[:, 2]])
    data = np.concatenate([free, np.full(2 * len(rows), 0.5)])
    W = sparse.csr_array((data, (i, j)), shape=(count, count))
    W.eliminate_zeros()
    used = distinct(T)
    P = W[used]
    while (free[P.indices] == 0).any():
        P = P @ W
        P.sum_duplicates()
    own = used[free[used] > 0]
    P = sparse.csr_array(P[:, own])
    P.sort_indices()
    return P, used
