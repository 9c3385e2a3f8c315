"""Bellies swept along the wires that they lie on, to be drawn.

A belly is solved along a straight axis. Its axis is laid on the wire, and what lies around it is
carried along in frames that turn no more than the wire does. Corners of the wire are rounded over
the length of the pieces on either side, so that the belly does not fold there.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats


def swept(vertices: Floats, wire: Floats, begin: float = 0.0) -> Floats:
    """(n, 3) vertices along the x axis [m], laid on a wire (k, 3) [m] from a length of it on.

    `begin` [m] is where x = 0 lies along the wire: the length of the tendon before the belly. What
    would lie beyond its ends goes on straight.
    """
    wire = np.asarray(wire, np.float64)
    if wire.ndim != 2 or wire.shape[1] != 3:
        raise ModelError(f"a wire has the shape {wire.shape}; it must be (k, 3)")
    pieces = np.linalg.norm(np.diff(wire, axis=0), axis=1)
    kept = np.concatenate([[True], pieces > 0])
    wire, pieces = wire[kept], pieces[pieces > 0]
    if len(wire) < 2:
        raise ModelError("a wire has one point; it needs two that differ")
    ends = np.concatenate([[0.0], np.cumsum(pieces)])
    tangents = unit(np.diff(wire, axis=0))
    along = begin + vertices[:, 0]
    k = np.clip(np.searchsorted(ends, along, side="right") - 1, 0, len(pieces) - 1)
    axis = wire[k] + (along - ends[k])[:, None] * tangents[k]
    across = _across(tangents)
    middles = 0.5 * (ends[:-1] + ends[1:])
    x, y = (_between(along, middles, directions) for directions in (tangents, across))
    y = unit(y - np.einsum("ni,ni->n", x, y)[:, None] * x)
    return np.asarray(axis + vertices[:, 1:2] * y + vertices[:, 2:3] * np.cross(x, y))


def _across(tangents: Floats) -> Floats:
    """(k, 3) a direction across each piece; from piece to piece it turns with the wire alone."""
    start = np.eye(3)[int(np.argmin(np.abs(tangents[0])))]
    out = [start - (start @ tangents[0]) * tangents[0]]
    for before, after in pairwise(tangents):
        # Two mirrors make the least turn from one tangent to the next, but for a wire that
        # turns back on itself, where any will do.
        half = before + after
        size = half @ half
        former = out[-1]
        if size < 1e-12:
            out.append(former)
            continue
        mirrored = former - 2.0 * (former @ half) / size * half
        out.append(mirrored - 2.0 * (mirrored @ after) * after)
    return unit(np.array(out))


def _between(along: Floats, middles: Floats, directions: Floats) -> Floats:
    """(n, 3) unit directions at lengths, turned evenly from the middle of a piece to the next."""
    mixed = np.stack([np.interp(along, middles, directions[:, i]) for i in range(3)], axis=1)
    return unit(mixed)
