"""The landmarks of a trunk: what joints, muscles and ties are placed by.

One record for all sources. Lengths are in metres, x left, y back, z up; a name that ends in L or R
is of that side.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

Side = Literal["L", "R"]
SIDES: tuple[Side, Side] = ("L", "R")
CERVICAL = tuple(f"C{k}" for k in range(1, 8))
THORACIC = tuple(f"T{k}" for k in range(1, 13))
LUMBAR = tuple(f"L{k}" for k in range(1, 6))
LEVELS = CERVICAL + THORACIC + LUMBAR  # from the head down
RIB_NUMBERS = tuple(range(1, 13))
CARTILAGE_NUMBERS = tuple(range(1, 11))
_FINE = 401  # points at which the nearest one of a rib is looked for

MIDDLE_POINTS = (
    "jugular", "sternum", "angle", "xiphoid", "inion", "basion", "condyles", "chin", "hyoid",
    "thyroid", "sacrum",
)  # fmt: skip
SIDE_POINTS = (
    "asis", "crest", "crest_back", "psis", "pubis", "ischium", "mastoid", "nuchal", "styloid",
    "cheek", "jaw_condyle", "jaw_angle", "hyoid_horn", "manubrium",
)  # fmt: skip
ARM_POINTS = (
    "sternal", "clavicle_inner", "clavicle_outer", "acromial", "acromion", "coracoid", "socket",
    "superior_angle", "spine_root", "inferior_angle", "head", "elbow", "epicondyle", "epitrochlea",
    "radial_head", "radial_styloid", "ulnar_head", "wrist", "knuckle",
)  # fmt: skip


def sign(side: Side) -> float:
    """1 on the left, where x points, and -1 on the right."""
    return 1.0 if side == "L" else -1.0


def other(side: Side) -> Side:
    """The other side."""
    return "R" if side == "L" else "L"


@dataclass(frozen=True, eq=False)
class Vertebra:
    """A vertebra: the middles (3,) of the discs below and above it and of its body, and its tips.

    Where there is no disc, `below` of the atlas is the dens and its `above` the middle between the
    occipital condyles.
    """

    below: Floats
    above: Floats
    spinous: Floats
    transverse: Mapping[Side, Floats]

    @property
    def body(self) -> Floats:
        """The middle of the body."""
        return (self.below + self.above) / 2

    def mixed(self, side: Side, spinous: float, transverse: float) -> Floats:
        """The mean of spinous tip, transverse tip of a side and body, with these weights."""
        rest = 1.0 - spinous - transverse
        return spinous * self.spinous + transverse * self.transverse[side] + rest * self.body


@dataclass(frozen=True, eq=False)
class Rib:
    """A rib: its head and tubercle (3,), and its middle line (n, 3) from the head to the tip."""

    head: Floats
    tubercle: Floats
    line: Floats

    @property
    def tip(self) -> Floats:
        """The end at the cartilage."""
        return self.line[-1]

    @cached_property
    def _knots(self) -> Floats:
        steps = np.linalg.norm(np.diff(self.line, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length(self) -> float:
        """The length of the middle line [m]."""
        return float(self._knots[-1])

    def at(self, part: float | Floats) -> Floats:
        """The point (3,) of the middle line at a part of its length from the head, or (n, 3)."""
        place = np.asarray(part) * self.length
        return np.stack([np.interp(place, self._knots, x) for x in self.line.T], axis=-1)

    def part_near(self, point: Floats) -> float:
        """The part of the length, from the head, where the middle line is nearest to a point."""
        parts = np.linspace(0.0, 1.0, _FINE)
        return float(parts[np.argmin(np.linalg.norm(self.at(parts) - point, axis=1))])

    @property
    def axis(self) -> Floats:
        """The unit axis (3,) through head and tubercle; turning about it raises the tip."""
        along = self.tubercle - self.head
        raises = np.cross(along, self.tip - self.head)[2] > 0
        return (1.0 if raises else -1.0) * along / np.linalg.norm(along)


@dataclass(frozen=True, eq=False)
class Cartilage:
    """A costal cartilage: its end (3,) at sternum or cartilage above, and that at the rib."""

    sternal: Floats
    costal: Floats


@dataclass(frozen=True, eq=False)
class Landmarks:
    """All landmarks: vertebrae by level, ribs and cartilages by number and side, named points.

    `points` has the names of `MIDDLE_POINTS`, and those of `SIDE_POINTS` and `ARM_POINTS` with the
    side after them.
    """

    vertebrae: Mapping[str, Vertebra]
    ribs: Mapping[tuple[int, Side], Rib]
    cartilages: Mapping[tuple[int, Side], Cartilage]
    points: Mapping[str, Floats]

    def __post_init__(self) -> None:
        _complete("vertebra", LEVELS, self.vertebrae)
        for what, numbers, given in (
            ("rib", RIB_NUMBERS, self.ribs),
            ("cartilage", CARTILAGE_NUMBERS, self.cartilages),
        ):
            _complete(what, [(k, side) for side in SIDES for k in numbers], given)
        sided = [name + side for side in SIDES for name in SIDE_POINTS + ARM_POINTS]
        _complete("point", [*MIDDLE_POINTS, *sided], self.points)

    def point(self, name: str, side: Side | None = None) -> Floats:
        """The point of a name, of one side if it has two."""
        full = name + (side or "")
        if full not in self.points:
            raise known("landmark", full, self.points)
        return self.points[full]


def _complete(kind: str, names: Iterable[Hashable], given: Mapping[Any, object]) -> None:
    missing = [name for name in names if name not in given]
    if missing:
        first = missing[0]
        text = f"{first[0]} of side {first[1]}" if isinstance(first, tuple) else f"'{first}'"
        raise ModelError(f"the landmarks have no {kind} {text}: {len(missing)} of its kind missing")
