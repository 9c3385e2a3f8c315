"""Bones of the upper body as surfaces, to be looked at: nothing is computed from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from vastus.bodies.bones import arm, girdle, hand, skull, trunk
from vastus.bodies.bones.solids import reflected
from vastus.geometry.surface import Surface

__all__ = ["ARM_BONES", "TRUNK_BONES", "Bone", "reflected", "surface_of"]

BONE = (0.89, 0.85, 0.74, 1.0)
CARTILAGE = (0.70, 0.76, 0.76, 1.0)


@dataclass(frozen=True)
class Bone:
    """A bone of a segment: its surface [mm] in the segment's frame, its colour.

    Bones of the arms and of the girdle are those of the right side.
    """

    name: str
    segment: str
    shape: Callable[[], Surface]
    colour: tuple[float, float, float, float] = BONE


TRUNK_BONES = (
    Bone("skull", "torso", skull.skull),
    Bone("spine", "torso", trunk.vertebrae),
    Bone("discs", "torso", trunk.discs, CARTILAGE),
    Bone("ribs", "torso", trunk.ribs),
    Bone("cartilages", "torso", trunk.cartilages, CARTILAGE),
    Bone("sternum", "torso", trunk.sternum),
    Bone("pelvis", "pelvis", trunk.pelvis),
)
ARM_BONES = (
    Bone("clavicle", "girdle", girdle.clavicle),
    Bone("scapula", "girdle", girdle.scapula),
    Bone("humerus", "humerus", arm.humerus),
    Bone("ulna", "ulna", arm.ulna),
    Bone("radius", "radius", arm.radius),
    Bone("hand", "hand", hand.hand),
)


@cache
def surface_of(bone: Bone) -> Surface:
    """The surface of a bone [m], made once."""
    shape = bone.shape()
    return Surface(1e-3 * shape.X, shape.faces)
