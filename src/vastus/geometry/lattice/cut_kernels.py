"""The loops of cutting: which tets are near the surface, whose voxels are whose, who is linked."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.geometry.lattice.bcc import CORNERS, TYPES, locate_one
from vastus.geometry.lattice.interpolation import interpolated
from vastus.numerics.jit import kernel, point, prange

OUTSIDE, CUT, FULL = 0, 1, 2
BETWEEN = 3  # places between two voxels that must be inside for these to hang together


@kernel
def classify(values, corner, cell, low, spacing, reach, out):  # type: ignore[no-untyped-def]
    """Write to out (p, q, r, 12) whether tets are outside, cut by the surface, or full.

    `low` (3,) is the first cell; a centroid deeper or farther than `reach` [m] decides.
    """
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(out.shape[2]):
                for kind in range(TYPES):
                    x = (low[0] + i + _middle(kind, 0)) * spacing
                    y = (low[1] + j + _middle(kind, 1)) * spacing
                    z = (low[2] + k + _middle(kind, 2)) * spacing
                    phi = interpolated(values, (x - corner[0]) / cell, (y - corner[1]) / cell,
                                       (z - corner[2]) / cell)  # fmt: skip
                    found = OUTSIDE
                    if phi < -reach:
                        found = FULL
                    elif phi <= reach:
                        found = CUT
                    out[i, j, k, kind] = found


@point
def _middle(kind: int, axis: int) -> float:
    c = CORNERS[kind]
    return (c[0, axis] + c[1, axis] + c[2, axis] + c[3, axis]) / 8.0


@kernel
def own(values, corner, cell, frame, table, full, out):  # type: ignore[no-untyped-def]
    """Write to out (n, m, l) the tet that each voxel belongs to, or -1 outside.

    `frame` is (first voxel (3,) [m], size of a voxel, spacing, first cell (3,)); `table` (p, q, r,
    12) numbers the tets, of which those `full` need no look at the surface.
    """
    first, size, spacing, low = frame
    for a in prange(out.shape[0]):
        for b in range(out.shape[1]):
            for c in range(out.shape[2]):
                x, y, z = first[0] + a * size, first[1] + b * size, first[2] + c * size
                i, j, k, kind = locate_one(x / spacing, y / spacing, z / spacing)
                tet = table[i - low[0], j - low[1], k - low[2], kind]
                if tet >= 0 and not full[tet]:
                    phi = interpolated(values, (x - corner[0]) / cell, (y - corner[1]) / cell,
                                       (z - corner[2]) / cell)  # fmt: skip
                    if phi >= 0:
                        tet = -1
                out[a, b, c] = tet


@kernel
def link(values, corner, cell, frame, owner, voxels, out):  # type: ignore[no-untyped-def]
    """Write to out (k,) whether voxels (k, 3) hang together with their neighbours in a direction.

    `frame` is (first voxel (3,) [m], size of a voxel, the direction as three whole numbers).
    """
    first, size, (dx, dy, dz) = frame
    n, m, l = owner.shape
    hop = size / cell / (BETWEEN + 1)
    for v in prange(len(voxels)):
        a, b, c = voxels[v, 0], voxels[v, 1], voxels[v, 2]
        p, q, r = a + dx, b + dy, c + dz
        held = 0 <= p < n and 0 <= q < m and 0 <= r < l and owner[p, q, r] >= 0
        if held:
            x = (first[0] + a * size - corner[0]) / cell
            y = (first[1] + b * size - corner[1]) / cell
            z = (first[2] + c * size - corner[2]) / cell
            for s in range(1, BETWEEN + 1):
                t = s * hop
                held = held and interpolated(values, x + t * dx, y + t * dy, z + t * dz) < 0
        out[v] = held


@kernel
def embed(frame, owner, tets, cells, points, reach, out):  # type: ignore[no-untyped-def]
    """Write to out (k,) the copy that points (k, 3) [m] are embedded in, or -1 if none is near.

    It is that of the nearest voxel within `reach` voxels, or one that hangs together with it in
    which the point lies deeper. `tets` (copies, 4) are nodes, `cells` (copies, 4) cell and type.
    """
    first, size, spacing = frame
    n, m, l = owner.shape
    for p in prange(len(points)):
        x = (points[p, 0] - first[0]) / size
        y = (points[p, 1] - first[1]) / size
        z = (points[p, 2] - first[2]) / size
        i, j, k = int(np.round(x)), int(np.round(y)), int(np.round(z))
        nearest, best = -1, 1e30
        for a in range(max(i - reach, 0), min(i + reach, n - 1) + 1):
            for b in range(max(j - reach, 0), min(j + reach, m - 1) + 1):
                for c in range(max(k - reach, 0), min(k + reach, l - 1) + 1):
                    if owner[a, b, c] >= 0:
                        gap = (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2
                        if gap < best:
                            best, nearest = gap, owner[a, b, c]
        if nearest >= 0:
            u, v, w = points[p, 0] / spacing, points[p, 1] / spacing, points[p, 2] / spacing
            chosen, depth = nearest, _depth(cells[nearest], u, v, w)
            for a in range(max(i - 1, 0), min(i + 1, n - 1) + 1):
                for b in range(max(j - 1, 0), min(j + 1, m - 1) + 1):
                    for c in range(max(k - 1, 0), min(k + 1, l - 1) + 1):
                        other = owner[a, b, c]
                        if other >= 0 and other != chosen and _touch(tets[nearest], tets[other]):
                            deeper = _depth(cells[other], u, v, w)
                            if deeper > depth + 1e-9:
                                chosen, depth = other, deeper
            nearest = chosen
        out[p] = nearest


@point
def _touch(one: Any, two: Any) -> bool:
    for a in range(4):
        for b in range(4):
            if one[a] == two[b]:
                return True
    return False


@point
def _depth(cell: Any, u: float, v: float, w: float) -> float:
    """The least barycentric weight of a place, in spacings, in the tet of a cell and type (4,)."""
    c = CORNERS[cell[3]]
    least = 1.0
    for a in range(4):
        o, p, q = c[(a + 1) % 4], c[(a + 2) % 4], c[(a + 3) % 4]
        px, py, pz = p[0] - o[0], p[1] - o[1], p[2] - o[2]
        qx, qy, qz = q[0] - o[0], q[1] - o[1], q[2] - o[2]
        nx, ny, nz = py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx
        whole = nx * (c[a, 0] - o[0]) + ny * (c[a, 1] - o[1]) + nz * (c[a, 2] - o[2])
        x = 2.0 * (u - cell[0]) - o[0]
        y = 2.0 * (v - cell[1]) - o[1]
        z = 2.0 * (w - cell[2]) - o[2]
        least = min(least, (nx * x + ny * y + nz * z) / whole)
    return least
