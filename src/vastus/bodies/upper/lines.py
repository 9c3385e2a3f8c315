"""Lines of muscle: 814 of them by the rules of a table, a row for each muscle of a region.

The rows and their numbers of lines are those of table 1 of Lee, Sifakis and Terzopoulos (2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from vastus.bodies.upper.anchors import Anchor, Anchors
from vastus.errors import ModelError
from vastus.modelling.trunk.landmarks import SIDES, Landmarks, Side

Region = Literal["neck", "trunk", "arm"]
Path = Sequence[Anchor]
Areas = float | Sequence[float] | Callable[[Landmarks, Side], Sequence[float]]


@dataclass(frozen=True, eq=False)
class LineRow:
    """A row of the table: the lines of a muscle in a region, a side at a time.

    `area` [cm^2] is the cross-section of the muscle of one side, shared by its lines, or that of
    each line, or a rule for those. `source` says where it is from.
    """

    group: str
    region: Region
    count: int  # of both sides; of the arm, of one
    rule: Callable[[Anchors], Sequence[Path]]
    area: Areas
    source: str
    first: int = 0  # the number of the first line in names

    @property
    def a_side(self) -> int:
        """The number of lines of one side."""
        return self.count if self.region == "arm" else self.count // 2


@dataclass(frozen=True, eq=False)
class Line:
    """A line of muscle: the points it passes through, and its cross-section [m^2]."""

    name: str
    group: str
    region: Region
    side: Side
    path: tuple[Anchor, ...]
    area: float

    @property
    def length(self) -> float:
        """The length at rest [m]."""
        points = np.array([anchor.point for anchor in self.path])
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def lines_of(rows: Sequence[LineRow], marks: Landmarks) -> tuple[Line, ...]:
    """All lines of a table over the landmarks of a body."""
    lines: list[Line] = []
    numbers: Counter[tuple[str, Side]] = Counter()
    for row in rows:
        for side in SIDES:
            paths = [tuple(path) for path in row.rule(Anchors(marks, side))]
            if len(paths) != row.a_side:
                raise ModelError(
                    f"the rule of {row.group} ({row.region}) gives {len(paths)} lines a side; its"
                    f" row of the table has {row.a_side}"
                )
            for path, area in zip(paths, _areas(row, marks, side), strict=True):
                number = row.first + numbers[row.group, side]
                numbers[row.group, side] += 1
                name = f"{row.group}_{side}{number}"
                lines.append(Line(name, row.group, row.region, side, path, 1e-4 * area))
    return tuple(lines)


def _areas(row: LineRow, marks: Landmarks, side: Side) -> Sequence[float]:
    if callable(row.area):
        return row.area(marks, side)
    if isinstance(row.area, float | int):
        return [row.area / row.a_side] * row.a_side
    return row.area
