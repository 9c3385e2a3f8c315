"""Skull and lower jaw [mm] in the frame of the torso."""

from __future__ import annotations

from vastus.bodies.bones.nets import Field, cone, ellipsoid, melted, netted
from vastus.bodies.bones.solids import both, joined, knob, moved, swept
from vastus.geometry.surface import Surface

_UP = (0.0, 0.0, 1.0)


def skull() -> Surface:
    """Braincase, face with sockets of eyes and nose, cheek bones, and the jaw."""
    whole = joined(netted(_head(), (-115, -88, 112), (115, 88, 306), 5.0), _jaw())
    return moved(whole, (-14.0, 0.0, -4.0))


def _head() -> Field:
    sides = (-1.0, 1.0)
    solids = [
        ellipsoid((-14, 0, 226), (90, 70, 72)),
        ellipsoid((28, 0, 224), (63, 58, 58)),
        ellipsoid((48, 0, 172), (40, 44, 46)),
        ellipsoid((64, 0, 142), (30, 30, 24)),
        cone((88, 0, 196), 7.0, (95, 0, 182), 6.0),  # nose
        *(cone((88, 14 * s, 202), 5.5, (66, 48 * s, 199), 7.0) for s in sides),  # brows
        *(cone((66, 48 * s, 199), 6.0, (66, 50 * s, 166), 7.0) for s in sides),
        *(ellipsoid((64, 38 * s, 160), (24, 19, 14)) for s in sides),  # cheeks
        *(cone((60, 54 * s, 162), 7.0, (30, 67 * s, 166), 5.5) for s in sides),
        *(cone((30, 67 * s, 166), 5.5, (-8, 64 * s, 174), 7.0) for s in sides),
        *(
            cone((-18, 54 * s, 172), 15.0, (-12, 52 * s, 150), 8.0) for s in sides
        ),  # behind the ears
    ]
    holes = [
        *(ellipsoid((92, 30 * s, 181), (40, 17, 14.5)) for s in sides),  # eyes
        ellipsoid((104, 0, 157), (30, 10, 14)),
        *(ellipsoid((32, 54 * s, 178), (16, 8, 26)) for s in sides),  # inside the cheek bones
        ellipsoid((16, 0, 124), (40, 36, 24)),
    ]
    return melted(solids, holes, 6.0)


def _jaw() -> Surface:
    ramus = [
        (0, -54, 164, 7, 5),
        (2, -53, 142, 15, 4.5),
        (8, -51, 120, 18, 5),
        (14, -49, 106, 14, 5),
    ]
    body = [
        (8, -50, 110, 12, 5), (28, -45, 103, 13, 6), (52, -35, 99, 13, 7), (74, -18, 97, 14, 7.5),
        (82, 0, 96, 15, 8), (74, 18, 97, 14, 7.5), (52, 35, 99, 13, 7), (28, 45, 103, 13, 6),
        (8, 50, 110, 12, 5),
    ]  # fmt: skip
    teeth = [(44, -30, 117, 10, 4.5), (68, -21, 116, 10, 4.5), (82, 0, 115, 11, 4.5),
             (68, 21, 116, 10, 4.5), (44, 30, 117, 10, 4.5)]  # fmt: skip
    return joined(
        both(swept(ramus, (1, 0, 0))),
        swept(body, _UP),
        swept(teeth, _UP),
        knob((84, 0, 88), (8, 14, 9)),
    )
