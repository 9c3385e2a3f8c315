"""Solids of muscles [mm], left side: sheets and columns of fibres, and spindles around lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from vastus.bodies.upper.lines import Line, Region
from vastus.modelling.shapes.implicit import Field, SweptField, join, within
from vastus.modelling.shapes.tube import Triple
from vastus.modelling.trunk.primitives import Sheet, sheet, tube
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats

MILLIMETRE = 1e-3
_FAR = 12.0  # [mm] from the box around balls; further away the value is this constant
_STEP = 2.0  # [mm] between the balls of a spindle
_THIN = 1.9  # [mm] the least radius of a spindle
_ENDS = 0.6  # the radius of a spindle's ends over that of its middle
_SAMPLE = 6.0  # [mm] between samples of fibres


@dataclass(frozen=True)
class Follows:
    """Lines of muscle by group, maybe of one region or only some numbers of names."""

    group: str
    region: Region | None = None
    numbers: tuple[int, ...] | None = None

    def has(self, line: Line) -> bool:
        """Whether a line is one of them, on any side."""
        number = int(line.name.rpartition("_")[2][1:])
        return (
            line.group == self.group
            and self.region in (None, line.region)
            and (self.numbers is None or number in self.numbers)
        )


@dataclass(frozen=True, eq=False)
class Course:
    """Directions (k, 3) of fibres at points (k, 3) [mm]."""

    points: Floats
    directions: Floats


@dataclass(frozen=True, eq=False)
class MuscleSolid:
    """A muscle of the left side: a field in a box [mm], its fibres, and the lines it follows.

    A muscle gives way to those of lower `layer`; those of one layer meet half way.
    """

    name: str
    field: Field
    box: tuple[Floats, Floats]
    course: Course
    follows: tuple[Follows, ...] = ()
    layer: int = 3


@dataclass(frozen=True, eq=False)
class Balls:
    """The union of balls with centres (k, 3) and radii (k,) [mm], near neighbours of one size."""

    centres: Floats
    radii: Floats

    @cached_property
    def _tree(self) -> KDTree:
        return KDTree(self.centres)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """The lowest and highest corner of a box around them [mm]."""
        r = self.radii[:, None]
        return (self.centres - r).min(axis=0), (self.centres + r).max(axis=0)

    def __call__(self, X: Floats) -> Floats:
        """The field at points X (n, 3)."""
        return within(self._near, *self.box, margin=_FAR)(X)

    def _near(self, X: Floats) -> Floats:
        far, ball = self._tree.query(X)
        return far - self.radii[ball]


def _polyline(points: Floats, step: float) -> tuple[Floats, Floats, Floats]:
    """Points (k, 3) along a polyline about a step apart, tangents, and parts of its length."""
    legs = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(legs)])
    place = np.linspace(0.0, knots[-1], 2 + int(knots[-1] / step))
    found = np.stack([np.interp(place, knots, x) for x in points.T], axis=-1)
    return found, np.gradient(found, axis=0), place / knots[-1]


def spindles(
    name: str, lines: Sequence[Line], *, layer: int = 0, swell: float = 1.0,
    follows: tuple[Follows, ...] = (),
) -> MuscleSolid:  # fmt: skip
    """Spindles around lines, as thick as their cross-sections say times `swell`."""
    centres, radii, points, directions = [], [], [], []
    for line in lines:
        path = np.array([anchor.point for anchor in line.path]) / MILLIMETRE
        along, tangent, part = _polyline(path, _STEP)
        middle = swell * np.sqrt(line.area / np.pi) / MILLIMETRE
        radius = middle * (_ENDS + (1 - _ENDS) * np.sin(np.pi * part))
        centres.append(along)
        radii.append(np.maximum(radius, _THIN))
        points.append(along[::3])
        directions.append(unit(tangent[::3]))
    balls = Balls(np.concatenate(centres), np.concatenate(radii))
    course = Course(np.concatenate(points), np.concatenate(directions))
    return MuscleSolid(name, balls, balls.box, course, follows, layer)


def fan(
    name: str, rows: Sequence[Sequence[ArrayLike]], half: ArrayLike, *follows: Follows,
    layer: int = 3,
) -> MuscleSolid:  # fmt: skip
    """A sheet whose rows are fibres from origin to insertion; `half` is half of its thickness."""
    plate = sheet(rows, np.asarray(half, float))  # type: ignore[arg-type]
    course = _along_rows(plate.points)
    return MuscleSolid(name, plate, _sheet_box(plate), course, follows, layer)


def _sheet_box(plate: Sheet) -> tuple[Floats, Floats]:
    # A smooth patch may swing out beyond its points.
    reach = plate.half.max() + 8.0
    return plate.points.min(axis=(0, 1)) - reach, plate.points.max(axis=(0, 1)) + reach


def _along_rows(grid: Floats) -> Course:
    points, directions = [], []
    for a, b in pairwise(range(len(grid))):
        for t in np.linspace(0.0, 1.0, 6):
            along, tangent, _ = _polyline((1 - t) * grid[a] + t * grid[b], _SAMPLE)
            points.append(along)
            directions.append(unit(tangent))
    return Course(np.concatenate(points), np.concatenate(directions))


def columns(
    name: str, tubes: Sequence[SweptField], *follows: Follows, layer: int = 2,
    blend: float = 4.0,
) -> MuscleSolid:  # fmt: skip
    """Swept columns, joined, with fibres along them."""
    boxes = np.array([each.box for each in tubes])
    points, directions = [], []
    for each in tubes:
        along, tangent, _ = _polyline(each.rows[:, :3], _SAMPLE)
        points.append(along)
        directions.append(unit(tangent))
    course = Course(np.concatenate(points), np.concatenate(directions))
    box = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    return MuscleSolid(name, join(*tubes, blend=blend), box, course, follows, layer)


def column(
    name: str, rows: Sequence[Sequence[float]], *follows: Follows, side: Triple = (1.0, 0.0, 0.0),
    layer: int = 2,
) -> MuscleSolid:  # fmt: skip
    """One swept column; rows are x, y, z, half-width along `side` and across it."""
    return columns(name, [tube(rows, side)], *follows, layer=layer)
