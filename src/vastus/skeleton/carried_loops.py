"""The compiled loops over the vertices that bones carry."""

from __future__ import annotations

from typing import Any

from vastus.numerics.jit import loop


@loop
def place(poses: Any, owner: Any, X: Any, out: Any) -> None:
    """Write where poses (bones, 3, 4) of their owners put points X (h, 3) into out."""
    for k in range(len(owner)):
        pose = poses[owner[k]]
        for i in range(3):
            turned = pose[i, 0] * X[k, 0] + pose[i, 1] * X[k, 1] + pose[i, 2] * X[k, 2]
            out[k, i] = turned + pose[i, 3]


@loop
def add_resultants(g: Any, arm: Any, owner: Any, moments: Any, sums: Any) -> None:
    """Add the sums of g r^T and of g, for forces g at arms r (h, 3), to those of each owner."""
    for k in range(len(owner)):
        bone = owner[k]
        for i in range(3):
            sums[bone, i] += g[k, i]
            for j in range(3):
                moments[bone, i, j] += g[k, i] * arm[k, j]


@loop
def move(arm: Any, slot: Any, size: Any, basis: Any, out: Any) -> None:
    """Write the velocities (k, 3, c) of points at arms (k, 3) by scaled twists (6 f, c)."""
    for k in range(len(slot)):
        if slot[k] < 0:
            continue
        B, r = basis[6 * slot[k] : 6 * slot[k] + 6], arm[k]
        for c in range(B.shape[1]):
            x, y, z = (B[0, c] / size[slot[k]], B[1, c] / size[slot[k]], B[2, c] / size[slot[k]])
            out[k, 0, c] = y * r[2] - z * r[1] + B[3, c]
            out[k, 1, c] = z * r[0] - x * r[2] + B[4, c]
            out[k, 2, c] = x * r[1] - y * r[0] + B[5, c]
