"""Chest, arm and back of the right side: a rib cage of bands, and the anatomical arm beside it.

x points to the side, y forward, z up, from the elbow [mm]. The cage is a shell of an egg of which
slanted bands are left, the spine a rod with spines. The tendons of pectoralis and latissimus go to
the inner side of the humerus, past the biceps, not round it to its groove.
"""

from __future__ import annotations

import numpy as np

from vastus.cache import Log
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.gallery.drawn_body import (
    MARGIN,
    BoneShape,
    Drawing,
    built,
    muscle_surfaces,
    surfaces_of,
)
from vastus.modelling.shapes import shoulder
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.arm import (
    BODIES,
    MUSCLES,
    REST_FLEXION,
    bone_fields,
    bone_surface,
)
from vastus.modelling.shapes.implicit import (
    Field,
    cone,
    cut,
    ellipsoid,
    join,
    soft_max,
    swept,
    within,
)
from vastus.modelling.shapes.right_arm import FOREARM_MASS, elbow_hinge
from vastus.modelling.shapes.strands import MuscleShape, Seam, Strand, posed, thickened
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

_CELL = 3.0  # [mm] of the lattice on which fields of the trunk become surfaces
MIDDLE = -170.0  # x of the plane of symmetry
_EGG, _RADII = (MIDDLE, 5.0, 162.0), (106.0, 90.0, 165.0)
_BOTTOM = 40.0  # z at which the cage ends
_PITCH, _BAND = 29.0, 0.56  # from rib to rib, and how much of that is rib
_SLANT = 0.42  # how far a rib falls towards the front
_HALF = 4.5  # of the thickness of ribs
# The line of the spine: y, z, radius.
_SPINE = ((-42, 395, 12), (-50, 345, 14), (-66, 285, 15), (-84, 200, 16), (-86, 140, 17),
          (-76, 80, 18), (-62, 20, 19), (-54, -30, 20))  # fmt: skip


def cage() -> Field:
    """Ribs between breastbone and spine, all one bone."""
    front = [(MIDDLE, 47, 306, 22, 7), (MIDDLE, 56, 285, 26, 7), (MIDDLE, 72, 262, 17, 6.5),
             (MIDDLE, 90, 215, 18, 6.5), (MIDDLE, 95, 172, 20, 6.5), (MIDDLE, 95, 142, 10, 5),
             (MIDDLE, 93, 122, 6, 4)]  # fmt: skip
    spine = swept([(MIDDLE, y, z, r, r) for y, z, r in _SPINE], (1.0, 0.0, 0.0))
    ys, zs = (np.array([row[k] for row in _SPINE[::-1]], float) for k in (0, 1))
    heights = np.arange(-20.0, 390.0, 26.0)
    depths = np.interp(heights, zs[np.argsort(zs)], ys[np.argsort(zs)])
    spines = [
        cone((MIDDLE, y - 12, z), 8, (MIDDLE, y - 32, z - 14), 5)
        for y, z in zip(depths.tolist(), heights.tolist(), strict=True)
    ]
    wings = [
        cone((MIDDLE - 20, y - 6, z), 6, (MIDDLE + 20, y - 6, z), 6)
        for y, z in zip(depths.tolist(), heights.tolist(), strict=True)
    ]
    whole = join(_ribs, swept(front, (1.0, 0.0, 0.0)), spine, *spines, *wings, blend=4.0)
    return cut(whole, shoulder.clavicle(), shoulder.scapula(), clearance=2.5, blend=1.5)


def _ribs(X: Floats) -> Floats:
    """The bands of the egg's shell above the arch of the ribs."""
    shell = np.abs(ellipsoid(_EGG, _RADII)(X)) - _HALF
    phase = (X[:, 2] + _SLANT * (X[:, 1] - _EGG[1])) / _PITCH
    away = np.abs(phase - np.round(phase)) * _PITCH - 0.5 * _BAND * _PITCH
    shell = soft_max(shell, away, 2.5)
    shell = soft_max(shell, _BOTTOM - X[:, 2], 3.0)
    belly = ellipsoid((MIDDLE, 100, 20), (78, 110, 104))(X)
    return soft_max(shell, -belly, 4.0)


