"""The line through the middle of an elongated body, from one set of its vertices to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from vastus.geometry.indices import distinct
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

FAR = 1e9  # [m] to a piece that is not connected
EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Centreline:
    """A polyline whose points are fixed averages of the vertices: `points = weights @ x`.

    `places` are the shares of the way from the start, 0, to the end, 1.
    """

    weights: sparse.csr_array  # (points, n)
    places: Floats  # (points,) of the points
    along: Floats  # (n,) of the vertices

    def length(self, x: Floats) -> float:
        """Its length [m] when the vertices are at x (n, 3) [m]."""
        return float(self.lengths(x)[-1])

    def lengths(self, x: Floats) -> Floats:
        """(points,) the way [m] from its start to each point when vertices are at x (n, 3) [m]."""
        steps = np.linalg.norm(np.diff(self.weights @ x, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])


def centreline(mesh: TetMesh, start: Ints, end: Ints, most: int = 16) -> Centreline:
    """The centreline of `mesh` from the mean of vertices `start` to the mean of vertices `end`.

    With s of `along`, the points between are centroids of overlapping slices of the rest volume:
    hat functions of s, at `most` this many slices and none thinner than three edges.
    An empty `end` is what lies farthest from the start, and an empty `start` farthest from the end.
    """
    graph = edges_of(mesh)
    start, end = _ends(graph, start, end)
    d0, d1 = distance_along(graph, start), distance_along(graph, end)
    s = _share(d0, d1)
    slices = int(np.clip((d0 + d1).min() / (3 * graph.data.mean()), 2, most))
    mass = np.bincount(mesh.T.ravel(), np.repeat(np.abs(mesh.volumes), 4), mesh.n_vertices)
    hats = [mass * np.maximum(0.0, 1.0 - np.abs(s * slices - k)) for k in range(1, slices)]
    ends = [np.isin(np.arange(mesh.n_vertices), side).astype(float) for side in (start, end)]
    rows = np.array([row for row in (ends[0], *hats, ends[1]) if row.any()])
    rows /= rows.sum(axis=1, keepdims=True)
    return Centreline(sparse.csr_array(rows), rows @ s, s)


def along(mesh: TetMesh, start: Ints, end: Ints) -> Floats:
    """(n,) d0 / (d0 + d1), from the distances along edges d0 to the start and d1 to the end.

    It is 0 at all vertices of `start` and 1 at all of `end`; what is empty is found as in
    `centreline`.
    """
    graph = edges_of(mesh)
    start, end = _ends(graph, start, end)
    return _share(distance_along(graph, start), distance_along(graph, end))


def tips(mesh: TetMesh, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Those vertices of `start` that are farthest from `end`, and of `end` farthest from them.

    What is empty is found as in `centreline`.
    """
    graph = edges_of(mesh)
    start, end = _ends(graph, start, end)
    first = _farthest(graph, end, start)
    return first, _farthest(graph, first, end)


def edges_of(mesh: TetMesh) -> sparse.csr_array:
    """(n, n) the length of each edge [m], stored once."""
    ends = np.sort(mesh.T[:, EDGES].reshape(-1, 2), axis=1)
    numbered = distinct(ends[:, 0] * mesh.n_vertices + ends[:, 1])
    edges = np.stack(np.divmod(numbered, mesh.n_vertices), axis=1)
    sizes = np.linalg.norm(mesh.X[edges[:, 0]] - mesh.X[edges[:, 1]], axis=1)
    return sparse.csr_array((sizes, edges.T), shape=(mesh.n_vertices,) * 2)


def distance_along(graph: sparse.csr_array, vertices: Ints) -> Floats:
    """(n,) the shortest way [m] along edges to any of these vertices."""
    distance = dijkstra(graph, directed=False, indices=vertices, min_only=True)
    return np.minimum(distance, FAR)


def _share(d0: Floats, d1: Floats) -> Floats:
    return np.asarray(d0 / np.maximum(d0 + d1, np.finfo(float).tiny))


def _ends(graph: sparse.csr_array, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    everywhere = np.arange(graph.shape[0])
    if not len(start):
        start = _farthest(graph, end if len(end) else graph.indices[:1], everywhere)
    return start, end if len(end) else _farthest(graph, start, everywhere)


def _farthest(graph: sparse.csr_array, vertices: Ints, among: Ints) -> Ints:
    """Of some vertices, those that are nearer than the farthest by less than half an edge."""
    distance = distance_along(graph, vertices)[among]
    reached = distance[distance < FAR].max(initial=0.0)
    return among[(distance < FAR) & (distance >= reached - 0.5 * graph.data.mean())]
