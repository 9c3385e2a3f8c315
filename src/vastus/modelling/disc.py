"""Cross-sections: a unit disc of concentric rings of nodes, triangulated ring to ring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from vastus.numerics.types import Floats, Ints

HALF_MIDDLE = 4 / (3 * np.pi)  # how far the centre of half a unit disc is from the whole's


@dataclass(frozen=True, eq=False)
class Disc:
    """A triangulated unit disc; layer `k` of triangles lies just inside ring `k`."""

    points: Floats  # (p, 2) the centre first, then each ring counter-clockwise
    triangles: Ints  # (t, 3) counter-clockwise
    layer: Ints  # (t,)
    edge: float  # the typical edge length, as a fraction of the radius


@cache
def even(rings: int) -> Disc:
    """A disc of even size throughout: ring k has 6 k nodes, so that triangles are near-regular."""
    counts = 6 * np.arange(1, rings + 1)
    return ringed(counts.tolist(), (np.arange(1, rings + 1) / rings).tolist())


@cache
def rimmed(rings: int) -> Disc:
    """A disc whose size serves its rim of 2 + 4 rings nodes, and that is coarse inside."""
    counts = [2 + 4 * rings]
    while counts[0] > 16:
        counts.insert(0, counts[0] // 2)
    return ringed(counts, (0.62 ** np.arange(len(counts))[::-1]).tolist())


def ringed(counts: Sequence[int], radii: Sequence[float]) -> Disc:
    """A disc with `counts[k]` nodes evenly on the circle of radius `radii[k]`."""
    starts = np.concatenate([[0, 1], 1 + np.cumsum(counts)]).tolist()
    bands = [_fan(counts[0])]
    for k in range(1, len(counts)):
        inner, outer = _band(counts[k - 1], counts[k])
        bands.append(np.where(inner >= 0, starts[k] + inner, starts[k + 1] + outer))
    rings = [r * _circle(n) for n, r in zip(counts, radii, strict=True)]
    layer = np.repeat(np.arange(len(bands)), [len(b) for b in bands])
    points = np.concatenate([np.zeros((1, 2)), *rings])
    return Disc(points, np.concatenate(bands), layer, 2 * np.pi / counts[-1])


def _circle(n: int) -> Floats:
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _fan(n: int) -> Ints:
    rim = np.arange(n)
    return np.column_stack([np.zeros(n, np.int64), 1 + rim, 1 + (rim + 1) % n])


def _band(p: int, q: int) -> tuple[Ints, Ints]:
    """Triangles between rings of p and q nodes: for each corner its inner and outer node, or -1.

    The edges of both rings are merged by the angle of their middle; each makes one triangle with
    the node that the other ring has reached.
    """
    middle = np.concatenate([(np.arange(q) + 0.5) / q, (np.arange(p) + 0.5) / p])
    outer_edge = np.argsort(middle, kind="stable") < q
    o: Ints = np.cumsum(outer_edge) - outer_edge
    i: Ints = np.cumsum(~outer_edge) - ~outer_edge
    third = np.where(outer_edge, -1, (i + 1) % p)
    none = np.full(p + q, -1)
    inner = np.column_stack([i % p, none, third])
    outer = np.column_stack([none, o % q, np.where(outer_edge, (o + 1) % q, -1)])
    return inner, outer


def half(disc: Disc, sign: int) -> tuple[Disc, Ints]:
    """The half of an even disc on one side (1 or -1) of the first axis, around its own middle.

    Also returns which (q,) points of the disc it has.
    """
    middle = disc.points[disc.triangles].mean(axis=1)
    triangles = disc.triangles[sign * middle[:, 1] > 0]
    kept, numbered = np.unique(triangles, return_inverse=True)
    points = disc.points[kept] - [0.0, sign * HALF_MIDDLE]
    layer = disc.layer[sign * middle[:, 1] > 0]
    return Disc(points, numbered.reshape(-1, 3), layer, disc.edge), kept


def outlined(disc: Disc, sides: Floats) -> Disc:
    """A disc stretched to a rounded polygon.

    `sides` (k, 2) are the direction [deg] of each side from the centre and its distance.
    """
    angle = np.arctan2(disc.points[:, 1], disc.points[:, 0])
    facing = np.cos(angle[:, None] - np.radians(sides[:, 0]))
    reach = (np.maximum(facing / sides[:, 1], 0.0) ** 3).sum(axis=1) ** (-1 / 3)
    return replace(disc, points=disc.points * reach[:, None])
