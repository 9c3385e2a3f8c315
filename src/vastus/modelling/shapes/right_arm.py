"""What both right arms, the simple elbow and the anatomical arm, have in common.

x points to the side (laterally), y forward, z up; the elbow's axis runs along x through the origin.
"""

from __future__ import annotations

import numpy as np

from vastus.skeleton.joints import Hinge
from vastus.skeleton.passive import Passive

FOREARM = ("ulna", "radius", "hand")  # the bones that move as one body
FOREARM_MASS = 1.5  # [kg] with the flesh that is not modelled
ELBOW_CENTRE = np.zeros(3)  # [m] of the hinge between humerus and forearm
ELBOW_AXIS = np.array([1.0, 0.0, 0.0])  # flexion is positive
# [rad] from the straight arm: D. C. Boone and S. P. Azen, Journal of Bone and Joint Surgery 61-A,
# 1979, measured 143 degrees of flexion, standard deviation 6, and less than 1 beyond straight.
ELBOW_RANGE = (0.0, np.radians(145.0))


def elbow_hinge(flexion: float) -> Hinge:
    """The joint between humerus and forearm of an arm that is made flexed [rad]."""
    low, high = (float(end - flexion) for end in ELBOW_RANGE)
    limits = Passive(range=(low, high))
    return Hinge("elbow", ("humerus", "forearm"), ELBOW_CENTRE, ELBOW_AXIS, passive=(limits,))
