"""Biceps and triceps of a right arm as forked tubes [m], in the frame of the arm's bones.

The lines are drawn for a forearm flexed by `REST_ANGLE`. Tendons are flat where they insert: thick
ones would resist the turn of the forearm like a clamped rod. Rows run from insertion to origin in
millimetres: x, y, z, half-width forward, half-width sideways.
"""

from __future__ import annotations

import numpy as np

from vastus.modelling.arm_bones import Rows, tube
from vastus.modelling.disc import HALF_MIDDLE
from vastus.modelling.forked import Forked

REST_ANGLE = np.radians(25.0)
_FORWARD = (0.0, 1.0, 0.0)


def biceps() -> Forked:
    """From the coracoid and over the humeral head to the radial tuberosity."""
    stem: Rows = [
        (7, 23, -43, 1.5, 4.5),
        (6.5, 28, -37, 1.5, 4.5),
        (6, 33, -18, 1.8, 4.5),
        (5, 37, 10, 2.5, 4.5),
        (4.5, 39, 32, 5, 6.5),
        (4, 40, 48, 10.5, 12.5),
        (3, 41.5, 70, 15.5, 19),
        (1, 43, 115, 17.5, 23.5),
        (-2, 42.5, 155, 17.5, 23.5),
        (-4, 40.5, 190, 15.5, 20.5),
    ]
    medial: Rows = [
        (-14, 38, 215, 12, 19),
        (-18, 37, 237, 7, 13),
        (-22, 35, 256, 3, 6.5),
        (-26, 32.5, 284, 3, 6),
        (-31, 29.5, 294, 2.5, 5),
    ]
    lateral: Rows = [
        (5, 37, 215, 11.5, 18),
        (6.5, 32, 236, 6, 12),
        (6, 27.5, 254, 2.5, 6),
        (5.5, 24, 272, 2.5, 5.5),
        (-2, 17.5, 299, 2.5, 5.5),
        (-14, 1, 311, 2.5, 5.5),
        (-26, -13, 305, 2.5, 5),
    ]
    return _forked(stem, (medial, lateral), 5, (3, 3))


def triceps() -> Forked:
    """From below the socket and from the back of the humerus to the olecranon."""
    stem: Rows = [
        (-13, -25, 15, 1.7, 5.2),
        (-13, -29, 23, 1.7, 5.2),
        (-12.5, -32, 38, 1.9, 5.8),
        (-9.5, -34, 55, 3.5, 9),
        (-5, -35.5, 70, 8, 16),
        (-2, -36.5, 90, 15, 25),
        (0, -37.5, 120, 19, 30),
        (0, -37, 155, 18.5, 28),
        (-1, -35, 185, 16, 23),
    ]
    medial: Rows = [
        (-14, -32, 210, 13, 21),
        (-22, -26, 232, 7, 14),
        (-30.5, -22, 256, 3.5, 8),
        (-40, -23, 273, 3, 7),
    ]
    lateral: Rows = [
        (10, -31, 207, 13, 20),
        (9, -23, 226, 7, 13),
        (6, -15, 240, 3.5, 7),
        (2, -4, 249, 3, 6),
    ]
    return _forked(stem, (medial, lateral), 4, (2, 2))


def _forked(stem: Rows, heads: tuple[Rows, Rows], belly: int, attached: tuple[int, int]) -> Forked:
    """A forked muscle whose belly starts at a row of the stem and ends at the second of each head.

    From the row `attached` on, a head is fixed to the bone.
    """
    lower = tube(stem, side=_FORWARD, cuts=(1, belly))
    heading = lower.curve(lower.knots[-1], 1)
    x, y, z, forward, sideways = stem[-1]
    shift = HALF_MIDDLE * sideways
    starts = [(x - shift, y, z, forward, sideways), (x + shift, y, z, forward, sideways)]
    first, second = (
        tube([start, *rows], side=_FORWARD, cuts=(2, fixed + 1), heading=heading)
        for start, rows, fixed in zip(starts, heads, attached, strict=True)
    )
    return Forked(lower, (first, second))
