"""Paths of muscles and gaps of ties: lengths, gaps, and how they change with the coordinates.

Most muscles run straight from point to point. How the length between two points changes follows
from the axes that carry one of them and not the other: a dozen of some hundred. MuJoCo computes
those of all that carries either, which in a spine is three quarters for nothing; it is asked only
where a path runs around something.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from vastus.bodies.body import mujoco_package
from vastus.numerics.jit import loop
from vastus.numerics.sparse_rows import SparseRows
from vastus.numerics.types import Bools, Floats, Ints

SITE = 3  # MuJoCo's mark of a step of a path that is a point of a body


class Paths(Protocol):
    """The paths of muscles on a body that MuJoCo has placed."""

    def lengths(self, data: Any) -> Floats:
        """(m,) [m]"""

    def at(self, data: Any) -> tuple[Floats, SparseRows]:
        """Lengths (m,) [m], and how they change with the coordinates (m, n)."""


def paths_of(model: Any, chains: Bools, count: int) -> Paths:
    """The paths of the first `count` tendons; `chains` (b, n) tells what carries which body."""
    steps = sum(int(model.tendon_num[t]) for t in range(count))
    if (model.wrap_type[:steps] == SITE).all():
        return StraightPaths.of(model, chains, count)
    return WrappedPaths.of(model, count)


@dataclass(frozen=True, eq=False)
class StraightPaths:
    """Paths from site to site: segment s joins sites first[s] and second[s].

    Entry e of the pattern is how segment[e] changes with coordinate column[e], which carries its
    second site if forward[e], else its first; it counts in value place[e] of the rows.
    """

    first: Ints  # (s,)
    second: Ints
    owner: Ints  # (s,) the muscle of each segment
    segment: Ints  # (e,)
    column: Ints
    forward: Bools
    place: Ints
    slide: Bools  # (n,)
    rows: SparseRows

    @classmethod
    def of(cls, model: Any, chains: Bools, count: int) -> StraightPaths:
        """The first `count` tendons of a model."""
        ends = []
        for t in range(count):
            start, number = int(model.tendon_adr[t]), int(model.tendon_num[t])
            sites = model.wrap_objid[start : start + number]
            ends += [(t, a, b) for a, b in pairwise(sites)]
        owner, first, second = np.array(ends, np.int64).reshape(-1, 3).T.copy()
        bodies = model.site_bodyid
        carries = chains[bodies[second]]
        segment, column = np.nonzero(carries ^ chains[bodies[first]])
        used = np.zeros((count, chains.shape[1]), bool)
        used[owner[segment], column] = True
        numbers = np.cumsum(used).reshape(used.shape) - 1
        rows = _pattern(used)
        return cls(
            first, second, owner, segment, column, carries[segment, column],
            numbers[owner[segment], column], np.asarray(model.jnt_type == 2), rows,
        )  # fmt: skip

    def lengths(self, data: Any) -> Floats:
        """(m,) [m]"""
        return self.at(data)[0]

    def at(self, data: Any) -> tuple[Floats, SparseRows]:
        """Lengths (m,) [m], and how they change with the coordinates (m, n)."""
        rows = self.rows
        lengths, values = np.zeros(len(rows.start) - 1), np.zeros(len(rows.values))
        _straight(
            self.first, self.second, self.owner, self.segment, self.column, self.forward,
            self.place, self.slide, data.site_xpos, data.xaxis, data.xanchor, lengths, values,
        )  # fmt: skip
        return lengths, SparseRows(rows.start, rows.column, values, rows.width)


@dataclass(frozen=True, eq=False)
class WrappedPaths:
    """Paths some of which run around bodies, as MuJoCo finds them."""

    model: Any
    rows: SparseRows
    count: int

    @classmethod
    def of(cls, model: Any, count: int) -> WrappedPaths:
        """The first `count` tendons of a model."""
        entries = [
            model.ten_J_rowadr[t] + np.arange(model.ten_J_rownnz[t], dtype=np.int64)
            for t in range(count)
        ]
        start = np.cumsum([0, *map(len, entries)])
        flat = np.concatenate([np.zeros(0, np.int64), *entries])
        column = model.ten_J_colind[flat].astype(np.int64)
        # Where entries stand in MuJoCo's rows is kept in place of values.
        return cls(model, SparseRows(start, column, flat.astype(float), int(model.nv)), count)

    def lengths(self, data: Any) -> Floats:
        """(m,) [m]"""
        mujoco_package().mj_tendon(self.model, data)
        return np.asarray(data.ten_length[: self.count].copy())

    def at(self, data: Any) -> tuple[Floats, SparseRows]:
        """Lengths (m,) [m], and how they change with the coordinates (m, n)."""
        lengths, rows = self.lengths(data), self.rows
        values = data.ten_J[rows.values.astype(np.int64)]
        return lengths, SparseRows(rows.start, rows.column, values, rows.width)


@dataclass(frozen=True, eq=False)
class Gaps:
    """Pairs of points, of bodies first[t] and second[t], each (t, 3) [m] in its body's frame."""

    first: Ints
    first_point: Floats
    second: Ints
    second_point: Floats
    chains: Bools  # (b, n)
    slide: Bools  # (n,)
    rows: SparseRows

    @classmethod
    def of(
        cls, first: Ints, first_point: Floats, second: Ints, second_point: Floats,
        chains: Bools, slide: Bools,
    ) -> Gaps:  # fmt: skip
        """The gaps between pairs of points."""
        rows = _pattern(np.repeat(chains[first] | chains[second], 3, axis=0))
        return cls(first, first_point, second, second_point, chains, slide, rows)

    def at(self, data: Any) -> tuple[Floats, SparseRows]:
        """The first points less the second (t, 3) [m], and d(gap)/dq (3 t, n)."""
        rows = self.rows
        gaps, values = np.zeros((len(self.first), 3)), np.zeros(len(rows.values))
        _gaps(
            self.first, self.first_point, self.second, self.second_point, self.chains, self.slide,
            rows.start, rows.column, data.xpos, data.xmat, data.xaxis, data.xanchor, gaps, values,
        )  # fmt: skip
        return gaps, SparseRows(rows.start, rows.column, values, rows.width)


