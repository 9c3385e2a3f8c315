"""Fibres as an author asks for them, and what the files that he names for them hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from vastus.numerics.types import Floats
from vastus.scene.schema import Direction, Names, Number, Section, Unit, Word
from vastus.scene.selection import Selection

Item = TypeVar("Item")
SHEET_SUFFIXES = (".obj", ".stl", ".ply", ".vtp", ".glb", ".gltf")


@dataclass(frozen=True, eq=False)
class Samples:
    """Fibre vectors (k, 3) of any length, at points (k, 3) [m]."""

    points: Floats
    vectors: Floats


class End(StrEnum):
    """An end of a muscle."""

    ORIGIN = "origin"
    INSERTION = "insertion"

    def of(self, pair: tuple[Item, Item]) -> Item:
        """This end's of a pair: the origin's first, then the insertion's."""
        return pair[0] if self is End.ORIGIN else pair[1]

    def along(self, s: Floats) -> Floats:
        """How far from this end, as a fraction of the length; s goes from origin to insertion."""
        return s if self is End.ORIGIN else 1.0 - s


class Sheet(Section):
    """A triangle surface in a file; its units are the mesh's unless given."""

    file: Path
    units: Unit | None = None


def _filed(given: Any) -> Any:
    """A word that ends as surface files do is a file."""
    filed = isinstance(given, str) and given.lower().endswith(SHEET_SUFFIXES)
    return {"file": given} if filed else given


def _kind(given: Any) -> str:
    if isinstance(given, str):
        return "name"
    sheet = isinstance(given, Sheet) or (isinstance(given, Mapping) and "file" in given)
    return "file" if sheet else "selection"


Aponeurosis = Annotated[
    Annotated[Sheet, Tag("file")]
    | Annotated[Selection, Tag("selection")]
    | Annotated[Word, Tag("name")],
    Discriminator(_kind),
    BeforeValidator(_filed),
]


class Pennation(Section):
    """An angle [deg] by which fibres run towards the aponeurosis of their insertion.

    From an aponeurosis of the origin they run away by that angle. It is a surface in a file, the
    name of a bone or region, or a part of the muscle chosen by place.
    """

    angle: Annotated[Number, Field(gt=0, lt=90)]
    aponeurosis: Aponeurosis
    end: End = End.INSERTION


class Fibres(Section):
    """Fibres between bones or regions, along a direction, or as data say; and their pennation."""

    start: Names | None = Field(None, alias="from")
    end: Names | None = Field(None, alias="to")
    direction: Direction | None = None
    data: Word | None = None
    file: Path | None = None
    units: Unit | None = None
    pennation: Pennation | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Fibres:
        ways = (self.start or self.end, self.direction, self.data)
        if sum(way is not None for way in ways) != 1 or (self.start is None) != (self.end is None):
            raise ValueError("give fibres either as 'from' and 'to', as 'direction', or as 'data'")
        both = sorted({*(self.start or ())} & {*(self.end or ())})
        if both:
            raise ValueError(f"fibres cannot run both from and to '{both[0]}'")
        return self

    @model_validator(mode="after")
    def _only_data_in_files(self) -> Fibres:
        if self.file is not None and self.data is None:
            raise ValueError("a file of fibres needs 'data', the name of the vectors in it")
        if self.units is not None and self.file is None:
            raise ValueError("'units' are those of a file of fibres, but no 'file' is given")
        return self
