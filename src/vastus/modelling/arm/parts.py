"""What the arm consists of: muscles and their attachments, bodies of bones, and joints.

Volumes follow adults measured by magnetic resonance (Holzbaur and others, Journal of Biomechanics
40, 2007) and by sections of a body (Garner and Pandy, Annals of Biomedical Engineering 31, 2003):
biceps 145 to 370 cm^3, triceps 370 to 620, brachialis 60 to 150, deltoid about 380.
"""

from __future__ import annotations

import numpy as np

from vastus.modelling.arm import deltoid, extensors, flexors, lower_arm
from vastus.modelling.arm.humerus import HEAD
from vastus.modelling.arm.muscle import Muscle

MUSCLES: dict[str, Muscle] = {
    "biceps long": flexors.BICEPS_LONG,
    "biceps short": flexors.BICEPS_SHORT,
    "brachialis": flexors.BRACHIALIS,
    "coracobrachialis": flexors.CORACOBRACHIALIS,
    "triceps long": extensors.TRICEPS_LONG,
    "triceps lateral": extensors.TRICEPS_LATERAL,
    "triceps medial": extensors.TRICEPS_MEDIAL,
    "deltoid": deltoid.DELTOID,
    "brachioradialis": lower_arm.BRACHIORADIALIS,
    "forearm flexors": lower_arm.FOREARM_FLEXORS,
    "forearm extensors": lower_arm.FOREARM_EXTENSORS,
}

# The bones of each muscle's origin and of its insertion.
ATTACHMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    name: (muscle.origins, muscle.insertions) for name, muscle in MUSCLES.items()
}

# How far from its two ends a muscle is fixed to those bones, as fractions of its length.
CAPS: dict[str, tuple[float, float]] = {name: muscle.caps for name, muscle in MUSCLES.items()}

FOREARM = ("ulna", "radius", "hand")

# The bones that move as one body.
BODIES: dict[str, tuple[str, ...]] = {
    "scapula": ("scapula",),
    "clavicle": ("clavicle",),
    "humerus": ("humerus",),
    "forearm": FOREARM,
}

ELBOW_CENTRE = np.zeros(3)  # [m] of the hinge between humerus and forearm
ELBOW_AXIS = np.array([1.0, 0.0, 0.0])  # flexion is positive
SHOULDER_CENTRE = np.array(HEAD) / 1000  # [m] of the ball between scapula and humerus
