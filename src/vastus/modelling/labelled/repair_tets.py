"""Single tets repaired: labels from neighbours, folds made upright, and slivers better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from vastus.geometry.tetmesh import FACES, TetMesh, quality
from vastus.geometry.topology import Walls, pieces_of
from vastus.numerics.types import Floats, Ints

NONE = -1  # instead of a label
STRAY = 0.02  # of a label's tets: a smaller piece apart from the rest is there by mistake
CRUMB = 4  # tets: of bone only so few are, because a bone may well be in many pieces


def labelled(mesh: TetMesh, labels: Ints, between: Walls) -> Ints:
    """(m,) the labels with every tet in one; where no neighbour has any, the nearest tet has."""
    bare = labels == NONE
    out = inherited(labels, np.where(bare, np.arange(len(labels)), NONE), between)
    known, lost = np.flatnonzero(out != NONE), np.flatnonzero(out == NONE)
    if len(known) and len(lost):
        nearest = cKDTree(mesh.centroids[known]).query(mesh.centroids[lost])[1]
        out[lost] = out[known[nearest]]
    return out


def gathered(labels: Ints, bony: np.ndarray, between: Walls) -> Ints:
    """(m,) the labels without stray pieces; `bony` (labels,) says which labels are bone."""
    return inherited(labels, strays(labels, bony, between), between)


def hanging(T: Ints, labels: Ints, bony: np.ndarray, between: Walls) -> np.ndarray:
    """(m,) the tets T (m, 4) of stray pieces that hang on others by a vertex or an edge only."""
    piece = strays(labels, bony, between)
    rest = T[piece == NONE]
    held = piece[(piece != NONE) & np.isin(T, rest).any(axis=1)]
    walled = piece[between.tets[(piece[between.tets] == NONE).any(axis=1)]]
    return np.isin(piece, np.setdiff1d(held, walled))


def strays(labels: Ints, bony: np.ndarray, between: Walls) -> Ints:
    """(m,) the piece of each tet that is apart from the rest of its label, or -1."""
    piece = pieces_of(labels, between)
    size, owner = np.bincount(piece), np.zeros(piece.max(initial=-1) + 1, np.int64)
    owner[piece] = labels
    stray = size < STRAY * np.bincount(labels)[owner]
    stray &= ~bony[owner] | (size <= CRUMB)
    return np.where(stray[piece], piece, NONE)


def inherited(labels: Ints, piece: Ints, between: Walls) -> Ints:
    """(m,) the labels, with each piece (m,) given to the label that it shares most area with.

    Tets of no piece keep their label. Pieces inside pieces wait until those around have theirs;
    a piece that touches nothing keeps its own.
    """
    labels, piece = labels.copy(), piece.copy()
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.maximum(np.tile(between.areas, 2), np.finfo(float).tiny)
    while True:
        here, there = piece[sides[:, 0]], labels[sides[:, 1]]
        touching = (here != NONE) & (piece[sides[:, 1]] == NONE) & (there != NONE)
        if not touching.any():
            return labels
        heir = _heirs(here[touching], there[touching], areas[touching], len(labels))
        given = (piece != NONE) & (heir[piece] != NONE)
        labels[given], piece[given] = heir[piece[given]], NONE


def _heirs(piece: Ints, label: Ints, areas: Floats, count: int) -> Ints:
    """(count,) the label that each piece shares most area with, or none."""
    shared = sparse.coo_array((areas, (piece, label)), (count, label.max() + 1)).tocsr()
    shared.sum_duplicates()
    best = np.asarray(shared.argmax(axis=1)).ravel()
    return np.where(np.diff(shared.indptr) > 0, best, NONE)


@dataclass(frozen=True, eq=False)
class Star:
    """The tets at a vertex: how high it is above the opposite face of each."""

    place: Floats  # (3,) of the vertex [m]
    heights: Floats  # (k,) [m], negative where a tet is inverted
    slopes: Floats  # (k, 3) how each height grows with the place
    reach: float  # [m] the mean distance to the vertices around

    @classmethod
    def of(cls, X: Floats, T: Ints, vertex: int) -> Star:
        """The star of a vertex, from the vertices X (n, 3) [m] and its tets T (k, 4)."""
        corner = np.equal(T, vertex).argmax(axis=1)
        a, b, c = X[np.take_along_axis(T, FACES[corner], axis=1)].transpose(1, 0, 2)
        inward = np.cross(c - a, b - a)
        size = np.linalg.norm(inward, axis=1, keepdims=True)
        slopes = np.divide(inward, size, out=np.zeros_like(inward), where=size > 0)
        x = X[vertex]
        reach = float(np.linalg.norm(np.stack([a, b, c]) - x, axis=2).mean())
        return cls(x, np.einsum("ki,ki->k", slopes, x - a), slopes, reach)

    def best(self) -> tuple[Floats, float]:
        """The step (3,) [m], within reach along each axis, that makes the lowest height greatest.

        The heights are linear in the place, so this is a linear programme; also the height [m].
        """
        from scipy.optimize import linprog  # as heavy as the rest of the package

        table = np.column_stack([-self.slopes, np.ones(len(self.heights))])
        found = linprog(
            [0, 0, 0, -1],
            A_ub=table,
            b_ub=self.heights / self.reach,
            bounds=[(-1, 1)] * 3 + [(None, None)],
        )
        if found.x is None:
            return np.zeros(3), float(self.heights.min())
        step = found.x[:3] * self.reach
        return step, float((self.heights + self.slopes @ step).min())

    def least(self, step: Floats, height: float) -> Floats:
        """The shortest part (3,) of a step after which no height is below `height` [m].

        All heights must be so at the end of the step.
        """
        low = self.heights < height
        gain = (self.slopes @ step)[low]
        share = np.divide(height - self.heights[low], gain, out=np.ones_like(gain), where=gain > 0)
        return step * min(float(share.max(initial=0.0)), 1.0)


def volumes(X: Floats, T: Ints) -> Floats:
    """(k,) the signed volumes [m^3] of tets T (k, 4)."""
    a, b, c, d = X[T].transpose(1, 0, 2)
    return np.einsum("ki,ki->k", np.cross(b - a, c - a), d - a) / 6


def smallest_angles(X: Floats, T: Ints) -> Floats:
    """(k,) the smallest dihedral angle [deg] of tets T (k, 4); -1 where inverted or flat."""
    corners = X[T]
    edges = corners[:, 1:] - corners[:, :1]
    areas = np.empty((len(T), 4, 3))
    areas[:, 1:] = np.cross(edges[:, [2, 0, 1]], edges[:, [1, 2, 0]]) / 2
    areas[:, 0] = -areas[:, 1:].sum(axis=1)
    size = volumes(X, T)
    return np.where(size > 0, quality(corners, areas, size).min_dihedral, -1.0)


SLIVER = 5.0  # [deg] smallest dihedral angle of a tet that is shaped well enough
UPRIGHT = 0.1  # of the edges around: how high a vertex is lifted over a face, if it can be
FAR = 2.0  # of the edges around: how far a vertex may be moved
PASSES = 20  # over folded tets
ROUNDS = 3  # over slivers
SHARES = (0.25, 0.5, 0.75, 1.0)  # of a step that are tried


class Stars:
    """The tets around each vertex of T (m, 4)."""

    def __init__(self, T: Ints, n: int) -> None:
        self.T = T
        self._order = np.argsort(T, axis=None, kind="stable") // 4
        self._ends = np.cumsum(np.bincount(T.ravel(), minlength=n))

    def tets(self, vertex: int) -> Ints:
        """(k,) the tets of a vertex."""
        start = self._ends[vertex - 1] if vertex else 0
        return self._order[start : self._ends[vertex]]

    def of(self, X: Floats, vertex: int) -> Star:
        """The star of a vertex."""
        return Star.of(X, self.T[self.tets(vertex)], vertex)


def inner_vertices(mesh: TetMesh, labels: Ints) -> np.ndarray:
    """(n,) the vertices inside one label: they can be moved without changing any shape."""
    low, high = np.full(mesh.n_vertices, labels.max()), np.full(mesh.n_vertices, -1)
    np.minimum.at(low, mesh.T, labels[:, None])
    np.maximum.at(high, mesh.T, labels[:, None])
    inner = low == high
    inner[mesh.boundary] = False
    return inner


def upright(mesh: TetMesh, inner: np.ndarray) -> TetMesh:
    """The mesh with inverted and flat tets lifted, as far as moving single vertices can.

    The vertex with most of them around it is moved first, and of equals one inside a label, `inner`
    (n,). None goes far from where it was.
    """
    X, stars = mesh.X.copy(), Stars(mesh.T, mesh.n_vertices)
    for _ in range(PASSES):
        vertices = _suspects(X, mesh.T, inner)
        if not any(_pass(X, stars, vertices, mesh.X, cured=cured) for cured in (True, False)):
            break
    return TetMesh(X, mesh.T)


def _pass(X: Floats, stars: Stars, vertices: list[int], old: Floats, *, cured: bool) -> int:
    """Lift each of the vertices in turn; how many were moved. X is changed."""
    return sum(_lift(X, stars, vertex, old, cured=cured) for vertex in vertices)


def _suspects(X: Floats, T: Ints, inner: np.ndarray) -> list[int]:
    """The vertices of inverted and flat tets, those of most of them first."""
    count = np.bincount(T[volumes(X, T) <= 0].ravel(), minlength=len(X))
    order = np.lexsort((~inner, -count))
    return [int(vertex) for vertex in order[: np.count_nonzero(count)]]


def _lift(X: Floats, stars: Stars, vertex: int, old: Floats, *, cured: bool) -> bool:
    """Move a vertex, if something around it is wrong and that helps, or cures it; X is changed.

    It moves no further than it must, and not far from its `old` place among all (n, 3).
    """
    star = stars.of(X, vertex)
    before = float(star.heights.min())
    if before > 0:
        return False
    step, height = star.best()
    if height > 0:
        step = star.least(step, min(height, UPRIGHT * star.reach))
    elif cured or height <= before:
        return False
    place = X[vertex] + step
    if np.linalg.norm(place - old[vertex]) > FAR * stars.of(old, vertex).reach:
        return False
    X[vertex] = place
    return True


def smoothed(mesh: TetMesh, wanted: np.ndarray, inner: np.ndarray) -> TetMesh:
    """The mesh with better slivers among the `wanted` tets (m,), where `inner` vertices (n,) help.

    A vertex moves only if the smallest angle around it grows.
    """
    X, stars = mesh.X.copy(), Stars(mesh.T, mesh.n_vertices)
    for _ in range(ROUNDS):
        angles = np.where(wanted, smallest_angles(X, mesh.T), np.inf)
        poor = np.flatnonzero(angles < SLIVER)
        vertices = np.unique(mesh.T[poor[np.argsort(angles[poor])]])
        if not sum(_improve(X, stars, v) for v in vertices[inner[vertices]].tolist()):
            break
    return TetMesh(X, mesh.T)


def _improve(X: Floats, stars: Stars, vertex: int) -> bool:
    """Move a vertex to where the smallest angle around it is greatest; X is changed."""
    T, old = stars.T[stars.tets(vertex)], X[vertex].copy()
    best, least = old, float(smallest_angles(X, T).min())
    for place in _places(X, stars, vertex):
        X[vertex] = place
        angle = float(smallest_angles(X, T).min())
        if angle > least:
            best, least = place, angle
    X[vertex] = best
    return best is not old


def _places(X: Floats, stars: Stars, vertex: int) -> Iterator[Floats]:
    """Where a vertex may be better: towards the greatest height, and the middle of its star."""
    star, around = stars.of(X, vertex), np.unique(stars.T[stars.tets(vertex)])
    old = star.place.copy()
    middle = X[around[around != vertex]].mean(axis=0)
    for step in (star.best()[0], middle - old):
        yield from (old + share * step for share in SHARES)
