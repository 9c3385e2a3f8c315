"""Many bellies in flat arrays, one after another, as compiled loops want them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from vastus.bellies.belly import FREE, Belly
from vastus.numerics.types import Floats, Ints

FIXED = -1  # in `place`; the axial movement of the end of a belly's unit k is -2 - k


class Layout(NamedTuple):
    """What does not change while bellies are solved; `first_...` (b + 1,) say where each begins."""

    first_vertex: Ints
    first_tet: Ints
    first_unit: Ints
    first_unknown: Ints
    first_entry: Ints  # of the banded matrix
    first_column: Ints  # of what has one column of unknowns for each unit
    first_pair: Ints  # of what has one number for each two units
    width: Ints  # (b,) of the band
    T: Ints  # (m, 4) vertices of all
    B: Floats  # (m, 4, 3) shape gradients [1/m]
    V: Floats  # (m,) [m^3]
    strength: Floats  # (m,) [Pa] of passive fibres
    contractile: Floats  # (m,) [Pa] of active ones
    unit: Ints  # (m,) among the units of its belly
    place: Ints  # (n, 3) the unknown of a vertex and axis in its belly, FIXED or -2 - k
    mu: Floats  # (b,) [Pa]
    kappa: Floats  # (b,) [Pa]
    X: Floats  # (n, 3) [m]
    optimal: Floats  # (units,) [m]
    force: Floats  # (b,) the greatest of all its units together [N]


def layout(bellies: Sequence[Belly]) -> Layout:
    """The bellies one after another."""
    places = [_places(belly) for belly in bellies]
    widths = np.array([_width(b, p, 3) for b, p in zip(bellies, places, strict=True)])
    unknowns = np.array([p.max() + 1 for p in places])
    units = np.array([len(b.units) for b in bellies])
    first_vertex = _first([b.mesh.n_vertices for b in bellies])
    everyone = [unit for belly in bellies for unit in belly.units]
    return Layout(
        first_vertex=first_vertex,
        first_tet=_first([b.mesh.n_tets for b in bellies]),
        first_unit=_first(units),
        first_unknown=_first(unknowns),
        first_entry=_first(unknowns * (widths + 1)),
        first_column=_first(unknowns * units),
        first_pair=_first(units**2),
        width=widths,
        T=_all([b.mesh.T + n for b, n in zip(bellies, first_vertex, strict=False)]),
        B=_all([b.mesh.gradients for b in bellies]),
        V=_all([b.mesh.volumes for b in bellies]),
        strength=_all([b.strength for b in bellies]),
        contractile=_all([b.strength * b.contractile for b in bellies]),
        unit=_all([b.unit for b in bellies]).astype(np.int64),
        place=_all(places),
        mu=np.array([b.matrix.shear for b in bellies]),
        kappa=np.array([b.matrix.bulk for b in bellies]),
        X=_all([b.mesh.X for b in bellies]),
        optimal=np.array([unit.optimal for unit in everyone]),
        force=np.array([sum(unit.force for unit in b.units) for b in bellies]),
    )


def order(belly: Belly) -> Ints:
    """(n,) the rank of each free vertex along the band, FIXED for those that are held."""
    free = np.flatnonzero(belly.held == FREE)
    choices = [free[np.argsort(belly.mesh.X[free, 0], kind="stable")]]
    T = belly.mesh.T
    pairs = np.stack([np.repeat(T, 4, axis=1).ravel(), np.tile(T, (1, 4)).ravel()])
    graph = coo_array((np.ones(pairs.shape[1]), pairs), shape=(belly.mesh.n_vertices,) * 2)
    choices.append(free[reverse_cuthill_mckee(graph.tocsr()[free][:, free], True)])
    ranks = []
    for sequence in choices:
        rank = np.full(belly.mesh.n_vertices, FIXED)
        rank[sequence] = np.arange(len(free))
        ranks.append(rank)
    return min(ranks, key=lambda rank: _width(belly, rank[:, None], 1))


def _places(belly: Belly) -> Ints:
    rank = order(belly)
    place = np.where(rank[:, None] == FIXED, FIXED, 3 * rank[:, None] + np.arange(3))
    place[:, 0] = np.where(belly.held > 0, -1 - belly.held, place[:, 0])
    return place


def _width(belly: Belly, place: Ints, axes: int) -> int:
    """How far apart in the band are unknowns of one tet."""
    at = place[belly.mesh.T].reshape(belly.mesh.n_tets, 4 * axes)
    last = at.max(axis=1)
    begun = np.where(at >= 0, at, last[:, None]).min(axis=1)
    return int((last - begun).max())


def _first(counts: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _all(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.ascontiguousarray(np.concatenate(arrays))
