"""Folded and flat tets made upright, and slivers better, by moving as few vertices as possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vastus.geometry.star import Star, smallest_angles, volumes
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

SLIVER = 5.0  # [deg] smallest dihedral angle of a tet that is shaped well enough
UPRIGHT = 0.1  # of the edges around: how high a vertex is lifted over a face, if it can be
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


@dataclass(frozen=True, eq=False)
class Move:
    """A vertex and the step (3,) [m] that lifts the lowest of its heights from one to another."""

    vertex: int
    step: Floats
    before: float
    after: float


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

    Vertices inside a label, `inner` (n,), are moved before others.
    """
    X, stars = mesh.X.copy(), Stars(mesh.T, mesh.n_vertices)
    for _ in range(PASSES):
        wrong = np.flatnonzero(volumes(X, mesh.T) <= 0)
        if not sum(_lift(X, stars, tet, inner) for tet in wrong.tolist()):
            break
    return TetMesh(X, mesh.T)


def _lift(X: Floats, stars: Stars, tet: int, inner: np.ndarray) -> bool:
    """Move one vertex of a tet, if that helps; X is changed."""
    if volumes(X, stars.T[tet : tet + 1])[0] > 0:
        return False
    moves = [_move(X, stars, vertex) for vertex in stars.T[tet].tolist()]
    moves = [move for move in moves if move.after > move.before]
    if not moves:
        return False
    chosen = min(moves, key=lambda move: _cost(move, bool(inner[move.vertex])))
    X[chosen.vertex] += chosen.step
    return True


def _cost(move: Move, inside: bool) -> tuple[bool, bool, float]:
    """What is better comes first: a cure, then a vertex that changes no shape, then a short way."""
    if move.after > 0:
        return False, not inside, float(np.linalg.norm(move.step))
    return True, not inside, move.before - move.after


def _move(X: Floats, stars: Stars, vertex: int) -> Move:
    star = stars.of(X, vertex)
    step, height = star.best()
    if height > 0:
        step = star.least(step, min(height, UPRIGHT * star.reach))
        height = float((star.heights + star.slopes @ step).min())
    return Move(vertex, step, float(star.heights.min()), height)


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
