"""Ulna and radius of a right forearm that hangs straight down, palm forward, as fields [mm].

They are 26 and 24 cm long. Their joint surfaces are cut by the humerus and by each other, so that
the gaps are even.
"""

from __future__ import annotations

from vastus.modelling.shapes.humerus import GAP, spool
from vastus.modelling.shapes.implicit import Field, ball, cone, cut, ellipsoid, join, swept

ULNA_BOX = ((-35, -35, -255), (10, 25, 35))
RADIUS_BOX = ((-15, -20, -260), (32, 22, -5))


def ulna() -> Field:
    """Olecranon and coronoid around the trochlea, a shaft with a sharp edge, head and styloid."""
    rows = [
        (-12, -17, 20, 8.5, 6), (-12, -19.5, 14, 10.5, 8), (-12, -19.5, 2, 10.5, 9),
        (-12, -18, -10, 10.5, 9.5), (-12, -13, -24, 10, 11), (-12.5, -9.5, -42, 8, 10.5),
        (-13, -8, -75, 7, 8.5), (-13.5, -7, -120, 6.3, 7.2), (-15, -5.5, -165, 5.6, 6),
        (-17, -5, -205, 5, 5.2), (-18, -5, -226, 6.2, 6.5), (-18, -5, -236, 8.2, 8.2),
    ]  # fmt: skip
    body = join(
        swept(rows, domes=(5.0, 4.0)),
        cone((-12, -8, -26), 9.5, (-12, 10, -15), 6.0),  # coronoid
        cone((-12, -18, 17), 7.0, (-12, -12, 18), 5.0),  # beak of the olecranon
        cone((-5, -6, -26), 6.0, (-1, -3, -22), 6.0),  # around the radius
        blend=6.0,
    )
    ended = join(body, cone((-22, -9, -238), 3.4, (-23, -10, -247), 2.4), blend=4.0)
    return cut(ended, spool(), radius(), clearance=GAP, blend=1.5)


def radial_head() -> Field:
    """The disc under the capitulum."""
    rows = [(11, 0, -13, 10.8, 10.8), (11, 0, -17, 11.3, 11.3), (11, 0, -22, 10.8, 10.8)]
    return swept(rows, domes=(2.0, 2.0))


def radius() -> Field:
    """Head, neck, tuberosity, a bowed shaft and a wide lower end with its styloid."""
    rows = [
        (11, 0, -20, 8.5, 8.5), (10.5, 0.5, -30, 6.8, 6.8), (9.5, 1, -42, 7, 7),
        (10, 0, -62, 6.6, 6.6), (13, -1, -95, 6.8, 6.2), (15, -1, -130, 7.4, 6.2),
        (14.5, -1, -165, 7.8, 6.3), (11.5, 0, -200, 9.2, 7.2), (8.5, 0, -222, 13.5, 9),
        (7.5, 0, -236, 16, 10),
    ]  # fmt: skip
    body = join(
        swept(rows, domes=(2.0, 5.0)),
        ellipsoid((5.0, 4.5, -45), (5.0, 4.5, 11)),  # tuberosity
        cone((19, 0, -234), 6.5, (21.5, 1, -247), 3.6),  # styloid
        cone((4, -8, -222), 3.0, (5, -8.5, -238), 3.5),  # dorsal ridge
        blend=6.0,
    )
    whole = join(body, radial_head(), blend=3.0)
    head = cone((-18, -5, -230), 8.0, (-18, -5, -240), 8.2)
    whole = cut(whole, spool(), head, clearance=GAP, blend=1.5)
    return cut(whole, ball((4, 0, -264), 22.0), blend=3.0)