def _pattern(used: Bools) -> SparseRows:
    """Rows of zeros where `used` (r, n)."""
    start = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int64)
    column = np.flatnonzero(used) % used.shape[1]  # unlike those of `nonzero`, side by side
    return SparseRows(start, column, np.zeros(int(used.sum())), used.shape[1])


@loop
def _straight(  # type: ignore[no-untyped-def]
    first, second, owner, segment, column, forward, place, slide, sites, axes, anchors, lengths,
    values,
):  # fmt: skip
    along = np.zeros((len(first), 3))
    for s in range(len(first)):
        size = 0.0
        for k in range(3):
            along[s, k] = sites[second[s], k] - sites[first[s], k]
            size += along[s, k] ** 2
        size = np.sqrt(size)
        lengths[owner[s]] += size
        for k in range(3):
            along[s, k] /= max(size, 1e-15)
    for e in range(len(segment)):
        s, j = segment[e], column[e]
        x, y, z = axes[j]
        if not slide[j]:
            point = second[s] if forward[e] else first[s]
            rx = sites[point, 0] - anchors[j, 0]
            ry = sites[point, 1] - anchors[j, 1]
            rz = sites[point, 2] - anchors[j, 2]
            x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        way = along[s, 0] * x + along[s, 1] * y + along[s, 2] * z
        values[place[e]] += way if forward[e] else -way


@loop
def _gaps(  # type: ignore[no-untyped-def]
    first, first_point, second, second_point, chains, slide, start, column, places, turns, axes,
    anchors, gaps, values,
):  # fmt: skip
    one, two = np.zeros(3), np.zeros(3)
    for t in range(len(first)):
        a, b = first[t], second[t]
        for k in range(3):
            one[k], two[k] = places[a, k], places[b, k]
            for m in range(3):
                one[k] += turns[a, 3 * k + m] * first_point[t, m]
                two[k] += turns[b, 3 * k + m] * second_point[t, m]
            gaps[t, k] = one[k] - two[k]
        size = start[3 * t + 1] - start[3 * t]
        for p in range(size):
            j = column[start[3 * t] + p]
            for point, sign, body in ((one, 1.0, a), (two, -1.0, b)):
                if not chains[body, j]:
                    continue
                x, y, z = axes[j]
                if not slide[j]:
                    rx = point[0] - anchors[j, 0]
                    ry = point[1] - anchors[j, 1]
                    rz = point[2] - anchors[j, 2]
                    x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
                values[start[3 * t] + p] += sign * x
                values[start[3 * t + 1] + p] += sign * y
                values[start[3 * t + 2] + p] += sign * z