PECTORALIS = MuscleShape(
    (
        Strand([
            (-112, 50, 312, 12, 5), (-94, 66, 290, 26, 9), (-70, 68, 264, 26, 11),
            (-48, 44, 240, 14, 9), (-30, 18, 224, 7, 6), (-11, 4, 214, 5, 4),
        ], side=(0.5, 0.0, 0.8)),
        Strand([
            (-142, 67, 291, 16, 5), (-118, 78, 276, 22, 9), (-80, 76, 252, 24, 10),
            (-50, 48, 234, 14, 9), (-31, 18, 220, 7, 6), (-11, 4, 210, 5, 4),
        ], side=(0.3, 0.0, 0.95)),
        Strand([
            (-160, 82, 262, 22, 5), (-128, 91, 250, 28, 10), (-88, 80, 238, 27, 12),
            (-55, 50, 226, 16, 9), (-32, 18, 216, 7, 6), (-11, 4, 206, 5, 4),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-156, 100, 205, 20, 5), (-126, 99, 202, 26, 9), (-90, 84, 204, 26, 11),
            (-58, 50, 206, 16, 9), (-34, 18, 204, 7, 6), (-11, 3, 198, 5, 4),
        ], side=(0.0, 0.0, 1.0)),
    ),
    ("cage", "clavicle"), ("humerus",), layer=4, faces=3500, blend=9.0, caps=(0.4, 0.15),
    seams=(Seam("cage", ((-158, 78, 268), (-156, 97, 200)), 10.0),),
    rims=(
        Strand([
            (-112, 56, 304, 8, 6), (-140, 68, 286, 10, 6), (-150, 86, 250, 12, 7),
            (-148, 97, 216, 12, 7), (-144, 100, 190, 9, 5),
        ]),
    ),
)  # fmt: skip

LATISSIMUS = MuscleShape(
    (
        Strand([
            (-163, -112, 150, 20, 5), (-132, -102, 150, 28, 7), (-96, -80, 154, 25, 8),
            (-68, -48, 168, 15, 7), (-46, -12, 196, 8, 6), (-11, -1, 190, 6, 4),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-163, -106, 90, 20, 5), (-134, -98, 96, 28, 7), (-100, -80, 108, 25, 8),
            (-72, -50, 138, 15, 7), (-50, -12, 184, 8, 6), (-11, -2, 182, 6, 4),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-164, -94, 30, 20, 5), (-136, -90, 44, 28, 7), (-104, -76, 66, 24, 8),
            (-76, -52, 108, 15, 7), (-54, -14, 170, 8, 6), (-11, -3, 174, 6, 4),
        ], side=(0.0, 0.0, 1.0)),
    ),
    ("cage",), ("humerus",), layer=4, faces=3500, blend=9.0, caps=(0.45, 0.15),
    seams=(Seam("cage", ((-166, -112, 150), (-166, -94, 30)), 10.0),),
    rims=(
        Strand([
            (-154, -110, 162, 10, 5), (-154, -108, 130, 12, 6), (-154, -103, 90, 12, 6),
            (-156, -95, 50, 12, 6), (-158, -90, 20, 9, 5),
        ]),
    ),
)  # fmt: skip

# Higher than long: it is fixed wherever it meets the bones that it is attached to.
TRAPEZIUS = MuscleShape(
    (
        Strand([
            (-166, -80, 376, 18, 6), (-138, -76, 358, 24, 8), (-95, -72, 336, 22, 9),
            (-52, -66, 322, 13, 7), (-32, -60, 316, 8, 5),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-166, -92, 346, 22, 6), (-140, -90, 336, 24, 8), (-104, -81, 322, 20, 8),
            (-68, -71, 308, 10, 5),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-166, -104, 312, 24, 6), (-140, -100, 311, 28, 8), (-108, -88, 306, 23, 8),
            (-76, -74, 300, 12, 5),
        ], side=(0.0, 0.0, 1.0)),
        Strand([
            (-166, -117, 240, 24, 6), (-146, -112, 250, 25, 8), (-120, -100, 270, 20, 8),
            (-92, -78, 293, 9, 5),
        ], side=(0.0, 0.0, 1.0)),
    ),
    ("cage",), ("scapula",), layer=5, faces=3000, blend=9.0, caps=(1.0, 1.0),
    seams=(
        Seam("cage", ((-168, -84, 375), (-168, -104, 310), (-168, -120, 230)), 10.0),
        Seam("scapula", ((-32, -58, 315), (-60, -64, 304), (-95, -74, 294)), 8.0),
    ),
    rims=(
        Strand([
            (-158, -82, 384, 9, 5), (-156, -92, 350, 12, 6), (-156, -104, 310, 12, 6),
            (-156, -114, 260, 12, 6), (-158, -119, 215, 9, 5),
        ]),
        Strand([
            (-36, -62, 318, 7, 6), (-58, -69, 311, 8, 7), (-82, -79, 303, 8, 7),
            (-96, -84, 296, 7, 6),
        ]),
    ),
)  # fmt: skip

