"""Muscles of the chest and the belly, left side [mm]."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vastus.bodies.upper.muscle_volumes.chest_wall import CENTRE, ChestWall
from vastus.bodies.upper.muscle_volumes.solids import (
    MILLIMETRE,
    Follows,
    MuscleSolid,
    columns,
    fan,
)
from vastus.modelling.trunk.landmarks import Landmarks
from vastus.modelling.trunk.primitives import tube
from vastus.numerics.types import Floats

# Fibres from clavicle, breastbone and ribs to the humerus; the lowest make the fold of the armpit.
_PECTORALIS_CLAVICLE = [
    [(96, -92, 1352), (113, -104, 1338), (134, -110, 1320), (160, -108, 1298), (191, -88, 1278)],
    [(72, -122, 1347), (94, -128, 1332), (122, -130, 1312), (154, -118, 1291), (191, -87, 1273)],
    [(42, -140, 1344), (70, -146, 1324), (106, -147, 1303), (146, -129, 1284), (191, -86, 1268)],
]
_PECTORALIS_STERNUM = [
    [(14, -151, 1336), (52, -158, 1314), (98, -156, 1295), (142, -134, 1280), (191, -86, 1266)],
    [(10, -176, 1302), (48, -182, 1290), (96, -172, 1277), (141, -142, 1270), (191, -86, 1262)],
    [(10, -187, 1266), (47, -198, 1260), (94, -188, 1254), (139, -151, 1256), (190, -87, 1258)],
    [(12, -199, 1228), (48, -211, 1226), (92, -200, 1226), (135, -160, 1238), (189, -88, 1254)],
    [(26, -209, 1196), (56, -214, 1197), (92, -203, 1203), (129, -166, 1222), (187, -89, 1250)],
    [(48, -211, 1176), (70, -210, 1181), (96, -200, 1191), (124, -170, 1212), (185, -90, 1246)],
]
_PECTORALIS_HALF = [
    [2, 4.5, 6.5, 6.5, 3.5], [2.2, 5.5, 7, 7, 3.5], [2.2, 6, 7.5, 7, 3.5],
    [2.2, 6, 7.5, 7, 3.5], [2, 5.5, 7.2, 6.8, 3.5], [2, 4.5, 5.5, 5.5, 3.2],
]  # fmt: skip

# Angles of fibres of the rectus, and heights with half of its thickness; bands of tendon are thin.
_RECTUS_ANGLES = (5, 11, 18, 25, 31)
_RECTUS_EDGE = (0.75, 1.0, 1.0, 0.95, 0.7)
_RECTUS = [
    (1188, 2.5), (1172, 4.5), (1150, 6.5), (1124, 6.5), (1108, 4), (1092, 6.5), (1068, 6.5),
    (1050, 4), (1034, 6.5), (1008, 6.5), (990, 4), (972, 6), (930, 6.5), (885, 6), (845, 5),
    (812, 3),
]  # fmt: skip
_BELLY = ((790, 0), (840, 3), (900, 9), (960, 13), (1010, 14), (1060, 11), (1110, 6), (1160, 4),
          (1200, 3))  # fmt: skip

# Where fibres of the oblique begin and end: angle and height.
_OBLIQUE = [
    ((60, 1196), (34, 1130)), ((69, 1166), (34, 1085)), ((78, 1136), (34, 1040)),
    ((87, 1106), (34, 990)), ((95, 1076), (37, 945)), ((104, 1050), (48, 910)),
    ((115, 1030), (70, 918)), ((126, 1020), (96, 958)), ((138, 1030), (118, 972)),
]  # fmt: skip
_OBLIQUE_HALF = [3.0, 4.5, 6.0, 6.0, 4.5, 3.0]
_FINGERS = range(2, 9)  # ribs of the serratus that are drawn; the first is that of rib 2 too


def front_muscles(wall: ChestWall, marks: Landmarks) -> list[MuscleSolid]:
    """Pectorals, serratus, rectus and obliques."""
    return [
        fan("pectoralis_major_clavicle", _PECTORALIS_CLAVICLE, [2.5, 5.5, 7, 7, 3.5],
            Follows("pectoralis_major", numbers=(0, 1)), layer=4),
        fan("pectoralis_major_sternum", _PECTORALIS_STERNUM, _PECTORALIS_HALF,
            Follows("pectoralis_major", numbers=(2, 3, 4, 5)), layer=4),
        fan("rectus_abdominis", _rectus(wall), _rectus_half(), Follows("rectus_abdominis"),
            layer=3),
        fan("obliques", [_laid(wall, *ends) for ends in _OBLIQUE], _OBLIQUE_HALF,
            Follows("obliques"), layer=3),
        _serratus(marks),
    ]  # fmt: skip


def belly_lift(z: float) -> float:
    """How far the belly stands out in front of the line from breastbone to pubis [mm]."""
    heights, lifts = np.array(_BELLY, float).T
    return float(np.interp(z, heights, lifts))


def _rectus(wall: ChestWall) -> list[list[ArrayLike]]:
    return [
        [wall.at(angle, z, 1.0 + belly_lift(z) + half) for z, half in _RECTUS]
        for angle in _RECTUS_ANGLES
    ]


def _rectus_half() -> Floats:
    return np.outer(_RECTUS_EDGE, [half for _, half in _RECTUS])


def _laid(wall: ChestWall, start: tuple[float, float], end: tuple[float, float]) -> list[ArrayLike]:
    """A fibre along the wall, lifted by half of the thickness, in front by the belly."""
    row: list[ArrayLike] = []
    for t, half in zip(np.linspace(0, 1, len(_OBLIQUE_HALF)), _OBLIQUE_HALF, strict=True):
        angle, z = (1 - t) * np.array(start) + t * np.array(end)
        front = np.clip((75 - angle) / 40, 0, 1)
        row.append(wall.at(angle, z, half + front * belly_lift(z)))
    return row


def _serratus(marks: Landmarks) -> MuscleSolid:
    """Fingers from ribs around the chest to the inner border of the blade."""
    tubes = []
    border = [marks.point(name, "L") / MILLIMETRE for name in ("superior_angle", "inferior_angle")]
    for number in _FINGERS:
        rib = marks.ribs[number, "L"]
        t = (number - 2) / 6
        low = 0.66 if number > 3 else 0.6
        rows = []
        for part, wide, thick in ((low, 5, 2.5), (0.58, 9, 5.5), (0.48, 11, 6), (0.36, 11, 4)):
            point = rib.at(part) / MILLIMETRE
            out = point[:2] - CENTRE
            point = point + 7.0 * np.array([*out / np.linalg.norm(out), 0.0])
            rows.append((*point, wide, thick))
        end = (1 - t) * border[0] + t * border[1] + [4.0, -9.0, 0.0]
        rows.append((*end, 9.0, 3.0))
        tubes.append(tube(rows, (0.0, 0.0, 1.0)))
    return columns("serratus_anterior", tubes, Follows("serratus_anterior"), layer=2, blend=3.0)
