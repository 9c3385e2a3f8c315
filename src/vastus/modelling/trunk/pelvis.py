"""Sacrum and left hip bone as fields [mm]."""

from __future__ import annotations

import numpy as np

from vastus.modelling.shapes.implicit import Field, ball, cone, cut, ellipsoid, join
from vastus.modelling.trunk.primitives import Solid, both, plane, sheet, solid, trimmed_by, tube
from vastus.modelling.trunk.spine_table import DISCS

SOCKET = np.array([78.0, -89.0, 839.0])
_SOCKET_RADIUS = 25.0
_SOCKET_FACES = np.array([0.68, -0.42, -0.58]) / np.linalg.norm([0.68, -0.42, -0.58])

_CREST = [
    (43, -20, 908), (50, -22, 925), (62, -38, 944), (82, -54, 959), (106, -76, 966),
    (122, -98, 956), (128, -116, 938), (123, -136, 918), (119, -146, 902),
]  # fmt: skip
_ABOVE_SOCKET = [
    (46, -42, 880), (54, -50, 878), (61, -60, 872), (68, -70, 868), (76, -80, 866),
    (84, -92, 866), (90, -102, 868), (98, -114, 874), (106, -125, 882),
]  # fmt: skip
_WING_HALF = [
    [5, 5.5, 5.5, 5, 5, 5.5, 6, 6, 6.5],
    [5, 5, 4, 3, 2.8, 3.5, 5, 5, 5],
    [6, 5.5, 4.5, 3.5, 3.5, 4.5, 6, 6, 5.5],
    [7, 7, 8, 9, 9, 9, 9, 8, 6],
]


def sacrum() -> Solid:
    """Five bodies that taper to the coccyx, wings, crest, and four pairs of holes."""
    top = DISCS["L5"]
    up = top.frame[2]
    start = top.centre - up * top.height / 2
    line = [(start - up)[1:].tolist(), (-59, 886), (-43, 868), (-30, 851), (-24, 836), (-23, 820),
            (-24, 806), (-29, 795)]  # fmt: skip
    wide = [25.5, 20, 17, 15, 13, 9.5, 7.5, 4.5]
    deep = [17.5, 13, 11, 9.5, 8, 6, 5, 4]
    rows = [(0, *p, w, d) for p, w, d in zip(line, wide, deep, strict=True)]
    bodies = tube(rows, (1, 0, 0), (0.8, 3.0))
    parts = [both(_sacral_wing()), both(_sacral_lamina()), *_sacral_crest()]
    horn = tube([(22, -50, 915, 4.5, 4), (22, -48, 925, 4.5, 4), (23, -49, 932, 4, 3.5)])
    whole = join(bodies, *parts, both(horn), blend=5.0)
    canal = cone((0, -50, 918), 8, (0, -30, 880), 5.5)
    whole = cut(whole, *_sacral_holes(), canal, blend=2.0)
    front = plane((0, -58, 905), top.frame[1])
    whole = trimmed_by(whole, plane(start, up), behind=front)
    return solid(whole, (-66, -105, 786), (66, -2, 942))


def _sacral_wing() -> Field:
    points = [
        [(8, -72, 905), (28, -68, 906), (44, -64, 908), (54, -60, 909)],
        [(8, -60, 890), (26, -57, 892), (42, -55, 895), (53, -56, 896)],
        [(8, -45, 872), (22, -42, 873), (34, -41, 876), (45, -44, 879)],
        [(6, -32, 854), (16, -28, 855), (25, -27, 857), (32, -29, 860)],
        [(5, -25, 838), (11, -23, 838), (18, -23, 839), (25, -27, 840)],
    ]
    half = [[9, 9, 10, 8], [8, 8, 9, 8], [7, 7, 7, 6], [6, 6, 5.5, 5], [5, 5, 4.5, 4]]
    return sheet(points, half)


def _sacral_lamina() -> Field:
    points = [
        [(0, -38, 912), (14, -42, 914), (24, -48, 917)],
        [(0, -25, 888), (13, -29, 890), (26, -37, 892)],
        [(0, -16, 866), (11, -19, 867), (22, -25, 868)],
        [(0, -13, 848), (8, -15, 848), (16, -20, 848)],
    ]
    return sheet(points, 3.5)


