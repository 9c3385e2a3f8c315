"""Skull, mandible, hyoid bone and thyroid cartilage as fields [mm].

The skull is solid: its braincase is not hollow.
"""

from __future__ import annotations

from vastus.modelling.shapes.implicit import Field, cone, cut, ellipsoid, join
from vastus.modelling.trunk.primitives import Solid, both, sheet, solid, tube

# Teeth of the left half: x, y, half-widths across and along the row.
_UPPER_TEETH = (
    (4.2, -185.5, 3.9, 3.2), (11.2, -183.2, 3.2, 3), (17.2, -178.5, 3.4, 3.6),
    (21.8, -172, 3.2, 4), (24.8, -165.3, 3.2, 4.2), (27, -156.8, 4.6, 4.8),
    (28.5, -146.8, 4.6, 4.8),
)  # fmt: skip
_LOWER_TEETH = (
    (2.8, -182.5, 2.5, 3), (8.2, -181.3, 2.7, 3), (13.6, -177.8, 3.1, 3.4), (18.4, -172, 3.2, 3.6),
    (21.6, -165.3, 3.3, 3.8), (24.5, -156.3, 5, 4.6), (27.5, -145.5, 4.8, 4.6),
)  # fmt: skip


def skull() -> Solid:
    """Braincase and face, with orbits, nose, cheek bones and teeth."""
    face = join(join(_cranium(), _brow(), blend=13.0), _cheek(), blend=7.0)
    face = join(face, *_maxilla(), blend=4.0)
    face = cut(face, _orbit(), _nose(), blend=3.0)
    inside_arch = both(ellipsoid((50, -131, 1514), (10, 20, 24)))
    face = cut(face, inside_arch, blend=5.0)
    face = cut(face, ellipsoid((0, -158, 1480), (20, 22, 9)), blend=3.0)  # palate
    whole = join(face, *_base(), blend=4.0)
    whole = cut(whole, ellipsoid((0, -74, 1488), (14, 17, 16)), blend=3.0)  # foramen magnum
    ear = both(cone((72, -100, 1513), 3.5, (52, -102, 1513), 3.0))
    whole = cut(whole, ear, blend=2.0)
    teeth = [_tooth(x, y, 1485, 1475.5, 0.5, a, b) for x, y, a, b in _UPPER_TEETH]
    return solid(join(whole, *teeth, blend=1.2), (-76, -202, 1470), (76, 12, 1644))


def _cranium() -> Field:
    vault = join(
        ellipsoid((0, -70, 1572), (70, 69, 64)),
        ellipsoid((0, -112, 1572), (58, 70, 61)),
        ellipsoid((0, -62, 1545), (63, 62, 46)),
        blend=22.0,
    )
    base = join(
        ellipsoid((0, -95, 1512), (36, 40, 20)), both(ellipsoid((42, -85, 1511), (22, 26, 17))),
        blend=10.0,
    )  # fmt: skip
    whole = join(vault, base, ellipsoid((0, -40, 1518), (42, 34, 22)), blend=14.0)
    temple = both(ellipsoid((76, -136, 1536), (20, 30, 34)))
    whole = cut(whole, temple, blend=14.0)
    middle = join(
        ellipsoid((0, -150, 1530), (47, 33, 22)), both(ellipsoid((26, -150, 1520), (24, 30, 24))),
        ellipsoid((0, -140, 1512), (24, 34, 26)), blend=8.0,
    )  # fmt: skip
    return join(whole, ellipsoid((0, -150, 1556), (50, 34, 22)), middle, blend=10.0)


def _brow() -> Field:
    rows = [(5, -183, 1546, 4.5, 4.5), (18, -181, 1549, 4.5, 4.5), (34, -174, 1548.5, 4.2, 4.7),
            (48, -162, 1540, 4, 5), (53, -156, 1530, 5, 4.5)]  # fmt: skip
    return both(tube(rows))


def _cheek() -> Field:
    front = [(52, -156, 1532, 5, 4.5), (52, -158, 1518, 6.5, 5.5), (48, -163, 1507, 8, 6),
             (38, -170, 1504, 8, 6), (30, -174, 1508, 6, 5)]  # fmt: skip
    arch = [(52, -158, 1510, 7.5, 4.5), (60, -146, 1510, 5, 3), (66, -130, 1511, 4.2, 2.6),
            (67, -116, 1512, 4.2, 2.8), (62, -104, 1515, 5, 4), (56, -98, 1518, 6, 6)]  # fmt: skip
    return both(join(tube(front), tube(arch), blend=5.0))


def _maxilla() -> list[Field]:
    body = join(
        both(ellipsoid((17, -164, 1502), (20, 22, 23))), ellipsoid((0, -166, 1492), (27, 22, 11)),
        both(tube([(7, -184, 1543, 4, 4), (11, -181, 1528, 4, 4.5), (16, -178, 1512, 5, 6)],
                  (0, 1, 0))),
        blend=7.0,
    )  # fmt: skip
    rim = [(0, -184, 1488, 8, 4.5), (10, -182, 1488, 8, 4.8), (20, -174, 1488, 8, 5.2),
           (26, -160, 1488, 7.5, 5.8), (28, -146, 1489, 7, 5.5)]  # fmt: skip
    nasal = [(2.5, -183, 1546, 4.5, 4), (3, -188, 1535, 4.5, 3.5), (3.5, -193, 1525, 4, 2.8)]
    return [body, both(tube(rim)), both(tube(nasal, (1, 0, 0)))]


