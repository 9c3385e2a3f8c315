"""An anatomical right arm: closed surfaces made of formulas, built like those of any other body.

Solids are drawn in tables of millimetres and turned to metres when they become surfaces. Volumes
follow adults measured by magnetic resonance (Holzbaur and others, Journal of Biomechanics 40, 2007)
and by sections of a body (Garner and Pandy, Annals of Biomedical Engineering 31, 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import degrees, radians

import numpy as np

from vastus.cache import Log, Store
from vastus.errors import ModelError, known
from vastus.geometry.surface import Surface
from vastus.materials.base import check_positive
from vastus.model import Model
from vastus.modelling.shapes import arm_muscles as muscles
from vastus.modelling.shapes import forearm, hand, humerus, shoulder
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.humerus import HEAD
from vastus.modelling.shapes.implicit import Field, surface_of, turned, within
from vastus.modelling.shapes.right_arm import FOREARM, FOREARM_MASS, elbow_hinge
from vastus.modelling.shapes.strands import MuscleShape, PosedMuscle, posed, trimmed
from vastus.modelling.surfaces.body_parts import Ends, Part
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.surface_model import body_of
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive, Region, Tissue

MUSCLES: dict[str, MuscleShape] = {
    "biceps long": muscles.BICEPS_LONG,
    "biceps short": muscles.BICEPS_SHORT,
    "brachialis": muscles.BRACHIALIS,
    "coracobrachialis": muscles.CORACOBRACHIALIS,
    "triceps long": muscles.TRICEPS_LONG,
    "triceps lateral": muscles.TRICEPS_LATERAL,
    "triceps medial": muscles.TRICEPS_MEDIAL,
    "deltoid": muscles.DELTOID,
    "brachioradialis": muscles.BRACHIORADIALIS,
    "forearm flexors": muscles.FOREARM_FLEXORS,
    "forearm extensors": muscles.FOREARM_EXTENSORS,
}

# The bones of each muscle's origin and of its insertion.
ATTACHMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    name: (muscle.origins, muscle.insertions) for name, muscle in MUSCLES.items()
}

# How far from its two ends a muscle is fixed to those bones, as fractions of its length.
CAPS: dict[str, tuple[float, float]] = {name: muscle.caps for name, muscle in MUSCLES.items()}

# The bones that move as one body.
BODIES: dict[str, tuple[str, ...]] = {
    "scapula": ("scapula",),
    "clavicle": ("clavicle",),
    "humerus": ("humerus",),
    "forearm": FOREARM,
}

SHOULDER_CENTRE = np.array(HEAD) / 1000  # [m] of the ball between scapula and humerus


REST_FLEXION = radians(20)
MOST_FLEXION = radians(45)  # beyond it the tendons of the biceps would enter the brachialis

_CELL = 2.0  # [mm]
_MARGIN = 5.0  # [mm] around a bone, beyond which it trims nothing
_MILLIMETRE = 1e-3
# Heads that are activated together.
_MUSCLES = {
    "biceps long": "biceps",
    "biceps short": "biceps",
    "triceps long": "triceps",
    "triceps lateral": "triceps",
    "triceps medial": "triceps",
}
# Muscles that one sheath of fascia holds together.
_COMPARTMENTS = {
    "biceps long": "front",
    "biceps short": "front",
    "brachialis": "front",
    "coracobrachialis": "front",
    "triceps long": "back",
    "triceps lateral": "back",
    "triceps medial": "back",
    "deltoid": "shoulder",
    "brachioradialis": "forearm",
    "forearm flexors": "forearm",
    "forearm extensors": "forearm",
}
_GAP = 0.004  # [m] that attachments bridge
_ENVELOPE = 0.002  # [m] three times the usual: half the time, and thin tendons survive


@dataclass(frozen=True)
class _Bone:
    field: Callable[[], Field]
    box: tuple[tuple[float, ...], tuple[float, ...]]
    faces: int


_BONES = {
    "scapula": _Bone(shoulder.scapula, shoulder.SCAPULA_BOX, 4000),
    "clavicle": _Bone(shoulder.clavicle, shoulder.CLAVICLE_BOX, 1600),
    "humerus": _Bone(humerus.humerus, humerus.BOX, 4000),
    "ulna": _Bone(forearm.ulna, forearm.ULNA_BOX, 2500),
    "radius": _Bone(forearm.radius, forearm.RADIUS_BOX, 2500),
    "hand": _Bone(hand.hand, hand.BOX, 4000),
}


def arm_surfaces(
    flexion: float = REST_FLEXION, *, watch: Callable[[str], None] = lambda _: None
) -> dict[str, Surface]:
    """Closed surfaces [m] of the bones and muscles of a right arm, the elbow flexed [rad].

    x points to the side, y forward, z up; the elbow's axis runs along x through the origin. The
    upper arm hangs down, the palm faces forward. Muscles include their tendons; `flexion` lies
    between 0 and 45 degrees. `watch` is told which one is made.
    """
    surfaces = {}
    for number, name in enumerate((*_BONES, *MUSCLES), 1):
        watch(f"{name}, {number} of {len(_BONES) + len(MUSCLES)}")
        make = bone_surface if name in _BONES else muscle_surface
        surfaces[name] = make(name, flexion)
    return surfaces


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
    field = trimmed(name, muscles, bone_fields(flexion))
    found = surface_of(field, *muscles[name].box, cell=_CELL, faces=MUSCLES[name].faces)
    return Surface(found.X * _MILLIMETRE, found.faces)


@lru_cache(maxsize=2)
def _drawn(flexion: float) -> dict[str, PosedMuscle]:
    return {name: posed(muscle, _turn(flexion)) for name, muscle in MUSCLES.items()}


@lru_cache(maxsize=2)
def bone_fields(flexion: float) -> dict[str, Field]:
    """The bones by name as fields [mm], which muscles are trimmed by."""
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


@checked
def arm(size: float = 0.01, *, forearm_mass: float = FOREARM_MASS, log: Log | None = None) -> Model:
    """An anatomical right arm with shoulder blade, collar bone and hand, and eleven muscles.

    x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the
    origin, so that flexion is positive. Tets have edges of about `size` [m]. `scapula`, `clavicle`
    and `humerus` are pinned, `forearm` (ulna, radius and hand) is free and weighs `forearm_mass`
    [kg], flesh that is not modelled included. The heads of `biceps` and `triceps` are activated
    together. It is built once, in about a minute, and then kept; needs the extra `mesh`. A `log`
    decides where its steps are kept and is told of them.
    """
    check_positive("arm", size=size, forearm_mass=forearm_mass)
    log = log or Log(Store(), lambda _: None)
    shells = log.run("surfaces", arm_surfaces, watch=lambda part: log.watch(f"surfaces: {part}"))
    parts = [_part(name, shell) for name, shell in shells.items()]
    model = body_of(parts, Plan(size=size, envelope=_ENVELOPE, gap=_GAP), log, "arm").model
    drives = dict.fromkeys(BODIES, Drive.PINNED) | {"forearm": Drive.FREE}
    return model.with_(
        regions=_weighed(model, forearm_mass),
        bones=tuple(Bone(name, bones, drives[name]) for name, bones in BODIES.items()),
        joints=(elbow_hinge(REST_FLEXION),),
    )


def _part(name: str, surface: Surface) -> Part:
    if name not in ATTACHMENTS:
        return Part(name, surface, Tissue.BONE)
    origin, insertion = ATTACHMENTS[name]
    ends = Ends(origin, insertion, caps=CAPS[name])
    muscle, fascia = _MUSCLES.get(name, name), _COMPARTMENTS[name]
    return Part(name, surface, Tissue.MUSCLE, muscle, ends, compartment=fascia)


def _weighed(model: Model, forearm_mass: float) -> tuple[Region, ...]:
    """The regions, with bones of the forearm so dense that together they have the mass [kg]."""
    volume = float(model.mesh.volumes[model.tets_of(FOREARM)].sum())
    density = forearm_mass / volume
    return tuple(replace(r, density=density) if r.name in FOREARM else r for r in model.regions)
