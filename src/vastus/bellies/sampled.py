"""Curves sampled evenly, for loops that numba compiles: cubic pieces with the curve's own slopes.

A corner of a curve, such as where passive fibres turn taut, is rounded within one piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vastus.materials.fibres.curves import Curve
from vastus.numerics.jit import point
from vastus.numerics.types import Floats

PIECES = 256  # in a unit of length, or of velocity: a corner at 1 is at the end of a piece


class Sampled(NamedTuple):
    """Rows of force, slope and work, from `low` on in steps of 1/PIECES.

    Beyond the last the force goes on by the slope `tail`, straight or, if `reach` is finite, by a
    hyperbola that has half of its way before it at that distance.
    """

    low: float
    rows: Floats  # (k, 3)
    tail: float
    reach: float


def sampled(
    curve: Curve, low: float, high: float, *, shift: float = 0.0, end: float | None = None
) -> Sampled:
    """A curve between two places, put further by `shift`.

    It is held below, and above too unless an `end` is given that it comes near to there.
    """
    x = low + np.arange(round((high - low) * PIECES) + 1) / PIECES
    f = np.array([curve.force(float(at - shift)) for at in x])
    m = np.array([curve.slope(float(at - shift)) for at in x])
    m[0] = 0.0
    if end is None or m[-1] <= 0.0:
        m[-1], end = 0.0, np.inf
    h = 1.0 / PIECES
    areas = h * (f[:-1] + f[1:]) / 2 + h * h * (m[:-1] - m[1:]) / 12
    reach = (end - f[-1]) / m[-1] if np.isfinite(end) else np.inf
    rows = np.stack([f, m, np.append(0.0, np.cumsum(areas))], axis=1)
    return Sampled(float(low), np.ascontiguousarray(rows), float(m[-1]), float(reach))


@point
def at(curve: Any, x: float) -> tuple[float, float, float]:
    """The force at x, its slope, and its work from the first row on."""
    low, rows, tail, reach = curve.low, curve.rows, curve.tail, curve.reach
    u = (x - low) * PIECES
    last = len(rows) - 1
    if u <= 0.0:
        return rows[0, 0], 0.0, rows[0, 0] * (x - low)
    if u >= last:
        t = x - low - last / PIECES
        begun = rows[last, 2] + t * rows[last, 0]
        if reach == np.inf:
            return rows[last, 0] + tail * t, tail, begun + 0.5 * tail * t * t
        way, share = tail * reach, reach / (reach + t)
        work = begun + way * (t + reach * np.log(share))
        return rows[last, 0] + way * (1.0 - share), tail * share * share, work
    i = int(u)
    h, t = 1.0 / PIECES, u - i
    f, m = rows[i, 0], h * rows[i, 1]
    rise, n = rows[i + 1, 0] - f, h * rows[i + 1, 1]
    c, e = 3.0 * rise - 2.0 * m - n, m + n - 2.0 * rise
    work = rows[i, 2] + h * t * (f + t * (m / 2.0 + t * (c / 3.0 + t * e / 4.0)))
    return f + t * (m + t * (c + t * e)), (m + t * (2.0 * c + 3.0 * t * e)) * PIECES, work
