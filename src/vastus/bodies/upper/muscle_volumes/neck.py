"""Muscles of neck and jaw, left side [mm]."""

from __future__ import annotations

from vastus.bodies.upper.muscle_volumes.solids import Follows, MuscleSolid, column, columns, fan
from vastus.modelling.trunk.primitives import tube

# From breastbone and clavicle to the mastoid: half-width across the neck, half of the thickness.
_STERNAL = [
    (9, -152, 1338, 4, 3), (15, -146, 1358, 6, 5), (27, -134, 1392, 8.5, 6.5),
    (40, -117, 1430, 10, 7), (51, -98, 1466, 10, 6), (56, -88, 1490, 8, 4), (57, -80, 1503, 6, 3),
]  # fmt: skip
_CLAVICULAR = [
    (40, -140, 1354, 8, 3), (41, -133, 1372, 9, 4), (44, -121, 1400, 9, 5), (50, -106, 1436, 9, 5),
    (56, -92, 1470, 8, 4.5), (59, -84, 1492, 6, 3),
]  # fmt: skip
_SPLENIUS = [
    [(3, -48, 1440), (22, -46, 1455), (42, -60, 1478), (56, -72, 1498)],
    [(3, -34, 1402), (24, -32, 1428), (46, -54, 1462), (58, -78, 1494)],
    [(3, -18, 1370), (24, -20, 1402), (45, -48, 1440), (58, -82, 1488)],
    [(3, -6, 1330), (20, -14, 1370), (40, -42, 1416), (56, -84, 1480)],
]
_SEMISPINALIS_CAPITIS = [
    (30, -40, 1345, 5, 5), (26, -42, 1380, 9, 8), (19, -46, 1415, 12, 10), (16, -44, 1450, 12, 10),
    (16, -32, 1485, 11, 9), (16, -16, 1510, 9, 5),
]  # fmt: skip
_LEVATOR = [
    (40, -80, 1470, 4, 4), (43, -72, 1440, 7, 7), (47, -58, 1405, 8.5, 8), (56, -40, 1372, 8.5, 7),
    (66, -24, 1350, 6, 5), (68, -14, 1335, 4, 3),
]  # fmt: skip
_SCALENES = [
    (32, -86, 1455, 4, 4), (35, -88, 1425, 8, 9), (41, -88, 1395, 11, 12), (52, -92, 1370, 12, 12),
    (60, -95, 1358, 9, 8),
]  # fmt: skip
_MASSETER = [
    [(50, -156, 1504), (48, -147, 1484), (44, -136, 1464), (40, -128, 1454)],
    [(58, -144, 1505), (53, -134, 1485), (47, -124, 1466), (42, -116, 1456)],
    [(62, -130, 1506), (55, -121, 1487), (48, -113, 1470), (43, -109, 1461)],
]


def neck_muscles() -> list[MuscleSolid]:
    """The large muscles of the neck, and the masseter."""
    nod = [tube(_STERNAL, (0.75, -0.6, 0.2)), tube(_CLAVICULAR, (0.75, -0.6, 0.2))]
    return [
        columns("sternocleidomastoid", nod, Follows("sternocleidomastoid"), layer=5, blend=3.0),
        fan("splenius_capitis", _SPLENIUS, [2.5, 5, 5.5, 3], Follows("splenius_capitis"), layer=3),
        column("semispinalis_capitis", _SEMISPINALIS_CAPITIS, Follows("semispinalis_capitis"),
               layer=2),
        column("levator_scapulae", _LEVATOR, Follows("levator_scapulae"), layer=3),
        column("scalenes", _SCALENES, Follows("scalenes"), side=(0, 1, 0), layer=2),
        fan("masseter", _MASSETER, [4.5, 6.5, 6, 3], Follows("masseter"), layer=3),
    ]  # fmt: skip
