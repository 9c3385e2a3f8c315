"""Tetrahedra at rest: volumes, gradients, boundary, pieces, and how well shaped they are.

A positive tet has `det(X1 - X0, X2 - X0, X3 - X0) > 0`; face `a` lies opposite its vertex `a`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from vastus.errors import ModelError
from vastus.geometry import indices
from vastus.geometry.boxes import BoxTree
from vastus.geometry.indices import components, counts, first_repeated
from vastus.numerics.types import Floats, Ints

# The six pairs of faces of a tet, each of which meet in an edge.
_PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
# Each row is the face opposite one vertex, counter-clockwise from outside of a positive tet.
FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


@dataclass(frozen=True, eq=False)
class Quality:
    """The shape of each tet: a regular one has dihedral angles of 70.53 degrees, radius ratio 1."""

    min_dihedral: Floats  # (m,) [deg]
    max_dihedral: Floats  # (m,) [deg]
    radius_ratio: Floats  # (m,) 3 inradius / circumradius; 0 where flat, negative where inverted


def quality(corners: Floats, areas: Floats, volumes: Floats) -> Quality:
    """The quality of tets from corners (m, 4, 3), area vectors (m, 4, 3), signed volumes (m,)."""
    angles = _dihedrals(areas)
    return Quality(angles.min(axis=1), angles.max(axis=1), _radius_ratio(corners, areas, volumes))


def _dihedrals(areas: Floats) -> Floats:
    """(m, 6) the angle between each two faces [deg], measured inside the tet."""
    size = np.linalg.norm(areas, axis=2, keepdims=True)
    normals = np.divide(areas, size, out=np.zeros_like(areas), where=size > 0)
    cosines = -np.einsum("mpi,mpi->mp", normals[:, _PAIRS[:, 0]], normals[:, _PAIRS[:, 1]])
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def _radius_ratio(corners: Floats, areas: Floats, volumes: Floats) -> Floats:
    """(m,) with r = 3 V / A and R = |sum_a |e_a|^2 S_a| / (6 V), S_a the faces at corner 0."""
    edges = corners[:, 1:] - corners[:, :1]
    squares = np.einsum("mai,mai->ma", edges, edges)
    moment = np.linalg.norm(np.einsum("ma,mai->mi", squares, areas[:, 1:]), axis=1)
    surface = np.linalg.norm(areas, axis=2).sum(axis=1)
    ratio = np.zeros_like(volumes)
    np.divide(54 * volumes * np.abs(volumes), surface * moment, out=ratio, where=volumes != 0)
    return ratio


@dataclass(frozen=True, eq=False)
class TetMesh:
    """Vertices X (n, 3) [m] and tets T (m, 4), validated and read-only; what is derived is kept."""

    X: Floats
    T: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", read_only(indices.points(self.X)))
        object.__setattr__(self, "T", read_only(indices.indices(self.T, 4, len(self.X), "tet")))
        _distinct(np.sort(self.T, axis=1))

    @property
    def n_vertices(self) -> int:
        """The number of vertices, n."""
        return len(self.X)

    @property
    def n_tets(self) -> int:
        """The number of tets, m."""
        return len(self.T)

    @cached_property
    def extent(self) -> float:
        """The largest extent of the vertices along an axis [m]."""
        return float(np.ptp(self.X, axis=0).max())

    @cached_property
    def volumes(self) -> Floats:
        """(m,) signed volumes [m^3], negative where a tet is inverted."""
        corners = self.X[self.T]
        return np.einsum("mi,mi->m", corners[:, 1] - corners[:, 0], self._areas[:, 1]) / -3

    @cached_property
    def _areas(self) -> Floats:
        """(m, 4, 3) area vectors [m^2] of the faces, outward where the tet is positive."""
        edges = self.X[self.T[:, 1:]] - self.X[self.T[:, :1]]
        areas = np.empty((self.n_tets, 4, 3))
        areas[:, 1:] = np.cross(edges[:, [2, 0, 1]], edges[:, [1, 2, 0]]) / 2
        # A closed surface has no net area, which makes the gradients sum to zero exactly.
        areas[:, 0] = -areas[:, 1:].sum(axis=1)
        return areas

    @cached_property
    def gradients(self) -> Floats:
        """(m, 4, 3) shape gradients B [1/m]: F = sum_a x_a (outer) B_a."""
        flat = np.flatnonzero(self.volumes == 0)
        if len(flat):
            raise ModelError(f"tet {flat[0]} is flat: it has no volume, so no gradient")
        return self._areas / (-3 * self.volumes[:, None, None])

    @cached_property
    def D(self) -> sparse.csr_array:
        """(3m, n) the gradient of a scalar field: row 3i+c of D @ x is column c of F_i."""
        m, n = self.n_tets, self.n_vertices
        data = self.gradients.transpose(0, 2, 1).ravel()
        columns = np.repeat(self.T, 3, axis=0).ravel()
        D = sparse.csr_array((data, columns, np.arange(3 * m + 1) * 4), shape=(3 * m, n))
        D.sort_indices()
        return D

    @cached_property
    def D_transposed(self) -> sparse.csr_array:
        """(n, 3m) the transpose of D, stored by rows."""
        return self.D.T.tocsr()

    def deformation(self, x: Floats) -> Floats:
        """(m, 3, 3) deformation gradients F of the vertices x (n, 3) [m]."""
        return (self.D @ x).reshape(-1, 3, 3).transpose(0, 2, 1)

    @cached_property
    def centroids(self) -> Floats:
        """(m, 3) the middle of each tet [m]."""
        return self.X[self.T].mean(axis=1)

    @cached_property
    def boxes(self) -> BoxTree:
        """The tree of the boxes around the tets."""
        return BoxTree.around(self.X[self.T])

    @property
    def boundary(self) -> Ints:
        """(k, 3) the faces of one tet only, counter-clockwise from outside."""
        return self._boundary[0]

    @property
    def boundary_tets(self) -> Ints:
        """(k,) the tet behind each boundary face."""
        return self._boundary[1]

    @cached_property
    def _boundary(self) -> tuple[Ints, Ints]:
        faces = self.T[:, FACES].reshape(-1, 3)
        alone = np.flatnonzero(counts(np.sort(faces, axis=1)) == 1)
        tets = alone // 4
        inverted = self.volumes[tets] < 0
        return np.where(inverted[:, None], faces[alone][:, ::-1], faces[alone]), tets

    @property
    def unused(self) -> Ints:
        """(k,) the vertices of no tet."""
        return np.flatnonzero(np.bincount(self.T.ravel(), minlength=self.n_vertices) == 0)

    @cached_property
    def components(self) -> Ints:
        """(m,) the connected piece of each tet, from 0; tets that share a vertex are connected."""
        m, n = self.n_tets, self.n_vertices
        owners = np.repeat(np.arange(m), 4)
        labels = components(m + n, np.stack([owners, m + self.T.ravel()], axis=1))[:m]
        return np.unique(labels, return_inverse=True)[1].astype(np.int64)

    def quality(self) -> Quality:
        """The dihedral angles and radius ratio of each tet."""
        return quality(self.X[self.T], self._areas, self.volumes)

    def oriented(self) -> TetMesh:
        """The same tets, those of negative volume turned positive; itself if there are none."""
        inverted = self.volumes < 0
        if not inverted.any():
            return self
        return TetMesh(self.X, np.where(inverted[:, None], self.T[:, [0, 1, 3, 2]], self.T))

    def submesh(self, tets: Ints) -> tuple[TetMesh, Ints]:
        """The mesh of some tets (indices, or a mask) and the (k,) vertices it kept, in order."""
        kept, T = np.unique(self.T[tets], return_inverse=True)
        return TetMesh(self.X[kept], T.reshape(-1, 4)), kept


def together(*meshes: TetMesh) -> TetMesh:
    """The tets of several meshes, one after the other, which share no vertex."""
    firsts = np.cumsum([0, *(mesh.n_vertices for mesh in meshes)])
    T = [mesh.T + first for mesh, first in zip(meshes, firsts, strict=False)]
    return TetMesh(np.concatenate([mesh.X for mesh in meshes]), np.concatenate(T))


def read_only(array: np.ndarray) -> np.ndarray:
    """The array if nobody can write to it, else a copy of it that nobody can."""
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _distinct(rows: Ints) -> None:
    """Refuse a tet that repeats a vertex, or another tet; `rows` (m, 4) are sorted."""
    repeats = np.argwhere(rows[:, 1:] == rows[:, :-1])
    if len(repeats):
        tet, corner = repeats[0]
        raise ModelError(f"tet {tet} repeats vertex {rows[tet, corner]}")
    pair = first_repeated(rows)
    if pair is not None:
        raise ModelError(f"tets {pair[0]} and {pair[1]} have the same four vertices")
