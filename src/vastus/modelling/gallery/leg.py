"""A right leg as fields [mm]: pelvis, femur, patella, shin with a foot, and five muscles.

x points to the side (laterally), y forward, z up; the knee's axis runs along x through the origin.
The femur is 45 cm long, the shin 40 cm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import BoneShape, Drawing, built, surfaces_of
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.implicit import (
    Field,
    ball,
    cone,
    cut,
    ellipsoid,
    join,
    swept,
)
from vastus.modelling.shapes.strands import MuscleShape, Seam, Strand
from vastus.modelling.trunk.pelvis import SOCKET, hip, sacrum
from vastus.modelling.trunk.primitives import both
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.joints import Ball, Hinge
from vastus.skeleton.passive import Passive

HIP = np.array([0.0, 0.0, 425.0])
KNEE_AXIS = np.array([-1.0, 0.0, 0.0])  # flexion is positive
_HEAD_RADIUS = 21.0
_GAP = 2.5  # between the bones of a joint
# In the socket bones are close all around: where they are nearer than the envelopes of two surfaces
# meshing fills the gap, and the head scrapes along the rim when it turns.
_HIP_GAP = 5.0
_NECK = (4, 0, 423), 14.0, (34, -3, 388), 15.0  # of the femur
# [rad] from rest: where the rim of the socket makes way for the neck.
_NECK_TURNS = ((0.0, 0.0, 0.0), (-0.15, 0.1, 0.06), (-0.3, 0.0, 0.0))
_REST = np.radians(8.0)  # flexion that the leg is drawn with, from where the knee is locked
_SWING, _TWIST = np.radians(40.0), np.radians(6.0)  # of the hip
_ACROSS = (1.0, 0.0, 0.0)


def pelvis() -> Field:
    """Both hip bones and the sacrum of the trunk, grown together, its right socket at the hip.

    The trunk faces -y, and its tables are those of the left side: a mirror in y gives the right
    side of one that faces y.
    """
    right, middle = both(hip().field), sacrum().field
    seams = (
        ellipsoid((0, -130, 795), (9, 9, 13)),  # between the pubic bones
        both(ellipsoid((47, -48, 892), (9, 12, 16))),  # from sacrum to ilium
    )
    whole = join(right, middle, *seams, blend=4.0)

    def field(X: Floats) -> Floats:
        return whole((X - HIP) * np.array([1.0, -1.0, 1.0]) + SOCKET)

    necks = [_turned_at_hip(cone(*_NECK), turn) for turn in _NECK_TURNS]
    socket = cut(field, ball(HIP, _HEAD_RADIUS), clearance=_HIP_GAP, blend=1.5)
    return cut(socket, *necks, clearance=_HIP_GAP, blend=1.5)


def _turned_at_hip(field: Field, turn: Sequence[float]) -> Field:
    """A solid of the femur after a rotation vector (3,) [rad] about the hip."""
    R = exp_map(np.asarray(turn, float))
    return lambda X: field((X - HIP) @ R + HIP)


def femur() -> Field:
    """Head and neck, trochanters, a shaft that bows forward, and two condyles."""
    rows = [
        (38, -3, 398, 13, 17), (38, -2, 370, 17, 17), (36, 0, 340, 15, 15),
        (32, 5, 290, 13.5, 14), (25, 9, 220, 13, 13.5), (17, 8, 150, 13.5, 13.5),
        (9, 5, 90, 17, 14), (3, 3, 50, 27, 17), (0, 2, 25, 33, 20),
    ]  # fmt: skip
    upper = join(
        swept(rows, _ACROSS, (6.0, 4.0)),
        cone(*_NECK),
        ellipsoid((44, -6, 402), (11, 14, 19)),  # greater trochanter
        ellipsoid((22, -14, 358), (8, 8, 10)),  # lesser trochanter
        blend=8.0,
    )
    condyles = [swept([(s * 37, 0, 0, 18, 18), (s * 30, -2, 0, 23, 23), (s * 12, -2, 0, 20, 20)],
                      (0.0, 0.0, 1.0)) for s in (-1, 1)]  # fmt: skip
    lower = join(upper, *condyles, ellipsoid((0, 9, 8), (22, 15, 15)), blend=7.0)
    lower = cut(lower, ellipsoid((0, -20, -12), (8, 22, 18)), blend=4.0)
    lower = cut(lower, ellipsoid((0, 31, 10), (7, 8, 30)), blend=6.0)
    return join(lower, ball(HIP, _HEAD_RADIUS), blend=3.0)


def patella() -> Field:
    """A thick shield, clear of the femur."""
    shield = join(ellipsoid((0, 37, 16), (20, 9.5, 17)), cone((0, 37, 8), 9, (0, 37, -8), 6),
                  blend=6.0)  # fmt: skip
    return cut(shield, femur(), clearance=_GAP, blend=1.5)


def tibia() -> Field:
    """Plateau with its tuberosity, a shaft, and the inner ankle."""
    rows = [
        (0, -4, -36, 34, 23), (0, -3, -52, 28, 21), (0, -1, -75, 19, 18), (-1, 1, -115, 14, 16),
        (-3, 0, -190, 12.5, 14), (-5, -3, -275, 11, 12), (-7, -5, -340, 12, 13),
        (-8, -6, -376, 18, 17),
    ]  # fmt: skip
    whole = join(
        swept(rows, _ACROSS, (4.0, 3.0)),
        both(ellipsoid((19, -4, -32), (19, 24, 9))),
        ellipsoid((2, 19, -64), (11, 9, 17)),
        cone((-20, -5, -374), 9, (-25, -5, -398), 6),
        blend=6.0,
    )
    return cut(whole, femur(), clearance=_GAP, blend=1.5)


def fibula() -> Field:
    """A thin rod with a head, and the outer ankle."""
    rows = [
        (35, -18, -46, 8, 9), (35, -17, -56, 9, 9), (34, -17, -76, 5.5, 5.5),
        (32, -16, -200, 5, 5.5), (24, -13, -320, 5.5, 5.5), (18, -10, -380, 7.5, 8),
        (17, -10, -404, 7, 8),
    ]  # fmt: skip
    return cut(swept(rows), tibia(), clearance=2.0, blend=1.5)


def foot() -> Field:
    """Ankle bone, heel, an arch and five toes."""
    ankle = join(
        ellipsoid((-6, -2, -401), (15, 24, 13)),
        swept([(-4, -20, -408, 13, 14), (-2, -44, -424, 14, 18), (-2, -56, -432, 14, 16)]),
        swept([(-7, 10, -404, 20, 15), (-6, 40, -411, 24, 15), (-3, 75, -422, 29, 12),
               (0, 108, -433, 33, 9)]),
        blend=10.0,
    )  # fmt: skip
    toes = [
        cone((x, 100, -435), wide, (1.15 * x, tip, -440), wide - 2.0)
        for x, tip, wide in ((-24, 162, 10), (-7, 160, 7), (6, 153, 6.8), (18, 145, 6.6),
                             (29, 135, 6.4))
    ]  # fmt: skip
    whole = join(ankle, *toes, blend=3.0)
    return cut(whole, tibia(), fibula(), clearance=2.0, blend=1.5)


BONES = {
    "pelvis": BoneShape(pelvis, ((-235, -100, 325), (65, 80, 570)), 6000),
    "femur": BoneShape(femur, ((-45, -35, -30), (65, 40, 455)), 4000),
    "patella": BoneShape(patella, ((-30, 15, -25), (30, 60, 45)), 800),
    "tibia": BoneShape(tibia, ((-45, -40, -415), (45, 40, -15)), 3000),
    "fibula": BoneShape(fibula, ((5, -35, -425), (55, 5, -30)), 1200),
    "foot": BoneShape(foot, ((-50, -90, -460), (50, 180, -375)), 3000),
}

# Over the patella, which it is grown to, to the tibia.
QUADRICEPS = MuscleShape(
    (
        Strand([
            (34, 17, 350, 6, 4), (30, 29, 318, 20, 11), (22, 40, 250, 30, 19),
            (13, 43, 170, 31, 20), (5, 42, 105, 26, 15), (1, 46, 65, 19, 7),
            (0, 47.5, 38, 18, 6), (0, 48.5, 12, 17, 6.5), (0, 43.5, -18, 13, 5),
            (1, 36, -42, 12, 4.5), (2, 28, -64, 11, 5),
        ]),
        Strand([
            (51, 6, 350, 4, 6), (54, 12, 318, 13, 18), (50, 18, 250, 19, 27),
            (40, 20, 170, 20, 27), (30, 27, 105, 17, 19), (16, 42, 60, 9, 8), (9, 48, 36, 8, 5),
        ]),
        Strand([
            (18, 12, 290, 4, 5), (3, 20, 245, 15, 15), (-9, 20, 180, 19, 22),
            (-20, 20, 110, 19, 22), (-24, 24, 66, 16, 16), (-13, 41, 38, 10, 7),
            (-8, 47, 30, 8, 5),
        ]),
    ),
    ("femur",), ("patella", "tibia"), layer=2, faces=4000, blend=9.0,
    seams=(
        Seam("femur", ((35, 15, 350), (30, 18, 290), (25, 22, 220), (18, 21, 150)), 12.0),
        Seam("patella", ((0, 42, 34), (0, 47, 16), (0, 43, -6)), 16.0),
    ),
    caps=(0.45, 0.3),
)  # fmt: skip

BICEPS_FEMORIS = MuscleShape(
    (
        Strand([
            (-17, -43, 366, 8, 6), (-8, -51, 340, 10, 8), (4, -52, 290, 18, 14),
            (17, -52, 220, 25, 21), (27, -48, 150, 24, 20), (34, -44, 90, 17, 15),
            (40, -38, 40, 9, 8), (42, -31, 0, 6.5, 6), (38, -22, -42, 6, 6),
        ]),
    ),
    ("pelvis",), ("fibula",), layer=1, faces=3000,
)  # fmt: skip

SEMITENDINOSUS = MuscleShape(
    (
        Strand([
            (-26, -42, 366, 8, 6), (-27, -51, 338, 10, 8), (-25, -53, 285, 18, 14),
            (-23, -54, 215, 25, 21), (-25, -49, 145, 24, 20), (-29, -44, 85, 17, 15),
            (-36, -36, 35, 9, 8), (-39, -28, -8, 6.5, 6), (-30, -12, -52, 6, 5),
            (-20, -2, -72, 6, 5),
        ]),
    ),
    ("pelvis",), ("tibia",), layer=1, faces=3000,
)  # fmt: skip

GLUTEUS = MuscleShape(
    (
        Strand([
            (-14, -54, 520, 14, 7), (2, -68, 492, 22, 15), (26, -66, 448, 26, 19),
            (47, -46, 404, 22, 16), (53, -26, 360, 12, 9), (48, -14, 332, 6, 5),
        ], side=(0.75, 0.4, 0.5)),
        Strand([
            (-33, -70, 492, 12, 7), (-20, -86, 462, 20, 16), (4, -88, 420, 27, 21),
            (30, -70, 376, 24, 18), (46, -40, 330, 13, 10), (44, -14, 300, 6, 5),
        ], side=(0.75, 0.4, 0.5)),
        Strand([
            (-50, -70, 470, 10, 7), (-44, -84, 440, 17, 14), (-24, -94, 398, 25, 20),
            (8, -90, 356, 22, 16), (38, -56, 312, 12, 9), (46, -12, 284, 6, 5),
        ], side=(0.75, 0.4, 0.5)),
    ),
    ("pelvis",), ("femur",), layer=2, faces=3500, blend=12.0, caps=(0.3, 0.2),
    seams=(Seam("femur", ((48, -14, 332), (44, -10, 300), (42, -8, 284)), 9.0),),
)  # fmt: skip

GASTROCNEMIUS = MuscleShape(
    tuple(
        Strand([
            (s * 15, -24, 20, 7, 5), (s * 14, -37, -4, 10, 8), (s * 13 - 1, -46, -50, 13, 13),
            (s * 16 - 1, -49, -105, 22, 21), (s * 14 - 1, -42, -160, 19, 16),
            (s * 7 - 2, -38, -215, 11, 9), (s * 3 - 3, -40, -280, 7, 6),
            (s * 2 - 3, -48, -350, 7, 6),
            (s * 2 - 2, -60, -402, 8, 6), (s * 2 - 2, -63, -424, 9, 6),
        ])
        for s in (-1, 1)
    ),
    ("femur",), ("foot",), layer=3, faces=3500, blend=6.0,
)  # fmt: skip

DRAWING = Drawing(
    name="leg",
    muscles={
        "quadriceps": QUADRICEPS,
        "biceps femoris": BICEPS_FEMORIS,
        "semitendinosus": SEMITENDINOSUS,
        "gluteus": GLUTEUS,
        "gastrocnemius": GASTROCNEMIUS,
    },
    bodies={
        "pelvis": ("pelvis",),
        "femur": ("femur",),
        "patella": ("patella",),
        "shin": ("tibia", "fibula", "foot"),
    },
    pinned=("pelvis",),
    joints=(
        Ball(
            "hip",
            ("pelvis", "femur"),
            HIP / 1000,
            range=BallRange(
                axis=(0.0, 0.0, 1.0),
                swing=_SWING,
                twist=(-_TWIST, _TWIST),
            ),
        ),
        Hinge(
            "knee",
            ("femur", "shin"),
            np.zeros(3),
            KNEE_AXIS,
            passive=(Passive(range=(-_REST, np.radians(140.0))),),
        ),
        # The patella slides on a round of the femur, whose middle is the knee's axis.
        Hinge("patella on femur", ("femur", "patella"), np.zeros(3), KNEE_AXIS),
    ),
    masses={"femur": 4.0, "shin": 3.5},
    fascia={"biceps femoris": "back", "semitendinosus": "back"},
    clearance=0.003,  # room for contact to act in
)


@checked
def leg(tets: int = 43_000, *, log: Log | None = None) -> Model:
    """A right leg that hangs from its pinned `pelvis`: `femur`, `patella` and `shin` are free.

    The ball `hip` and the hinge `knee` have ranges; the muscles are `quadriceps`, `biceps femoris`,
    `semitendinosus`, `gluteus` and `gastrocnemius`. It is built once and then kept; needs the
    extra `mesh`.
    """
    return built(DRAWING, leg_surfaces, tets, log)


def leg_surfaces() -> dict[str, Surface]:
    """Closed surfaces [m] of bones and muscles."""
    return surfaces_of(BONES, DRAWING.muscles)
