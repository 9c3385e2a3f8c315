"""The surfaces that pictures and exports show, split where edges are sharp."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue

SHARP = np.cos(np.radians(75.0))


@dataclass(frozen=True, eq=False)
class Skin:
    """Triangles whose corners carry their own normals: `points = x[vertices]`."""

    vertices: Ints  # (p,) the mesh vertex of each point
    faces: Ints  # (k, 3) into the points
    tets: Ints  # (k,) the tet behind each face
    tissue: Tissue

    def normals(self, x: Floats) -> Floats:
        """(p, 3) unit normals, weighted by area, for mesh vertices x (n, 3)."""
        corners = x[self.vertices][self.faces]
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sums = self.spread(areas)
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-300)

    def spread(self, values: Floats) -> Floats:
        """(p, c) sums over the faces at each point of values (k, c) on faces."""
        return np.asarray(self._corners @ values)

    @cached_property
    def _corners(self) -> sparse.csr_array:
        """(p, k) one where a face has a point."""
        k = len(self.faces)
        where = (self.faces.ravel(), np.repeat(np.arange(k), 3))
        return sparse.csr_array((np.ones(3 * k), where))

    def averaged(self, values: Floats) -> Floats:
        """(p,) at each point the mean over its faces of values (m,) on tets."""
        sums = self.spread(np.column_stack([values[self.tets], np.ones(len(self.tets))]))
        return np.asarray(sums[:, 0] / sums[:, 1])


def region_skins(model: Model, *, split: bool) -> dict[str, Skin]:
    """The closed surface of each region by its name, walls to its neighbours included.

    They are `split` where edges are sharp, as smooth shading needs, or have each vertex once.
    """
    found = {}
    for index, region in enumerate(model.regions):
        own = np.flatnonzero(model.region == index)
        if len(own):
            inner, kept = model.mesh.submesh(own)
            faces, tets = kept[inner.boundary], own[inner.boundary_tets]
            made = _split if split else _whole
            found[region.name] = made(model.mesh.X, faces, tets, region.tissue)
    return found


def skins(model: Model) -> list[Skin]:
    """The surfaces of bone, of muscle with tendon, and of passive tissue; each outer face once.

    Passive tissue is drawn translucent, so that what it covers has a surface too.
    """
    firm = np.flatnonzero(~model.is_tissue(Tissue.PASSIVE))
    found = []
    if len(firm):
        inner, kept = model.mesh.submesh(firm)
        faces, tets = kept[inner.boundary], firm[inner.boundary_tets]
        bone = model.is_tissue(Tissue.BONE)[tets]
        found += [(bone, faces, tets, Tissue.BONE), (~bone, faces, tets, Tissue.MUSCLE)]
    outer = model.is_tissue(Tissue.PASSIVE)[model.mesh.boundary_tets]
    found.append((outer, model.mesh.boundary, model.mesh.boundary_tets, Tissue.PASSIVE))
    return [_split(model.mesh.X, f[use], t[use], kind) for use, f, t, kind in found if use.any()]


def _whole(X: Floats, faces: Ints, tets: Ints, tissue: Tissue) -> Skin:
    vertices, points = np.unique(faces, return_inverse=True)
    return Skin(vertices, points.reshape(-1, 3), tets, tissue)


def _split(X: Floats, faces: Ints, tets: Ints, tissue: Tissue) -> Skin:
    """Give the faces at a vertex one common point for each smooth part of the surface.

    Corners of two faces are the same point when the faces share an edge there that is not sharp.
    """
    corners = X[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    a, b = _smooth_pairs(faces, normals)
    size = 3 * len(faces)
    graph = sparse.coo_array((np.ones(len(a)), (a, b)), shape=(size, size))
    count, point = connected_components(graph, directed=False)
    vertices = np.empty(count, np.int64)
    vertices[point] = faces.ravel()
    return Skin(vertices, point.reshape(-1, 3).astype(np.int64), tets, tissue)


def _smooth_pairs(faces: Ints, normals: Floats) -> tuple[Ints, Ints]:
    """Pairs of corners (positions in the flat faces) that meet along an edge that is not sharp."""
    corner = np.arange(faces.size).reshape(-1, 3)
    ends = np.stack([corner, np.roll(corner, -1, axis=1)], axis=2).reshape(-1, 2)
    edges = faces.ravel()[ends]
    flip = edges[:, 0] > edges[:, 1]
    ends[flip], edges[flip] = ends[flip, ::-1], edges[flip, ::-1]
    order = np.lexsort(edges.T)
    same = (edges[order[1:]] == edges[order[:-1]]).all(axis=1)
    one, two = ends[order[:-1][same]], ends[order[1:][same]]
    blunt = np.einsum("ij,ij->i", normals[one[:, 0] // 3], normals[two[:, 0] // 3]) > SHARP
    return one[blunt].ravel(), two[blunt].ravel()
