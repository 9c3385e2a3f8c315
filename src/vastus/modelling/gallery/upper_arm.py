"""An upper arm: heads of biceps and triceps and the brachialis, each with its own activation.

Bones and muscles are those of the anatomical arm.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import Drawing, built, muscle_surfaces
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.arm import (
    BODIES,
    MUSCLES,
    REST_FLEXION,
    bone_fields,
    bone_surface,
)
from vastus.modelling.shapes.right_arm import FOREARM_MASS, elbow_hinge
from vastus.modelling.shapes.strands import MuscleShape, Strand, posed, thickened
from vastus.numerics.rotation import exp_map

_FASCIA = {
    "biceps long": "front",
    "biceps short": "front",
    "brachialis": "front",
    "triceps long": "back",
    "triceps lateral": "back",
    "triceps medial": "back",
}

# Heads that arise from the humerus all along its lower half, and would else lift and slide on it.
_GROWN = {"brachialis": (0.6, 0.15), "triceps medial": (0.7, 0.15)}
# The brachialis with room over the trochlea, whose edge would cut into it as the elbow straightens.
_LIFTED = Strand(
    [
        (10, 8, 166, 3, 3), (7, 9, 148, 12, 9), (4, 8.5, 120, 21, 17), (-1, 9.5, 88, 23, 19.5),
        (-3, 12, 56, 23.5, 18.5), (-7, 16, 28, 17, 11.5), (-12, 20, 6, 9, 6),
    ],
    [(-13, 20, -14, 8, 5), (-13, 13, -27, 6.5, 4), (-12.5, 3, -38, 5, 4)],
)  # fmt: skip
_TENDON = 4.5  # [mm] of half-width, that tets of this size fill; thinner ones tear


def _muscle(name: str) -> MuscleShape:
    """A muscle of the arm, grown to the humerus farther than its fibres begin."""
    shape = thickened(MUSCLES[name], _TENDON) if "biceps" in name else MUSCLES[name]
    if name == "brachialis":
        shape = replace(shape, strands=(_LIFTED,))
    if name not in _GROWN:
        return shape
    return replace(shape, caps=_GROWN[name], fibre_caps=shape.caps)


DRAWING = Drawing(
    name="upper_arm",
    muscles={name: _muscle(name) for name in _FASCIA},
    bodies=BODIES,
    pinned=("scapula", "clavicle", "humerus"),
    joints=(elbow_hinge(REST_FLEXION),),
    masses={"forearm": FOREARM_MASS},
    fascia=_FASCIA,
    clearance=0.003,  # between flexors and extensors, in which contact acts
)


@checked
def upper_arm(tets: int = 33_000, *, log: Log | None = None) -> Model:
    """Two heads of the biceps, three of the triceps and the brachialis bend and stretch an elbow.

    x points to the side, y forward, z up. The `forearm` is free on the hinge `elbow`; `scapula`,
    `clavicle` and `humerus` are pinned. It is built once and then kept; needs the extra `mesh`.
    """
    return built(DRAWING, upper_arm_surfaces, tets, log)


def upper_arm_surfaces() -> dict[str, Surface]:
    """Closed surfaces [m] of bones and muscles."""
    bones = {name: bone_surface(name) for body in BODIES.values() for name in body}
    turn = exp_map(np.array([REST_FLEXION, 0.0, 0.0]))
    drawn = {name: posed(muscle, turn) for name, muscle in DRAWING.muscles.items()}
    return bones | muscle_surfaces(drawn, bone_fields(REST_FLEXION), drawn)
