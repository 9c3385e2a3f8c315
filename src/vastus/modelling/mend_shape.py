"""Folded and flat tets made upright, and slivers better, by moving as few vertices as possible."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.geometry.star import Star, smallest_angles, volumes
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

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
