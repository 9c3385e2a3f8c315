"""The bones of the right hand [mm] in its own frame: two rows of carpal bones, five rays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vastus.bodies.bones.solids import joined, knob, swept
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

# Centre, then half-widths.
_CARPALS = (
    ((9, 1, -8), (9, 8, 9)), ((-2, 0, -6), (8, 8.5, 8.5)), ((-14, -1, -9), (8.5, 7.5, 8)),
    ((-19, 6, -11), (5, 5, 5)), ((18, 5, -19), (7, 7, 7)), ((8, 2, -23), (7, 8, 7.5)),
    ((-2, 0, -24), (7.5, 9, 9.5)), ((-13, 0, -23), (8, 8, 8)),
)  # fmt: skip

# Thumb to little finger: joints from the carpus to the tip, and the half-width of the first bone.
# The fingers are bent as around a ball that lies in the palm.
_RAYS = (
    ([(20, 7, -25), (40, 19, -56), (51, 33, -83), (53, 47, -101)], 7.2),
    ([(10, 1, -31), (18, 2, -94), (22, 14, -133), (22, 33, -149), (20, 51, -151)], 6.8),
    ([(-1, 1, -34), (0, 2, -97), (1, 16, -140), (0, 38, -157), (-1, 57, -158)], 7.0),
    ([(-11, 0, -32), (-17, 1, -89), (-21, 15, -128), (-21, 35, -145), (-20, 53, -147)], 6.5),
    ([(-19, 0, -29), (-32, 1, -79), (-39, 11, -109), (-40, 26, -122), (-38, 40, -126)], 5.9),
)  # fmt: skip
_THINNER = (1.0, 0.86, 0.72, 0.6)


def hand() -> Surface:
    """All bones of the hand."""
    carpals = [knob(centre, radii, around=12) for centre, radii in _CARPALS]
    bones = [bone for joints, size in _RAYS for bone in _ray(np.array(joints, float), size)]
    return joined(*carpals, *bones)


def _ray(joints: Floats, size: float) -> list[Surface]:
    return [
        _bone(a, b, size * part) for (a, b), part in zip(pairwise(joints), _THINNER, strict=False)
    ]


def _bone(start: Floats, end: Floats, size: float) -> Surface:
    """Base, waist and head of a bone between two joints."""
    along = (0.08, 0.18, 0.5, 0.8, 0.92)
    wide, deep = (1.05, 0.95, 0.62, 0.85, 0.9), (0.95, 0.85, 0.56, 0.8, 0.9)
    rows = [
        (*(start + t * (end - start)), size * w, size * d)
        for t, w, d in zip(along, wide, deep, strict=True)
    ]
    return swept(rows, domes=(0.4 * size, 0.55 * size), around=10)
