"""The landmarks of an adult man from tables of proportions alone, left and right alike."""

from __future__ import annotations

import numpy as np

from vastus.modelling.trunk.arm_place import ARM, hung
from vastus.modelling.trunk.landmarks import (
    LEVELS,
    SIDES,
    Cartilage,
    Landmarks,
    Rib,
    Side,
    Vertebra,
)
from vastus.modelling.trunk.rib_table import CARTILAGES, COMMON, RIBS, RibRows
from vastus.modelling.trunk.spine_table import CONDYLES, DENS, DISCS, TIPS
from vastus.numerics.types import Floats

_MILLIMETRE = 1e-3
_LINE = 30  # points of a rib's middle line

MIDDLE = {
    "jugular": (0, -141, 1342),
    "sternum": (0, -176, 1261),
    "angle": (0, -172, 1297),
    "xiphoid": (0, -203, 1179),
    "inion": (0, 0.5, 1535),
    "basion": (0, -105, 1493),
    "condyles": CONDYLES,
    "chin": (0, -180, 1441),
    "hyoid": (0, -133.5, 1437),
    "thyroid": (0, -124, 1416),
    "sacrum": (0, -23.5, 901),
}
LEFT = {
    "asis": (120, -152, 900),
    "crest": (106, -76, 972),
    "crest_back": (60, -33, 948),
    "psis": (42, -13.5, 908),
    "pubis": (22, -150, 805),
    "ischium": (50, -58, 763.5),
    "mastoid": (49, -90, 1487),
    "nuchal": (18, -10, 1515),
    "styloid": (33, -110, 1478),
    "cheek": (58, -147, 1507),
    "jaw_condyle": (45, -104.5, 1510),
    "jaw_angle": (40, -107.5, 1460),
    "hyoid_horn": (18, -112, 1442.5),
    "manubrium": (12, -150, 1336),
    "sternal": (13, -129, 1341),
    "clavicle_inner": (46, -133, 1349.5),
    "clavicle_outer": (101, -82, 1355.5),
    "acromial": (148, -68, 1361),
    "acromion": (171, -54, 1361),
    "coracoid": (131, -99, 1334),
    "socket": (136, -57, 1322),
    "superior_angle": (70, -14, 1345),
    "spine_root": (58, 4, 1300),
    "inferior_angle": (86, 6, 1206),
}


def proportions() -> Landmarks:
    """The landmarks of the parametric trunk, mirrored exactly."""
    named = {**LEFT, **dict(zip(ARM, hung(np.array(list(ARM.values()), float)), strict=True))}
    points = {name: _metres(point) for name, point in MIDDLE.items()}
    points |= {name + side: _sided(p, side) for name, p in named.items() for side in SIDES}
    return Landmarks(
        {level: _vertebra(level) for level in LEVELS},
        {(k, side): _rib(RIBS[k], side) for k in RIBS for side in SIDES},
        {(k, side): _cartilage(k, side) for k in (*CARTILAGES, *COMMON) for side in SIDES},
        points,
    )


def rib_line(rows: Floats, count: int = _LINE) -> Floats:
    """(count, 3) even points of the smooth line through the rows of a rib."""
    from scipy.interpolate import CubicSpline  # as heavy as the rest of the package

    steps = np.linalg.norm(np.diff(rows[:, :3], axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(steps)])
    curve = CubicSpline(knots, rows[:, :3], bc_type="natural")
    return np.asarray(curve(np.linspace(0.0, knots[-1], count)))


def _vertebra(level: str) -> Vertebra:
    above = LEVELS[LEVELS.index(level) - 1]
    below = DENS if level == "C1" else DISCS[level].centre
    upper = {"C1": CONDYLES, "C2": DENS}.get(level)
    tips = TIPS[level]
    return Vertebra(
        _metres(below),
        _metres(DISCS[above].centre if upper is None else upper),
        _metres((0.0, *tips.spinous)),
        {side: _sided(tips.transverse, side) for side in SIDES},
    )


def _rib(rib: RibRows, side: Side) -> Rib:
    line = rib_line(rib.rows)
    return Rib(_sided(rib.head, side), _sided(rib.tubercle, side), _sided(line, side))


def _cartilage(number: int, side: Side) -> Cartilage:
    start = CARTILAGES[number][0] if number in CARTILAGES else COMMON[number][-1][:3]
    return Cartilage(_sided(start, side), _sided(RIBS[number].rows[-1, :3], side))


def _metres(point: object) -> Floats:
    return _MILLIMETRE * np.asarray(point, float)


def _sided(point: object, side: Side) -> Floats:
    flip = (1.0, 1.0, 1.0) if side == "L" else (-1.0, 1.0, 1.0)
    return _metres(point) * np.array(flip)
