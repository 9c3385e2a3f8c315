"""The body as an author writes it: where the mesh comes from, regions, muscles, bones, joints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Discriminator, Field, Tag, model_validator

from vastus.model import Drive, Tissue
from vastus.scene.fibres import Fibres
from vastus.scene.schema import (
    Direction,
    Named,
    Number,
    Positive,
    Section,
    Unit,
    Vector,
    Whole,
    Word,
    exactly_one,
)
from vastus.scene.selection import Selection
from vastus.skeleton.joints import JOINTS, Joint


class ModelPart(Section):
    """A procedural shape with its options, or a saved model."""

    model_config = ConfigDict(extra="allow", frozen=True)

    shape: Word | None = None
    file: Path | None = None
    tets: Annotated[Whole, Field(ge=1, le=5_000_000)] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> ModelPart:
        exactly_one(self, "shape", "file")
        if self.file is not None and self.options:
            raise ValueError(f"a saved model has no option '{next(iter(self.options))}'")
        return self

    @property
    def options(self) -> dict[str, Any]:
        """What the shape is made with."""
        given = {} if self.tets is None else {"tets": self.tets}
        return given | (self.model_extra or {})


def _word_or_number(given: Any) -> str:
    return "number" if isinstance(given, int | float) else "word"


Units = Annotated[
    Annotated[Unit, Tag("word")] | Annotated[Positive, Tag("number")],
    Discriminator(_word_or_number),
]


class MeshFile(Section):
    """A tet mesh: a file, or a folder of DMAT files, that says which region each tet belongs to.

    It does so by its cell data `labels`, or by sets of tets that the regions name.
    """

    file: Path
    labels: Word = "label"
    units: Units  # a number is the unit's length in metres
    ignore: tuple[Whole | Word, ...] = ()  # labels and sets whose tets are left out

    @property
    def metres(self) -> float:
        """The unit of its coordinates in metres."""
        return self.units.metres if isinstance(self.units, Unit) else self.units


TABLE = ".csv"  # the suffix of a table that a law's parameter may name


class Term(Section):
    """One material law with its parameters."""

    model_config = ConfigDict(extra="allow", frozen=True)

    law: Word

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the law, by name."""
        return dict(self.model_extra or {})


def _one_or_more(given: Any) -> str:
    return "several" if isinstance(given, list | tuple) else "one"


Terms = Annotated[tuple[Term, ...], Field(min_length=1)]
Material = Annotated[
    Annotated[Term, Tag("one")] | Annotated[Terms, Tag("several")], Discriminator(_one_or_more)
]


def terms(material: Term | Terms) -> Terms:
    """The laws of a material, to be summed."""
    return (material,) if isinstance(material, Term) else material


class RegionPart(Section):
    """A region: which label or set of tets it is in the mesh, and what it is made of."""

    label: Whole | None = None
    set: Word | None = None
    tissue: Tissue | None = None
    muscle: Word | None = None
    material: Material | None = None
    density: Annotated[Number, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _one_name(self) -> RegionPart:
        if self.label is not None and self.set is not None:
            raise ValueError("a region is either a 'label' or a 'set' of the mesh, not both")
        return self


class MusclePart(Section):
    """A muscle: its active stress at activation 1 [Pa], and its fibres."""

    strength: Positive | None = None
    limit: Positive | None = None
    fibres: Fibres | None = None


class BonePart(Section):
    """A bone: the regions it consists of, who drives it, and further vertices that follow it."""

    regions: tuple[Word, ...] | None = None
    drive: Drive | None = None
    attached: Selection | None = None


class JointPart(Section):
    """A joint between two bones at a centre [m]; a hinge has an axis.

    Between bones that are given as surfaces, a centre that is left out is found from their shape.
    """

    kind: Annotated[type[Joint], Named(JOINTS)]
    bones: tuple[Word, Word]
    centre: Vector | None = None
    axis: Direction | None = None

    @model_validator(mode="after")
    def _axis_if_any(self) -> JointPart:
        turned = "axis" in self.kind.placed_by()
        if self.axis is not None and not turned:
            raise ValueError(f"a {self.kind.kind} has no axis")
        if turned and (self.axis is None) != (self.centre is None):
            raise ValueError(
                f"a {self.kind.kind} needs an axis and a centre, or neither if they are to be found"
            )
        return self
