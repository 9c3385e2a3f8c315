"""Left clavicle and scapula of the trunk as fields [mm].

The scapula is narrower than that of the arm by itself, so that it lies on these ribs.
"""

from __future__ import annotations

from vastus.modelling.shapes.humerus import GAP, HEAD_RADIUS
from vastus.modelling.shapes.implicit import ball, cut, join
from vastus.modelling.trunk.arm_place import SHOULDER
from vastus.modelling.trunk.primitives import Solid, sheet, solid, tube

_CLAVICLE = [
    (15, -130, 1342, 11, 9), (22, -134, 1345, 10.5, 9.5), (32, -136, 1348, 8.5, 8),
    (46, -133, 1349.5, 6.5, 7), (62, -126, 1350, 6, 6.3), (78, -113, 1351.5, 6, 6),
    (94, -90, 1354.5, 5.5, 7.5), (108, -75, 1356.5, 5.2, 9), (124, -68, 1358.5, 5, 10),
    (138, -67, 1359.5, 4.8, 9.5), (148, -68, 1360, 4.6, 8),
]  # fmt: skip

# From the upper border down; each row from the inner border to the outer one.
_BLADE = [
    [(74, -18, 1344), (90, -28, 1340), (106, -40, 1332), (122, -52, 1326)],
    [(63, -6, 1326), (84, -18, 1322), (104, -34, 1318), (122, -48, 1314)],
    [(60, 1, 1300), (80, -9, 1298), (100, -25, 1296), (120, -42, 1298)],
    [(62, 7, 1266), (76, 1, 1264), (92, -11, 1264), (108, -26, 1272)],
    [(70, 9, 1234), (79, 6, 1233), (89, 0, 1234), (99, -12, 1242)],
    [(80, 8, 1210), (84, 7, 1209), (89, 4, 1210), (93, -1, 1215)],
]
_BLADE_HALF = [
    [2.8, 2.2, 2.4, 4], [2.6, 1.9, 2.0, 5], [2.8, 1.9, 2.0, 5.5], [2.6, 1.9, 2.0, 4.5],
    [2.8, 2.2, 2.2, 4.2], [3.4, 3.2, 3.2, 3.4],
]  # fmt: skip
_SPINE_ROOT = [(61, 1, 1301), (80, -8, 1304), (98, -24, 1309), (113, -37, 1316), (122, -42, 1322)]
_SPINE_CREST = [(61, 4, 1302), (82, 6, 1311), (104, -2, 1324), (124, -13, 1338), (138, -24, 1347)]
_ACROMION = [
    (60, 4, 1301, 3, 3), (82, 7, 1311, 5, 3.6), (104, -1, 1324, 5.5, 4), (124, -13, 1339, 6, 4.4),
    (142, -27, 1350, 9, 5), (156, -40, 1356, 12, 4.8), (164, -54, 1358.5, 12.5, 4.6),
    (163, -68, 1359, 10.5, 4.2),
]  # fmt: skip
_NECK = [(137, -57, 1322, 11.5, 17), (133, -55, 1322, 11, 16.5), (126, -51, 1320, 8, 13),
         (114, -41, 1316, 5, 10)]  # fmt: skip
_CORACOID = [
    (122, -52, 1334, 9, 8), (122, -60, 1344, 8.5, 7.5), (123, -74, 1349, 7.5, 6.5),
    (127, -89, 1345, 7, 6), (131, -97, 1337, 6.2, 5.6),
]  # fmt: skip
_LATERAL = [(126, -46, 1304, 5.5, 5.5), (112, -30, 1276, 5, 5), (99, -12, 1243, 4.6, 4.6),
            (91, 1, 1213, 4.2, 4.2)]  # fmt: skip


def clavicle() -> Solid:
    """An S from the breastbone to the acromion, flat at its outer end."""
    return solid(tube(_CLAVICLE, domes=(3.0, 3.0)), (0, -155, 1325), (166, -45, 1382))


def scapula() -> Solid:
    """Blade with a thick outer border, spine with acromion, coracoid, and the socket."""
    blade = join(sheet(_BLADE, _BLADE_HALF), tube(_LATERAL), blend=4.0)
    plate = sheet([_SPINE_ROOT, _SPINE_CREST], 2.6)
    whole = join(blade, tube(_NECK, (0.0, 1.0, 0.0), (1.0, 3.0)), plate, blend=5.0)
    acromion = tube(_ACROMION, (0.75, 0.65, 0.1), (3.0, 6.0))
    coracoid = tube(_CORACOID, (1.0, 0.0, 0.0), (2.0, 4.0))
    whole = join(whole, acromion, coracoid, blend=5.0)
    whole = cut(whole, ball(SHOULDER, HEAD_RADIUS), clearance=GAP, blend=1.5)
    return solid(whole, (48, -115, 1195), (184, 26, 1375))
