"""Where the anatomical arm of this package hangs on the trunk.

The arm's own frame is that of `modelling.shapes.right_arm`: lateral, forward, up from the elbow
[mm], straight, palm forward. Here it is the left arm, turned out from the shoulder.
"""

from __future__ import annotations

import numpy as np

from vastus.modelling.shapes.humerus import HEAD
from vastus.numerics.types import Floats

SHOULDER = np.array([160.0, -65.0, 1325.0])  # [mm] the middle of the left humeral head
_OUT = np.radians(13.0)

# Axes of the arm in those of the trunk: lateral is x, forward is -y; then turned about y.
_MIRROR = np.diag([1.0, -1.0, 1.0])
_TURN = np.array(
    [[np.cos(_OUT), 0.0, -np.sin(_OUT)], [0.0, 1.0, 0.0], [np.sin(_OUT), 0.0, np.cos(_OUT)]]
)

# Points of the arm in its own frame [mm].
ARM = {
    "head": HEAD,
    "elbow": (0.0, 0.0, 0.0),
    "epicondyle": (31.0, -3.0, 12.0),
    "epitrochlea": (-38.0, -3.0, 12.0),
    "radial_head": (11.0, 0.0, -17.0),
    "radial_styloid": (23.0, 1.0, -248.0),
    "ulnar_head": (-18.0, -5.0, -236.0),
    "wrist": (2.0, 0.0, -246.0),
    "knuckle": (4.0, 2.0, -341.0),
}


def hung(X: Floats) -> Floats:
    """Points (n, 3) of the arm's frame on the left side of the trunk [mm]."""
    return SHOULDER + (X - np.array(HEAD)) @ (_TURN @ _MIRROR).T
