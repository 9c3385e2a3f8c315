"""The body as closed surfaces: which file each part is in, what it is, and where it is attached.

What an author leaves out is proposed by the builder, and shown.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from vastus.parts import Tissue
from vastus.scene.schema import Names, Number, Positive, Section, Unit, Word, unknown
from vastus.scene.selection import Sphere

Fraction = Annotated[Number, Field(ge=0, le=1)]
Dabs = Annotated[tuple[Sphere, ...], Field(min_length=1)]
# What only muscles have.
_ENDS = ("origin", "insertion", "origin_at", "insertion_at", "caps", "fibre_caps", "tendons", "gap")


class Neighbours(StrEnum):
    """What muscles that touch do: share vertices, held by fascia, or slide past each other."""

    FUSED = "fused"
    SEPARATE = "separate"


class SurfacePart(Section):
    """A closed surface, the tissue inside it, and how a muscle is attached.

    Fractions are of the way along a muscle, from each of its ends: `caps` say how far from its end
    an attachment may reach, `fibre_caps` how far fibres may begin, `tendons` how much is tendon;
    all for origin and insertion. What `origin_at` and `insertion_at` paint [m] stands for the cap
    of that end. Attachments may bridge a `gap` [m]. Of fused muscles only those of one
    `compartment` hold together; between compartments they slide.
    """

    file: Path
    tissue: Tissue
    units: Unit | None = None
    muscle: Word | None = None
    compartment: Word | None = None
    origin: Names | None = None
    insertion: Names | None = None
    origin_at: Dabs | None = None
    insertion_at: Dabs | None = None
    caps: tuple[Fraction | None, Fraction | None] | None = None
    fibre_caps: tuple[Fraction | None, Fraction | None] | None = None
    tendons: tuple[Fraction, Fraction] | None = None
    gap: Annotated[Number, Field(ge=0)] | None = None
    size: Positive | None = None

    @model_validator(mode="after")
    def _only_muscles(self) -> SurfacePart:
        given = [name for name in _ENDS if getattr(self, name) is not None]
        if given and self.tissue is not Tissue.MUSCLE:
            raise ValueError(f"'{given[0]}' is for muscles, but this is {self.tissue.value}")
        contractile = (Tissue.MUSCLE, Tissue.TENDON)
        if self.muscle is not None and self.tissue not in contractile:
            raise ValueError(f"{self.tissue.value} belongs to no muscle")
        if self.tissue is Tissue.TENDON and self.muscle is None:
            raise ValueError("a tendon belongs to a muscle: give the key 'muscle'")
        if self.tendons is not None and sum(self.tendons) >= 1:
            raise ValueError(
                f"'tendons' of {self.tendons[0]:g} and {self.tendons[1]:g} leave no muscle between "
                "them; their sum must be below 1"
            )
        return self

    @model_validator(mode="after")
    def _capped_or_painted(self) -> SurfacePart:
        for i, (end, spots) in enumerate(
            (("origin", self.origin_at), ("insertion", self.insertion_at))
        ):
            cap = self.caps[i] if self.caps else None
            if spots is not None and cap is not None:
                raise ValueError(
                    f"'caps' says {cap:g} at the {end}, but '{end}_at' paints it; "
                    "write null there, or leave one of them out"
                )
        return self


class Surfaces(Section):
    """Surfaces to be meshed together; lengths here are in metres, whatever the files have."""

    folder: Path = Path()
    units: Unit | None = None  # found from the size if left out
    size: Positive | None = None  # [m] edge of a tet inside the parts
    envelope: Positive | None = None  # [m] how far the mesh may be from the surfaces
    gap: Annotated[Number, Field(ge=0)] = 0.003  # [m] that an attachment may bridge
    clearance: Annotated[Number, Field(ge=0)] = 1e-3  # [m] between soft parts that only touch
    neighbours: Neighbours = Neighbours.FUSED
    parts: Annotated[dict[str, SurfacePart], Field(min_length=1)]

    @model_validator(mode="after")
    def _known_names(self) -> Surfaces:
        for name, part in self.parts.items():
            sinew = f"{name} tendon"
            if part.tissue is Tissue.MUSCLE and sinew in self.parts:
                raise _wrong(
                    (sinew,), f"the thin ends of part '{name}' get this name: take another"
                )
            for end in ("origin", "insertion"):
                for to in getattr(part, end) or ():
                    self._require_end(name, end, to)
            if part.tissue is Tissue.TENDON and part.muscle not in self.muscles:
                raise _wrong((name, "muscle"), unknown("muscle", str(part.muscle), [*self.muscles]))
        return self

    @property
    def muscles(self) -> set[str]:
        """The muscles that its parts of muscle belong to."""
        parts = self.parts.items()
        return {p.muscle or name for name, p in parts if p.tissue is Tissue.MUSCLE}

    def _require_end(self, name: str, end: str, to: str) -> None:
        if to == name:
            raise _wrong((name, end), f"muscle '{name}' cannot be attached to itself")
        if to not in self.parts:
            others = [other for other in self.parts if other != name]
            raise _wrong((name, end), unknown("part", to, others))
        if self.parts[to].tissue is Tissue.TENDON:
            muscle = self.parts[to].muscle
            sentence = f"'{to}' is a tendon of muscle '{muscle}': name what it ends on"
            raise _wrong((name, end), sentence)


def _wrong(keys: tuple[str, ...], sentence: str) -> PydanticCustomError:
    """The error of a key below the parts."""
    return PydanticCustomError(
        "part", "{sentence}", {"below": ("parts", *keys), "sentence": sentence}
    )
