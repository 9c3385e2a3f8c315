"""Triangle surfaces: areas, normals, edges and the volume they enclose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.geometry import indices
from vastus.geometry.boxes import BoxTree
from vastus.geometry.indices import components, counts, groups
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Surface:
    """Vertices X (n, 3) [m] and triangles (k, 3), counter-clockwise seen from outside."""

    X: Floats
    faces: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", indices.points(self.X))
        object.__setattr__(self, "faces", indices.indices(self.faces, 3, len(self.X), "face"))

    @property
    def n_vertices(self) -> int:
        """The number of vertices, n."""
        return len(self.X)

    @property
    def n_faces(self) -> int:
        """The number of triangles, k."""
        return len(self.faces)

    @cached_property
    def area_vectors(self) -> Floats:
        """(k, 3) the outward normal of each face times its area [m^2]."""
        a, b, c = (self.X[self.faces[:, i]] for i in range(3))
        return np.cross(b - a, c - a) / 2

    @cached_property
    def areas(self) -> Floats:
        """(k,) the area of each face [m^2]."""
        return np.linalg.norm(self.area_vectors, axis=1)

    @cached_property
    def normals(self) -> Floats:
        """(k, 3) the unit outward normal of each face, zero where the face has no area."""
        return unit(self.area_vectors)

    @cached_property
    def vertex_normals(self) -> Floats:
        """(n, 3) the unit normal at each vertex, its faces weighted by area."""
        total = np.zeros_like(self.X)
        np.add.at(total, self.faces.ravel(), np.repeat(self.area_vectors, 3, axis=0))
        return unit(total)

    @cached_property
    def volume(self) -> float:
        """The enclosed volume [m^3]: negative inside out, without meaning if not `closed`."""
        corner = self.X[self.faces[:, 0]] - self.X.mean(axis=0)
        return float(np.einsum("ki,ki->", corner, self.area_vectors) / 3)

    @cached_property
    def edges(self) -> Ints:
        """(e, 2) each edge once, its lower vertex first."""
        both = np.sort(self.runs, axis=1)
        order, starts = groups(both)
        return both[order[starts]]

    @cached_property
    def boundary_edges(self) -> Ints:
        """(b, 2) the edges of one face only, in the direction of that face."""
        return self.runs[counts(np.sort(self.runs, axis=1)) == 1]

    @cached_property
    def closed(self) -> bool:
        """Whether the surface has an inside: every edge is run equally often in each direction."""
        forward = self.runs[:, 0] < self.runs[:, 1]
        order, starts = groups(np.sort(self.runs, axis=1))
        balance = np.add.reduceat(np.where(forward, 1, -1)[order], starts)
        return self.n_faces > 0 and not balance.any()

    @cached_property
    def pieces(self) -> Ints:
        """(k,) the piece of each face, the largest by area first; faces at an edge are in one."""
        order, starts = groups(np.sort(self.runs, axis=1))
        faces = order // 3
        same = np.setdiff1d(np.arange(1, len(faces)), starts)
        label = components(self.n_faces, np.stack([faces[same - 1], faces[same]], axis=1))
        largest_first = np.argsort(-np.bincount(label, self.areas), kind="stable")
        return np.argsort(largest_first)[label]

    @cached_property
    def boxes(self) -> BoxTree:
        """The tree of the boxes around the faces."""
        return BoxTree.around(self.X[self.faces])

    @property
    def runs(self) -> Ints:
        """(3k, 2) the three edges of each face, each in the direction of the face."""
        return self.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)

    def keeping(self, faces: np.ndarray | slice) -> Surface:
        """The surface of some faces, as a mask (k,) or positions, without vertices of no face."""
        kept, corners = np.unique(self.faces[faces], return_inverse=True)
        return Surface(self.X[kept], corners.reshape(-1, 3))


def joined(surfaces: Sequence[Surface]) -> Surface:
    """Surfaces as one, their vertices one after another."""
    first = np.cumsum([0, *(surface.n_vertices for surface in surfaces[:-1])])
    faces = [surface.faces + start for surface, start in zip(surfaces, first, strict=True)]
    return Surface(np.concatenate([s.X for s in surfaces]), np.concatenate(faces))


def boundary_surface(mesh: TetMesh) -> tuple[Surface, Ints]:
    """The boundary of a mesh, and the (k,) vertices of the mesh that are its vertices, in order."""
    kept, faces = np.unique(mesh.boundary, return_inverse=True)
    return Surface(mesh.X[kept], faces.reshape(-1, 3)), kept
