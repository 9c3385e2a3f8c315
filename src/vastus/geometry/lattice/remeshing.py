"""The surface of a level set in even triangles: marching cubes made again edge by edge.

Marching cubes leave slivers where the level set passes close to a node of the grid. Short edges are
collapsed, edges flipped as Delaunay would have them, vertices moved along the surface to the middle
of their neighbours and back to the level (Botsch and Kobbelt 2004). Each is done at once to many
edges that have no vertex around them in common, and only where it turns no face over: a closed
surface stays closed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from vastus.geometry.indices import groups
from vastus.geometry.lattice.level_set import LevelSet
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import unit
from vastus.numerics.types import Bools, Floats, Ints

SIZE = 1.2  # of a cell: the length of edges that is aimed at
SHORT, LONG = 0.7, 1.6  # of that length: edges are collapsed below it, and not made above
ROUNDS, PASSES = 2, 2  # of all steps together, and of each within
WORST, MENDS = 4.0, 8  # the aspect above which faces are mended alone, and how often
TURN = 0.5  # the least cosine between the normals of a face before and after
FAR = 0.5  # of a cell: the longest way back to the level at once


class Edges(NamedTuple):
    """Edges (e, 2), the two faces beside each (e, 2), and their third vertices (e, 2)."""

    ends: Ints
    faces: Ints
    third: Ints


def even_surface(body: LevelSet) -> Surface:
    """The surface of a level set, outward [m], in triangles of about a cell and without slivers."""
    raw, size = body.surface(), SIZE * body.cell
    X, F = raw.X, raw.faces
    for _ in range(ROUNDS):
        for _ in range(PASSES):
            X, F = _collapsed(X, F, SHORT * size, LONG * size)
        X, F = _evened(body, X, F)
    for _ in range(MENDS):
        bad = aspects(X, F) > WORST
        if not bad.any():
            break
        X, F = _collapsed(X, F, size, 2 * LONG * size, bad)
        X, F = _evened(body, X, F)
    return Surface(X, F)


def aspects(X: Floats, F: Ints) -> Floats:
    """(k,) the longest side of each face over its smallest height."""
    corners = X[F]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    double = np.linalg.norm(_turned(corners), axis=1)
    return np.asarray(longest**2 / np.maximum(double, 1e-30))


def _turned(corners: Floats) -> Floats:
    """(k, 3) the normals of triangles (k, 3, 3) times twice their areas."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def _edges(F: Ints) -> Edges:
    """The edges of a surface; the first face has them from lower to higher vertex."""
    runs = F[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    order, starts = groups(np.sort(runs, axis=1))
    starts = starts[np.diff(np.append(starts, len(runs))) == 2]
    one, other = order[starts], order[starts + 1]
    ahead = runs[one, 0] < runs[one, 1]
    both = np.stack([np.where(ahead, one, other), np.where(ahead, other, one)], axis=1)
    return Edges(runs[both[:, 0]], both // 3, F[both // 3, (both + 2) % 3])


def _ranks(merit: Floats) -> Ints:
    """(e,) the place of each by merit (e,), the least first."""
    rank = np.empty(len(merit), np.int64)
    rank[np.argsort(merit, kind="stable")] = np.arange(len(merit))
    return rank


def _apart(touched: sparse.csr_array, merit: Floats) -> Bools:
    """(e,) which of some edges to take, the least by merit (e,), so that no two touch one vertex.

    The rows of `touched` (e, vertices) have the vertices that each touches.
    """
    rank = np.repeat(_ranks(merit), np.diff(touched.indptr))
    least = np.full(touched.shape[1], len(merit), np.int64)
    np.minimum.at(least, touched.indices, rank)
    return np.asarray(np.logical_and.reduceat(least[touched.indices] == rank, touched.indptr[:-1]))


def _around(F: Ints, count: int) -> sparse.csr_array:
    """(count, count) ones where two vertices are the ends of an edge."""
    ends = F[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2).T
    links = sparse.csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=(count, count))
    links = sparse.csr_array(links + links.T)
    links.data[:] = 1.0
    return links


def _rows(columns: Ints, count: int) -> sparse.csr_array:
    """(k, count) ones in each row, where `columns` (k, w) says."""
    k, w = columns.shape
    return sparse.csr_array(
        (np.ones(k * w), columns.ravel(), w * np.arange(k + 1)), shape=(k, count)
    )


def _collapsed(
    X: Floats, F: Ints, short: float, most: float, bad: Bools | None = None
) -> tuple[Floats, Ints]:
    """Without edges shorter than `short`, of `bad` faces alone if given, none longer than `most`.

    An edge may go if its ends have two neighbours in common, the third vertices of its faces: else
    the surface would touch itself.
    """
    ends, faces, third = _edges(F)
    length = np.linalg.norm(X[ends[:, 0]] - X[ends[:, 1]], axis=1)
    wanted = length < short
    if bad is not None:
        wanted &= bad[faces].any(axis=1)
    links = _around(F, len(X))
    wanted[wanted] = (np.diff(links.indptr)[third[wanted]] > 3).all(axis=1)
    ends, length = ends[wanted], length[wanted]
    first, last = links[ends[:, 0]], links[ends[:, 1]]
    alone = np.asarray(first.multiply(last).sum(axis=1)).ravel() == 2
    ends, length = ends[alone], length[alone]
    if not len(ends):
        return X, F
    chosen = ends[_apart(sparse.csr_array(first[alone] + last[alone]), length)]
    chosen = chosen[_allowed(X, F, chosen, most)]
    where, moved = np.arange(len(X)), X.copy()
    where[chosen[:, 1]] = chosen[:, 0]
    moved[chosen[:, 0]] = X[chosen].mean(axis=1)
    F = where[F]
    F = F[(F[:, 0] != F[:, 1]) & (F[:, 1] != F[:, 2]) & (F[:, 2] != F[:, 0])]
    kept, F = np.unique(F, return_inverse=True)
    return moved[kept], F.reshape(-1, 3)


def _allowed(X: Floats, F: Ints, ends: Ints, most: float) -> Bools:
    """(e,) whether a collapse turns no face over, and makes no edge longer than `most`."""
    goal = X.copy()
    goal[ends] = X[ends].mean(axis=1)[:, None]
    edge = np.full(len(X), -1)
    edge[ends] = np.arange(len(ends))[:, None]
    mine = np.flatnonzero((edge[F] >= 0).any(axis=1))
    own = edge[F[mine]].max(axis=1)
    gone = (edge[F[mine]] >= 0).sum(axis=1) == 2
    before, after = X[F[mine]], goal[F[mine]]
    sides = np.linalg.norm(after - np.roll(after, 1, axis=1), axis=2)
    turned = (unit(_turned(before)) * unit(_turned(after))).sum(axis=1) < TURN
    wrong = ~gone & (turned | (sides.max(axis=1) > most))
    out = np.ones(len(ends), bool)
    out[own[wrong]] = False
    return out


def _evened(body: LevelSet, X: Floats, F: Ints) -> tuple[Floats, Ints]:
    """With edges flipped, and vertices moved along the surface to the middle of others."""
    for _ in range(PASSES):
        for _ in range(PASSES):
            F = _flipped(X, F)
        X = _relaxed(body, X, F)
    return X, F


def _flipped(X: Floats, F: Ints) -> Ints:
    """Faces with edges flipped whose opposite angles are more than half a turn together."""
    ends, faces, third = _edges(F)
    a, b, c, d = X[ends[:, 0]], X[ends[:, 1]], X[third[:, 0]], X[third[:, 1]]
    opposite = _angle(a - c, b - c) + _angle(a - d, b - d)
    worth = opposite > np.pi * (1 + 1e-6)
    # The faces (a, b, c) and (b, a, d) become (c, a, d) and (d, b, c).
    new = [unit(_turned(np.stack(t, axis=1))) for t in ((c, a, d), (d, b, c))]
    old = unit(_turned(np.stack([a, b, c], axis=1)) + _turned(np.stack([b, a, d], axis=1)))
    worth &= ((new[0] * old).sum(axis=1) > TURN) & ((new[1] * old).sum(axis=1) > TURN)
    links = _around(F, len(X))
    joined = links[third[worth, 0]].multiply(_rows(third[worth, 1:], len(X))).sum(axis=1)
    worth[worth] = np.asarray(joined).ravel() == 0
    worth[worth] = (np.diff(links.indptr)[ends[worth]] > 3).all(axis=1)
    ends, faces, third, opposite = ends[worth], faces[worth], third[worth], opposite[worth]
    if not len(ends):
        return F
    chosen = _apart(_rows(np.hstack([ends, third]), len(X)), -opposite)
    ends, faces, third = ends[chosen], faces[chosen], third[chosen]
    F = F.copy()
    F[faces[:, 0]] = np.column_stack([third[:, 0], ends[:, 0], third[:, 1]])
    F[faces[:, 1]] = np.column_stack([third[:, 1], ends[:, 1], third[:, 0]])
    return F


def _angle(u: Floats, v: Floats) -> Floats:
    """(k,) the angles between vectors (k, 3) each [rad]."""
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))


