"""Where points are: in which tet, nearest to which vertex or face, inside, or first on a ray."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from vastus.errors import ModelError
from vastus.geometry import indices
from vastus.geometry.boxes import BoxTree
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats, Ints

_EDGES = ((0, 1), (1, 2), (2, 0))
# Turned by an arbitrary angle, no face of a modelled shape stands parallel to the ray.
_TURN = exp_map(np.array([0.4721, -0.3179, 0.2633]))


def nearest_on_triangles(corners: Floats, points: Floats) -> Floats:
    """(p, 3) barycentric weights of the place of triangle p (p, 3, 3) nearest to point p (p, 3)."""
    weights = _on_plane(corners, points)
    best = np.where(weights.min(axis=1, initial=1.0) >= 0, _gap(corners, points, weights), np.inf)
    for a, b in _EDGES:
        on_edge = _on_edge(corners, points, a, b)
        gap = _gap(corners, points, on_edge)
        nearer = gap < best
        weights[nearer], best[nearer] = on_edge[nearer], gap[nearer]
    return weights


def _on_plane(corners: Floats, points: Floats) -> Floats:
    """(p, 3) weights of the foot of each point; negative somewhere if outside the triangle."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(u, v)
    square = np.einsum("pi,pi->p", normal, normal)
    offset = points - corners[:, 0]
    # A sliver has no foot of its own; its edges will do.
    scale = np.divide(1.0, square, out=np.zeros_like(square), where=square > 1e-300)
    second = np.einsum("pi,pi->p", np.cross(offset, v), normal) * scale
    third = np.einsum("pi,pi->p", np.cross(u, offset), normal) * scale
    return np.stack([1 - second - third, second, third], axis=1)


def _on_edge(corners: Floats, points: Floats, a: int, b: int) -> Floats:
    """(p, 3) weights of the nearest place of the edge a-b."""
    u = corners[:, b] - corners[:, a]
    square = np.einsum("pi,pi->p", u, u)
    along = np.einsum("pi,pi->p", points - corners[:, a], u)
    s = np.divide(along, square, out=np.zeros_like(square), where=square > 0).clip(0, 1)
    weights = np.zeros((len(points), 3))
    weights[:, a], weights[:, b] = 1 - s, s
    return weights


def _gap(corners: Floats, points: Floats, weights: Floats) -> Floats:
    """(p,) squared distance [m^2] from each point to the place with the given weights."""
    away = np.einsum("pa,pai->pi", weights, corners) - points
    return np.einsum("pi,pi->p", away, away)


