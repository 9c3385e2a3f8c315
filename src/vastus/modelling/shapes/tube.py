"""Solids swept along a line, and the discs that are their sections.

A tube has elliptic sections whose half-widths vary along a smooth line. It is meshed in slabs
between stations; a slab's prisms are split into tets by the order of their vertices, which makes
neighbours agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

Triple = tuple[float, float, float]

HALF_MIDDLE = 4 / (3 * np.pi)  # how far the centre of half a unit disc is from the whole's

# The end of a rounded tube is a disc of this fraction of its radius, so that no tet is flat.
_END = 0.5
_TIP = 1 - np.sqrt(1 - _END**2)
_SAMPLES = 600
_LOCAL = 0.4  # how much the slab length follows the local edge rather than the largest one


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


@dataclass(frozen=True)
class Bump:
    """A swelling: points within about `reach` of `centre` [m] are pushed by up to `push` [m]."""

    centre: Triple
    push: Triple
    reach: float

    def moved(self, X: Floats) -> Floats:
        """The points X (n, 3) [m] after the push."""
        squares = np.square((X - self.centre) / self.reach).sum(axis=1)
        return X + np.exp(-0.5 * squares)[:, None] * np.asarray(self.push)


@dataclass(frozen=True, eq=False)
class Tube:
    """A solid around a smooth line through `line` (k, 3) [m].

    `radii` (k, 2) [m] are the half-widths there, along `side` and across it; `side` is turned as
    little as possible on the way. `rounded` are the lengths [m] over which the two ends close
    like half an ellipsoid. A station lies on each of the points `cuts`, where segments meet.
    Swellings `bumps` are added at the end. The line starts in the direction `heading`, if given.
    """

    line: Floats
    radii: Floats
    side: Triple = (1.0, 0.0, 0.0)
    rounded: tuple[float, float] = (0.0, 0.0)
    cuts: tuple[int, ...] = ()
    bumps: tuple[Bump, ...] = ()
    heading: Triple | None = None

    @cached_property
    def knots(self) -> Floats:
        """(k,) the parameter of each point: the length of the polygon up to it [m]."""
        steps = np.linalg.norm(np.diff(np.asarray(self.line, float), axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def curve(self) -> CubicSpline:
        """The centre line over the parameter."""
        from scipy.interpolate import CubicSpline  # as heavy as the rest of the package

        straight = (2, np.zeros(3))
        start = straight if self.heading is None else (1, np.asarray(self.heading))
        return CubicSpline(self.knots, np.asarray(self.line, float), bc_type=(start, straight))

    def widths(self, u: Floats) -> Floats:
        """(s, 2) the half-widths [m] at parameters u (s,)."""
        from scipy.interpolate import PchipInterpolator

        radii = np.asarray(self.radii, float).reshape(len(self.knots), -1) * np.ones(2)
        closing = np.ones_like(u)
        for _, from_end, length in self._ends(u):
            closing *= _ellipse(from_end / length)
        return PchipInterpolator(self.knots, radii)(u) * closing[:, None]

    def bulge(self, u: Floats) -> Floats:
        """(s,) how far [m] the middle of a section stands out along the line, to close the ends.

        A smooth cap would need 1 instead of 0.4 here, and flat tets where it meets the side.
        """
        out = np.zeros_like(u)
        for sign, from_end, length in self._ends(u):
            out += sign * 0.4 * _TIP * length * np.clip(1 - from_end / length, 0, 1) ** 2
        return out

    def _ends(self, u: Floats) -> list[tuple[int, Floats, float]]:
        """For each rounded end its sign, the distance of u (s,) from it [m], and its length."""
        ends = zip((-1, 1), (u, self.knots[-1] - u), self.rounded, strict=True)
        return [end for end in ends if end[2] > 0]

    @cached_property
    def size(self) -> float:
        """The largest mean half-width [m]."""
        return float(self._samples[1].max())

    @cached_property
    def _samples(self) -> tuple[Floats, Floats]:
        u = np.linspace(0.0, self.knots[-1], _SAMPLES)
        return u, self.widths(u).mean(axis=1)

    @cached_property
    def _slabs_to(self) -> Floats:
        """(samples,) how many slabs lie before each sample, if edges were one radius long.

        The slab length lies between the local edge and the largest one: thin tendons get elongated
        tets rather than most of them.
        """
        u, r = self._samples
        slope = np.hypot(np.linalg.norm(self.curve(u, 1), axis=1), np.gradient(r, u))
        density = slope / (r**_LOCAL * self.size ** (1 - _LOCAL))
        steps = 0.5 * (density[1:] + density[:-1]) * np.diff(u)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def _slabs_of(self) -> list[float]:
        """The slabs of each segment, if edges were one radius long."""
        bounds = self.knots[[0, *self.cuts, -1]]
        return np.diff(np.interp(bounds, self._samples[0], self._slabs_to)).tolist()

    def slabs(self, edge: float) -> list[int]:
        """The number of slabs of each segment for edges of a fraction `edge` of the radius."""
        return [max(1, round(count / edge)) for count in self._slabs_of]

    def stations(self, slabs: list[int]) -> Floats:
        """(sum(slabs) + 1,) the parameters between which each segment has its slabs."""
        bounds = self.knots[[0, *self.cuts, -1]]
        u, reached = self._samples[0], self._slabs_to
        marks = np.interp(bounds, u, reached)
        inner = [
            np.interp(np.linspace(a, b, n + 1), reached, u)[1:]
            for a, b, n in zip(marks[:-1], marks[1:], slabs, strict=True)
        ]
        for end, part in zip(bounds[1:], inner, strict=True):
            part[-1] = end
        return np.concatenate([bounds[:1], *inner])


@dataclass(frozen=True, eq=False)
class Solid:
    """Vertices X (n, 3) [m], positive tets T (m, 4), the segment (m,) of each tet, and its ends."""

    X: Floats
    T: Ints
    segment: Ints
    ends: tuple[Ints, ...]  # the vertices of each end


@dataclass(frozen=True, eq=False)
class SweptSolid(Solid):
    """A solid swept from its first end to its second; vertices come station by station."""

    disc: Disc
    triangle: Ints  # (m,) the triangle of the disc from which each tet was swept


def sweep(tube: Tube, disc: Disc, slabs: list[int]) -> SweptSolid:
    """The mesh of a tube with a section and a number of slabs for each segment."""
    u = tube.stations(slabs)
    inside = 1 - np.square(disc.points).sum(axis=1)
    local = np.empty((len(u), len(disc.points), 3))
    local[..., :2] = disc.points * tube.widths(u)[:, None]
    local[..., 2] = inside * tube.bulge(u)[:, None]
    axes = frames(tube.curve(u), tube.curve(u, 1), tube.side)
    X = (tube.curve(u)[:, None] + np.einsum("spk,ski->spi", local, axes)).reshape(-1, 3)
    for bump in tube.bumps:
        X = bump.moved(X)
    p, n = len(disc.points), len(u) - 1
    template = prism_tets(disc.triangles, p)
    T = (template[None] + p * np.arange(n)[:, None, None]).reshape(-1, 4)
    segment = np.repeat(np.arange(len(slabs)), np.array(slabs) * len(template))
    triangle = np.tile(np.repeat(np.arange(len(disc.triangles)), 3), n)
    ends = (np.arange(p), np.arange(n * p, n * p + p))
    return SweptSolid(X, T, segment, ends, disc, triangle)


def prism_tets(triangles: Ints, shift: int) -> Ints:
    """(3 t, 4) tets of the prisms from triangles (t, 3) to their copies `shift` further on.

    The diagonal of a side runs from the lower of its two vertices, whichever prism asks.
    """
    a, b, c = np.sort(triangles, axis=1).T
    tets = np.stack(
        [
            np.stack([a, b, c, c + shift], axis=1),
            np.stack([a, b, c + shift, b + shift], axis=1),
            np.stack([a, a + shift, b + shift, c + shift], axis=1),
        ],
        axis=1,
    )
    first = np.argmin(triangles, axis=1)
    rows = np.arange(len(triangles))
    turned = triangles[rows, (first + 1) % 3] != b
    tets[turned] = tets[turned][..., [0, 1, 3, 2]]
    return tets.reshape(-1, 4)


def frames(points: Floats, tangents: Floats, side: Triple) -> Floats:
    """(s, 3, 3) rows side, across, tangent along a line (s, 3), turned as little as possible.

    Each frame is the last one after two reflections, which is a fourth-order approximation.
    """
    t = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
    sides = np.empty_like(t)
    sides[0] = _across(np.asarray(side, float), t[0])
    for k, step in enumerate(np.diff(points, axis=0)):
        turn = t[k + 1] - _mirror(t[k], step)
        sides[k + 1] = _across(_mirror(_mirror(sides[k], step), turn), t[k + 1])
    return np.stack([sides, np.cross(t, sides), t], axis=1)


def _across(v: Floats, tangent: Floats) -> Floats:
    v = v - tangent * (v @ tangent)
    return v / np.linalg.norm(v)


def _mirror(v: Floats, normal: Floats) -> Floats:
    square = normal @ normal
    return v if square == 0 else v - 2 * normal * (normal @ v) / square


def _ellipse(s: Floats) -> Floats:
    """The radius of half an ellipsoid a fraction `s` of its length from a blunt tip."""
    t = np.clip(_TIP + (1 - _TIP) * s, _TIP, 1.0)
    return np.sqrt(1 - (1 - t) ** 2)
