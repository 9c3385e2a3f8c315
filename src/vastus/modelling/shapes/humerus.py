"""The right humerus as a field [mm]: 33 cm long, its head 47 mm wide."""

from __future__ import annotations

from vastus.modelling.shapes.implicit import (
    Field,
    SweptField,
    ball,
    cone,
    cut,
    ellipsoid,
    join,
    swept,
)

HEAD = (-14.0, -6.0, 288.0)
HEAD_RADIUS = 23.5
GAP = 2.2  # between the bones of a joint; thinning the triangles takes up to 0.4 of it
BOX = ((-45, -35, -20), (35, 35, 320))


def spool() -> SweptField:
    """Trochlea and capitulum: a solid of revolution about the elbow's axis."""
    rows = [
        (-24, 0, 0, 12.0, 12.0), (-21.5, 0, 0, 13.2, 13.2), (-17, 0, 0, 11.2, 11.2),
        (-12, 0, 0, 9.4, 9.4), (-7, 0, 0, 10.2, 10.2), (-2.5, 0, 0, 11.5, 11.5),
        (1, 0, 0, 9.8, 9.8), (5, 0, 0, 10.4, 10.4), (11, 0, 0, 11.8, 11.8),
        (17, 0, 0, 10.4, 10.4), (21, 0, 0, 7.0, 7.0),
    ]  # fmt: skip
    return swept(rows, (0.0, 0.0, 1.0), (1.5, 2.0))


def shaft() -> SweptField:
    """Round above, flat and wide below."""
    rows = [
        (-5, -3, 277, 20, 19), (-2, -1, 260, 17.5, 17), (2, 0, 236, 13.5, 13.8),
        (2, 0, 205, 11.3, 12), (2, 1, 168, 11, 11.5), (1, 1, 132, 10.3, 11),
        (0, 0, 98, 10.8, 10), (-1, -1, 70, 13.5, 9), (-2, -1, 46, 18.5, 8),
        (-2, -1, 28, 24, 7.3), (-2, -1, 15, 25, 7.5), (-2, 0, 5, 20, 7),
    ]  # fmt: skip
    return swept(rows, domes=(5.0, 4.0))


def humerus() -> Field:
    """Head and tubercles, shaft, epicondyles, and the spool with the pits above it."""
    upper = join(
        shaft(),
        ellipsoid((9, -4, 279), (12.5, 16, 17)),  # greater tubercle
        ellipsoid((-3, 15, 271), (7.5, 6.5, 12)),  # lesser tubercle
        blend=7.0,
    )
    upper = join(upper, ball(HEAD, HEAD_RADIUS), blend=2.5)
    groove = cone((6.5, 20, 292), 4.6, (5.5, 15.5, 228), 4.0)
    ridged = join(cut(upper, groove, blend=3.0), ellipsoid((9.5, 3, 166), (4.5, 5, 24)), blend=6.0)
    lower = join(
        ridged,
        cone((-17, -1, 26), 8.0, (-32, -4, 12), 6.3),  # medial epicondyle
        cone((15, -1, 26), 7.5, (24.5, -1, 12), 6.5),  # lateral epicondyle
        blend=9.0,
    )
    pits = (
        ellipsoid((-12, -15, 21), (12, 11.5, 12.5)),  # olecranon
        ellipsoid((-12, 14, 19), (12, 14, 12)),  # coronoid
        ellipsoid((11, 14, 18), (12, 13, 11)),  # radius
    )
    return join(cut(lower, *pits, blend=4.0), spool(), blend=2.5)