def _sacral_crest() -> list[Field]:
    rows = [(0, -38, 912, 8, 3), (0, -27, 890, 8, 3), (0, -17, 868, 7, 3), (0, -12, 850, 6, 3),
            (0, -13, 836, 4, 3)]  # fmt: skip
    knobs = (((0, -30, 901), (3.5, 5, 6)), ((0, -20, 880), (3.5, 5, 6)), ((0, -12, 860), (3.5, 4, 5)))
    beside = (((22, -37, 900), (4, 4, 5)), ((24, -29, 882), (4, 4, 5)), ((20, -20, 864), (4, 4, 5)))
    return [
        tube(rows, (0, 1, 0)),
        *(ellipsoid(centre, radii) for centre, radii in knobs),
        *(both(ellipsoid(centre, radii)) for centre, radii in beside),
    ]


def _sacral_holes() -> list[Field]:
    places = ((23, -63, 890), (20, -49, 873), (17, -37, 857), (14, -30, 843))
    return [
        both(cone((x, y - 14, z - 10), 4.2, (x, y + 34, z + 16), 3.2)) for x, y, z in places
    ]


def hip() -> Solid:
    """Ilium with its crest, socket, ischium, and the two branches of the pubis around a hole."""
    upper = join(_wing(), *_edges(), blend=6.0)
    whole = join(upper, _socket(), _ischium(), blend=7.0)
    pubis = join(
        tube([(12, -138, 804, 12, 7.5), (12, -130, 794, 13, 7), (12, -120, 783, 11, 6.5)],
             (0, 1, -0.6)),
        cone((16, -141, 806), 6, (21, -146, 805), 4.5),
        blend=4.0,
    )  # fmt: skip
    lower = tube([(12, -120, 782, 10, 5.5), (21, -107, 776, 9.5, 5.2), (33, -90, 771, 10, 6.5),
                  (46, -70, 770, 12, 9)], domes=(2, 3))  # fmt: skip
    spine = cone((58, -55, 832), 8, (46, -46, 828), 3.5)
    whole = join(whole, pubis, lower, spine, blend=4.0)
    cup = ball(SOCKET + 4 * _SOCKET_FACES, _SOCKET_RADIUS), ball(SOCKET + 30 * _SOCKET_FACES, 22.0)
    whole = cut(whole, *cup, blend=2.0)
    whole = cut(whole, cone((49, -103, 809), 11.0, (24, -88, 791), 9.5), blend=5.0)
    whole = cut(whole, plane((4.5, 0, 0), (1, 0, 0)), blend=1.0)
    return solid(whole, (2, -160, 752), (140, -6, 976))


def _wing() -> Field:
    """A plate between the crest and a line above the socket, hollow inwards."""
    crest, low = np.array(_CREST, float), np.array(_ABOVE_SOCKET, float)
    bows = ((0.0, 0.0), (0.33, 5.0), (0.66, 6.0), (1.0, 0.0))
    rows = [(1 - t) * crest + t * low + bow * np.array([0.55, 0.55, -0.2]) for t, bow in bows]
    return sheet(rows, _WING_HALF)


def _edges() -> list[Field]:
    """Crest, arcuate line with the upper branch of the pubis, and the borders' spines."""
    crest = tube([(*point, 5.5) for point in _CREST], domes=(3, 3))
    arcuate = tube([
        (56, -60, 876, 10, 9), (60, -78, 868, 11, 9), (60, -98, 856, 11, 9.5),
        (52, -116, 840, 10.5, 9), (38, -130, 824, 10, 9), (25, -140, 810, 10.5, 8.5),
        (13, -139, 800, 12, 8),
    ])  # fmt: skip
    back = tube([(42, -20, 908, 6.5, 5), (42, -28, 892, 6, 5), (46, -40, 880, 7, 5.5)])
    front = tube([(118, -145, 902, 7, 6), (109, -133, 888, 7, 6.5), (101, -121, 872, 9, 8),
                  (88, -106, 858, 12, 11)])  # fmt: skip
    return [crest, arcuate, back, front, cone((96, -112, 874), 9, (102, -121, 868), 7)]


def _socket() -> Field:
    body = join(
        ball(SOCKET + [-3, 0, 2], 31.5), ellipsoid(SOCKET + [-2, 8, 18], (17, 22, 17)), blend=8.0
    )
    return cut(body, plane(SOCKET + 7 * _SOCKET_FACES, -_SOCKET_FACES), blend=3.0)


def _ischium() -> Field:
    rows = [(70, -72, 836, 17, 16), (63, -62, 815, 15, 14), (60, -56, 798, 15, 13.5),
            (55, -58, 783, 15, 13), (47, -66, 771, 12, 10)]  # fmt: skip
    return tube(rows, domes=(3, 3))
