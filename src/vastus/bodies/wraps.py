"""What paths run around: spheres and cylinders on the right side of the upper body [m].

A cylinder is given with sites that select the side of it on which a path runs; each stands in the
middle of the arc that it selects, so that no pose makes the path change sides. Spheres have none:
the path takes the short way. The cuff's muscles run around a cylinder along the humerus
and not a sphere, because a path that wraps a sphere by more than half a turn jumps to its other
side. Cylinders about the axis of pronation stand on the ulna, each of its own radius.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vastus.bodies.segments import ARM_SEGMENTS, RADIAL_HEAD, ULNAR_HEAD, Triple


@dataclass(frozen=True)
class Wrap:
    """A sphere, or a cylinder along `axis`, on a segment; `sides` are sites by name [m]."""

    name: str
    segment: str
    centre: Triple
    radius: float
    axis: Triple | None = None
    sides: dict[str, Triple] = field(default_factory=dict)


def _about_pronation(name: str, height: float, radius: float, side: str, away: Triple) -> Wrap:
    """A cylinder on the forearm's axis at a height [m] in the ulna, its side site `away` [m]."""
    head, low = np.array(RADIAL_HEAD), np.array(ULNAR_HEAD)
    centre = head + (low - head) * height / low[2]
    axis = (head - low) / np.linalg.norm(head - low)
    return Wrap(
        name, "ulna", _triple(centre), radius, _triple(axis), {side: _triple(centre + away)}
    )


def _triple(point: np.ndarray) -> Triple:
    x, y, z = point.tolist()
    return x, y, z


_SHOULDER = ARM_SEGMENTS[0].origin
_WRIST = ARM_SEGMENTS[3].origin

WRAPS = (
    Wrap("head_deltoid", "girdle", _SHOULDER, 0.031),
    Wrap("head_supraspinatus", "girdle", _SHOULDER, 0.024),
    Wrap("head_biceps", "girdle", _SHOULDER, 0.0255),
    Wrap("cuff", "humerus", (0, 0, 0), 0.022, (0, 0, 1),
         {"cuff_back": (-0.040, -0.030, 0), "cuff_front": (0.030, 0.045, 0)}),
    Wrap("shaft", "humerus", (0, 0, -0.050), 0.011, (0, 0, 1),
         {"shaft_inner": (0.015, 0.030, -0.050), "shaft_front": (0.040, 0, -0.050)}),
    Wrap("elbow", "humerus", (0.0030, 0.0100, -0.2905), 0.016, (0, -1, 0),
         {"elbow_back": (-0.030, 0.010, -0.300), "elbow_front": (0.030, 0.010, -0.280)}),
    _about_pronation("radius_biceps", -0.060, 0.0085, "radius_inner", (0.010, 0.030, 0)),
    _about_pronation("radius_teres", -0.100, 0.0130, "radius_front", (0.040, 0.005, 0)),
    _about_pronation("radius_quadratus", -0.210, 0.0075, "radius_volar", (0.020, 0.030, 0)),
    _about_pronation("radius_supinator", -0.050, 0.0110, "radius_back", (-0.020, -0.030, 0)),
    Wrap("wrist", "radius", _WRIST, 0.010, (1, 0, 0),
         {"wrist_volar": (0.010, 0.022, -0.250), "wrist_dorsal": (0.010, -0.038, -0.250)}),
)  # fmt: skip

WRAP_OF_SIDE = {side: wrap.name for wrap in WRAPS for side in wrap.sides}
