"""How deep vertices lie in another body, and which way out of it they should all go.

Heidelberger et al. (2004): the depth of a vertex on the border of what has entered is read from
where its edges cross the surface, and goes from there inward, from vertex to vertex. The nearest
face may lie on the far side of a body. Where it does not, its distance is taken: the estimate is
wrong by the height of an arc over an edge, and jumps when an edge ceases to cross. Edges that cross
without a vertex inside are not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from vastus.geometry.penetration import Presence
from vastus.geometry.queries import nearest_on_triangles
from vastus.numerics.types import Bools, Floats, Ints

AGREED = 0.5  # cosine of the angle between the way out and the normal of the nearest place
_TINY = 1e-300  # keeps a division by zero finite


@dataclass(frozen=True, eq=False)
class Intrusion:
    """Vertices of one body, how deep each is in the other, and where that is pushed back."""

    vertices: Ints  # (k,)
    depth: Floats  # (k,) [m]; negative: how far a vertex is away
    out: Floats  # (k, 3) unit directions out of the other body
    hosts: Ints  # (k, 4) vertices of the other body, a tet or, twice the last, a face
    shares: Floats  # (k, 4) how they share what pushes back; the sum is 1


def intrusion(one: Presence, other: Presence, pushed: Bools) -> Intrusion:
    """The outer vertices of one that are inside other, and those that are `pushed` (n,) out of it.

    What the other body holds does not count.
    """
    vertices = one.body.outer[~other.body.held[one.body.outer]]
    near = ((one.x[vertices] > other.lower) & (one.x[vertices] < other.upper)).all(axis=1)
    who, hosts, shares = other.holding(one.x[vertices[near]], one)
    within = vertices[near][who]
    inside: Bools = np.zeros(len(one.x), bool)
    inside[within] = True
    depth, out = _consistent(one, other, inside)
    apart = vertices[pushed[vertices] & ~inside[vertices]]
    faces, weights, gaps, normals = _nearest(other, one.x[apart])
    return Intrusion(
        np.concatenate([within, apart]),
        np.concatenate([depth[within], -gaps]),
        np.concatenate([out[within], normals]),
        np.concatenate([hosts, np.column_stack([faces, faces[:, -1:]])]),
        np.concatenate([shares, np.column_stack([weights, np.zeros(len(weights))])]),
    )


def _consistent(one: Presence, other: Presence, inside: Bools) -> tuple[Floats, Floats]:
    """(n,) depths [m] and (n, 3) directions of the vertices of one that are `inside` other."""
    depth, out = np.zeros(len(one.x)), np.zeros_like(one.x)
    if not inside.any():
        return depth, out
    edges = one.body.edges[inside[one.body.edges].any(axis=1)]
    known = _on_border(one, other, inside, edges, depth, out)
    both = edges[inside[edges].all(axis=1)]
    pairs = np.concatenate([both, both[:, ::-1]])
    while True:
        # From those that are known to those that are not, one ring of vertices after another.
        source, target = pairs[known[pairs[:, 0]] & ~known[pairs[:, 1]]].T
        if not len(source):
            break
        way = one.x[source] - one.x[target]
        values = np.einsum("ki,ki->k", way, out[source]) + depth[source]
        known[_spread(target, way, values, out[source], depth, out)] = True
    within = np.flatnonzero(inside)
    _, _, gaps, normals = _nearest(other, one.x[within])
    agreed = np.einsum("ki,ki->k", normals, out[within]) > AGREED
    agreed |= ~known[within]  # a body that is inside as a whole has no border
    exact = within[agreed]
    depth[exact], out[exact] = gaps[agreed], normals[agreed]
    np.maximum(depth, 0.0, out=depth)
    return depth, out


def _on_border(
    one: Presence, other: Presence, inside: Bools, edges: Ints, depth: Floats, out: Floats
) -> Bools:
    """Fill in the vertices whose edges cross the surface of other; (n,) which these are."""
    known: Bools = np.zeros(len(inside), bool)
    free = edges[~other.body.held[edges].any(axis=1)]
    crossing = free[inside[free].sum(axis=1) == 1]
    inner = np.where(inside[crossing[:, 0]], crossing[:, 0], crossing[:, 1])
    outer = crossing.sum(axis=1) - inner
    hit, normals, where = _crossings(other, one.x[inner], one.x[outer])
    way = where - one.x[inner[hit]]
    values = np.einsum("ki,ki->k", way, normals)
    known[_spread(inner[hit], way, values, normals, depth, out)] = True
    return known


def _spread(
    target: Ints, way: Floats, values: Floats, normals: Floats, depth: Floats, out: Floats
) -> Ints:
    """Average values (k,) and normals (k, 3) at targets (k,), the nearer the more; those reached.

    The `way` (k, 3) [m] is that from the target to where the value comes from.
    """
    reached, index = np.unique(target, return_inverse=True)
    weight = 1.0 / np.maximum(np.einsum("ki,ki->k", way, way), _TINY)
    shape = (len(reached), len(target))
    sums = csr_matrix((weight, (index, np.arange(len(target)))), shape=shape)
    depth[reached] = (sums @ values) / np.asarray(sums.sum(axis=1)).ravel()
    mean = sums @ normals
    out[reached] = mean / np.maximum(np.linalg.norm(mean, axis=1), _TINY)[:, None]
    return np.asarray(reached)


def _crossings(other: Presence, start: Floats, end: Floats) -> tuple[Ints, Floats, Floats]:
    """Where segments first cross the outer faces: which do, normals there (k, 3), places (k, 3)."""
    middle, way = (start + end) / 2, end - start
    who, face = other.face_tree.near(middle, np.linalg.norm(way, axis=1) / 2)
    a, b, c = other.face_corners[face].transpose(1, 0, 2)
    one, two, s, d = b - a, c - a, start[who] - a, way[who]
    normal, moment = np.cross(one, two), np.cross(s, d)
    det = -np.einsum("ki,ki->k", d, normal)
    scale = np.where(np.abs(det) > _TINY, det, np.nan)
    t = np.einsum("ki,ki->k", s, normal) / scale
    u = np.einsum("ki,ki->k", two, moment) / scale
    v = -np.einsum("ki,ki->k", one, moment) / scale
    through = np.flatnonzero((u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1))
    hit, chosen = _least(who[through], t[through])
    chosen = through[chosen]
    weights = np.column_stack([1 - u - v, u, v])[chosen]
    places = start[hit] + t[chosen, None] * way[hit]
    return hit, _normals(other, face[chosen], weights), places


def _nearest(other: Presence, points: Floats) -> tuple[Ints, Floats, Floats, Floats]:
    """(k, 3) the faces nearest to points, (k, 3) weights, (k,) distances [m], (k, 3) normals."""
    bound = other.corner_tree.query(points)[0] if len(points) else np.zeros(0)
    who, face = other.face_tree.near(points, bound * (1 + 1e-12))
    corners = other.face_corners[face]
    weights = nearest_on_triangles(corners, points[who])
    away = points[who] - np.einsum("pa,pai->pi", weights, corners)
    distance = np.linalg.norm(away, axis=1)
    _, chosen = _least(who, distance)
    face, weights = face[chosen], weights[chosen]
    normals = _normals(other, face, weights)
    return other.face_vertices[face], weights, distance[chosen], normals


def _normals(other: Presence, faces: Ints, weights: Floats) -> Floats:
    """(k, 3) unit normals at places of faces; those of the corners between them.

    Normals of the faces would jump from one to the next, and with them forces.
    """
    normals = np.einsum("pa,pai->pi", weights, other.face_normals[faces])
    return np.asarray(normals / np.maximum(np.linalg.norm(normals, axis=1), _TINY)[:, None])


def _least(groups: Ints, cost: Floats) -> tuple[Ints, Ints]:
    """Each group once, ascending, and the position of its cheapest entry."""
    order = np.lexsort((cost, groups))
    found, first = np.unique(groups[order], return_index=True)
    return found, order[first]