@dataclass(frozen=True, eq=False)
class Location:
    """The tet (k,) that holds each point, -1 if none, and its barycentric weights (k, 4)."""

    tets: Ints
    weights: Floats  # zero where there is no tet


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest place of a surface to each point."""

    points: Floats  # (k, 3) [m]
    faces: Ints  # (k,)
    weights: Floats  # (k, 3) barycentric in the face
    distances: Floats  # (k,) [m]


def locate(mesh: TetMesh, points: ArrayLike, *, tolerance: float = 1e-9) -> Location:
    """Find the tets that hold the points (k, 3) [m].

    A point with no weight below `-tolerance` counts as held; of several tets the one it is
    deepest in is taken.
    """
    P = indices.points(points, "point")
    if not mesh.n_tets:
        raise ModelError("there are no tets to hold a point")
    reach = tolerance * np.ptp(mesh.X, axis=0).max()
    who, tet = mesh.boxes.near(P, np.full(len(P), reach))
    weights = _barycentric(mesh, tet, P[who])
    depth = weights.min(axis=1, initial=1.0)
    held = depth >= -tolerance
    best = _best(who[held], -depth[held])
    found = Location(np.full(len(P), -1), np.zeros((len(P), 4)))
    found.tets[who[held][best]] = tet[held][best]
    found.weights[who[held][best]] = weights[held][best]
    return found


def nearest_vertex(X: Floats, points: ArrayLike) -> tuple[Ints, Floats]:
    """The nearest of the vertices X (n, 3) to each point (k, 3), and the distance (k,) [m]."""
    if not len(X):
        raise ModelError("there are no vertices to be near to")
    distance, vertex = KDTree(X).query(indices.points(points, "point"))
    return vertex.astype(np.int64), distance


def nearest_on_surface(surface: Surface, points: ArrayLike) -> Nearest:
    """The nearest place of the surface to each point (k, 3) [m]."""
    P = indices.points(points, "point")
    # No face is nearest whose box is further away than the nearest vertex of any face.
    _, bound = nearest_vertex(surface.X[np.unique(surface.faces)], P)
    who, face = surface.boxes.near(P, bound * (1 + 1e-12))
    weights = nearest_on_triangles(surface.X[surface.faces[face]], P[who])
    place = np.einsum("pa,pai->pi", weights, surface.X[surface.faces[face]])
    distance = np.linalg.norm(place - P[who], axis=1)
    best = _best(who, distance)
    return Nearest(place[best], face[best], weights[best], distance[best])


def inside(surface: Surface, points: ArrayLike) -> np.ndarray:
    """(k,) whether each point (k, 3) [m] is inside the closed surface.

    Counts the crossings of a ray from the point, outward less inward: the winding number.
    """
    if not surface.closed:
        edges = len(surface.boundary_edges)
        raise ModelError(f"the surface is not closed ({edges} boundary edges): it has no inside")
    P = indices.points(points, "point") @ _TURN.T
    corners = (surface.X @ _TURN.T)[surface.faces]
    flat = corners[:, :, :2]
    who, face = BoxTree.of(flat.min(axis=1), flat.max(axis=1)).near(P[:, :2], np.zeros(len(P)))
    crossings = _crossings(corners[face], surface.faces[face], P[who])
    return np.bincount(who, crossings, minlength=len(P)).round() != 0


def _crossings(corners: Floats, names: Ints, points: Floats) -> Floats:
    """(p,) +1, -1 or 0: how the ray upward from each point crosses its triangle (p, 3, 3)."""
    sides = np.stack([_side(corners, names, points, a, (a + 1) % 3) for a in range(3)], axis=1)
    through = (sides > 0).all(axis=1).astype(float) - (sides < 0).all(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    above = np.einsum("pi,pi->p", corners[:, 0] - points, normal) * normal[:, 2] > 0
    return through * above


def _side(corners: Floats, names: Ints, points: Floats, a: int, b: int) -> Floats:
    """(p,) the side of the edge a-b, from above, that each point is on; never 0.

    Both faces of an edge evaluate it from its lower vertex, so they agree to the last bit.
    """
    swap = names[:, a] > names[:, b]
    start = np.where(swap[:, None], corners[:, b, :2], corners[:, a, :2])
    end = np.where(swap[:, None], corners[:, a, :2], corners[:, b, :2])
    u, v = end - start, points[:, :2] - start
    left = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] >= 0
    return np.where(left != swap, 1.0, -1.0)


def _barycentric(mesh: TetMesh, tets: Ints, points: Floats) -> Floats:
    """(k, 4) the weights of the vertices of each tet at its point."""
    offset = points - mesh.centroids[tets]
    return 0.25 + np.einsum("kai,ki->ka", mesh.gradients[tets], offset)


def _best(groups: Ints, cost: Floats) -> Ints:
    """The position of the cheapest entry of each group, in the order of the groups."""
    order = np.lexsort((cost, groups))
    first = np.ones(len(order), bool)
    first[1:] = groups[order][1:] != groups[order][:-1]
    return order[first]


def first_hit(
    origin: Floats, direction: Floats, x: Floats, faces: Ints
) -> tuple[int, float] | None:
    """The face and the distance, in lengths of `direction`, where a ray first enters a surface.

    Faces (k, 3) of vertices x (n, 3) are met from their outer side only (Moeller and Trumbore,
    1997).
    """
    a, b, c = (x[faces[:, i]] for i in range(3))
    one, two = b - a, c - a
    p = np.cross(direction, two)
    det = np.einsum("ki,ki->k", one, p)
    facing = det > 1e-300
    scale = np.where(facing, det, 1.0)
    s = origin - a
    u = np.einsum("ki,ki->k", s, p) / scale
    q = np.cross(s, one)
    v = q @ direction / scale
    t = np.einsum("ki,ki->k", two, q) / scale
    hit = facing & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    if not hit.any():
        return None
    first = int(np.argmin(np.where(hit, t, np.inf)))
    return first, float(t[first])
