"""The line through the middle of an elongated body, from one set of its vertices to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

FAR = 1e9  # [m] to a piece that is not connected
EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Centreline:
    """A polyline whose points are fixed averages of the vertices: `points = weights @ x`."""

    weights: sparse.csr_array  # (points, n)

    def length(self, x: Floats) -> float:
        """Its length [m] when the vertices are at x (n, 3) [m]."""
        return float(np.linalg.norm(np.diff(self.weights @ x, axis=0), axis=1).sum())


def centreline(mesh: TetMesh, start: Ints, end: Ints, most: int = 16) -> Centreline:
    """The centreline of `mesh` from the mean of vertices `start` to the mean of vertices `end`.

    With s = d0 / (d0 + d1), from the distances along edges d0 to the start and d1 to the end, the
    points between are centroids of overlapping slices of the rest volume: hat functions of s, at
    `most` this many slices and none thinner than three edges.
    An empty `end` is what lies farthest from the start, and an empty `start` farthest from the end.
    """
    graph = _edges(mesh)
    start, end = _ends(graph, start, end)
    d0, d1 = _distance(graph, start), _distance(graph, end)
    s = d0 / np.maximum(d0 + d1, np.finfo(float).tiny)
    slices = int(np.clip((d0 + d1).min() / (3 * graph.data.mean()), 2, most))
    mass = np.bincount(mesh.T.ravel(), np.repeat(np.abs(mesh.volumes), 4), mesh.n_vertices)
    hats = [mass * np.maximum(0.0, 1.0 - np.abs(s * slices - k)) for k in range(1, slices)]
    ends = [np.isin(np.arange(mesh.n_vertices), side).astype(float) for side in (start, end)]
    rows = np.array([row for row in (ends[0], *hats, ends[1]) if row.any()])
    return Centreline(sparse.csr_array(rows / rows.sum(axis=1, keepdims=True)))


def _edges(mesh: TetMesh) -> sparse.csr_array:
    """(n, n) the length of each edge [m], stored once."""
    edges = np.unique(np.sort(mesh.T[:, EDGES].reshape(-1, 2), axis=1), axis=0)
    sizes = np.linalg.norm(mesh.X[edges[:, 0]] - mesh.X[edges[:, 1]], axis=1)
    return sparse.csr_array((sizes, edges.T), shape=(mesh.n_vertices,) * 2)


def _ends(graph: sparse.csr_array, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    if not len(start):
        start = _farthest(graph, end if len(end) else graph.indices[:1])
    return start, end if len(end) else _farthest(graph, start)


def _farthest(graph: sparse.csr_array, vertices: Ints) -> Ints:
    """The vertices less than an edge nearer than the farthest."""
    distance = _distance(graph, vertices)
    reached = distance[distance < FAR].max()
    return np.flatnonzero((distance < FAR) & (distance > reached - graph.data.mean()))


def _distance(graph: sparse.csr_array, vertices: Ints) -> Floats:
    """(n,) the shortest way [m] along edges to any of these vertices."""
    distance = dijkstra(graph, directed=False, indices=vertices, min_only=True)
    return np.minimum(distance, FAR)
