"""What an energy of points that bones push has to say of the bones' poses.

A point of a body moves against a free bone by u = dy - dA r - dc, with its arm r about the bone's
centre c at rest, and what pushes it turns with the bone. So the energy's second order is
u K u / 2 + u . dA g, with the push g [N] on the point, seen from the bone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix

from vastus.numerics.types import Floats, Ints


class Points(NamedTuple):
    """Points (k,) that are means of v vertices each, group by group of the same vertices."""

    vertices: Ints  # (g, v) of each group
    first: Ints  # (g,) its first point
    shares: Floats  # (k, v) of the vertices in each point
    arms: Floats  # (k, 3) from the bone's centre, as it is at rest [m]


class Among(NamedTuple):
    """Which of how many free bones is meant, in a model of how many scalars."""

    slot: int
    bones: int
    scalars: int


def posed(
    points: Points, among: Among, stiffen: Callable[[Floats], Floats], push: Floats | None
) -> tuple[coo_matrix, Floats]:
    """The second derivatives by a free bone's pose, as `Stiffness.add_posed` takes them.

    `stiffen` applies K to motions (k, 3, 12) of the points; `push` (k, 3) [N] is left out where a
    definite matrix is wanted.
    """
    count = len(points.arms)
    moved, turned = np.zeros((count, 3, 12)), np.zeros((count, 3, 12))
    for i in range(3):
        moved[:, i, 3 * i : 3 * i + 3] = points.arms
        moved[:, i, 9 + i] = 1.0
        if push is not None:
            turned[:, i, 3 * i : 3 * i + 3] = push
    across = turned - stiffen(moved)
    M = moved.reshape(-1, 12)
    own = -(M.T @ across.reshape(-1, 12)) - turned.reshape(-1, 12).T @ M
    first = 9 * among.bones + 3 * among.slot
    columns = np.concatenate([9 * among.slot + np.arange(9), first + np.arange(3)])
    rows = (3 * points.vertices[:, :, None] + np.arange(3))[..., None]
    values = np.add.reduceat(points.shares[:, :, None, None] * across[:, None], points.first)
    at = np.broadcast_arrays(rows, columns)
    shape = (among.scalars, 12 * among.bones)
    between = coo_matrix((values.ravel(), (at[0].ravel(), at[1].ravel())), shape=shape)
    within = np.zeros((12 * among.bones, 12 * among.bones))
    within[np.ix_(columns, columns)] = own
    return between, within
