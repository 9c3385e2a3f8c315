"""Vertebrae and discs as fields [mm], from the table of discs and tips.

A body lies between two discs, so heights and wedges need no numbers of their own. Canal, pillars,
pedicles and laminae are given by level. All is drawn on the left and mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.modelling.shapes.implicit import (
    Field,
    cone,
    cut,
    ellipsoid,
    join,
    scaled_distance,
    soft_max,
)
from vastus.modelling.trunk.landmarks import LEVELS
from vastus.modelling.trunk.primitives import Solid, both, plane, solid, trimmed_by, tube
from vastus.modelling.trunk.spine_table import DISCS, TIPS, tilted
from vastus.numerics.types import Floats

Row = tuple[float, ...]

# Half-widths [mm] at levels, counted from C1 = 1 to L5 = 24; linear between.
_CANAL_WIDTH = {2: 12.5, 7: 12.5, 9: 9.5, 12: 8.5, 18: 9.0, 20: 11.0, 24: 13.0}
_CANAL_DEPTH = {2: 8.0, 7: 7.2, 9: 7.5, 12: 7.5, 18: 7.5, 20: 8.5, 24: 8.5}
_PILLAR = {2: 20, 3: 20, 7: 20, 8: 16, 9: 13.5, 12: 12.5, 17: 13, 18: 13.5, 20: 14, 22: 16, 24: 21}
_PEDICLE = {3: 3.2, 7: 3.6, 8: 4.0, 9: 3.6, 12: 3.4, 17: 4.2, 19: 5.0, 24: 7.5}
_PEDICLE_HEIGHT = {"C": 0.28, "T": 0.30, "L": 0.27}  # of the body's height
_LAMINA_HEIGHT = {"C": 0.30, "T": 0.44, "L": 0.36}
_AXIS_TOP = (np.array([0.0, -89.3, 1472.0]), tilted(-8.0)[2], 21.0, 16.0)


@dataclass(frozen=True, eq=False)
class End:
    """An end of a vertebral body: its middle, the normal up, width and depth."""

    middle: Floats
    normal: Floats
    width: float
    depth: float


def disc(level: str) -> Solid:
    """The disc below a vertebra: a rounded elliptic cylinder."""
    shape = DISCS[level]
    radii = np.array([shape.width, shape.depth]) / 2 - 0.3

    def field(X: Floats) -> Floats:
        local = (X - shape.centre) @ shape.frame.T
        flat = np.abs(local[:, 2]) - (shape.height / 2 - 0.35)
        return soft_max(scaled_distance(local[:, :2], radii), flat, 1.5)

    reach = max(shape.width, shape.depth) / 2 + 3
    return solid(field, shape.centre - reach, shape.centre + reach)


def vertebra(level: str) -> Solid:
    """A vertebra, not yet cleared of its neighbours."""
    return atlas() if level == "C1" else VertebraShape(level).solid


@dataclass(frozen=True)
class VertebraShape:
    """The parts of a vertebra below the atlas, in the frame of its body: left, back, up."""

    level: str

    @property
    def kind(self) -> str:
        """C, T or L."""
        return self.level[0]

    @cached_property
    def ends(self) -> tuple[End, End]:
        """The lower and the upper end of the body."""
        low = DISCS[self.level]
        lower = End(
            low.centre + low.frame[2] * low.height / 2, low.frame[2], low.width, low.depth
        )
        if self.level == "C2":
            return lower, End(*_AXIS_TOP)
        high = DISCS[LEVELS[LEVELS.index(self.level) - 1]]
        middle = high.centre - high.frame[2] * high.height / 2
        return lower, End(middle, high.frame[2], high.width, high.depth)

    @cached_property
    def height(self) -> float:
        """The height of the body."""
        lower, upper = self.ends
        return float(np.linalg.norm(upper.middle - lower.middle))

    @cached_property
    def centre(self) -> Floats:
        """The middle of the body."""
        lower, upper = self.ends
        return (lower.middle + upper.middle) / 2

    @cached_property
    def frame(self) -> Floats:
        """(3, 3) rows left, back, up."""
        lower, upper = self.ends
        up = (upper.middle - lower.middle) / self.height
        left = np.array([1.0, 0.0, 0.0])
        return np.array([left, np.cross(up, left), up])

    @property
    def width(self) -> float:
        """The mean width of the body."""
        return (self.ends[0].width + self.ends[1].width) / 2

    @property
    def depth(self) -> float:
        """The mean depth of the body."""
        return (self.ends[0].depth + self.ends[1].depth) / 2

    def by_level(self, table: dict[int, float]) -> float:
        """The value of a table at this level."""
        number = LEVELS.index(self.level) + 1
        return float(np.interp(number, list(table), list(table.values())))

    @property
    def pillar(self) -> float:
        """How far to the side the articular pillar stands."""
        return self.by_level(_PILLAR)

    @property
    def canal_back(self) -> float:
        """How far behind the body's middle the middle of the canal is."""
        return self.depth / 2 + self.by_level(_CANAL_DEPTH) - 1.0

    @property
    def pillar_back(self) -> float:
        """How far behind the body's middle the articular pillar is."""
        return self.canal_back + 0.45 * self.by_level(_CANAL_DEPTH)

    @property
    def root(self) -> Floats:
        """The root of the spinous process in the body's frame."""
        back = self.canal_back + self.by_level(_CANAL_DEPTH) + 3.0
        return np.array([0.0, back, self.lamina_up - 0.05 * self.height])

    @property
    def lamina_up(self) -> float:
        """The middle of the lamina above the body's."""
        return (-0.15 if self.kind == "C" else -0.22) * self.height

    @property
    def lamina_half(self) -> float:
        """Half the height of the lamina."""
        return _LAMINA_HEIGHT[self.kind] * self.height

    def world(self, local: Floats) -> Floats:
        """A point of the body's frame in the world."""
        return self.centre + local @ self.frame

    def local(self, point: Floats) -> Floats:
        """A point of the world in the body's frame."""
        return self.frame @ (point - self.centre)

    def row(self, x: float, y: float, z: float, a: float, b: float) -> Row:
        """A row of a tube from a point of the body's frame."""
        return (*self.world(np.array([x, y, z])).tolist(), a, b)

    def at(self, point: Floats, a: float, b: float) -> Row:
        """A row of a tube from a point (3,) of the body's frame."""
        return self.row(point[0], point[1], point[2], a, b)

    @property
    def spinous(self) -> Floats:
        """The spinous tip in the body's frame."""
        return self.local(np.array([0.0, *TIPS[self.level].spinous]))

    @property
    def transverse(self) -> Floats:
        """The left transverse tip in the body's frame."""
        return self.local(np.array(TIPS[self.level].transverse))

    @property
    def solid(self) -> Solid:
        """The whole vertebra."""
        half = join(
            self._pedicle(), *self._articular(), self._lamina(), *self._transverse(), blend=4.0
        )
        whole = join(self._body(), both(half), self._spinous(), *self._extras(), blend=3.5)
        whole = cut(whole, self._canal, blend=1.5)
        lower, upper = self.ends
        if self.kind != "C":
            # Ends stay flat: nothing in front of the canal crosses them.
            top, bottom = plane(upper.middle, upper.normal), plane(lower.middle, -lower.normal)
            front = plane(self.world(np.array([0.0, self.depth / 2 - 2, 0.0])), self.frame[1])
            whole = trimmed_by(whole, top, bottom, behind=front)
        return solid(whole, *self._box())

    def _box(self) -> tuple[Floats, Floats]:
        px, yp, half = self.pillar, self.pillar_back, self.height / 2
        side, spine = TIPS[self.level].transverse, TIPS[self.level].spinous
        local = [(px, yp, half + 4), (px, yp, -1.6 * half), (self.width / 2, -self.depth / 2, 0)]
        points = [self.ends[0].middle, self.ends[1].middle, np.array([0.0, *spine])]
        points += [np.array(side), *(self.world(np.array(p)) for p in local)]
        if self.level == "C2":
            points.append(np.array([0.0, -92.0, 1490.0]))
        X = np.array(points)
        X = np.concatenate([X, X * [-1, 1, 1]])
        return X.min(axis=0) - 9, X.max(axis=0) + 9

    def _body(self) -> Field:
        lower, upper = self.ends
        waist = 0.95 if self.kind == "C" else 0.90

        def field(X: Floats) -> Floats:
            local = (X - self.centre) @ self.frame.T
            t = np.clip(local[:, 2] / self.height + 0.5, 0.0, 1.0)
            k = (waist + (1 - waist) * (2 * t - 1) ** 2) / 2
            wide = (lower.width + (upper.width - lower.width) * t) * k
            deep = (lower.depth + (upper.depth - lower.depth) * t) * k
            side = scaled_distance(local[:, :2], np.column_stack([wide, deep]))
            capped = soft_max(side, (X - upper.middle) @ upper.normal, 1.5)
            return soft_max(capped, -((X - lower.middle) @ lower.normal), 1.5)

        return field

    def _canal(self, X: Floats) -> Floats:
        radii = np.array([self.by_level(_CANAL_WIDTH), self.by_level(_CANAL_DEPTH)])
        middle = self.world(np.array([0.0, self.canal_back, 0.0]))
        return scaled_distance(((X - middle) @ self.frame.T)[:, :2], radii)

    def _pedicle(self) -> Field:
        h, px, neck = self.height, self.pillar, self.kind == "C"
        tall, thick = _PEDICLE_HEIGHT[self.kind] * h, self.by_level(_PEDICLE)
        up = (0.05 if neck else 0.20) * h
        rows = [
            self.row(0.36 * self.width, self.depth / 2 - 4, up, tall, thick),
            self.row(px - (3 if neck else 0.5), self.canal_back, up, tall, thick),
            self.row(px, self.pillar_back, up - 0.02 * h, 0.9 * tall, thick),
        ]
        return tube(rows, self.frame[2])

    def _articular(self) -> list[Field]:
        h, px, yp, back = self.height, self.pillar, self.pillar_back, self.frame[1]
        if self.kind == "C":
            rows = [(px, yp + 1.5, -0.50 * h, 4, 5.5), (px, yp - 1, 0.05 * h, 5, 5.5),
                    (px, yp - 2.5, 0.62 * h, 4, 5.5)]  # fmt: skip
            return [tube([self.row(*r) for r in rows], back, (1.5, 1.5))]
        if self.kind == "L":
            rows = [(px + 2.5, yp - 1, 0.62 * h, 5, 4.5), (px + 0.5, yp + 1, 0.15 * h, 5.5, 5.5),
                    (px - 2.5, yp + 6, -0.35 * h, 5, 4.5), (px - 4.5, yp + 6, -0.80 * h, 4.8, 4),
                    ]  # fmt: skip
            knob = ellipsoid(self.world(np.array([px + 4, yp + 3, 0.50 * h])), (3.5, 4, 5))
            return [tube([self.row(*r) for r in rows], back, (3.0, 3.0)), knob]
        rows = [(px, yp - 2.5, 0.62 * h, 2.6, 5), (px, yp, 0.1 * h, 4.2, 5.5),
                (px - 1, yp + 2.5, -0.60 * h, 2.8, 5)]  # fmt: skip
        return [tube([self.row(*r) for r in rows], back, (2.0, 2.0))]

    def _lamina(self) -> Field:
        """From the pillar to the root of the spinous process."""
        px, up, half = self.pillar, self.lamina_up, self.lamina_half
        rows = [
            self.row(px - 1, self.pillar_back + 1.5, up + 0.10 * self.height, half, 2.8),
            self.row(0.55 * px, self.root[1] - 1.6, up, half, 2.6),
            self.row(0.0, self.root[1] + 1.5, self.root[2], 0.95 * half, 3),
        ]
        return tube(rows, self.frame[2])

    def _transverse(self) -> list[Field]:
        h, px, yp, tip = self.height, self.pillar, self.pillar_back, self.transverse
        up = self.frame[2]
        if self.kind == "C":
            front, end = np.array([0.45 * self.width, -1, -0.05 * h]), tip - [3.5, 0, 0]
            back = np.array([px - 3, yp - 1, 0.0])
            bars = [(front, (3, 2.2), [0, -2.2, 0], (2.6, 2.0), (3, 2.6)),
                    (back, (3.2, 2.4), [2.0, 0, 0], (2.6, 2.2), (3, 2.8))]  # fmt: skip
            return [
                tube([self.at(a, *ra), self.at((a + end) / 2 + bow, *rb), self.at(end, *rc)], up)
                for a, ra, bow, rb, rc in bars
            ]
        if self.level in ("T11", "T12"):
            rows = [self.row(px, yp, 0.1 * h, 4.5, 4.5), self.at(tip - [3, 1, 0], 3.8, 3.8)]
            return [tube(rows, domes=(2.0, 3.0))]
        if self.kind == "T":
            start, end = np.array([px, yp, 0.12 * h]), tip - [4.2, 1.5, 0]
            sizes, domes = ((6, 5), (4.8, 4.2), (5.2, 4.8)), (2.0, 3.5)
        else:
            start, end = np.array([px, self.canal_back + 1, 0.18 * h]), tip - [2.5, 0, 0]
            sizes, domes = ((6, 4), (5.2, 3.0), (4.5, 2.6)), (2.0, 2.5)
        places = (start - [1, 0, 0], (start + end) / 2, end)
        rows = [self.at(p, *size) for p, size in zip(places, sizes, strict=True)]
        return [tube(rows, up, domes)]

    def _spinous(self) -> Field:
        h, root, tip, up = self.height, self.root, self.spinous, self.frame[2]
        if self.kind == "L":
            middle, end = (root + tip) / 2 - [0, 0, 1], tip + [0, -3.8, 1.2]
            sizes = ((0.36 * h, 3.0), (0.33 * h, 2.8), (0.33 * h, 3.6))
            side, domes = up, (2.0, 4.0)
        elif self.kind == "T":
            end = tip - 3.2 * _unit(tip - root)
            middle = (root + end) / 2 + [0, 0, 1.5]
            sizes = ((0.8 * self.lamina_half, 3.2), (5.2, 2.6), (4.2, 3.2))
            side, domes = 0.8 * up + 0.6 * self.frame[1], (2.0, 3.5)
        else:
            end = tip - 3.0 * _unit(tip - root)
            middle = (root + end) / 2
            sizes = ((0.9 * self.lamina_half, 3), (3.6, 2.8), (3.8, 4 if self.level == "C2" else 3.2))
            side, domes = up, (2.0, 3.0)
        places = (root, middle, end)
        rows = [self.at(p, *size) for p, size in zip(places, sizes, strict=True)]
        return tube(rows, side, domes)

    def _extras(self) -> list[Field]:
        """What only vertebrae of the neck have: split tips, hooks, the dens."""
        if self.kind != "C":
            return []
        if self.level == "C2":
            dens = cone((0, -91, 1468), 6.0, (0, -92.3, 1486), 4.4)
            return [dens, both(ellipsoid((15, -88, 1467), (8, 8, 5)))]
        w, d, h, tip = self.width, self.depth, self.height, self.spinous
        hook = [(0.44 * w, -0.3 * d, 0.42 * h, 2.2, 2), (0.46 * w, 0.1 * d, 0.52 * h, 2.8, 2),
                (0.42 * w, 0.4 * d, 0.42 * h, 2.2, 2)]  # fmt: skip
        parts = [both(tube([self.row(*r) for r in hook], self.frame[2]))]
        if self.level in ("C3", "C4", "C5"):
            start, end = tip + [0, -7, 1], tip + [3.5, -1.5, -0.5]
            parts.append(both(cone(self.world(start), 2.8, self.world(end), 2.4)))
        return parts


