"""Humerus, ulna and radius of the right arm [mm], each in the frame of its segment."""

from __future__ import annotations

from vastus.bodies.bones.solids import joined, knob, swept
from vastus.geometry.surface import Surface

_ACROSS = (0.0, 1.0, 0.0)


def humerus() -> Surface:
    """Head, tubercles, shaft, epicondyles, and the spool of the elbow."""
    shaft = [
        (-1, -5, -8, 20, 20), (2, -6, -25, 17, 17.5), (3, -5, -52, 13, 13.5),
        (3, -3, -85, 11, 11.5), (3, -1, -120, 10.8, 11), (3, 1, -160, 10.3, 10.5),
        (3, 3, -195, 11, 9.8), (4, 5, -222, 14, 9), (5, 6, -245, 19, 8.5), (5, 7, -262, 25, 8),
        (6, 8, -278, 27, 8), (6, 9, -287, 22, 8),
    ]  # fmt: skip
    spool = [
        (6, 29, -290, 12, 12), (6, 26.5, -290, 13.2, 13.2), (6, 22, -290, 11.2, 11.2),
        (6, 17, -290, 9.4, 9.4), (6, 12, -290, 10.2, 10.2), (6, 7.5, -290, 11.5, 11.5),
        (6, 4, -290, 9.8, 9.8), (6, 0, -290, 10.4, 10.4), (6, -6, -290, 11.8, 11.8),
        (6, -12, -290, 10.4, 10.4), (6, -16, -290, 7, 7),
    ]  # fmt: skip
    return joined(
        swept(shaft, _ACROSS, (5, 4), around=18),
        knob((0, 0, 0), 23.0, around=22),
        knob((2, -17, -6), (14, 11, 17)),  # greater tubercle
        knob((17, -5, -14), (7, 8, 12)),  # lesser tubercle
        knob((6, -8, -120), (6, 5, 26)),  # where the deltoid ends
        swept(spool, (1, 0, 0), (2, 2), around=20, step=2.5),
        swept([(5, 20, -262, 8, 8), (4, 32, -274, 7, 7), (3, 40, -283, 6, 5.5)], (1, 0, 0)),
        swept([(5, -8, -264, 8, 8), (5, -18, -276, 7, 6.5), (5, -23, -284, 6, 6)], (1, 0, 0)),
    )


def ulna() -> Surface:
    """Olecranon and coronoid around the spool, a shaft that thins, head and styloid."""
    shaft = [
        (-17, 5, 19, 8, 6), (-20, 5, 12, 10.5, 7.5), (-20.5, 5, 0, 10.5, 8), (-18, 5, -14, 10.5, 9),
        (-13, 5, -28, 10, 10.5), (-10, 5, -46, 8, 10), (-9, 4.5, -78, 7, 8.3),
        (-9, 3.5, -122, 6.3, 7.2), (-9, 2, -168, 5.6, 6), (-8, 1, -208, 5, 5.2),
        (-8, 0, -228, 6.2, 6.5), (-8, 0, -238, 8, 8),
    ]  # fmt: skip
    return joined(
        swept(shaft, _ACROSS, (5, 4)),
        swept([(-11, 5, -28, 9, 8), (0, 5, -21, 9, 6.5), (10, 5, -15, 7.5, 4.5)], _ACROSS),
        swept([(-19, 5, 17, 8, 6), (-13, 5, 18, 7, 4.5)], _ACROSS),
        swept([(-12, -1, -239, 3.4, 3.4), (-13, -1, -249, 2.4, 2.4)], _ACROSS),
    )


def radius() -> Surface:
    """Head, neck, tuberosity, a bowed shaft and a wide lower end with its styloid."""
    shaft = [
        (0, -18, -20, 8.3, 8.3), (0, -18, -30, 6.8, 6.8), (0, -17.5, -42, 7, 7),
        (2, -17, -62, 6.6, 6.6), (8, -18, -95, 6.8, 6.2), (13, -17.5, -130, 7.4, 6.2),
        (15, -15, -165, 7.8, 6.3), (13, -12, -200, 9.2, 7.2), (11, -9, -222, 13, 9),
        (10, -8, -237, 16, 10),
    ]  # fmt: skip
    head = [(0, -18, -13, 10.6, 10.6), (0, -18, -17, 11.3, 11.3), (0, -18, -22, 10.6, 10.6)]
    return joined(
        swept(shaft, domes=(2, 4)),
        swept(head, domes=(1.5, 1.5), around=18, step=3),
        knob((-1, -13, -47), (5, 5.5, 11)),
        swept([(20, -8, -233, 6.3, 6.3), (22.5, -7, -246, 3.6, 3.6)], domes=(3, 3)),
    )
