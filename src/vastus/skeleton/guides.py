"""What keeps the middle of a muscle on its way over a bone: rings to slide through, and wraps.

A muscle's middle is the row of means of its cross-sections. Seen from the bone, a guide has an
energy of these points y (k, 3):

    ring   E = 1/2 c |C(s) - p|^2      C a cubic spline of the points, s where it is nearest to p
    wrap   E = 1/2 c sum_i (r_i - d_i)^2   over points with d_i < r_i, d_i the distance to the axis

A ring pulls across the muscle alone, since C - p is normal to C at s: it slides without friction.
A point of a wrap that is nearer to the axis at rest than the radius begins to be pushed there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from vastus.numerics.types import Floats, Ints

PIECES = 8  # of a stretch between two points, among which the nearest place is looked for
TRIES, EXACT = 20, 1e-12  # of Newton's method for it, and a step in it that is none
BASIS = np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]]) / 6.0


class Pull(NamedTuple):
    """The energy of a guide, and its derivatives by the points that it acts on."""

    value: float  # [J]
    rows: Ints  # (j,) the points
    slope: Floats  # (j, 3) [N]
    second: Floats  # (j, j, 3, 3) [N/m]
    definite: Floats  # (j, j, 3, 3) [N/m] that part of it which is never negative


@dataclass(frozen=True, eq=False)
class Guide(ABC):
    """A place of a bone that the middle of a muscle is kept at, with a stiffness [N/m].

    `sections` (k, v) are the vertices of cross-sections in order, and `point` (3,) [m] is where the
    guide is at rest.
    """

    kind: ClassVar[str]
    name: str
    muscle: str
    bone: str
    sections: Ints
    point: Floats
    stiffness: float

    @abstractmethod
    def pull(self, y: Floats) -> Pull:
        """What it does to points y (k, 3) [m], seen from the bone as it is at rest."""


@dataclass(frozen=True, eq=False)
class Ring(Guide):
    """The middle of the muscle passes through the point and slides along."""

    kind = "ring"

    def pull(self, y: Floats) -> Pull:
        """What it does to points y (k, 3) [m]."""
        c = self.stiffness
        k, u = nearest(y, self.point)
        b, db, ddb = weights(u)
        P = y[k : k + 4]
        away, way, bend = b @ P - self.point, db @ P, ddb @ P
        curved = float(way @ way + away @ bend)
        flat = np.eye(3) - np.outer(way, way) / (way @ way)
        slides = 0.0 < u + k < len(y) - 3 and curved > 0.0
        mixed = db[:, None] * away + b[:, None] * way
        both = np.einsum("i,j,ab->ijab", b, b, np.eye(3))
        taken = np.einsum("ia,jb->ijab", mixed, mixed) / curved if slides else 0.0
        return Pull(
            0.5 * c * float(away @ away),
            np.arange(k, k + 4),
            c * b[:, None] * away,
            c * (both - taken),
            c * np.einsum("i,j,ab->ijab", b, b, flat if slides else np.eye(3)),
        )


@dataclass(frozen=True, eq=False)
class Wrap(Guide):
    """The middle of the muscle stays off a cylinder about an axis (3,), or off a sphere.

    An axis of zeros is that of a sphere. `reach` (k,) [m] are the distances from the axis at
    which points begin to be pushed: the radius, or less if they lie nearer at rest.
    """

    axis: Floats
    reach: Floats
    kind = "wrap"

    def pull(self, y: Floats) -> Pull:
        """What it does to points y (k, 3) [m]."""
        c, across = self.stiffness, np.eye(3) - np.outer(self.axis, self.axis)
        way = (y - self.point) @ across
        d = np.linalg.norm(way, axis=1)
        rows = np.flatnonzero((d < self.reach) & (d > 0.0))
        depth, n = (self.reach - d)[rows], way[rows] / d[rows, None]
        normal = n[:, :, None] * n[:, None, :]
        turned = (depth / d[rows])[:, None, None] * (across - normal)
        at = np.arange(len(rows))
        second, definite = (np.zeros((len(rows), len(rows), 3, 3)) for _ in range(2))
        second[at, at], definite[at, at] = c * (normal - turned), c * normal
        value = 0.5 * c * float(depth @ depth)
        return Pull(value, rows, -c * depth[:, None] * n, second, definite)


GUIDES: dict[str, type[Guide]] = {guide.kind: guide for guide in (Ring, Wrap)}


def weights(u: float) -> tuple[Floats, Floats, Floats]:
    """(4,) the weights of four points at u in [0, 1] of a cubic spline, and two derivatives."""
    powers = np.array([[1, u, u * u, u**3], [0, 1, 2 * u, 3 * u * u], [0, 0, 2, 6 * u]], float)
    b, db, ddb = powers @ BASIS
    return b, db, ddb


def nearest(y: Floats, point: Floats) -> tuple[int, float]:
    """Where the spline of points y (k, 3) is nearest to a point: the first of four, and u."""
    spans = len(y) - 3
    at = np.linspace(0.0, spans, spans * PIECES + 1)
    first = np.minimum(at.astype(int), spans - 1)
    b = np.array([weights(s)[0] for s in at - first])
    curve = np.einsum("na,nai->ni", b, y[first[:, None] + np.arange(4)])
    s = float(at[np.argmin(np.linalg.norm(curve - point, axis=1))])
    for _ in range(TRIES):
        k = min(int(s), spans - 1)
        b0, b1, b2 = weights(s - k)
        P = y[k : k + 4]
        away, way = b0 @ P - point, b1 @ P
        curved = float(way @ way + away @ (b2 @ P))
        step = -float(away @ way) / max(curved, 0.1 * float(way @ way))
        s, before = float(np.clip(s + step, 0.0, spans)), s
        if abs(s - before) < EXACT:
            break
    k = min(int(s), spans - 1)
    return k, s - k
