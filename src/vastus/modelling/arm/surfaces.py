"""The surfaces of a right arm: bones first, then muscles trimmed against them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from math import degrees, radians

import numpy as np

from vastus.errors import ModelError, known
from vastus.geometry.surface import Surface
from vastus.modelling.arm import clavicle, forearm, hand, humerus, scapula
from vastus.modelling.arm.field import Field, turned, within
from vastus.modelling.arm.grid import surface_of
from vastus.modelling.arm.parts import FOREARM, MUSCLES
from vastus.modelling.arm.trim import Drawn, drawn, trimmed
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

REST_FLEXION = radians(20)
MOST_FLEXION = radians(45)  # beyond it the tendons of the biceps would enter the brachialis

_CELL = 2.0  # [mm]
_MARGIN = 5.0  # [mm] around a bone, beyond which it trims nothing
_MILLIMETRE = 1e-3


@dataclass(frozen=True)
class _Bone:
    field: Callable[[], Field]
    box: tuple[tuple[float, ...], tuple[float, ...]]
    faces: int


_BONES = {
    "scapula": _Bone(scapula.scapula, scapula.BOX, 4000),
    "clavicle": _Bone(clavicle.clavicle, clavicle.BOX, 1600),
    "humerus": _Bone(humerus.humerus, humerus.BOX, 4000),
    "ulna": _Bone(forearm.ulna, forearm.ULNA_BOX, 2500),
    "radius": _Bone(forearm.radius, forearm.RADIUS_BOX, 2500),
    "hand": _Bone(hand.hand, hand.BOX, 4000),
}


def arm_surfaces(flexion: float = REST_FLEXION) -> dict[str, Surface]:
    """Closed surfaces [m] of the bones and muscles of a right arm, the elbow flexed [rad].

    x points to the side, y forward, z up; the elbow's axis runs along x through the origin. The
    upper arm hangs down, the palm faces forward. Muscles include their tendons; `flexion` lies
    between 0 and 45 degrees.
    """
    bones = {name: bone_surface(name, flexion) for name in _BONES}
    return bones | {name: muscle_surface(name, flexion) for name in MUSCLES}


def bone_surface(name: str, flexion: float = REST_FLEXION) -> Surface:
    """The surface [m] of one bone."""
    if name not in _BONES:
        raise known("bone", name, _BONES)
    rest = _bone_at_rest(name)
    X = rest.X @ _turn(flexion).T if name in FOREARM else rest.X
    return Surface(X * _MILLIMETRE, rest.faces)


def muscle_surface(name: str, flexion: float = REST_FLEXION) -> Surface:
    """The surface [m] of one muscle with its tendons."""
    if name not in MUSCLES:
        raise known("muscle", name, MUSCLES)
    muscles = _drawn(flexion)
    field = trimmed(name, muscles, _bone_fields(flexion))
    found = surface_of(field, *muscles[name].box, cell=_CELL, faces=MUSCLES[name].faces)
    return Surface(found.X * _MILLIMETRE, found.faces)


@lru_cache(maxsize=2)
def _drawn(flexion: float) -> dict[str, Drawn]:
    return {name: drawn(muscle, _turn(flexion)) for name, muscle in MUSCLES.items()}


@lru_cache(maxsize=2)
def _bone_fields(flexion: float) -> dict[str, Field]:
    return {name: _bone_field(name, _turn(flexion)) for name in _BONES}


def _bone_field(name: str, turn: Floats) -> Field:
    bone = _BONES[name]
    field = within(bone.field(), *bone.box, margin=_MARGIN)
    return turned(field, turn) if name in FOREARM else field


@cache
def _bone_at_rest(name: str) -> Surface:
    bone = _BONES[name]
    return surface_of(bone.field(), *bone.box, cell=_CELL, faces=bone.faces)


def _turn(flexion: float) -> Floats:
    """(3, 3) the rotation of the forearm about the elbow's axis."""
    if not 0 <= flexion <= MOST_FLEXION:
        given, most = degrees(flexion), degrees(MOST_FLEXION)
        raise ModelError(
            f"the arm is drawn for a flexion from 0 to {most:g} degrees, not {given:g}"
        )
    return exp_map(np.array([flexion, 0.0, 0.0]))
