"""What an author says of cavities under pressure and of cables."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from vastus.scene.schema import Number, Positive, Section, Vector

Least = Annotated[Number, Field(ge=0)]


class CavityPart(Section):
    """A hollow of the mesh around a point [m], or one that the model has, and its pressure [Pa]."""

    inside: Vector | None = None
    pressure: Number | None = None
    gas: bool | None = None
    ambient: Positive | None = None


class CablePart(Section):
    """A cable through points [m] of tissue or bone, or one that the model has.

    It pulls with a tension [N], or by a stiffness [N/m] as a spool draws in a shortening [m].
    Points count as those of the nearest tissue within a distance `within` [m].
    """

    through: Annotated[tuple[Vector, ...], Field(min_length=2)] | None = None
    tension: Least | None = None
    stiffness: Positive | None = None
    shortening: Number | None = None
    friction: Least | None = None
    slack: bool | None = None
    within: Positive | None = None

    @model_validator(mode="after")
    def _one_drive(self) -> CablePart:
        if self.tension is not None and self.stiffness is not None:
            raise ValueError("a cable has a tension, or a stiffness and a shortening, not both")
        if self.within is not None and self.through is None:
            raise ValueError("'within' says how near the points of 'through' must be; give them")
        return self
