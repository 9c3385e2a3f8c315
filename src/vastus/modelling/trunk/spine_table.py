"""The proportions of the spine of an adult man [mm], x left, y back, z up, mid-plane at x = 0.

Fitted to an adult male reference, after BodyParts3D (Database Center for Life Science), rounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Disc:
    """The disc below a vertebra: centre y, z, lean of its upper normal to the back, and size."""

    y: float
    z: float
    tilt: float  # [deg]
    width: float
    depth: float
    height: float

    @property
    def centre(self) -> Floats:
        """The centre (3,)."""
        return np.array([0.0, self.y, self.z])

    @property
    def frame(self) -> Floats:
        """(3, 3) rows left, back and up of the disc."""
        return tilted(self.tilt)


@dataclass(frozen=True)
class Tips:
    """The tips of a vertebra: the spinous one in the mid-plane, the left transverse one."""

    spinous: tuple[float, float]
    transverse: tuple[float, float, float]


def tilted(degrees: float) -> Floats:
    """(3, 3) rows left, back and up, leant to the back by an angle."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


# level: y z tilt width depth height, spinous y z, transverse x y z
_ROWS = """
C2 -89 1457 -13 22.5 17 4.5 -47.5 1449 26 -84 1457
C3 -90 1441.5 -11 23 15.5 4 -45.5 1433.5 27.5 -82 1444.5
C4 -90 1426 -15 25 15 4.5 -46.5 1421.5 28 -86.5 1431
C5 -88 1410.5 -21 26.5 15.5 4.5 -42 1410 29.5 -83.5 1417
C6 -83.5 1396 -24 27.5 16.5 4 -33 1398.5 29.5 -80 1404
C7 -78.5 1382 -24 29 18 4 -23 1383 33 -73 1396
T1 -72 1366.5 -22 30 20.5 4.5 -17 1367.5 35.5 -60 1388
T2 -64.5 1347 -21 29.5 23 5.5 -11.5 1347.5 35 -46.5 1373
T3 -57 1327 -18 29 26 5.5 -1 1322.5 31.5 -33.5 1350
T4 -51 1304.5 -14 28.5 29 6 -0.5 1299 34 -26.5 1326.5
T5 -48 1279.5 -7 29 31 6.5 -1.5 1267.5 34.5 -18 1300
T6 -47.5 1254 0 30 33 6.5 -1 1231.5 35 -11.5 1273
T7 -50 1227 7 32 34 7 -3 1212 35.5 -15 1242.5
T8 -55 1200.5 11 33.5 34 7.5 -1 1181 33.5 -17 1211
T9 -60.5 1172.5 13 35.5 34.5 7 -6 1151.5 34 -20.5 1183
T10 -67.5 1144.5 14 37.5 35.5 7.5 -10 1119 35 -28 1152
T11 -75.5 1114.5 14 40 37 8 -17.5 1093.5 27.5 -37.5 1127.5
T12 -84.5 1083 13 41.5 37 8.5 -23.5 1067.5 21 -37.5 1100.5
L1 -92.5 1051.5 9 42.5 36.5 8.5 -32 1031 34.5 -56.5 1062.5
L2 -97 1019.5 2 43.5 36 9 -35 1006 39.5 -59 1035.5
L3 -97.5 985 -6 45.5 36.5 9.5 -34 982 40 -64 1004.5
L4 -92.5 952 -16 48.5 37.5 11.5 -34 957.5 43 -67 977
L5 -81.5 918.5 -29 51 39 11 -29.5 937 50.5 -63 950.5
"""


def _read() -> tuple[dict[str, Disc], dict[str, Tips]]:
    discs, tips = {}, {"C1": Tips((-53.5, 1475.5), (42.0, -82.5, 1476.5))}
    for row in _ROWS.split("\n")[1:-1]:
        level, *words = row.split()
        v = [float(word) for word in words]
        discs[level] = Disc(*v[:6])
        tips[level] = Tips((v[6], v[7]), (v[8], v[9], v[10]))
    return discs, tips


DISCS, TIPS = _read()
DENS = (0.0, -89.5, 1476.0)  # where the atlas turns
CONDYLES = (0.0, -87.5, 1488.5)  # the middle between the occipital condyles
