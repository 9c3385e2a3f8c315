"""A biceps over two joints: from the shoulder blade past the humerus to the radius.

The bones and the muscle are those of the anatomical arm.
"""

from __future__ import annotations

import numpy as np

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import Drawing, built
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.arm import (
    MUSCLES,
    REST_FLEXION,
    SHOULDER_CENTRE,
    bone_surface,
    muscle_surface,
)
from vastus.modelling.shapes.right_arm import FOREARM, FOREARM_MASS, elbow_hinge
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.joints import Ball

_HEADS = ("biceps long", "biceps short")
_UPPER_ARM_MASS = 2.0  # [kg] with the flesh that is not modelled
SWING, TWIST = (
    np.radians(80.0),
    np.radians(4.0),
)  # of the shoulder: the groove stays under its tendon

DRAWING = Drawing(
    name="biceps",
    muscles={name: MUSCLES[name] for name in _HEADS},
    bodies={"scapula": ("scapula",), "humerus": ("humerus",), "forearm": FOREARM},
    pinned=("scapula",),
    joints=(
        Ball(
            "shoulder",
            ("scapula", "humerus"),
            SHOULDER_CENTRE,
            range=BallRange(axis=(0.0, 0.0, 1.0), swing=SWING, twist=(-TWIST, TWIST)),
        ),
        elbow_hinge(REST_FLEXION),
    ),
    masses={"humerus": _UPPER_ARM_MASS, "forearm": FOREARM_MASS},
    heads=dict.fromkeys(_HEADS, "biceps"),
    fascia=dict.fromkeys(_HEADS, "front"),
    envelope=0.001,  # joints with gaps of 2 mm turn far
    share=0.75,
)


@checked
def biceps(tets: int = 33_000, *, log: Log | None = None) -> Model:
    """The muscle `biceps` between the pinned `scapula` and the `forearm`, over two joints.

    x points to the side, y forward, z up. The `humerus` hangs from the ball `shoulder`, the forearm
    from the hinge `elbow`, both free. It is built once and then kept; needs the extra `mesh`.
    """
    return built(DRAWING, biceps_surfaces, tets, log)


def biceps_surfaces() -> dict[str, Surface]:
    """Closed surfaces [m] of the bones and of both heads."""
    bones = {name: bone_surface(name) for name in ("scapula", "humerus", *FOREARM)}
    return bones | {name: muscle_surface(name) for name in _HEADS}
