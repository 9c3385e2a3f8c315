"""The signed distance of a bone as a smooth function: a cubic spline over a grid.

    phi(p) = sum_ijk c_ijk b(p_x/h - i) b(p_y/h - j) b(p_z/h - k)

with the uniform cubic B-spline b, so that phi has two continuous derivatives. The coefficients make
it the distance to the bone's surface, negative inside, at the nodes of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.contact.faces import Faces
from vastus.geometry.penetration_kernels import distances
from vastus.geometry.queries import inside, nearest_vertex
from vastus.geometry.surface import Surface
from vastus.numerics.jit import kernel, loop, point, prange
from vastus.numerics.small import cofactor, det
from vastus.numerics.types import Bools, Floats, Ints

NODES = 500_000  # of a grid, about
FINEST = 1.5e-3  # [m] between nodes; finer than the edges of the bones that are made here
PAD = 4  # nodes beyond the surface
NEAR = 3  # nodes about a face within which the distance is exact
_NOWHERE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class DistanceField:
    """The distance to a closed surface, in the frame in which it is at rest."""

    origin: Floats  # (3,) the first node [m]
    spacing: float  # [m]
    coefficients: Floats  # (nx, ny, nz) [m]

    def at(self, points: Floats, reach: Floats) -> tuple[Floats, Floats, Floats]:
        """Distances (k,) [m], gradients (k, 3) and Hessians (k, 3, 3) [1/m] at points (k, 3) [m].

        Where a distance is above the point's reach (k,) [m], it is infinite and the rest is zero.
        """
        count = len(points)
        phi, n, H = np.full(count, np.inf), np.zeros((count, 3)), np.zeros((count, 3, 3))
        evaluate(points, reach, self.origin, self.spacing, self.coefficients, phi, n, H)
        return phi, n, H

    def beside(self, faces: Faces, x: Floats, pose: Floats) -> Bools:
        """(b,) which bodies of faces have boxes that meet that of the grid with a pose (3, 4)."""
        vertex, starts, _ = faces.of_bodies
        beside = np.zeros(len(starts), bool)
        size = self.spacing * (np.array(self.coefficients.shape) - 1)
        meet(x, vertex, starts, pose, self.origin, size, beside)
        return beside

    def near(self, faces: Faces, x: Floats, pose: Floats, reach: Floats, most: float) -> Ints:
        """(k,) the points of faces whose distance may be within their reach (p,) [m], and others.

        Vertices are at x (n, 3) [m], and the surface has a pose (3, 4). `most` [m] is the longest
        reach.
        """
        beside = self.beside(faces, x, pose)
        if not beside.any():
            return _NOWHERE
        found = np.zeros(len(reach), bool)
        seek(
            x,
            faces.triangles,
            faces.of_bodies[2],
            beside,
            faces.first,
            faces.shares,
            reach,
            most,
            pose,
            self.origin,
            self.spacing,
            self.coefficients,
            found,
        )
        return np.flatnonzero(found)


def field_of(X: Floats, faces: Ints, reach: float = 0.0) -> DistanceField:
    """The field of a closed surface of vertices X (n, 3) [m], all of which its faces have.

    It is known as far as `reach` [m] from the surface, at least.
    """
    from scipy.ndimage import spline_filter  # as heavy as the rest of the package

    surface = Surface(X, faces)
    low, high = X.min(axis=0), X.max(axis=0)
    spacing = max(FINEST, _spacing(high - low))
    pad = max(PAD, int(np.ceil(reach / spacing)) + 2)
    origin = low - pad * spacing
    counts = np.ceil((high - low) / spacing).astype(int) + 1 + 2 * pad
    near = np.zeros(counts, bool)
    mark((X[faces] - origin) / spacing, near)
    at = np.argwhere(near)
    nodes = origin + spacing * at
    _, bound = nearest_vertex(X, nodes)
    away = distances(nodes, X[faces], surface.boxes, bound * (1 + 1e-9))
    signed = np.zeros(counts)
    signed[near] = np.where(_inner(surface, nodes, near, away > 0.51 * spacing), -away, away)
    coefficients = np.asarray(spline_filter(_beyond(signed, near, spacing), 3, mode="mirror"))
    return DistanceField(origin, spacing, coefficients)


def _inner(surface: Surface, nodes: Floats, near: Bools, apart: Bools) -> Bools:
    """(k,) which of the nodes that are `near` are inside.

    No surface is between neighbours that are `apart` from it (k,) by more than half the spacing:
    of all such that hang together one is asked.
    """
    from scipy.ndimage import label

    free = np.zeros_like(near)
    free[near] = apart
    group = label(free)[0][near]  # 0 for those that are asked themselves
    _, first = np.unique(group, return_index=True)
    asked = group == 0
    asked[first] = True
    inner = np.zeros(len(nodes), bool)
    inner[asked] = inside(surface, nodes[asked])
    return np.where(group == 0, inner, inner[first][group - group[first[0]]])


def _beyond(signed: Floats, near: Bools, spacing: float) -> Floats:
    """The distances at all nodes, to within the spacing at those that are not near."""
    from scipy.ndimage import distance_transform_edt

    far, place = distance_transform_edt(~near, sampling=spacing, return_indices=True)
    there = signed[tuple(place)]
    return np.asarray(there + np.where(there < 0, -far, far))


@kernel
def mark(corners: Any, near: Any) -> None:
    """Mark the nodes within `NEAR` nodes of the boxes of triangles (f, 3, 3), in spacings."""
    for i in prange(near.shape[0]):
        for f in range(len(corners)):
            if _reached(corners[f, :, 0], i):
                for j in range(near.shape[1]):
                    if _reached(corners[f, :, 1], j):
                        for k in range(near.shape[2]):
                            if _reached(corners[f, :, 2], k):
                                near[i, j, k] = True


@point
def _reached(corners: Any, node: int) -> bool:
    """Whether a node is within `NEAR` nodes of three corners along an axis."""
    least, most = min(corners[0], corners[1], corners[2]), max(corners[0], corners[1], corners[2])
    return least - NEAR <= node <= most + NEAR


def _spacing(size: Floats) -> float:
    """The spacing [m] at which a box of this size (3,) [m] and its rim have so many nodes."""
    spacing = float(size.max()) / 40
    for _ in range(20):
        spacing = float(np.prod(size + 2 * PAD * spacing) / NODES) ** (1 / 3)
    return spacing


@point
def weigh(u: float, b: Any) -> None:
    """The weights of four nodes at u in [0, 1] after the second, and their derivatives: (3, 4)."""
    v = 1.0 - u
    b[0, 0], b[0, 3] = v * v * v / 6.0, u * u * u / 6.0
    b[0, 1] = 2.0 / 3.0 - u * u + 0.5 * u * u * u
    b[0, 2] = 2.0 / 3.0 - v * v + 0.5 * v * v * v
    b[1, 0], b[1, 3] = -0.5 * v * v, 0.5 * u * u
    b[1, 1] = -2.0 * u + 1.5 * u * u
    b[1, 2] = 2.0 * v - 1.5 * v * v
    b[2, 0], b[2, 3] = v, u
    b[2, 1], b[2, 2] = 3.0 * u - 2.0, 3.0 * v - 2.0


@point
def coarse(x: float, y: float, z: float, pose: Any, origin: Any, h: float, c: Any) -> float:
    """The distance at a place to within about a cell; beyond the grid it may be more."""
    x, y, z = x - pose[0, 3], y - pose[1, 3], z - pose[2, 3]
    u = pose[0, 0] * x + pose[1, 0] * y + pose[2, 0] * z - origin[0]
    v = pose[0, 1] * x + pose[1, 1] * y + pose[2, 1] * z - origin[1]
    w = pose[0, 2] * x + pose[1, 2] * y + pose[2, 2] * z - origin[2]
    if 0 <= u < h * c.shape[0] and 0 <= v < h * c.shape[1] and 0 <= w < h * c.shape[2]:
        return float(c[int(u / h), int(v / h), int(w / h)])
    u = max(-u, u - h * c.shape[0], 0.0)
    v = max(-v, v - h * c.shape[1], 0.0)
    w = max(-w, w - h * c.shape[2], 0.0)
    return float(np.sqrt(u * u + v * v + w * w)) + PAD * h


@loop
def meet(x: Any, vertex: Any, starts: Any, pose: Any, origin: Any, size: Any, beside: Any) -> None:
    """Mark the bodies whose boxes meet that of a posed grid.

    The vertices of body after body are those at `vertex`, from `starts` on.
    """
    f = cofactor(pose)  # over the determinant, the inverse transposed: a bone may give a little
    J = det(pose)
    low, high = np.empty(3), np.empty(3)
    for i in range(3):
        middle, half = pose[i, 3], 0.0
        for j in range(3):
            out = f[3 * i + j] / J
            middle += out * (origin[j] + 0.5 * size[j])
            half += 0.5 * abs(out) * size[j]
        low[i], high[i] = middle - half, middle + half
    for b in range(len(starts)):
        end = starts[b + 1] if b + 1 < len(starts) else len(vertex)
        meets = True
        for i in range(3):
            least, most = np.inf, -np.inf
            for k in range(starts[b], end):
                least, most = min(least, x[vertex[k], i]), max(most, x[vertex[k], i])
            meets = meets and least <= high[i] and most >= low[i]
        beside[b] = meets


@kernel
def seek(
    x: Any,
    triangles: Any,
    of: Any,
    beside: Any,
    first: Any,
    shares: Any,
    reach: Any,
    most: float,
    pose: Any,
    origin: Any,
    h: float,
    c: Any,
    found: Any,
) -> None:
    """Mark the points that may be within reach: most faces are left after one look.

    Faces belong to bodies `of`, and those alone count that are `beside`.
    """
    for f in prange(len(of)):
        if not beside[of[f]]:
            continue
        p, q, r = triangles[f, 0], triangles[f, 1], triangles[f, 2]
        mx = (x[p, 0] + x[q, 0] + x[r, 0]) / 3.0
        my = (x[p, 1] + x[q, 1] + x[r, 1]) / 3.0
        mz = (x[p, 2] + x[q, 2] + x[r, 2]) / 3.0
        radius = 0.0
        for a in range(3):
            v = triangles[f, a]
            away = (x[v, 0] - mx) ** 2 + (x[v, 1] - my) ** 2 + (x[v, 2] - mz) ** 2
            radius = max(radius, np.sqrt(away))
        if coarse(mx, my, mz, pose, origin, h, c) < most + radius + 2.0 * h:
            for k in range(first[f], first[f + 1]):
                a, b, d = shares[k, 0], shares[k, 1], shares[k, 2]
                px = a * x[p, 0] + b * x[q, 0] + d * x[r, 0]
                py = a * x[p, 1] + b * x[q, 1] + d * x[r, 1]
                pz = a * x[p, 2] + b * x[q, 2] + d * x[r, 2]
                found[k] = coarse(px, py, pz, pose, origin, h, c) < reach[k] + 2.0 * h


@kernel
def evaluate(
    points: Any, reach: Any, origin: Any, h: float, c: Any, phi: Any, n: Any, H: Any
) -> None:
    """Fill in what the field is at points; those out of reach are left as they are."""
    for k in prange(len(points)):
        b = np.empty((3, 3, 4))
        cell = np.empty(3, np.int64)
        within = True
        for axis in range(3):
            s = (points[k, axis] - origin[axis]) / h
            cell[axis] = np.int64(np.floor(s)) - 1
            if not (s >= 1.0 and cell[axis] + 3 < c.shape[axis]):
                within = False
            else:
                weigh(s - np.floor(s), b[axis])
        # The coefficients are the distance to within a cell: most points are far from the bone.
        if within and c[cell[0] + 1, cell[1] + 1, cell[2] + 1] < reach[k] + 2.0 * h:
            value = 0.0
            for i in range(4):
                for j in range(4):
                    row = b[0, 0, i] * b[1, 0, j]
                    for m in range(4):
                        value += row * b[2, 0, m] * c[cell[0] + i, cell[1] + j, cell[2] + m]
            if value < reach[k]:
                phi[k] = value
                for i in range(4):
                    for j in range(4):
                        for m in range(4):
                            w = c[cell[0] + i, cell[1] + j, cell[2] + m]
                            x, y, z = b[0, 0, i], b[1, 0, j], b[2, 0, m]
                            dx, dy, dz = b[0, 1, i] / h, b[1, 1, j] / h, b[2, 1, m] / h
                            n[k, 0] += w * dx * y * z
                            n[k, 1] += w * x * dy * z
                            n[k, 2] += w * x * y * dz
                            H[k, 0, 0] += w * b[0, 2, i] / (h * h) * y * z
                            H[k, 1, 1] += w * x * b[1, 2, j] / (h * h) * z
                            H[k, 2, 2] += w * x * y * b[2, 2, m] / (h * h)
                            H[k, 0, 1] += w * dx * dy * z
                            H[k, 0, 2] += w * dx * y * dz
                            H[k, 1, 2] += w * x * dy * dz
                H[k, 1, 0], H[k, 2, 0], H[k, 2, 1] = H[k, 0, 1], H[k, 0, 2], H[k, 1, 2]