def _relaxed(body: LevelSet, X: Floats, F: Ints) -> Floats:
    """Vertices in the middle of their neighbours, on the level; those stay that turn faces over."""
    links = _around(F, len(X))
    middle = links @ X / links.sum(axis=1)[:, None]
    normal = unit(_gradient(body, X))
    away = middle - X
    goal = on_level(body, X + away - (away * normal).sum(axis=1)[:, None] * normal)
    before, old = unit(_turned(X[F])), aspects(X, F)
    while True:  # at worst until none moves
        turned = (before * unit(_turned(goal[F]))).sum(axis=1) < TURN
        new, moved = aspects(goal, F), (goal != X).any(axis=1)[F].any(axis=1)
        wrong = moved & (turned | ((new > WORST) & (new > old)))
        if not wrong.any():
            return goal
        back = F[wrong].ravel()
        goal[back] = X[back]


def _gradient(body: LevelSet, X: Floats) -> Floats:
    """(n, 3) how the values of a level set grow at points (n, 3)."""
    step = 0.5 * body.cell * np.eye(3)
    return np.stack([body.at(X + e) - body.at(X - e) for e in step], axis=1) / body.cell


def on_level(body: LevelSet, X: Floats) -> Floats:
    """Points (n, 3) moved to the level, along its gradient."""
    for _ in range(3):
        slope = _gradient(body, X)
        step = body.at(X) / np.maximum((slope**2).sum(axis=1), 1e-2)
        far = np.abs(step) * np.linalg.norm(slope, axis=1) / (FAR * body.cell)
        X = X - (step / np.maximum(far, 1.0))[:, None] * slope
    return X
