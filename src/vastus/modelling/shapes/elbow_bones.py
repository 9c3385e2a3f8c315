"""The bones of the simple right elbow as tubes [m]: x lateral, y anterior, z up.

Ulna, radius and hand are drawn with the forearm hanging straight down, palm forward. Proportions
are those of an adult: humerus 32 cm, ulna 27 cm, hand 18 cm. The tables are not those of the
anatomical arm: tubes overlap where they meet, so that few tets mesh them, and leave no gap in a
joint.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from vastus.modelling.shapes.tube import Bump, Disc, Triple, Tube, even, outlined
from vastus.numerics.types import Floats

Rows = list[tuple[float, ...]]
# For thumb to little finger: where the ray starts, the next three joints, and the tip [mm].
_RAYS: list[list[tuple[float, float, float]]] = [
    [(17, 4, -276), (35, 14, -305), (45, 22, -333), (51, 28, -356)],
    [(13, 1, -286), (20, 3, -350), (24, 14, -388), (25, 28, -406), (25, 40, -416)],
    [(4, 1, -289), (5, 4, -353), (6, 18, -394), (6, 34, -412), (6, 48, -421)],
    [(-5, 1, -288), (-9, 3, -345), (-12, 16, -382), (-12, 31, -399), (-11, 44, -408)],
    [(-14, 1, -284), (-22, 2, -334), (-27, 11, -364), (-28, 21, -378), (-28, 31, -387)],
]
# The plane of the blade: medially it recedes by 35 degrees from the frontal plane.
_MEDIAL = np.array([-0.82, -0.57, 0.0])
_BACK = np.array([0.57, -0.82, 0.0])
_UP = np.array([0.0, 0.0, 1.0])
_SOCKET = np.array([-0.0325, -0.0185, 0.283])
# Normal [deg] and distance of the blade's borders from its middle; 0 is medial, 90 up.
_BORDERS = np.array([[0.0, 0.038], [98.0, 0.058], [205.0, 0.028]])
BLADE_SIZE = 0.045  # [m] a typical radius of the blade


def tube(rows: Rows, **options: object) -> Tube:
    """A tube from rows x, y, z, half-width along `side`, half-width across, all in millimetres."""
    table = np.array(rows) / 1000
    return Tube(table[:, :3], table[:, 3:], **options)  # type: ignore[arg-type]


def bump(*row: float) -> Bump:
    """A bump from its centre, push and reach in millimetres."""
    x, y, z, px, py, pz, reach = (value / 1000 for value in row)
    return Bump((x, y, z), (px, py, pz), reach)


def humerus_tubes() -> list[Tube]:
    """Head, shaft and flared lower end; and the spool of trochlea and capitulum."""
    shaft = tube(
        [
            (-28, -7, 299, 23, 23),
            (-10, -3, 284, 24, 24),
            (0, 0, 256, 17, 17),
            (1, 0, 230, 12.5, 12.5),
            (1, 0, 190, 11.5, 11.5),
            (0, 0, 140, 11, 11),
            (0, 0, 95, 11, 10),
            (-1, -1, 60, 14, 9.5),
            (-1, -1, 32, 21, 9),
            (-1, -1, 14, 28, 8.5),
            (-1, 0, 3, 26, 8.5),
            (-1, 0, -5, 22, 8),
        ],
        rounded=(0.019, 0.008),
        bumps=(
            bump(12, 2, 272, 9, 1, 3, 14),  # greater tubercle
            bump(-7, 17, 268, -1, 5, 0, 6),  # lesser tubercle
            bump(11, 3, 165, 3, 1, 0, 14),  # deltoid tuberosity
            bump(-27, -2, 13, -8, -2, 1, 7),  # medial epicondyle
            bump(27, 0, 14, 4, 0, 1, 6),  # lateral epicondyle
            bump(-12, -12, 20, 0, 3, 0, 8),  # olecranon fossa
        ),
    )
    spool = tube(
        [
            (-27, 0, 0, 11, 11),
            (-23, 0, 0, 12.5, 12.5),
            (-13, 0, 0, 9, 9),
            (-3, 0, 0, 11, 11),
            (2, 0, 0, 9, 9),
            (13, 1, 0, 11.5, 11.5),
            (22, 1, 0, 9.5, 9.5),
            (25, 1, 0, 8, 8),
        ],
        side=(0.0, 0.0, 1.0),
        rounded=(0.003, 0.006),
    )
    return [shaft, spool]


def ulna_tubes() -> list[Tube]:
    """Olecranon, tapered shaft and head; and the coronoid process."""
    shaft = tube(
        [
            (-13, -16, 23, 8, 6.5),
            (-13, -19, 15, 10.5, 8.5),
            (-13, -19.5, 3, 11, 9),
            (-13, -18.5, -9, 10.5, 9),
            (-13, -13.5, -23, 9.5, 10),
            (-12.5, -9, -42, 7.5, 9),
            (-12, -7, -80, 6.5, 7.5),
            (-13, -5, -130, 6, 6.5),
            (-15, -4, -180, 5.5, 5.5),
            (-17, -4, -220, 5, 5),
            (-18, -4, -240, 7.5, 7.5),
            (-18, -4, -250, 7, 7),
        ],
        rounded=(0.007, 0.008),
    )
    coronoid = tube(
        [
            (-13, -14, -24, 9, 9),
            (-13, -2, -20, 9.5, 8),
            (-13, 8, -16, 8, 6),
            (-13, 14, -10, 6, 4.5),
        ],
        rounded=(0.0, 0.007),
    )
    return [shaft, coronoid]


def radius_tubes() -> list[Tube]:
    """Disc-shaped head, neck, tuberosity, bowed shaft and wide lower end."""
    shaft = tube(
        [
            (13, 0, -12.5, 11.5, 11.5),
            (13, 0, -16, 11.5, 11.5),
            (13, 0, -20, 11.5, 11.5),
            (12.5, 0, -28, 7.5, 7.5),
            (11, 0, -38, 6.8, 6.8),
            (9.5, 0, -50, 7, 7),
            (11, 0, -80, 6.8, 6.5),
            (14, 0, -130, 7.5, 6.5),
            (13, 0, -180, 7.5, 6.5),
            (10, 0, -215, 10, 8),
            (7, 0, -238, 15, 10),
            (6, 0, -250, 16, 10),
        ],
        rounded=(0.004, 0.007),
        bumps=(bump(5, 5, -48, -4, 5, 0, 6),),  # radial tuberosity
    )
    return [shaft]


def wrist_tubes() -> list[Tube]:
    """The carpal bones as one block, which overlaps the ends of ulna and radius."""
    rows: Rows = [
        (-3, -2, -238, 20, 7.5),
        (-2, -1, -250, 22, 9),
        (-1, 0, -264, 20, 9),
        (0, 0, -280, 21, 9),
        (0, 1, -292, 19, 7),
    ]
    return [tube(rows, rounded=(0.006, 0.008))]


def mitten_tubes() -> list[Tube]:
    """Metacarpal and finger bones as one block, for coarse meshes."""
    rows: Rows = [
        (0, 1, -286, 17, 6),
        (0, 3, -345, 24, 7),
        (0, 14, -384, 24, 6),
        (0, 28, -402, 22, 5),
        (0, 42, -412, 18, 5),
    ]
    return [tube(rows, rounded=(0.004, 0.01))]


def finger_tubes() -> list[Tube]:
    """Five rays of metacarpal and finger bones, slightly curled."""
    return [_ray(*row) for row in _RAYS]


def _ray(*joints: tuple[float, float, float]) -> Tube:
    """A chain of waisted bones: thick at the joints, thin between them."""
    points = np.array(joints) / 1000
    line = np.insert(points, np.arange(1, len(points)), (points[1:] + points[:-1]) / 2, axis=0)
    taper = np.linspace(1.0, 0.7, len(line))
    radii = np.where(np.arange(len(line)) % 2, 0.0034, 0.0056) * taper
    return Tube(line, radii[:, None], rounded=(0.004, 0.005))


def flexed(tubes: list[Tube], angle: float) -> list[Tube]:
    """Tubes turned about the elbow's axis by `angle` [rad]; flexion is positive."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
    return [_turned(t, turn) for t in tubes]


