"""The right scapula as tubes [m], in the frame of the arm's bones."""

from __future__ import annotations

from functools import cache

import numpy as np

from vastus.modelling.arm_bones import tube
from vastus.modelling.disc import Disc, even, outlined
from vastus.modelling.sweep import Tube

# The plane of the blade: medially it recedes by 35 degrees from the frontal plane.
_MEDIAL = np.array([-0.82, -0.57, 0.0])
_BACK = np.array([0.57, -0.82, 0.0])
_UP = np.array([0.0, 0.0, 1.0])
_SOCKET = np.array([-0.0325, -0.0185, 0.283])

# Normal [deg] and distance of the blade's borders from its middle; 0 is medial, 90 up.
_BORDERS = np.array([[0.0, 0.038], [98.0, 0.058], [205.0, 0.028]])
BLADE_SIZE = 0.045  # [m] a typical radius of the blade


def _at(medial: float, back: float, up: float) -> np.ndarray:
    """A point given in millimetres from the middle of the socket."""
    return _SOCKET + (medial * _MEDIAL + back * _BACK + up * _UP) / 1000


@cache
def blade_section(rings: int) -> Disc:
    """The triangle of the blade, for a tube of unit radius along its thickness."""
    return outlined(even(rings), _BORDERS)


def blade() -> Tube:
    """The thin triangle between superior and inferior angle."""
    middle = _at(55, 4, -30)
    line = middle + np.outer([0.004, -0.004], _BACK)
    return Tube(line, np.ones((2, 1)), tuple(_MEDIAL))


def processes() -> list[Tube]:
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
