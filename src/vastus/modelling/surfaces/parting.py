"""Soft parts that only touch are parted by a clearance, so that contact has room.

Parts that are cut out of one mesh have vertices at the same places. Each vertex is moved into its
own part, in the direction that is farthest inward of all its faces, by so much that the faces move
by half of the clearance. What would flatten a tet is left undone.
"""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Bools, Floats, Ints

STEEPEST = 0.3  # cosine beyond which a direction is no longer stretched: teeth keep their tips
ROUNDS = 200  # of the search for a direction
LEFT, TRIES = 0.3, 8  # volume that a tet keeps; how often less is tried


def parted(mesh: TetMesh, owner: Ints, soft: Ints, clearance: float) -> Floats:
    """(n, 3) [m] the vertices of a mesh whose soft parts (k,) have a clearance [m].

    `owner` (m,) is the part of each tet; what bones have, and what parts share, does not move.
    """
    touching, shift = _touching(mesh, owner, soft), np.zeros_like(mesh.X)
    for part in np.intersect1d(soft, owner):
        inner, kept = mesh.submesh(owner == part)
        own = kept[inner.boundary]
        chosen = np.intersect1d(own, np.flatnonzero(touching))
        if len(chosen):
            inward, cosine = _inward(mesh.X, own, chosen)
            shift[chosen] = 0.5 * clearance * inward / np.maximum(cosine, STEEPEST)[:, None]
    return _upright(mesh, shift)


def _touching(mesh: TetMesh, owner: Ints, soft: Ints) -> Bools:
    """(n,) the vertices of one soft part alone, at whose place another has one too."""
    place = np.unique(mesh.X, axis=0, return_inverse=True)[1].reshape(-1)
    parts, at_place = np.zeros(mesh.n_vertices, np.int64), np.zeros(len(place), np.int64)
    for part in np.unique(owner):
        vertices = np.unique(mesh.T[owner == part])
        parts[vertices] += 1 if part in soft else 2
        if part in soft:
            at_place[np.unique(place[vertices])] += 1
    return np.asarray((parts == 1) & (at_place[place] > 1))


def _inward(X: Floats, faces: Ints, vertices: Ints) -> tuple[Floats, Floats]:
    """(k, 3) unit directions into the solid, and (k,) their least cosine with a face's normal.

    The direction is that of the point of the normals' convex hull that is nearest to the origin,
    which Frank and Wolfe's method finds; it is farthest from all faces.
    """
    a, b, c = (X[faces[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    normals = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    order = np.argsort(faces.ravel(), kind="stable")
    order = order[np.isin(faces.ravel()[order], vertices)]
    N = normals[order // 3]
    which = np.searchsorted(vertices, faces.ravel()[order])
    first = np.searchsorted(which, np.arange(len(vertices)))
    point = np.add.reduceat(N, first) / np.bincount(which)[:, None]
    for _ in range(ROUNDS):
        along = np.einsum("ki,ki->k", N, point[which])
        least = np.minimum.reduceat(along, first)
        at = np.flatnonzero(along == least[which])
        lowest = at[np.searchsorted(which[at], np.arange(len(vertices)))]
        way = N[lowest] - point
        square = np.einsum("ki,ki->k", way, way)
        step = -np.einsum("ki,ki->k", point, way) / np.maximum(square, 1e-300)
        point = point + np.clip(step, 0.0, 1.0)[:, None] * way
    length = np.linalg.norm(point, axis=1)
    away = point / np.maximum(length, 1e-300)[:, None]
    # Where faces look in opposite directions, no way leads off all of them.
    return np.where(length[:, None] > 1e-3, -away, 0.0), length


def _upright(mesh: TetMesh, shift: Floats) -> Floats:
    """(n, 3) the vertices, moved by as much of the shift (n, 3) [m] as tets bear."""
    for last in range(TRIES + 1):
        volumes = TetMesh(mesh.X + shift, mesh.T).volumes
        flat = np.unique(mesh.T[volumes < LEFT * mesh.volumes])
        shift[flat] *= 0.5 if last < TRIES else 0.0
        if not len(flat):
            break
    return mesh.X + shift
