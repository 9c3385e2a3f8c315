"""Where things act: parts of the mesh chosen by place or by region, the pins and the loads."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator

from vastus.parts import ContactKind
from vastus.scene.schema import Direction, Number, Positive, Section, Vector, Word, exactly_one


class Sphere(Section):
    """A ball of space [m]."""

    centre: Vector
    radius: Positive


class Plane(Section):
    """The half-space on the far side of a plane through a point [m], where its normal points."""

    point: Vector
    normal: Direction


class Selection(Section):
    """A part of the mesh: inside a box [low, high] [m], a sphere, beyond a plane, or a region."""

    box: tuple[Vector, Vector] | None = None
    sphere: Sphere | None = None
    plane: Plane | None = None
    region: Word | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Selection:
        exactly_one(self, "box", "sphere", "plane", "region")
        if self.box and any(low > high for low, high in zip(*self.box, strict=True)):
            raise ValueError("a box is [low corner, high corner], but its low corner is above")
        return self


class Axis(StrEnum):
    """A coordinate axis."""

    X = "x"
    Y = "y"
    Z = "z"


class PinPart(Selection):
    """Vertices held along some axes, all unless said, at their rest place plus a shift [m]."""

    axes: Annotated[tuple[Axis, ...], Field(min_length=1)] = (Axis.X, Axis.Y, Axis.Z)
    shift: Vector = (0.0, 0.0, 0.0)


class ContactPart(Section):
    """What keeps bodies out of each other; gap [m] and pressure [Pa] are found unless given."""

    bones: ContactKind = ContactKind.DISTANCE
    muscles: ContactKind | None = None
    gap: Positive | None = None
    pressure: Positive | None = None
    exclude: tuple[tuple[Word, Word], ...] = ()
    folds: bool = False
    friction: Annotated[Number, Field(ge=0)] = 0.0


class FloorPart(Section):
    """A plane that nothing passes; gap [m] and pressure [Pa] are found unless given."""

    point: Vector = (0.0, 0.0, 0.0)
    normal: Direction = (0.0, 0.0, 1.0)
    gap: Positive | None = None
    pressure: Positive | None = None


class LoadPart(Section):
    """A dead force [N] at a point or on a bone, or a force or traction [Pa] on boundary faces."""

    force: Vector | None = None
    traction: Vector | None = None
    point: Vector | None = None
    bone: Word | None = None
    faces: Selection | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> LoadPart:
        exactly_one(self, "force", "traction")
        if (self.faces is None) == (self.point is None and self.bone is None):
            raise ValueError("a load acts either at a point or bone, or on faces")
        if self.traction is not None and self.faces is None:
            raise ValueError("a traction acts on faces")
        return self
