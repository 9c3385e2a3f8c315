"""The hinges of the upper body: axes, limits, and how far tasks move them.

Axes are of the right side. A left axis has x and z turned round, so that the same angle means the
same movement on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.bodies.segments import RADIAL_HEAD, ULNAR_HEAD, Triple

Range = tuple[float, float]


@dataclass(frozen=True)
class Hinge:
    """A hinge of a segment: axis and point [m] in its frame; angles [rad]."""

    name: str
    segment: str
    axis: Triple
    limits: Range
    used: Range  # the part of the limits that moment arms and stretches are judged in
    home: float
    positive: str  # what a positive angle is
    negative: str
    point: Triple = (0.0, 0.0, 0.0)
    stiffness: float = 0.0  # [N m/rad] of a spring towards zero
    damping: float = 0.05  # [N m s/rad]


def _forearm_axis() -> Triple:
    axis = np.subtract(RADIAL_HEAD, ULNAR_HEAD)
    x, y, z = (axis / np.linalg.norm(axis)).tolist()
    return x, y, z


ARM_HINGES = (
    Hinge("shoulder_flexion", "humerus", (0, -1, 0), (-1.0, 2.4), (-0.6, 1.2), 0.05,
          "flexion", "extension"),
    Hinge("shoulder_abduction", "humerus", (-1, 0, 0), (-0.35, 1.9), (-0.1, 1.2), 0.18,
          "abduction", "adduction"),
    Hinge("shoulder_rotation", "humerus", (0, 0, 1), (-1.3, 1.4), (-0.8, 0.9), -0.05,
          "internal rotation", "external rotation"),
    Hinge("elbow_flexion", "ulna", (0, -1, 0), (0.0, 2.45), (0.05, 2.3), 1.45,
          "flexion", "extension"),
    Hinge("pronation", "radius", _forearm_axis(), (-1.5, 1.5), (-1.4, 1.4), -1.15,
          "pronation", "supination", RADIAL_HEAD),
    Hinge("wrist_flexion", "hand", (1, 0, 0), (-1.2, 1.2), (-0.8, 0.8), 0.0,
          "palmar flexion", "extension"),
    Hinge("wrist_deviation", "hand", (0, -1, 0), (-0.6, 0.45), (-0.4, 0.35), 0.0,
          "radial deviation", "ulnar deviation"),
)  # fmt: skip

# Options: stiff springs stand for the muscles that the body does not have.
TRUNK_HINGES = (
    Hinge("trunk_flexion", "torso", (0, 1, 0), (-0.5, 1.0), (-0.1, 0.1), 0.0,
          "flexion", "extension", (0, 0, -0.45), 800.0, 60.0),
    Hinge("trunk_bending", "torso", (1, 0, 0), (-0.5, 0.5), (-0.1, 0.1), 0.0,
          "to the right", "to the left", (0, 0, -0.45), 800.0, 60.0),
    Hinge("trunk_rotation", "torso", (0, 0, 1), (-0.8, 0.8), (-0.1, 0.1), 0.0,
          "to the left", "to the right", (0, 0, -0.45), 400.0, 30.0),
)  # fmt: skip
GIRDLE_HINGES = (
    Hinge("clavicle_elevation", "clavicle", (-1, 0, 0), (-0.2, 0.5), (-0.1, 0.1), 0.0,
          "elevation", "depression", (0, -0.022, 0), 300.0, 15.0),
    Hinge("clavicle_protraction", "clavicle", (0, 0, 1), (-0.4, 0.4), (-0.1, 0.1), 0.0,
          "protraction", "retraction", (0, -0.022, 0), 300.0, 15.0),
)  # fmt: skip

ARMATURE = 0.0005  # [kg m^2] of every hinge, against stiff light wrists


def mirrored_axis(axis: Triple, side: float) -> Triple:
    """The axis of a right hinge (side 1) for the same movement of the other side (side -1)."""
    return side * axis[0], axis[1], side * axis[2]