def _turned(t: Tube, turn: Floats) -> Tube:
    bumps = tuple(Bump(_triple(turn @ b.centre), _triple(turn @ b.push), b.reach) for b in t.bumps)
    return replace(t, line=t.line @ turn.T, side=_triple(turn @ t.side), bumps=bumps)


def _triple(v: Floats) -> Triple:
    x, y, z = v.tolist()
    return x, y, z


def _at(medial: float, back: float, up: float) -> np.ndarray:
    """A point given in millimetres from the middle of the socket."""
    return _SOCKET + (medial * _MEDIAL + back * _BACK + up * _UP) / 1000


@cache
def blade_section(rings: int) -> Disc:
    """The triangle of the blade, for a tube of unit radius along its thickness."""
    return outlined(even(rings), _BORDERS)


def blade_tube() -> Tube:
    """The thin triangle between superior and inferior angle."""
    middle = _at(55, 4, -30)
    line = middle + np.outer([0.004, -0.004], _BACK)
    return Tube(line, np.ones((2, 1)), tuple(_MEDIAL))


def scapula_tubes() -> list[Tube]:
    """Neck with socket, spine with acromion, the root that carries it, and coracoid."""
    neck = _rows([(0, 0, 0, 12, 17), (4, 0, 0, 11, 17), (14, 1, -2, 7, 13), (32, 3, -4, 4.5, 10)])
    spine = _rows(
        [
            (88, 6, 8, 6, 4), (66, 11, 13, 8, 4.5), (40, 16, 20, 10, 5), (16, 22, 28, 12, 6),
            (-8, 25, 36, 13, 5.5), (-28, 16, 40, 14, 5), (-40, 2, 40, 12, 4.5),
            (-44, -10, 38, 9, 4),
        ]
    )  # fmt: skip
    root = _rows([(26, 4, -2, 8, 7), (18, 12, 10, 9, 6.5), (10, 20, 22, 10, 6), (2, 24, 32, 10, 5)])
    coracoid = _rows(
        [
            (16, 0, 6, 8, 8), (14, -8, 19, 8, 7), (4, -23, 26, 7, 6), (-12, -33, 24, 6, 5.5),
            (-26, -38, 14, 5.5, 5), (-33, -39, 5, 5, 4.5),
        ]
    )  # fmt: skip
    return [
        tube(neck, side=tuple(_BACK), rounded=(0.006, 0.0)),
        tube(spine, side=tuple(_BACK), rounded=(0.006, 0.01)),
        tube(root, side=tuple(_BACK)),
        tube(coracoid, side=tuple(_MEDIAL), rounded=(0.0, 0.006)),
    ]


def _rows(rows: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    return [(*(1000 * _at(*row[:3])).tolist(), *row[3:]) for row in rows]
