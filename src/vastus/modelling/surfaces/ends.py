"""The ends of a muscle: the way between them, attachments, and what these are found from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import Walls
from vastus.modelling.surfaces.body_parts import Part, Spot, covered
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End

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


@dataclass(frozen=True)
class Attachment:
    """One end of a muscle on another part; parts by their position.

    It holds where the muscle touches the other part within `cap` of its length from the end, or, if
    the author `painted` it, within these places. Fibres begin there too, within `fibre_cap`.
    """

    part: int
    end: End
    to: int
    cap: float
    distance: float  # [m] between the tip, or the painted places, and the other part
    given: bool  # by the author
    painted: tuple[Spot, ...] = ()
    fibre_cap: float = 1.0

    def reaches(self, points: Floats, s: Floats) -> Bools:
        """(k,) whether it may hold at points (k, 3) [m] with the coordinates s (k,)."""
        if self.painted:
            return covered(self.painted, points)
        return self.end.along(s) <= self.cap


class Ground(Protocol):
    """Parts with vertices X (n, 3) [m], and what their attachments may bridge."""

    @property
    def parts(self) -> Sequence[Part]:
        """The parts, by position."""

    @property
    def X(self) -> Floats:
        """(n, 3) the vertices [m]."""

    def gap_of(self, part: int) -> float:
        """What the attachments of a muscle may bridge [m]."""

    def vertices(self, part: int) -> Ints:
        """The vertices of a part."""

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""

    def away(self, to: int, vertices: Ints) -> Floats:
        """(k,) how far vertices are from a part [m]; zero where it has them."""

    def touching(self, part: int, way: Way, end: End, reach: float) -> Floats:
        """(parts,) the area [m^2] that each touches of a muscle, within `reach` of its end."""


def bridged(part: Part, usual: float) -> float:
    """What the attachments of a muscle may bridge, its own or the usual [m]."""
    return usual if part.ends.gap is None else part.ends.gap


def of_part(parts: Sequence[Part], part: int) -> list[int]:
    """The positions of a part and of the tendons that its muscle has."""
    of = parts[part]
    return [
        i
        for i, one in enumerate(parts)
        if i == part
        or (one.tissue is Tissue.TENDON and of.muscle is not None and one.muscle == of.muscle)
    ]


@dataclass(frozen=True, eq=False)
class Scan:
    """A labelled mesh, and the walls between its parts."""

    mesh: TetMesh
    labels: Ints  # (m,)
    parts: Sequence[Part]
    between: Walls
    gap: float  # [m] that an attachment may bridge unless its muscle says otherwise

    def gap_of(self, part: int) -> float:
        """What the attachments of a muscle may bridge [m]."""
        return bridged(self.parts[part], self.gap)

    @property
    def X(self) -> Floats:
        """(n, 3) the vertices [m]."""
        return self.mesh.X

    def vertices(self, part: int) -> Ints:
        """The vertices of a part."""
        return np.unique(self.mesh.T[self.labels == part])

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""
        surfaces = [self.parts[i].surface for i in of_part(self.parts, part)]
        return np.min([nearest_on_surface(s, points).distances for s in surfaces], axis=0)

    def away(self, to: int, vertices: Ints) -> Floats:
        """(k,) how far vertices are from a part [m]; zero where it has them."""
        away = self.distances(to, self.X[vertices])
        return np.where(np.isin(vertices, self.vertices(to)), 0.0, away)

    def touching(self, part: int, way: Way, end: End, reach: float) -> Floats:
        """(parts,) the area [m^2] that each shares with a muscle, within `reach` of its end."""
        sides = np.concatenate([self.between.tets, self.between.tets[:, ::-1]])
        here = self.labels[sides[:, 0]] == part
        here &= end.along(way.at(np.tile(self.between.faces, (2, 1)))) <= reach
        areas, other = np.tile(self.between.areas, 2), self.labels[sides[:, 1]]
        return np.array([areas[here & (other == i)].sum() for i in range(len(self.parts))])
