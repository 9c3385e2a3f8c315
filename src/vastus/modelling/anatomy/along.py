"""The way along a muscle: its two tips, and a coordinate between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

_EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Way:
    """The coordinate `s` (n,) of vertices: 0 at the origin's tip, 1 at the other, NaN elsewhere."""

    s: Floats
    length: float  # [m] between the tips

    def at(self, rows: Ints) -> Floats:
        """(k,) the mean coordinate over rows (k, c) of vertices."""
        return np.asarray(self.s[rows].mean(axis=1))

    def reversed(self) -> Way:
        """The same way from the other tip."""
        return Way(1.0 - self.s, self.length)


def way_along(mesh: TetMesh, tets: Ints) -> Way:
    """The way between the two vertices of some tets that are farthest apart inside them."""
    part, kept = mesh.submesh(tets)
    links = np.unique(np.sort(part.T[:, _EDGES].reshape(-1, 2), axis=1), axis=0)
    inner = way_between(part.X, links)
    s = np.full(mesh.n_vertices, np.nan)
    s[kept] = inner.s
    return Way(s, inner.length)


def way_between(X: Floats, links: Ints) -> Way:
    """The way between the two of some points X (n, 3) that are farthest apart along links (e, 2).

    Twice to the farthest point finds these tips; `s` is linear in the difference of the distances
    from both.
    """
    graph = _graph(X, links)
    start = int(np.argmax(X[:, 2]))
    first = int(np.argmax(_reached(graph, start)))
    from_first = _reached(graph, first)
    second = int(np.argmax(from_first))
    length = float(from_first[second])
    return Way((from_first - _reached(graph, second) + length) / (2 * length), length)


def _reached(graph: sparse.csr_array, start: int) -> Floats:
    """(n,) the distance to each vertex; zero where none leads, so that it is never farthest."""
    distance = dijkstra(graph, indices=start)
    return np.where(np.isfinite(distance), distance, 0.0)


def _graph(X: Floats, links: Ints) -> sparse.csr_array:
    lengths = np.linalg.norm(X[links[:, 0]] - X[links[:, 1]], axis=1)
    n = len(X)
    both = np.concatenate([links, links[:, ::-1]])
    return sparse.csr_array((np.tile(lengths, 2), (both[:, 0], both[:, 1])), shape=(n, n))
