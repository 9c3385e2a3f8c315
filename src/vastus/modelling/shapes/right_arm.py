"""What both right arms, the simple elbow and the anatomical arm, have in common.

x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the origin.
"""

from __future__ import annotations

import numpy as np

from vastus.skeleton.joints import Hinge

FOREARM = ("ulna", "radius", "hand")  # the bones that move as one body
FOREARM_MASS = 1.5  # [kg] with the flesh that is not modelled
ELBOW_CENTRE = np.zeros(3)  # [m] of the hinge between humerus and forearm
ELBOW_AXIS = np.array([1.0, 0.0, 0.0])  # flexion is positive


def elbow_hinge() -> Hinge:
    """The joint between humerus and forearm."""
    return Hinge("elbow", ("humerus", "forearm"), ELBOW_CENTRE, ELBOW_AXIS)
