"""What fills the skin out where no muscle of the table is [mm]: face, throat, viscera, hips, palms.

They only shape the skin: nothing else is known of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vastus.bodies.upper.muscle_volumes.arm import placed
from vastus.modelling.shapes.implicit import Field, cut, ellipsoid, join
from vastus.modelling.shapes.strands import Strand
from vastus.modelling.trunk.primitives import Solid, both, plane, solid, tube

BOTTOM = 752.0  # [mm] where the thighs are cut off


def face() -> Solid:
    """Nose, lips, lids, cheeks and chin."""
    nose = tube([(0, -190, 1541, 5, 5), (0, -197, 1526, 6, 7), (0, -206, 1511, 8, 8),
                 (0, -209, 1504, 8.5, 7)], (1, 0, 0))  # fmt: skip
    wing = both(ellipsoid((9.5, -196, 1503), (8, 12, 7.5)))
    bridge = ellipsoid((0, -184, 1516), (13, 16, 26))
    lips = both(join(
        tube([(0, -193, 1484, 5.5, 5), (11, -191, 1484, 5, 5), (23, -181, 1480, 4, 4)]),
        tube([(0, -192, 1473, 5, 5), (10, -190, 1473, 5, 5), (22, -180, 1476, 4, 4)]),
        blend=1.0))  # fmt: skip
    socket = both(ellipsoid((32, -160, 1527), (19, 14, 16)))
    eye = both(ellipsoid((32, -168, 1526), (14, 11, 9)))
    cheek = both(ellipsoid((37, -157, 1487), (17, 23, 26)))
    mouth = both(ellipsoid((24, -168, 1472), (20, 18, 22)))
    chin = ellipsoid((0, -178, 1447), (20, 11, 15))
    temple = both(ellipsoid((53, -130, 1540), (13, 30, 30)))
    core = ellipsoid((0, -158, 1492), (48, 22, 48))  # in the bones; it holds the parts together
    soft = join(core, cheek, mouth, chin, temple, socket, blend=8.0)
    whole = join(soft, bridge, nose, wing, lips, eye, blend=5.0)
    return solid(whole, (-80, -225, 1425), (80, -85, 1580))


def ear() -> Solid:
    """The shell of the left ear."""
    lean = np.radians(20)
    axes = [(np.cos(lean), np.sin(lean), 0), (-np.sin(lean), np.cos(lean), 0.25), (0, -0.25, 1)]
    shell = ellipsoid((77, -93, 1513), (4.5, 16, 29), [_unit(a) for a in axes])
    hollow = ellipsoid((86, -98, 1514), (8, 11, 19))
    whole = cut(shell, hollow, blend=3.0)
    root = ellipsoid((70, -100, 1510), (10, 8, 18))
    return solid(join(whole, root, blend=4.0), (50, -125, 1470), (100, -60, 1560))


def throat() -> Solid:
    """Windpipe, gullet and the floor of the mouth."""
    pipe = tube([(0, -108, 1325, 22, 18), (0, -114, 1360, 22, 18), (0, -115, 1400, 22, 20),
                 (0, -112, 1430, 26, 24), (0, -125, 1452, 30, 26)], (1, 0, 0))  # fmt: skip
    floor = ellipsoid((0, -142, 1450), (26, 32, 14))
    core = ellipsoid((0, -85, 1462), (34, 40, 26))  # in the bones; it holds the parts together
    nape = both(ellipsoid((30, -56, 1480), (24, 32, 34)))
    return solid(join(pipe, floor, nape, core, blend=12.0), (-70, -190, 1290), (70, -10, 1530))


def viscera() -> Solid:
    """What is inside ribs and belly."""
    rows = [(0, -100, 1340, 40, 30), (0, -105, 1280, 85, 55), (0, -112, 1200, 105, 75),
            (0, -112, 1120, 108, 75), (0, -113, 1050, 100, 68), (0, -116, 990, 92, 62),
            (0, -112, 930, 100, 56), (0, -104, 870, 95, 48), (0, -98, 810, 75, 44)]  # fmt: skip
    whole = tube(rows, (1, 0, 0), (8.0, 20.0))
    return solid(whole, (-125, -200, 770), (125, -20, 1360))


def hips() -> Solid:
    """Buttocks, hips and the upper ends of the thighs."""
    buttock = ellipsoid((66, -34, 848), (60, 52, 78))
    hip = ellipsoid((106, -88, 900), (46, 56, 88))
    thigh = tube([(78, -92, 880, 62, 60), (84, -88, 830, 76, 74), (86, -88, 780, 78, 78),
                  (86, -90, 735, 76, 76)], (1, 0, 0), (10.0, 10.0))  # fmt: skip
    groin = ellipsoid((0, -118, 800), (34, 40, 40))
    loin = ellipsoid((62, -120, 893), (62, 50, 84))
    sides = join(buttock, hip, thigh, loin, blend=24.0)
    whole = join(both(sides), groin, blend=12.0)
    whole = cut(whole, plane((0, 0, BOTTOM), (0, 0, 1)), blend=6.0)
    return solid(whole, (-185, -200, BOTTOM - 5), (185, 45, 985))


def palm() -> Solid:
    """Palm, balls of thumb and little finger, and pads of the left hand."""
    strands = (
        Strand([], [(1, 5, -250, 24, 10), (1, 6, -275, 27, 12), (0, 7, -305, 33, 12),
                    (-4, 7, -334, 37, 10), (-5, 6, -345, 36, 7)]),
        Strand([], [(16, 10, -260, 8, 8), (28, 15, -285, 12, 12), (42, 19, -308, 9, 9),
                    (53, 28, -330, 8, 8)]),
        Strand([], [(-16, 8, -262, 8, 9), (-24, 8, -290, 9, 11), (-29, 6, -318, 7, 8)]),
        Strand([], [(18, 4, -292, 12, 7), (32, 10, -310, 12, 6)]),
    )  # fmt: skip
    fields = [placed(strand) for strand in strands]
    boxes = np.array([field.box for field in fields])
    whole: Field = join(*fields, blend=8.0)
    return solid(whole, boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0))


def _unit(v: tuple[float, ...]) -> np.ndarray:
    return np.asarray(v, float) / np.linalg.norm(v)


# By name, with the cell [mm] of their surface; those of the left have a mirror image.
MIDDLE: dict[str, tuple[Callable[[], Solid], float]] = {
    "face": (face, 1.6), "throat": (throat, 3.0), "viscera": (viscera, 4.0), "hips": (hips, 4.0),
}  # fmt: skip
LEFT: dict[str, tuple[Callable[[], Solid], float]] = {"ear": (ear, 1.6), "palm": (palm, 2.0)}
