"""Fibres as an author asks for them, and what the files that he names for them hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from vastus.errors import ModelError
from vastus.geometry.bspline.fit import Lattice
from vastus.geometry.bspline.solid import HIGHEST
from vastus.numerics.types import Floats
from vastus.scene.schema import Direction, Names, Number, Positive, Section, Unit, Whole, Word
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


class FibreKind(StrEnum):
    """A way to find fibres that has settings of its own."""

    B_SPLINE = "b-spline"


class FibrePart(Section):
    """What all ways to find fibres share: two ends, a file, and pennation."""

    kind: FibreKind | None = None
    start: Names | None = Field(None, alias="from")
    end: Names | None = Field(None, alias="to")
    file: Path | None = None
    units: Unit | None = None
    pennation: Pennation | None = None

    @property
    def ends(self) -> tuple[str, ...]:
        """The bones and regions that fibres run from and to."""
        return (*(self.start or ()), *(self.end or ()))

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        _require_two_ends(self.start, self.end)
        return self


def _require_two_ends(start: Names | None, end: Names | None) -> None:
    if (start is None) != (end is None):
        raise ValueError("fibres need both ends, 'from' and 'to'")
    both = sorted({*(start or ())} & {*(end or ())})
    if both:
        raise ValueError(f"fibres cannot run both from and to '{both[0]}'")


class Fibres(FibrePart):
    """Fibres between bones or regions, along a direction, or as data say; and their pennation."""

    direction: Direction | None = None
    data: Word | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Fibres:
        ways = (self.start or self.end, self.direction, self.data)
        if sum(way is not None for way in ways) != 1:
            raise ValueError("give fibres either as 'from' and 'to', as 'direction', or as 'data'")
        return self

    @model_validator(mode="after")
    def _only_data_in_files(self) -> Fibres:
        if self.file is not None and self.data is None:
            raise ValueError("a file of fibres needs 'data', the name of the vectors in it")
        if self.units is not None and self.file is None:
            raise ValueError("'units' are those of a file of fibres, but no 'file' is given")
        return self


def _listed(given: Any) -> Any:
    return [given] if isinstance(given, Mapping | Selection) else given


class SolidRegion(Section):
    """A part of a muscle, with a solid of its own between two ends: where all selections hold."""

    within: Annotated[tuple[Selection, ...], Field(min_length=1), BeforeValidator(_listed)]
    start: Names = Field(alias="from")
    end: Names = Field(alias="to")

    @model_validator(mode="after")
    def _two_ends(self) -> SolidRegion:
        _require_two_ends(self.start, self.end)
        return self


class SolidFibres(FibrePart):
    """Fibres along a volume of B-splines: fitted between ends or to curves, or from a file."""

    curves: Path | None = None
    regions: dict[Word, SolidRegion] = Field(default_factory=dict)
    control_points: tuple[Whole, Whole, Whole] = Lattice.counts
    degree: Annotated[Whole, Field(ge=1, le=HIGHEST)] = Lattice.degree
    smoothing: Positive = Lattice.smoothing

    @property
    def ends(self) -> tuple[str, ...]:
        """The bones and regions that fibres run from and to, those of regions included."""
        own = [end for region in self.regions.values() for end in (*region.start, *region.end)]
        return (*super().ends, *own)

    @property
    def lattice(self) -> Lattice:
        """How fine the solids are that are fitted."""
        return Lattice(self.control_points, self.degree, self.smoothing)

    @model_validator(mode="after")
    def _one_source(self) -> SolidFibres:
        ways = (self.curves, self.file, self.regions or None)
        given = sum(way is not None for way in ways)
        if given > 1 or not (given or self.start):
            raise ValueError(
                "give solids as 'from' and 'to', or as one of 'regions', 'curves' and 'file', with "
                "'from' and 'to' for the rest of the muscle"
            )
        if self.units is not None and self.curves is None:
            raise ValueError("'units' are those of a file of curves, but no 'curves' are given")
        fitting = self.model_fields_set & {*_FITTING}
        if self.file is not None and self.start is None and fitting:
            key = min(fitting)
            raise ValueError(f"the solids of a file are not fitted, so '{key}' has no meaning")
        return self

    @model_validator(mode="after")
    def _enough_points(self) -> SolidFibres:
        try:
            Lattice(self.control_points, self.degree, self.smoothing)
        except ModelError as error:
            raise ValueError(str(error)) from None
        return self


_FITTING = ("control_points", "degree", "smoothing")
FIBRE_KINDS: dict[FibreKind | None, type[FibrePart]] = {
    None: Fibres,
    FibreKind.B_SPLINE: SolidFibres,
}


def _kind_of_fibres(given: Any) -> str:
    if isinstance(given, FibrePart):
        return type(given).__name__
    kind = given.get("kind") if isinstance(given, Mapping) else None
    known = [k for k in FibreKind if k == kind]
    return FIBRE_KINDS[known[0] if known else None].__name__


FibreEntry = Annotated[
    Annotated[Fibres, Tag(Fibres.__name__)] | Annotated[SolidFibres, Tag(SolidFibres.__name__)],
    Discriminator(_kind_of_fibres),
]
