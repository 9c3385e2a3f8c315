"""Further directions and quantities of tets that laws ask for, as an author gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from vastus.scene.schema import Direction, Names, Number, Section, Vector, Word, exactly_one


class Turned(Section):
    """The fibres turned by an angle [deg] about an axis."""

    angle: Number
    axis: Direction


class Around(Section):
    """Circles about an axis through a point, which climb along it by an angle [deg]."""

    axis: Direction
    point: Vector = (0.0, 0.0, 0.0)
    angle: Annotated[Number, Field(gt=-90, lt=90)] = 0.0


class DirectionPart(Section):
    """A direction of each tet of all soft regions, or of some; those by region win.

    `data` are vectors of the mesh's file, or of another `file` with a row for each tet.
    """

    direction: Direction | None = None
    turned: Turned | None = None
    around: Around | None = None
    data: Word | None = None
    file: Path | None = None
    by_region: dict[Word, Direction] = Field(default_factory=dict)
    regions: Names | None = None

    @model_validator(mode="after")
    def _one_way(self) -> DirectionPart:
        ways = ("direction", "turned", "around", "data" if self.file is None else "file")
        if not self.by_region or any(getattr(self, way) is not None for way in ways):
            exactly_one(self, *ways)
        return self


class Ramp(Section):
    """A straight rise from one value to another, between two points and constant beyond."""

    start: Vector = Field(alias="from")
    end: Vector = Field(alias="to")
    values: tuple[Number, Number]

    @model_validator(mode="after")
    def _somewhere(self) -> Ramp:
        if self.start == self.end:
            raise ValueError("'from' and 'to' are the same point")
        return self


class QuantityPart(Section):
    """A number of each tet: one value, a ramp in space, or data; numbers by region win.

    `data` are numbers of the mesh's file, or of another `file` with a row for each tet.
    """

    value: Number | None = None
    ramp: Ramp | None = None
    data: Word | None = None
    file: Path | None = None
    regions: dict[Word, Number] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_way(self) -> QuantityPart:
        exactly_one(self, "value", "ramp", "data" if self.file is None else "file")
        return self
