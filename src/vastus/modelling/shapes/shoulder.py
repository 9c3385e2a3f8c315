"""The right scapula and clavicle as fields [mm], for the anatomical arm.

The scapula is drawn in a frame of its blade: medial, back and up. The blade is 15 cm high and 10 cm
wide and recedes by 35 degrees from the frontal plane. The clavicle is an S of 15 cm, flat at its
outer end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from vastus.modelling.shapes.humerus import GAP, HEAD, HEAD_RADIUS
from vastus.modelling.shapes.implicit import (
    Field,
    SweptField,
    ball,
    cone,
    cut,
    join,
    soft_max,
    swept,
)
from vastus.modelling.shapes.tube import Triple
from vastus.numerics.types import Floats

SCAPULA_BOX = ((-135, -105, 160), (30, 50, 345))
CLAVICLE_BOX = ((-165, -15, 295), (15, 80, 350))

_AXES = np.array([[-0.82, -0.572, 0.0], [0.572, -0.82, 0.0], [0.0, 0.0, 1.0]])
SOCKET = np.array([-35.0, -20.5, 285.0])

# Corners of the blade, medial and up, from the socket over superior to inferior angle and back.
_OUTLINE = np.array(
    [
        (6, 12), (18, 18), (30, 15), (46, 27), (68, 44), (82, 46), (92, 36), (99, 12), (100, -8),
        (96, -50), (88, -86), (79, -106), (68, -108), (58, -92), (40, -62), (22, -36), (8, -18),
    ],
    float,
)  # fmt: skip
_THICKNESS = 2.4


def at(medial: float, back: float, up: float) -> tuple[float, ...]:
    """A point given from the middle of the socket, in the arm's frame."""
    return tuple((SOCKET + np.array([medial, back, up]) @ _AXES).tolist())


def scapula() -> Field:
    """Blade with thick borders, neck and socket, spine with acromion, coracoid."""
    borders = [_ridge([(8, 0, -18), (36, 4, -58), (72, 1, -104)], (5.2, 4.6, 4.0))]
    borders += [_ridge([(80, 0, 42), (98, 0, 10), (98, 0, -12), (76, 1, -104)], (2.6, 2.8, 2.8, 3))]
    whole = join(_blade(), *borders, _neck(), _coracoid(), blend=5.0)
    whole = join(whole, _spine(), _acromion(), blend=5.0)
    return cut(whole, ball(HEAD, HEAD_RADIUS), clearance=GAP, blend=1.5)


def _neck() -> Field:
    rows = [(-1, 0, -1, 12.5, 18), (3, 0, -1, 12, 17.5), (10, 0, -1, 8, 14), (24, 1, -2, 5.5, 12),
            (38, 3, -4, 3, 9)]  # fmt: skip
    return _swept(rows, _axis(1), (1.0, 3.0))


def _acromion() -> Field:
    """The crest of the spine, which widens to a roof over the humeral head."""
    rows = [
        (99, 2, 6, 2.5, 3), (82, 8, 8, 3.5, 4.5), (62, 16, 12, 4.2, 5), (42, 24, 19, 4.6, 5),
        (20, 31, 28, 6, 5.2), (0, 35, 35, 9, 5), (-20, 34, 39, 12, 4.6), (-36, 24, 41, 13, 4.6),
        (-44, 10, 41, 12.5, 4.5), (-45, -2, 40, 10.5, 4.2),
    ]  # fmt: skip
    return _swept(rows, _axis(1), (3.0, 6.0))


def _coracoid() -> Field:
    rows = [
        (18, 1, 8, 10, 9), (16, -6, 19, 10, 8.5), (10, -19, 27, 9, 7.5),
        (-4, -31, 26, 8, 6.8), (-17, -37, 19, 7.2, 6.2), (-26, -39, 11, 6.6, 6),
    ]  # fmt: skip
    return _swept(rows, _axis(0), (2.0, 4.5))


def _spine() -> Field:
    """A plate that stands on the blade and carries the crest."""
    roots = np.array([(97, 1, 5), (70, 3, 7), (45, 4, 10), (24, 4, 14), (14, 4, 17)], float)
    crest = np.array([(97, 2, 6), (70, 13, 10), (45, 23, 18), (24, 30, 26), (10, 32, 31)], float)
    steps = np.linspace(0.0, 1.0, 5)[:, None]
    lines = [roots + s * (crest - roots) for s in steps]
    return join(*(_swept([(*p, 3, 3.6) for p in line], _axis(1)) for line in lines), blend=5.0)


def _ridge(points: Sequence[Triple], radii: Sequence[float]) -> Field:
    legs = zip(pairwise(points), pairwise(radii), strict=True)
    return join(*(cone(at(*a), r, at(*b), s) for (a, b), (r, s) in legs), blend=2.0)


def _blade() -> Field:
    """A plate, hollow in front."""

    def field(X: Floats) -> Floats:
        medial, back, up = ((X - SOCKET) @ _AXES.T).T
        hollow = 4.0 - 4.0 * ((medial - 55) / 45) ** 2 - 2.0 * ((up + 30) / 75) ** 2
        across = np.abs(back - hollow) - _THICKNESS
        near = across < 8.0
        outside = _outside(np.column_stack([medial, up])[near])
        across[near] = soft_max(across[near], outside, 3.0)
        return across

    return field


def _outside(P: Floats) -> Floats:
    """(n,) the distance of points (n, 2) from the outline, negative inside it."""
    square, sign = np.full(len(P), np.inf), np.ones(len(P))
    for a, b in pairwise([*_OUTLINE, _OUTLINE[0]]):
        off, edge = P - a, b - a
        t = np.clip(off @ edge / (edge @ edge), 0.0, 1.0)
        square = np.minimum(square, ((off - t[:, None] * edge) ** 2).sum(axis=1))
        passes = (a[1] <= P[:, 1]) != (b[1] <= P[:, 1])
        left = (off[:, 0] * edge[1] < off[:, 1] * edge[0]) == (edge[1] > 0)
        sign = np.where(passes & left, -sign, sign)
    return sign * np.sqrt(square)


def _swept(
    rows: Sequence[Sequence[float]], side: Triple, domes: tuple[float, float] = (3.0, 3.0)
) -> SweptField:
    return swept([(*at(*row[:3]), *row[3:]) for row in rows], side, domes)


def _axis(k: int) -> Triple:
    x, y, z = _AXES[k].tolist()
    return x, y, z


def clavicle() -> Field:
    """From the acromion to the breastbone; its inner two thirds are convex forward."""
    rows = [
        (-7, 1, 329, 9.5, 5), (-18, 4, 330, 10, 5.2), (-34, 12, 329, 8.5, 5.5),
        (-52, 26, 326, 7, 6), (-74, 41, 322, 6.3, 6.3), (-98, 50, 319, 6.6, 6.6),
        (-122, 49, 316, 8.5, 8.5), (-138, 44, 313, 11, 12), (-143, 42, 312, 10.5, 12),
    ]  # fmt: skip
    return cut(
        swept(rows, (0.2, 1.0, 0.0), domes=(4.0, 4.0)), scapula(), clearance=GAP + 0.6, blend=1.5
    )
