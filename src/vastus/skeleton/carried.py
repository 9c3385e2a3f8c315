"""The vertices that bones carry: where poses put them, how they move, and what forces on them do.

Each is one pass over the vertices: a product of small arrays for each bone takes longer to begin
than to compute, and solvers ask for them at every point that they try.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import loop
from vastus.numerics.types import Floats, Ints


def places(poses: Floats, owner: Ints, X: Floats) -> Floats:
    """(h, 3) [m] where the poses (bones, 3, 4) of their owners (h,) put rest points X (h, 3)."""
    out = np.empty((len(owner), 3))
    _place(_own(poses), owner, _own(X), out)
    return out


def resultants(g: Floats, arm: Floats, owner: Ints, count: int) -> tuple[Floats, Floats]:
    """Of forces g at arms r (h, 3), for each of `count` bones the sums of g rᵀ and of g.

    They are (bones, 3, 3) and (bones, 3).
    """
    moments, sums = np.zeros((count, 3, 3)), np.zeros((count, 3))
    _add(_own(g), arm, owner, moments, sums)
    return moments, sums


def velocities(arm: Floats, slot: Ints, size: Floats, basis: Floats) -> Floats:
    """(k, 3, c) velocities of points by each column of scaled twists: basis (6 f, c).

    The points are at arms (k, 3) from the centres of the free bones at the slots (k,), whose
    twists turn by angles over their sizes (f,); at slot -1 nothing moves.
    """
    out = np.zeros((len(slot), 3, basis.shape[1]))
    _move(arm, slot, size, _own(basis), out)
    return out


def _own(values: Floats) -> Floats:
    """In one layout and writable, for which loops are compiled once."""
    return np.require(values, float, ["C", "W"])


@loop
def _place(poses: Any, owner: Any, X: Any, out: Any) -> None:
    for k in range(len(owner)):
        pose = poses[owner[k]]
        for i in range(3):
            turned = pose[i, 0] * X[k, 0] + pose[i, 1] * X[k, 1] + pose[i, 2] * X[k, 2]
            out[k, i] = turned + pose[i, 3]


@loop
def _add(g: Any, arm: Any, owner: Any, moments: Any, sums: Any) -> None:
    for k in range(len(owner)):
        bone = owner[k]
        for i in range(3):
            sums[bone, i] += g[k, i]
            for j in range(3):
                moments[bone, i, j] += g[k, i] * arm[k, j]


@loop
def _move(arm: Any, slot: Any, size: Any, basis: Any, out: Any) -> None:
    for k in range(len(slot)):
        if slot[k] < 0:
            continue
        B, r = basis[6 * slot[k] : 6 * slot[k] + 6], arm[k]
        for c in range(B.shape[1]):
            x, y, z = (B[0, c] / size[slot[k]], B[1, c] / size[slot[k]], B[2, c] / size[slot[k]])
            out[k, 0, c] = y * r[2] - z * r[1] + B[3, c]
            out[k, 1, c] = z * r[0] - x * r[2] + B[4, c]
            out[k, 2, c] = x * r[1] - y * r[0] + B[5, c]
