"""The vertices that bones carry: where poses put them, how they move, and what forces on them do.

Each is one pass over the vertices: a product of small arrays for each bone takes longer to begin
than to compute, and solvers ask for them at every point that they try. Who only describes a model
does not load the compiler for them.
"""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Floats, Ints


def places(poses: Floats, owner: Ints, X: Floats) -> Floats:
    """(h, 3) [m] where the poses (bones, 3, 4) of their owners (h,) put rest points X (h, 3)."""
    from vastus.skeleton.carried_loops import place

    out = np.empty((len(owner), 3))
    place(_own(poses), owner, _own(X), out)
    return out


def resultants(g: Floats, arm: Floats, owner: Ints, count: int) -> tuple[Floats, Floats]:
    """Of forces g at arms r (h, 3), for each of `count` bones the sums of g rᵀ and of g.

    They are (bones, 3, 3) and (bones, 3).
    """
    from vastus.skeleton.carried_loops import add_resultants

    moments, sums = np.zeros((count, 3, 3)), np.zeros((count, 3))
    add_resultants(_own(g), arm, owner, moments, sums)
    return moments, sums


def velocities(arm: Floats, slot: Ints, size: Floats, basis: Floats) -> Floats:
    """(k, 3, c) velocities of points by each column of scaled twists: basis (6 f, c).

    The points are at arms (k, 3) from the centres of the free bones at the slots (k,), whose
    twists turn by angles over their sizes (f,); at slot -1 nothing moves.
    """
    from vastus.skeleton.carried_loops import move

    out = np.zeros((len(slot), 3, basis.shape[1]))
    move(arm, slot, size, _own(basis), out)
    return out


def _own(values: Floats) -> Floats:
    """In one layout and writable, for which loops are compiled once."""
    return np.require(values, float, ["C", "W"])