def _orbit() -> Field:
    rows = [(35, -188, 1527, 16, 18.5), (32, -170, 1528, 15.2, 17), (25, -150, 1529, 10.5, 11),
            (17, -134, 1530, 4, 5)]  # fmt: skip
    return both(tube(rows, domes=(10.0, 3.0)))


def _nose() -> Field:
    low = [(0, -198, 1502, 8.5, 12.5), (0, -184, 1503, 9, 13), (0, -168, 1505, 8, 10.5),
           (0, -150, 1505, 6, 8)]  # fmt: skip
    high = [(0, -198, 1515, 13, 5.5), (0, -184, 1516, 13, 5.5), (0, -168, 1516, 10, 5)]
    return join(tube(low, domes=(6.0, 4.0)), tube(high), blend=6.0)


def _base() -> list[Field]:
    """Mastoids, condyles, the bump at the back, pterygoids and styloids."""
    mastoid = [(52, -84, 1514, 11, 9), (51, -86, 1500, 9, 8), (49, -90, 1489, 5, 5)]
    return [
        both(tube(mastoid, (0, 1, 0))),
        both(ellipsoid((15, -89, 1494), (6.5, 11, 6))),
        ellipsoid((0, -6, 1534), (14, 6, 6)),
        both(cone((20, -134, 1500), 4, (21, -133, 1488), 3)),
        both(cone((40, -103, 1500), 3, (33, -110, 1478), 1.6)),
    ]


def _tooth(x: float, y: float, root: float, tip: float, shift: float, a: float, b: float) -> Field:
    rows = [(x, y, root, a, b), (x, y + shift, tip, 0.95 * a, 0.75 * b)]
    return both(tube(rows, (1, 0, 0) if x < 12 else (0, 1, 0), (1.0, 1.2)))


def mandible() -> Solid:
    """Body with chin and teeth, and two branches with condyle and coronoid process."""
    body = [(0, -175, 1447, 10.5, 6), (10, -172.5, 1447, 10.5, 5.8), (19, -163, 1450, 10.5, 5.3),
            (28, -147, 1454.5, 10.5, 5.2), (35, -130, 1461, 11.5, 4.8),
            (39, -118, 1467, 11.5, 4)]  # fmt: skip
    rim = [(0, -177, 1459, 6, 4), (9, -175.5, 1459, 6, 4.2), (18, -166, 1460, 6, 4.4),
           (25, -150, 1463, 6, 4.6), (30, -138, 1467, 5, 4.2)]  # fmt: skip
    branch = [
        [(38, -111, 1459), (37, -124, 1457), (35, -137, 1462)],
        [(41, -107, 1474), (40, -121, 1474), (37, -137, 1476)],
        [(43, -105, 1490), (41.5, -121, 1489), (39.5, -138, 1492)],
    ]
    plate = sheet(branch, [[4, 4, 4], [3.5, 3.5, 3.5], [3.2, 3, 3]])
    neck = [(43, -105, 1489, 3.5, 5.5), (45, -104, 1500, 4, 5), (46, -104, 1506, 4, 6.5)]
    coronoid = [(40, -136, 1490, 8, 3), (41, -139, 1500, 5.5, 2.6), (42, -142, 1509, 3, 2)]
    whole = join(
        both(tube(body, domes=(2.0, 3.0))), ellipsoid((0, -176, 1441), (12, 5, 6.5)),
        both(tube(rim)), both(plate), blend=4.0,
    )  # fmt: skip
    whole = join(
        whole, both(tube(neck, (0, 1, 0), (2.0, 1.0))),
        both(ellipsoid((45, -104.5, 1509.5), (9, 4.6, 4.6))), both(tube(coronoid, (0, 1, 0))),
        blend=3.0,
    )  # fmt: skip
    teeth = [_tooth(x, y + 2, 1463, 1472.0, -0.8, a, b) for x, y, a, b in _LOWER_TEETH]
    return solid(join(whole, *teeth, blend=1.2), (-58, -188, 1430), (58, -94, 1518))


def hyoid() -> Solid:
    """A bow with two greater and two lesser horns."""
    bow = [(0, -131, 1437, 5.5, 3.5), (9, -128, 1437.5, 5, 3.2), (15, -121, 1439.5, 3.6, 2.6),
           (18, -112, 1442.5, 3, 2.2), (19.5, -102, 1446, 3, 2.5)]  # fmt: skip
    horn = cone((14, -121, 1440), 2.6, (15, -118, 1446), 1.8)
    whole = join(both(tube(bow)), both(horn), blend=2.0)
    return solid(whole, (-26, -140, 1426), (26, -94, 1454))


def thyroid() -> Solid:
    """Two plates that meet in front, with upper and lower horns."""
    plate = [
        [(0, -126, 1421), (6, -121, 1423), (11, -113, 1425), (16, -102, 1426)],
        [(0, -127, 1416), (6, -121, 1416), (11, -113, 1417), (15, -102, 1418)],
        [(0, -123, 1407), (5, -119, 1406), (9.5, -112, 1406), (13.5, -102, 1407)],
    ]
    upper = [(16, -101, 1424, 2.2), (17, -99.5, 1430, 2), (17.5, -99, 1437, 2)]
    lower = [(14, -101, 1408, 2.2), (14, -99, 1404, 2), (13.5, -99, 1400, 2)]
    whole = join(both(sheet(plate, 2.0)), both(tube(upper)), both(tube(lower)), blend=2.0)
    return solid(whole, (-24, -134, 1394), (24, -92, 1442))
