"""The bones of a right hand as one field [mm]: carpus, metacarpals, slightly curled fingers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vastus.modelling.shapes.forearm import radius, ulna
from vastus.modelling.shapes.humerus import GAP
from vastus.modelling.shapes.implicit import Field, cone, cut, ellipsoid, join, swept
from vastus.numerics.types import Floats

BOX = ((-50, -20, -440), (70, 75, -235))

# Two rows of carpal bones: centre, then half-widths.
_CARPALS = (
    ((13, 1, -253), (9, 8, 9.5)), ((2, 0, -251), (8, 8.5, 9)), ((-10, -1, -254), (8.5, 7.5, 8)),
    ((-15, 6, -256), (5, 5, 5)), ((22, 5, -264), (7, 7, 7)), ((12, 2, -268), (7, 8, 7.5)),
    ((2, 0, -269), (7.5, 9, 9.5)), ((-9, 0, -268), (8, 8, 8)),
)  # fmt: skip

# Thumb to little finger: the joints from carpus to tip, and the thickness of the first bone.
_RAYS = (
    ([(23, 7, -270), (42, 18, -304), (54, 28, -331), (60, 36, -353)], 7.4),
    ([(14, 1, -276), (21, 2, -339), (26, 12, -376), (27, 28, -396), (26, 45, -403)], 7.0),
    ([(3, 1, -279), (4, 2, -341), (5, 13, -384), (5, 33, -406), (4, 51, -412)], 7.2),
    ([(-7, 0, -277), (-13, 1, -333), (-17, 11, -371), (-18, 30, -391), (-17, 47, -396)], 6.7),
    ([(-15, 0, -274), (-28, 1, -323), (-36, 8, -352), (-38, 22, -367), (-37, 36, -373)], 6.1),
)  # fmt: skip


def hand() -> Field:
    """All bones of the hand in one piece, clear of radius and ulna."""
    carpus = join(*(ellipsoid(centre, radii) for centre, radii in _CARPALS), blend=3.0)
    bones = (bone for joints, size in _RAYS for bone in _ray(np.array(joints, float), size))
    whole = join(carpus, *bones, blend=2.5)
    return cut(whole, radius(), ulna(), clearance=GAP, blend=1.5)


def _ray(joints: Floats, size: float) -> list[Field]:
    """A waisted bone between each two joints; further bones are thinner."""
    sizes = size * np.array([1.0, 0.88, 0.75, 0.66])
    bones = [_bone(a, b, s) for (a, b), s in zip(pairwise(joints), sizes, strict=False)]
    tip = cone(joints[-2], 1.0, joints[-1], 0.62 * sizes[len(joints) - 2])
    return [*bones, tip]


def _bone(start: Floats, end: Floats, size: float) -> Field:
    """Base, shaft and two-headed lower end of a metacarpal or finger bone."""
    along = (0.0, 0.12, 0.5, 0.82, 0.97)
    wide, deep = (1.1, 1.0, 0.64, 0.85, 0.95), (1.0, 0.9, 0.6, 0.8, 0.95)
    rows = [
        (*(start + t * (end - start)), size * w, size * d)
        for t, w, d in zip(along, wide, deep, strict=True)
    ]
    return swept(rows, domes=(0.35 * size, 0.5 * size))
