"""The body as closed surfaces: which file each part is in, what it is, and where it is attached.

What an author leaves out is proposed by the builder, and shown.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from vastus.model import Tissue
from vastus.scene.base import Names, Number, Positive, Section, Word
from vastus.scene.units import Unit

Fraction = Annotated[Number, Field(ge=0, le=1)]


class Neighbours(StrEnum):
    """What muscles that touch do: share vertices, held by fascia, or slide past each other."""

    FUSED = "fused"
    SEPARATE = "separate"


class SurfacePart(Section):
    """A closed surface, the tissue inside it, and how a muscle is attached.

    Fractions are of the way along a muscle, from each of its ends: `caps` say how far from its end
    an attachment may reach, `tendons` how much is tendon; both for origin and insertion.
    """

    file: Path
    tissue: Tissue
    units: Unit | None = None
    muscle: Word | None = None
    origin: Names | None = None
    insertion: Names | None = None
    caps: tuple[Fraction, Fraction] | None = None
    tendons: tuple[Fraction, Fraction] | None = None
    size: Positive | None = None

    @model_validator(mode="after")
    def _only_muscles(self) -> SurfacePart:
        ends = ("origin", "insertion", "caps", "tendons")
        given = [name for name in ends if getattr(self, name) is not None]
        if given and self.tissue is not Tissue.MUSCLE:
            raise ValueError(f"'{given[0]}' is for muscles, but this is {self.tissue.value}")
        contractile = (Tissue.MUSCLE, Tissue.TENDON)
        if self.muscle is not None and self.tissue not in contractile:
            raise ValueError(f"{self.tissue.value} belongs to no muscle")
        if self.tissue is Tissue.TENDON and self.muscle is None:
            raise ValueError("a tendon belongs to a muscle: give the key 'muscle'")
        return self


class Surfaces(Section):
    """Surfaces to be meshed together; lengths here are in metres, whatever the files have."""

    folder: Path = Path()
    units: Unit | None = None  # found from the size if left out
    size: Positive | None = None  # [m] edge of a tet inside the parts
    envelope: Positive | None = None  # [m] how far the mesh may be from the surfaces
    gap: Annotated[Number, Field(ge=0)] = 0.003  # [m] that an attachment may bridge
    neighbours: Neighbours = Neighbours.FUSED
    parts: Annotated[dict[str, SurfacePart], Field(min_length=1)]