def atlas() -> Solid:
    """A ring with lateral masses, two-barred transverse processes, and cups for the skull."""
    x, y, z = TIPS["C1"].transverse
    ring = tube([
        (0, -99, 1480.5, 5, 2.6), (10, -97.5, 1481, 4.6, 2.8), (17, -92, 1482, 5, 4),
        (19, -82, 1482.5, 4, 3.5), (17, -70, 1480.5, 3.6, 3), (9, -59.5, 1477.5, 3.8, 2.8),
        (0, -56.5, 1476.5, 4.5, 3),
    ])  # fmt: skip
    front = [(22, -84, 1480, 4, 3.5), (31, -84.5, 1477.8, 3, 2.2), (x - 3, y, z - 0.3, 4.2, 3)]
    back = [(22, -79, 1480.5, 2.5, 2.2), (31, -78, 1478, 2.5, 2), (x - 4, y + 1.5, z, 3, 2.6)]
    mass = join(ellipsoid((18.5, -87, 1481.5), (7, 9.5, 8.2)), tube(front), tube(back), blend=2.0)
    whole = join(both(ring), both(mass), ellipsoid((0, -56, 1476), (3.5, 3, 4)), blend=3.0)
    whole = cut(whole, both(ellipsoid((18, -88, 1495), (9.5, 12, 9.5))), blend=1.5)
    return solid(whole, (-46, -104, 1468), (46, -50, 1494))


def _unit(v: Floats) -> Floats:
    return v / np.linalg.norm(v)
