"""The rigid segments of the upper body: where they hang, what they weigh.

Lengths [m], masses [kg] and inertias [kg m^2] of a man of 75 kg. Axes of all segments are parallel
in the zero pose, arms hanging and palms facing the thighs: x forward, y left, z up. Tables are of
the right side; the left one is its mirror image. The torso's origin is the jugular notch.

Masses of the arm are Winter's fractions of the body's (2.8 % upper arm, 1.6 % forearm, half of it
on each bone, 0.6 % hand); inertias across are his radii of gyration (0.322, 0.303, 0.297 of 0.29,
0.25, 0.19 m), inertias along are cylinders' of radius 45 and 30 mm.
"""

from __future__ import annotations

from dataclasses import dataclass

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """A rigid body: its origin in the parent [m], mass [kg], centre [m], inertia [kg m^2]."""

    name: str
    parent: str
    origin: Triple
    mass: float
    centre: Triple
    inertia: Triple  # about the centre, along x, y, z


PELVIS_HEIGHT = 0.90  # [m] above the floor; what trunk joints turn about
TORSO = Segment("torso", "pelvis", (0, 0, 0.45), 37.275, (-0.05, 0, -0.20), (1.3, 1.2, 0.35))

# With its own joints the girdle takes its mass from the torso. It has the torso's frame, so that
# points on it are the same whether it moves or not. Its inertia is that of a plate 0.14 m wide.
GIRDLE_SEGMENT = Segment(
    "clavicle", "torso", (0, 0, 0), 0.8, (-0.06, -0.12, -0.01), (0.002, 0.002, 0.002)
)

ARM_SEGMENTS = (
    Segment("humerus", "girdle", (-0.018, -0.170, -0.007), 2.1, (0.003, 0.005, -0.1264),
            (0.0183, 0.0183, 0.00213)),
    Segment("ulna", "humerus", (0.006, 0.012, -0.290), 0.6, (-0.003, 0, -0.1075),
            (0.00344, 0.00344, 0.00027)),
    Segment("radius", "ulna", (0, 0, 0), 0.6, (0.003, -0.009, -0.1075),
            (0.00344, 0.00344, 0.00027)),
    Segment("hand", "radius", (0.010, -0.008, -0.250), 0.45, (0, 0.004, -0.080),
            (0.00143, 0.00166, 0.00036)),
)  # fmt: skip

PALM: Triple = (0.0, 0.048, -0.085)  # [m] in the hand: the centre of a held ball

RADIAL_HEAD: Triple = (0.0, -0.018, 0.0)  # [m] in the ulna: the forearm turns about the line
ULNAR_HEAD: Triple = (-0.008, 0.0, -0.245)  # [m] from one to the other


def mirrored(point: Triple, side: float) -> Triple:
    """A point of the right side (side 1) on the other one (side -1)."""
    return point[0], side * point[1], point[2]
