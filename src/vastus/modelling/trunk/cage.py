"""Ribs, costal cartilages and breastbone as fields [mm], left side."""

from __future__ import annotations

import numpy as np

from vastus.modelling.shapes.implicit import ball, cone, cut, ellipsoid, join
from vastus.modelling.trunk.primitives import Solid, both, solid, tube
from vastus.modelling.trunk.rib_table import CARTILAGES, COMMON, RIBS
from vastus.numerics.types import Floats

_ROUND = 1.35  # height over thickness; the direction of a rounder section means nothing
_CARTILAGE_SIZES = {1: (8, 4), 2: (6, 4.5), 3: (6, 4.5), 4: (6.5, 4.5), 5: (6.5, 5), 6: (6.5, 5),
                    7: (6, 5)}  # fmt: skip
_SIDE = (0.0, 0.3, 1.0)
_MARGIN = 12.0

_MANUBRIUM = [
    (0, -140, 1344, 21, 5.5), (0, -143, 1336, 24, 7.5), (0, -149, 1326, 26, 8.5),
    (0, -157, 1315, 22.5, 8), (0, -166, 1304, 18, 7.5), (0, -170, 1298, 15, 7),
]  # fmt: skip
_BODY = [
    (0, -172, 1293, 14, 6.5), (0, -177, 1278, 16, 7), (0, -181, 1263, 18, 7.5),
    (0, -185, 1248, 20, 8), (0, -189, 1233, 20.5, 8), (0, -193, 1218, 22.5, 8),
    (0, -197, 1203, 20, 7.5), (0, -198.5, 1191, 13, 6),
]  # fmt: skip
_XIPHOID = [(0, -199, 1188, 9.5, 4), (0, -200, 1178, 8, 3.2), (0, -201, 1171, 5, 2.4)]


def rib_rows(number: int) -> Floats:
    """(7, 6) the rows of a rib as it is drawn: sections thick enough, turned evenly."""
    rows = RIBS[number].rows.copy()
    flat = np.flatnonzero(rows[:, 3] / rows[:, 4] > _ROUND)
    # A section looks the same after half a turn.
    doubled = np.unwrap(np.radians(2 * rows[flat, 5]))
    rows[:, 5] = np.degrees(np.interp(np.arange(len(rows)), flat, doubled)) / 2
    rows[:, 4] = np.maximum(rows[:, 4], 3.0)
    rows[:, 3] = np.clip(rows[:, 3], 4.5, 9.5 if number == 1 else 9.0)
    rows[0, 3:5] = np.minimum(rows[0, 3:5], (6.0, 4.5))
    rows[1, 3:5] = np.minimum(rows[1, 3:5], (6.5, 5.0))
    return rows


def rib(number: int) -> Solid:
    """A rib: a twisted tube, and its tubercle."""
    rows = rib_rows(number)
    field = tube(rows.tolist(), domes=(2.5, 1.0))
    box = rows[:, :3].min(axis=0) - _MARGIN, rows[:, :3].max(axis=0) + _MARGIN
    if number == 12:
        return solid(field, *box)
    start, end = rows[1, :3], RIBS[number].tubercle
    tubercle = cone(start, 4.0, 0.75 * end + 0.25 * start, 3.6)
    return solid(join(field, tubercle, blend=3.0), *box)


def cartilage(number: int) -> Solid:
    """A cartilage of the ribs 1 to 7, from the breastbone to the rib's end."""
    tip = rib_rows(number)[-1]
    points = np.array([*CARTILAGES[number], tip[:3]])
    high, thick = _CARTILAGE_SIZES[number]
    back = points[2] - points[3]
    end = points[3] + 2.5 * back / np.linalg.norm(back)
    rows = [
        (*points[0], 0.85 * high, 0.8 * thick), (*points[1], high, thick),
        (*points[2], 1.1 * high, thick), (*end, min(tip[3], 8), max(min(tip[4], 5), 4)),
    ]  # fmt: skip
    box = points.min(axis=0) - _MARGIN, points.max(axis=0) + _MARGIN
    return solid(tube(rows, _SIDE, (2.0, 1.0)), *box)


def common_cartilage() -> Solid:
    """The cartilages 8 to 10, which join each other and the seventh."""
    rods = [tube(rows, _SIDE, (1.0, 2.0)) for rows in COMMON.values()]
    X = np.array([row[:3] for rows in COMMON.values() for row in rows])
    return solid(join(*rods, blend=4.0), X.min(axis=0) - _MARGIN, X.max(axis=0) + _MARGIN)


def sternum() -> Solid:
    """Manubrium, body and xiphoid in one piece, notched for clavicles and cartilages."""
    across = (1.0, 0.0, 0.0)
    manubrium = tube(_MANUBRIUM, across, (3.0, 2.0))
    notches = ellipsoid((0, -141, 1354), (15, 14, 13)), both(ellipsoid((20, -134, 1352), (13, 12, 11)))
    manubrium = cut(manubrium, *notches, blend=3.0)
    seats = [both(ball(np.add(CARTILAGES[k][0], (5.5, 0, 0)), 5.5)) for k in range(3, 8)]
    body = cut(tube(_BODY, across), *seats, blend=2.0)
    xiphoid = tube(_XIPHOID, across, (2.0, 3.0))
    whole = join(manubrium, body, xiphoid, blend=2.5)
    return solid(whole, (-34, -214, 1160), (34, -126, 1356))
