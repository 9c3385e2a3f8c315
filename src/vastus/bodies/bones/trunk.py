"""Spine, ribs, breastbone and pelvis [mm] in the frame of the torso: its origin is the notch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from vastus.bodies.bones.solids import both, joined, knob, moved, sheet, swept
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

_ACROSS = (0.0, 1.0, 0.0)
_UP = (0.0, 0.0, 1.0)

# The line through the bodies of the vertebrae: height, and how far forward.
_LINE = (
    [-410, -385, -350, -320, -290, -260, -225, -175, -135, -100, -65, -30, 5, 35, 75, 110, 150],
    [-70, -61, -54, -52, -55, -63, -72, -80, -84, -85, -82, -76, -66, -56, -46, -41, -38],
)
_HEIGHTS = np.concatenate([
    np.linspace(145, 58, 7), np.linspace(36, -222, 12), np.linspace(-252, -385, 5),
])  # fmt: skip

# Half the width of their bodies.
_SIZES = np.concatenate([np.linspace(9, 11, 7), np.linspace(12, 19, 12), np.linspace(20, 24, 5)])


def _forward(z: float) -> float:
    return float(np.interp(z, *_LINE))


def vertebrae() -> Surface:
    """Seven of the neck, twelve of the chest and five of the loins, with their processes."""
    halves = -0.36 * np.gradient(_HEIGHTS)
    rows = enumerate(zip(_HEIGHTS, _SIZES, halves, strict=True))
    return joined(*(_vertebra(k, *row) for k, row in rows))


def _vertebra(k: int, z: float, size: float, half: float) -> Surface:
    x = _forward(z)
    neck, loins = k < 7, k > 18
    body = [
        (x, 0, z + h * half, w * size, 0.82 * w * size) for h, w in ((1, 1), (0, 0.88), (-1, 1))
    ]
    reach, fall = (20, 8) if neck else (34, 4) if loins else (32, 20)
    process = [
        (x - 0.9 * size, 0, z, 5, 0.7 * half), (x - size - 0.5 * reach, 0, z - 0.5 * fall, 3, 6),
        (x - size - reach, 0, z - fall, 3.2, 5),
    ]  # fmt: skip
    wide = 1.5 * size if neck else 1.9 * size
    side = [
        (x - 0.8 * size, -0.5 * size, z, 4.5, 5), (x - 1.1 * size, -0.75 * wide, z, 3.5, 4),
        (x - 1.2 * size, -wide, z + 1, 3.5, 4),
    ]  # fmt: skip
    arch = knob((x - 1.0 * size, 0, z), (0.45 * size, 0.8 * size, 0.9 * half), around=10)
    return joined(
        swept(body, _ACROSS, (1, 1), around=14, step=40),
        swept(process, _ACROSS, (1, 2), around=8, step=20),
        both(swept(side, (1, 0, 0), (1, 2), around=6, step=40)),
        arch,
    )


def sternum() -> Surface:
    """Manubrium, body and xiphoid."""
    upper = [(4, 0, -5, 24, 6), (8, 0, -20, 27, 6), (14, 0, -38, 19, 5.5), (19, 0, -54, 15, 5)]
    lower = [
        (20, 0, -58, 15, 5), (25, 0, -80, 16, 5), (31, 0, -110, 18, 5), (37, 0, -140, 16, 4.5),
        (41, 0, -158, 9, 4), (43, 0, -182, 4, 3),
    ]  # fmt: skip
    return joined(swept(upper, _ACROSS, (3, 1)), swept(lower, _ACROSS, (1, 3)))


# Half the width of the chest at each rib, the height where its bone ends in front, how far round it
# goes [deg] from the spine, and where its cartilage ends.
_RIBS = (
    (58, -4, 128, (9, -22, -10)), (88, -38, 138, (16, -20, -40)), (106, -70, 142, (21, -16, -62)),
    (118, -102, 144, (26, -16, -84)), (127, -133, 144, (30, -17, -106)),
    (133, -162, 141, (35, -17, -128)), (136, -188, 136, (38, -15, -148)),
    (137, -211, 129, (42, -34, -166)), (134, -231, 120, (36, -58, -192)),
    (128, -246, 110, (24, -82, -216)), (112, -250, 78, None), (84, -250, 48, None),
)  # fmt: skip


def ribs() -> Surface:
    """Twelve pairs, from the spine to where their bone ends."""
    return both(
        joined(*(swept(_rib(k), _UP, (2, 2), around=8, step=10) for k in range(len(_RIBS))))
    )


def _rib(k: int) -> Floats:
    """Rows along a rib: it leaves the spine backwards, and falls all the way to the front."""
    width, front_z, turn, _ = _RIBS[k]
    z0 = float(_HEIGHTS[7 + k]) + 6.0
    back = _forward(z0) - 8.0
    front = 12.0 + 0.19 * -front_z if k < 10 else 20.0
    angle = np.radians(np.linspace(8.0, turn, 9))
    middle, half = (front + back) / 2, (front - back) / 2
    behind = 22.0 * np.exp(-(((np.degrees(angle) - 38.0) / 30.0) ** 2))
    x = middle - half * np.cos(angle) - behind
    y = -width * np.sin(angle) ** 0.85
    z = z0 + (front_z - z0) * ((angle - angle[0]) / (angle[-1] - angle[0])) ** 1.15
    tall = np.full(len(angle), 6.2 if k else 5.0)
    thick = np.full(len(angle), 3.2 if k else 4.5)
    tall[0], thick[0] = 4.5, 4.5
    if k >= 10:
        tall[-1], thick[-1] = 3.0, 2.0
    return np.column_stack([x, y, z, tall, thick])


def cartilages() -> Surface:
    """From the ends of the upper ten ribs to the breastbone, or to the cartilage above."""
    parts = []
    for k, (_, _, _, end) in enumerate(_RIBS):
        if end is not None:
            start, before = _rib(k)[-1], _rib(k)[-2]
            ahead = start[:3] + 0.45 * (start[:3] - before[:3])
            rows = [(*start[:3], 6.2, 3.6), (*ahead, 6, 4), (*end, 5.5, 4)]
            parts.append(swept(rows, _UP, (1, 2), around=8))
    return both(joined(*parts))


def discs() -> Surface:
    """Between the vertebrae."""
    parts = []
    for (a, b), size in zip(pairwise(_HEIGHTS), _SIZES[1:], strict=True):
        z = (a + b) / 2
        x, half = _forward(z), 0.2 * (a - b)
        rows = [
            (x, 0, z + half, 0.93 * size, 0.77 * size),
            (x, 0, z - half, 0.93 * size, 0.77 * size),
        ]
        parts.append(swept(rows, _ACROSS, (0.5, 0.5), around=12))
    return joined(*parts)


def pelvis() -> Surface:
    """Sacrum, iliac wings, pubis and ischium, in their own frame, 450 mm below the torso's."""
    sacrum = [
        (-76, 0, -404, 46, 20), (-88, 0, -430, 42, 17), (-103, 0, -462, 28, 11),
        (-108, 0, -492, 14, 8), (-102, 0, -520, 6, 5),
    ]  # fmt: skip
    wing = [
        [(-62, -64, -466), (-48, -79, -486), (-30, -86, -494), (-12, -86, -496), (4, -84, -490)],
        [(-84, -58, -442), (-66, -82, -446), (-40, -99, -446), (-8, -107, -448), (19, -104, -458)],
        [(-98, -57, -420), (-84, -83, -408), (-48, -113, -404), (-4, -124, -410), (30, -117, -432)],
        [(-99, -60, -412), (-85, -89, -395), (-46, -119, -386), (-4, -130, -392), (35, -121, -424)],
    ]  # fmt: skip
    crest = [(*point, 7.0, 6.0) for point in wing[-1]]
    upper = [(-14, -78, -503, 16, 14), (12, -46, -503, 9, 9), (32, -12, -512, 15, 8)]
    seat = [(-32, -84, -510, 20, 18), (-48, -74, -548, 14, 13), (-50, -64, -580, 15, 14)]
    lower = [(-46, -60, -584, 11, 10), (-14, -40, -566, 7, 8), (28, -10, -530, 8, 9)]
    half = joined(
        sheet(wing, 9.0),
        swept(crest, _UP),
        knob((-22, -87, -502), (29, 23, 27), around=20),
        knob((-84, -48, -434), (22, 16, 30)),
        swept(upper, _UP), swept(seat, (1, 0, 0)), swept(lower, _UP),
    )  # fmt: skip
    middle = joined(swept(sacrum, _ACROSS, (4, 4), around=18), knob((34, 0, -514), (8, 9, 18)))
    whole = joined(middle, both(half))
    return moved(whole, (0.0, 0.0, 450.0))
