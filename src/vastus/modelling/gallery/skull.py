"""A cartoon skull on a stump of vertebrae as fields [mm], and four muscles of the neck.

In the tables x points to the skull's right, y forward, z up, from the neck's ball joint. The model
faces -y, as bodies do that pictures show from the front.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import BoneShape, Drawing, built, surfaces_of
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.implicit import Field, cone, cut, ellipsoid, join, swept
from vastus.modelling.shapes.strands import MuscleShape, Strand
from vastus.modelling.trunk.primitives import both
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.joints import Ball

MASS = 0.8  # [kg] a hollow skull; it is meshed as a solid one
_SWING, _TWIST = np.radians(40.0), np.radians(40.0)
_UP = (0.0, 0.0, 1.0)
_ABOUT = np.array([-1.0, -1.0, 1.0])  # half a turn about z
PEG, SOCKET = 13.0, 15.5  # radii about the joint: the base's head, and what the skull leaves free
# Teeth of the right half: how far round the bow of the jaw [deg] from its middle.
_TEETH = (9.0, 27.0, 45.0, 63.0)


def skull_field() -> Field:
    """Braincase, brow, cheeks and jaws, with eye sockets, a nose and two rows of teeth."""
    head = join(ellipsoid((0, 22, 104), (78, 84, 72)), ellipsoid((0, 62, 92), (60, 42, 34)),
                blend=24.0)  # fmt: skip
    face = join(
        head,
        ellipsoid((0, 82, 46), (40, 32, 34)),
        both(ellipsoid((50, 76, 60), (17, 22, 13))),
        both(cone((58, 66, 60), 9, (66, 30, 66), 9)),
        both(cone((48, 30, 62), 18, (52, 29, 26), 12)),  # where the muscles in front are fixed
        ellipsoid((0, -34, 56), (58, 25, 26)),  # and those at the back
        ellipsoid((0, 4, 34), (30, 26, 22)),
        ellipsoid((0, 3, 17), (25, 24, 21)),  # the cup of the ball joint
        blend=14.0,
    )
    sockets = both(ellipsoid((30, 118, 86), (25, 42, 28)))
    nose = both(cone((8, 124, 38), 8.5, (2.5, 98, 62), 6.5))
    face = cut(face, sockets, nose, blend=5.0)
    face = cut(face, ellipsoid((0, 70, 8), (25, 34, 14)), blend=6.0)  # palate
    face = cut(face, ellipsoid((0, 0, 0), (SOCKET,) * 3), blend=2.0)
    whole = join(face, _jaw(), blend=6.0)
    return join(whole, *_teeth(18.0, 11.0, 1.0), *_teeth(-3.0, 10.0, 0.97), blend=2.0)


def _jaw() -> Field:
    """A bow with a chin, and two branches up to the cheeks, in front of the muscles."""
    bow = [(0, 112, -20, 12, 9), (22, 106, -20, 12, 9), (40, 88, -18, 12, 9),
           (50, 70, -12, 13, 8), (56, 60, 4, 12, 8), (59, 58, 32, 11, 7),
           (58, 60, 56, 10, 7)]  # fmt: skip
    chin = ellipsoid((0, 116, -26), (20, 8, 11))
    return join(both(swept(bow, _UP)), chin, blend=8.0)


def _teeth(z: float, high: float, wide: float) -> list[Field]:
    """A row of teeth on a bow, about a height `z`."""
    angles = np.radians(_TEETH)
    places = np.column_stack([37 * np.sin(angles), 74 + 38 * np.cos(angles)]) * wide
    return [both(ellipsoid((x, y, z), (5.2, 7.0, high))) for x, y in places.tolist()]


def base_field() -> Field:
    """A round foot that carries four vertebrae, and the head of the ball joint."""
    column = join(
        ellipsoid((0, 0, -160), (104, 97, 24)),
        swept([(0, -4, -150, 30, 28), (0, -4, -128, 23, 21), (0, -2, -20, 21, 19)], domes=(4, 4)),
        blend=14.0,
    )
    column = join(column, cone((0, -2, -30), 15, (0, 0, -9), 8), blend=8.0)
    column = join(column, ellipsoid((0, 0, 0), (PEG,) * 3), blend=4.0)
    for z in (-118, -88, -58, -28):
        disc = ellipsoid((0, -3, z), (27, 25, 11))
        spine = cone((0, -22, z), 9, (0, -40, z - 10), 5)
        wings = both(cone((18, -6, z), 8, (33, -8, z - 2), 5))
        column = join(column, disc, spine, wings, blend=4.0)
    return column


BONES = {
    "base": BoneShape(base_field, ((-110, -103, -190), (110, 103, 20)), 3500),
    "skull": BoneShape(skull_field, ((-95, -80, -45), (95, 150, 190)), 7000),
}


def _muscle(rows: Sequence[Sequence[float]], side: int) -> MuscleShape:
    strand = Strand([(side * x, *rest) for x, *rest in rows])
    return MuscleShape((strand,), ("base",), ("skull",), layer=1, faces=2500)


_FRONT = [
    (60, 46, -152, 14, 14), (62, 48, -120, 19, 18), (62, 46, -80, 22, 21), (60, 40, -40, 19, 18),
    (55, 33, -4, 13, 13), (52, 30, 22, 10, 10),
]  # fmt: skip
_BACK = [
    (44, -54, -152, 14, 14), (46, -58, -120, 19, 18), (46, -59, -80, 22, 21),
    (43, -54, -40, 19, 17), (39, -46, 0, 13, 12), (36, -39, 44, 10, 10),
]  # fmt: skip

DRAWING = Drawing(
    name="skull",
    muscles={
        "front right": _muscle(_FRONT, 1),
        "front left": _muscle(_FRONT, -1),
        "back right": _muscle(_BACK, 1),
        "back left": _muscle(_BACK, -1),
    },
    bodies={"base": ("base",), "skull": ("skull",)},
    pinned=("base",),
    joints=(
        Ball(
            "neck",
            ("base", "skull"),
            np.zeros(3),
            range=BallRange(axis=_UP, swing=_SWING, twist=(-_TWIST, _TWIST)),
        ),
    ),
    masses={"skull": MASS},
    coarse={"skull": 1.7, "base": 1.7},
    gap=0.001,
    share=0.85,
)


@checked
def skull(tets: int = 48_000, *, log: Log | None = None) -> Model:
    """A cartoon `skull`, free on the ball joint `neck` of a pinned `base`.

    Its muscles are `front right`, `front left`, `back right` and `back left`; activated in turn
    they roll the head. It is built once and then kept; needs the extra `mesh`.
    """
    return built(DRAWING, skull_surfaces, tets, log)


def skull_surfaces() -> dict[str, Surface]:
    """Closed surfaces [m] of bones and muscles, turned to face -y."""
    found = surfaces_of(BONES, DRAWING.muscles, cell=3.0)
    return {name: Surface(one.X * _ABOUT, one.faces) for name, one in found.items()}
