"""What muscles of a body may be: lines, tables of bellies, or bellies that are solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from vastus.bellies.condensed import Condensed
from vastus.bellies.law import MotorUnit, MuscleLaw
from vastus.bellies.line import LineLaw
from vastus.bellies.shapes import diamond
from vastus.bellies.volumes import Bellies
from vastus.control.tendons import OnElasticTendons, OnTendons

if TYPE_CHECKING:
    from vastus.bellies.belly import Belly
    from vastus.bodies.body import Unit

SOFT_STEPS = 5  # rigid steps of 1 ms to one of bellies, which are solved at 200 Hz
_DIAMOND = 2.0 / 3.0  # of width^2 length, the volume of a diamond whose core is half as long


class MuscleKind(StrEnum):
    """What pulls along paths."""

    LINES = "lines"
    CONDENSED = "condensed"
    BELLIES = "bellies"


class TendonKind(StrEnum):
    """What is between a belly and a bone."""

    RIGID = "rigid"
    ELASTIC = "elastic"


@dataclass(frozen=True, eq=False)
class Muscles:
    """The law of a plant's muscles, what is believed of them, and how often they are solved."""

    law: MuscleLaw
    believed: MuscleLaw | None = None
    soft: int = 1
    bellies: Bellies | None = None  # those that are solved


def muscles(
    units: Sequence[Unit],
    kind: MuscleKind = MuscleKind.LINES,
    tendons: TendonKind = TendonKind.RIGID,
) -> Muscles:
    """The muscles of units, on tendons.

    Bellies are diamonds of nine tets. They are solved at 200 Hz, and whoever controls them plans
    with their tables.
    """

    def on_tendons(of: MuscleLaw) -> MuscleLaw:
        if tendons is TendonKind.ELASTIC:
            return OnElasticTendons(of, units)
        return OnTendons(of, np.array([unit.slack for unit in units]))

    if kind is MuscleKind.LINES:
        bare = [MotorUnit(u.name, u.force, u.optimal, speed=u.speed) for u in units]
        return Muscles(on_tendons(LineLaw(bare)))
    shapes = [diamond_of(unit) for unit in units]
    table = on_tendons(Condensed(shapes))
    if kind is MuscleKind.CONDENSED:
        return Muscles(table)
    solved = Bellies(shapes)
    return Muscles(on_tendons(solved), table, SOFT_STEPS, solved)


def diamond_of(unit: Unit) -> Belly:
    """A belly of nine tets with the volume of a unit."""
    return diamond(unit, width=float(np.sqrt(unit.area / _DIAMOND)))
