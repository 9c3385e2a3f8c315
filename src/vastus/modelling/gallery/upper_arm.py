"""An upper arm: heads of biceps and triceps and the brachialis, each with its own activation.

Bones and muscles are those of the anatomical arm.
"""

from __future__ import annotations

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import Drawing, built
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.arm import (
    BODIES,
    MUSCLES,
    REST_FLEXION,
    bone_surface,
    muscle_surface,
)
from vastus.modelling.shapes.right_arm import FOREARM_MASS, elbow_hinge

_FASCIA = {
    "biceps long": "front",
    "biceps short": "front",
    "brachialis": "front",
    "triceps long": "back",
    "triceps lateral": "back",
    "triceps medial": "back",
}

DRAWING = Drawing(
    name="upper_arm",
    muscles={name: MUSCLES[name] for name in _FASCIA},
    bodies=BODIES,
    pinned=("scapula", "clavicle", "humerus"),
    joints=(elbow_hinge(REST_FLEXION),),
    masses={"forearm": FOREARM_MASS},
    fascia=_FASCIA,
    clearance=0.003,  # between flexors and extensors, which no contact keeps apart
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
    return bones | {name: muscle_surface(name) for name in _FASCIA}
