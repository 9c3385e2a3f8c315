"""Centre lines that make room for each other and for the bones while the muscles grow.

What is smoothed is how far a line has moved, not the line: so it keeps its own bends. Its ends
stay, and a belly next to an end rises from the bone slowly. Lines that cross a joint make room for
each other along its axis rather than towards it or away from it: that would change their arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import KDTree

from vastus.geometry.signed_distance import Obstacle
from vastus.modelling.lines.strand import Strand, unkinked
from vastus.numerics.types import Floats, Ints

_GROWING, _SETTLING = 110, 50  # sweeps
_FIRST = 0.25  # share of the radius at first
_BONE, _GAP = 0.75, 1.5e-3  # of what is thicker than a tendon, and [m], from a bone
_APART = 0.75  # of the sum of two radii
_STEP = 0.5  # share of what is lacking that a sweep makes good
_LEAP = 5e-3  # [m] that a bone pushes by at most
_RISE = 0.3  # of the way from an end of a line, at most so far from a bone
_ARM = 0.1  # share of a move apart that is left where it changes a moment arm
_SAME = 6e-3  # [m] lines nearer than this at first do not say which is on what side
_LONGER = 1.5  # of two such muscles one that is so many times as long lies outside


def relaxed(
    strands: Sequence[Strand], bones: Obstacle, axes: Sequence[Floats] = ()
) -> list[Strand]:
    """The strands along lines that have moved apart and out of the bones.

    `axes` (3,) are those of the joints that the strands cross, zeros for one that crosses none.
    """
    bundle = _Bundle(tuple(strands), tuple(axes))
    u = np.zeros_like(bundle.X)
    for sweep in range(_GROWING + _SETTLING):
        r = bundle.radius * (_FIRST + (1 - _FIRST) * min(1.0, sweep / _GROWING))
        distance, outward = bones.signed(bundle.X + u)
        wanted = np.minimum(_BONE * (r - bundle.tendon) + _GAP, _RISE * bundle.from_end)
        lack = np.clip(wanted - distance, 0.0, _LEAP)
        u += _STEP * lack[:, None] * outward
        u += bundle.beside_axes(_apart(bundle, bundle.X + u, r, outward))
        u = bundle.smooth(u, 0.5 if sweep < _GROWING else 0.2)
    lines = np.split(bundle.X + u, np.cumsum([len(s.points) for s in strands])[:-1])
    return [s.moved(unkinked(line)) for s, line in zip(strands, lines, strict=True)]


@dataclass(frozen=True, eq=False)
class _Bundle:
    """All points of all strands."""

    strands: tuple[Strand, ...]
    axes: tuple[Floats, ...] = ()

    @cached_property
    def X(self) -> Floats:
        return np.concatenate([s.points for s in self.strands])

    @cached_property
    def radius(self) -> Floats:
        return np.concatenate([s.radius for s in self.strands])

    @cached_property
    def tendon(self) -> Floats:
        """(k,) the radius of the tendons of the strand of each point [m]."""
        return np.array([s.radius.min() for s in self.strands])[self.owner]

    @cached_property
    def from_end(self) -> Floats:
        """(k,) the way to the nearer end of the strand of each point [m]."""
        return np.concatenate([s.length * np.minimum(s.share, 1 - s.share) for s in self.strands])

    @cached_property
    def owner(self) -> Ints:
        return np.repeat(np.arange(len(self.strands)), [len(s.points) for s in self.strands])

    @cached_property
    def length(self) -> Floats:
        """(k,) the length of the strand of each point [m]."""
        return np.array([s.length for s in self.strands])[self.owner]

    @cached_property
    def middle(self) -> Floats:
        """(k, 3) the middle of the strand of each point."""
        return np.array([s.points.mean(axis=0) for s in self.strands])[self.owner]

    @cached_property
    def _neighbours(self) -> tuple[Ints, Ints, np.ndarray]:
        k = np.arange(len(self.owner))
        new = self.owner[1:] != self.owner[:-1]
        first, last = np.r_[True, new], np.r_[new, True]
        return np.where(first, k, k - 1), np.where(last, k, k + 1), first | last

    def smooth(self, u: Floats, amount: float) -> Floats:
        """Shifts (k, 3) nearer to those of their neighbours; ends stay."""
        before, after, ends = self._neighbours
        for _ in range(2):
            u = (1 - amount) * u + amount * 0.5 * (u[before] + u[after])
        u[ends] = 0.0
        return u

    @cached_property
    def _lever(self) -> Floats:
        """(k, 3) the unit way across line and axis at each point, zeros where there is no axis."""
        axes = np.array(self.axes or [np.zeros(3)] * len(self.strands))[self.owner]
        tangent = np.concatenate([np.gradient(s.points, axis=0) for s in self.strands])
        way = np.cross(axes, tangent)
        size = np.linalg.norm(way, axis=1, keepdims=True)
        return np.asarray(way / np.where(size > 0, size, 1.0))

    def beside_axes(self, moves: Floats) -> Floats:
        """Moves (k, 3) less what of them changes moment arms."""
        along = (moves * self._lever).sum(axis=1, keepdims=True)
        return np.asarray(moves - (1 - _ARM) * along * self._lever)


def _apart(bundle: _Bundle, x: Floats, r: Floats, outward: Floats) -> Floats:
    """(k, 3) how far points x move from those of other muscles that are too near.

    Lines that have passed through each other are sent back to the sides they had at first.
    """
    a, b = KDTree(x).query_pairs(2 * _APART * r.max(), output_type="ndarray").T
    way = x[a] - x[b]
    distance = np.linalg.norm(way, axis=1)
    lack = _APART * (r[a] + r[b]) - distance
    near = (bundle.owner[a] != bundle.owner[b]) & (lack > 0)
    a, b, way, distance, lack = a[near], b[near], way[near], distance[near], lack[near]
    first = _side(bundle, a, b, outward)
    passed = np.einsum("ki,ki->k", first, way) < 0
    way[passed] = first[passed]
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    lack = np.where(passed, lack + 2 * distance, lack)
    share = r[b] ** 2 / (r[a] ** 2 + r[b] ** 2)  # the thinner gives way
    return _mean(a, lack * share, way, len(x)) + _mean(b, lack * (1 - share), -way, len(x))


def _side(bundle: _Bundle, a: Ints, b: Ints, outward: Floats) -> Floats:
    """(p, 3) the way from points b to points a as it should be kept."""
    first = bundle.X[a] - bundle.X[b]
    same = np.linalg.norm(first, axis=1) < _SAME
    ratio = bundle.length[a] / bundle.length[b]
    stacked = same & (np.maximum(ratio, 1 / ratio) > _LONGER)
    outer = np.where(ratio > 1, 1.0, -1.0)[:, None] * (outward[a] + outward[b])
    beside = bundle.middle[a] - bundle.middle[b]
    return np.where(stacked[:, None], outer, np.where(same[:, None], beside, first))


def _mean(rows: Ints, lack: Floats, way: Floats, count: int) -> Floats:
    """The mean of the moves of each row, weighted by what is lacking."""
    weight = np.bincount(rows, lack, minlength=count)
    total = np.column_stack([np.bincount(rows, lack**2 * w, minlength=count) for w in way.T])
    return _STEP * total / np.maximum(weight, 1e-12)[:, None]