INFRASPINATUS = MuscleShape(
    (
        Strand([
            (-104, -80, 246, 14, 4), (-86, -76, 252, 20, 8), (-62, -64, 264, 18, 9),
            (-38, -48, 276, 12, 8), (-14, -36, 283, 7, 5), (4, -21, 284, 5, 4),
        ], side=(0.2, 0.3, 0.9)),
    ),
    ("scapula",), ("humerus",), layer=4, faces=2000, caps=(0.3, 0.15),
)  # fmt: skip

_TRUNK = {
    "pectoralis": PECTORALIS,
    "latissimus": LATISSIMUS,
    "trapezius": TRAPEZIUS,
    "infraspinatus": INFRASPINATUS,
}
_TENDON = 4.5  # [mm] of half-width, that tets of this size fill; thinner ones tear
_ARM = {
    name: thickened(muscle, _TENDON) if "biceps" in name else muscle
    for name, muscle in MUSCLES.items()
    if name != "coracobrachialis"
}
_FASCIA = {
    name: "forearm" if "forearm" in name or name == "brachioradialis" else "upper arm"
    for name in _ARM
    if name != "deltoid"
}
_CAGE = BoneShape(cage, ((-290, -140, -60), (-55, 115, 420)), 9000)

DRAWING = Drawing(
    name="chest",
    muscles=_TRUNK | _ARM,
    bodies={"cage": ("cage",), **BODIES},
    pinned=("cage", "scapula", "clavicle", "humerus"),
    joints=(elbow_hinge(REST_FLEXION),),
    masses={"forearm": FOREARM_MASS},
    heads={name: name.split()[0] for name in _ARM if name.split()[0] in ("biceps", "triceps")},
    fascia=_FASCIA,
    clearance=0.003,  # room for contact to act in
    gap=0.003,  # less leaves a gape at the forearm
    gaps={"pectoralis": 0.0005},  # more frays its edge along the breastbone
    share=0.815,  # fewer tets in muscles, which cost the time, than in the ribs
)


@checked
def chest(tets: int = 47_000, *, log: Log | None = None) -> Model:
    """Chest, back and right arm: all but the `forearm` is pinned, on the hinge `elbow`.

    Of its eleven muscles `pectoralis`, `latissimus`, `trapezius` and `infraspinatus` are of the
    trunk. It is built once and then kept; needs the extra `mesh`.
    """
    return built(DRAWING, chest_surfaces, tets, log)


def chest_surfaces() -> dict[str, Surface]:
    """Closed surfaces [m] of bones and muscles; those of the trunk are coarser."""
    bones = {name: bone_surface(name) for body in BODIES.values() for name in body}
    turn = exp_map(np.array([REST_FLEXION, 0.0, 0.0]))
    drawn = {name: posed(muscle, turn) for name, muscle in DRAWING.muscles.items()}
    caged = within(cage(), *_CAGE.box, margin=MARGIN)
    fields = {"cage": caged, **bone_fields(REST_FLEXION)}
    trunk = muscle_surfaces(drawn, fields, _TRUNK, cell=_CELL)
    arm = muscle_surfaces(drawn, bone_fields(REST_FLEXION), _ARM)
    return {**surfaces_of({"cage": _CAGE}, {}, cell=_CELL), **bones, **trunk, **arm}
