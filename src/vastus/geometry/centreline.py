"""The line through the middle of an elongated body, from one set of its vertices to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Centreline:
    """A polyline whose points are fixed averages of the vertices: `points = weights @ x`."""

    weights: sparse.csr_array  # (points, n)

    def length(self, x: Floats) -> float:
        """Its length [m] when the vertices are at x (n, 3) [m]."""
        return float(np.linalg.norm(np.diff(self.weights @ x, axis=0), axis=1).sum())


def centreline(mesh: TetMesh, start: Ints, end: Ints, slices: int = 16) -> Centreline:
    """The centreline of `mesh` from the mean of vertices `start` to the mean of vertices `end`.

    With s = d0 / (d0 + d1), from the distances along edges d0 to the start and d1 to the end, the
    points between are centroids of overlapping slices of the rest volume: hat functions of s.
    An empty `end` is the vertex farthest from the start, an empty `start` that farthest from it.
    """
    start, end = _ends(mesh, start, end)
    d0, d1 = _distance(mesh, start), _distance(mesh, end)
    s = (d0 / np.maximum(d0 + d1, np.finfo(float).tiny))[mesh.T].mean(axis=1)
    inner = np.arange(1, slices)[:, None]
    hats = np.maximum(0.0, 1.0 - np.abs(s * slices - inner)) * np.abs(mesh.volumes)
    hats = hats[hats.any(axis=1)]
    centroids = sparse.csr_array(hats / hats.sum(axis=1, keepdims=True)) @ _average(mesh.T, mesh)
    ends = [_average(side[None], mesh) for side in (start, end)]
    return Centreline(sparse.csr_array(sparse.vstack([ends[0], centroids, ends[1]])))


def _ends(mesh: TetMesh, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    if not len(start) and not len(end):
        start = _farthest(mesh, mesh.T[0, :1])
    if not len(end):
        end = _farthest(mesh, start)
    return (start if len(start) else _farthest(mesh, end)), end


def _farthest(mesh: TetMesh, vertices: Ints) -> Ints:
    distance = _distance(mesh, vertices)
    return np.array([np.argmax(np.where(np.isfinite(distance), distance, -1.0))])


def _distance(mesh: TetMesh, vertices: Ints) -> Floats:
    """(n,) the shortest way [m] along edges to any of these vertices; unreachable is far."""
    i, j = mesh.T[:, EDGES].reshape(-1, 2).T
    edges = np.unique(np.sort(np.stack([i, j], axis=1), axis=1), axis=0)
    sizes = np.linalg.norm(mesh.X[edges[:, 0]] - mesh.X[edges[:, 1]], axis=1)
    graph = sparse.csr_array((sizes, edges.T), shape=(mesh.n_vertices,) * 2)
    distance = dijkstra(graph, directed=False, indices=vertices, min_only=True)
    return np.where(np.isfinite(distance), distance, 1e300)


def _average(rows: Ints, mesh: TetMesh) -> sparse.csr_array:
    """(k, n) the mean of the vertices in each row (k, j)."""
    k, j = rows.shape
    parts = (np.full(k * j, 1 / j), (np.repeat(np.arange(k), j), rows.ravel()))
    return sparse.csr_array(parts, shape=(k, mesh.n_vertices))
