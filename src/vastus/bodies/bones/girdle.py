"""Right scapula and clavicle [mm] in the frame of the torso."""

from __future__ import annotations

from vastus.bodies.bones.solids import joined, knob, sheet, swept
from vastus.geometry.surface import Surface

_BEHIND = (-0.70, -0.71, 0.0)  # across the blade, away from the ribs


def clavicle() -> Surface:
    """An S from the breastbone to the acromion, flat at its outer end."""
    rows = [
        (3, -17, 1, 11, 11), (9, -36, 5, 8.5, 8.5), (14, -62, 9, 6.8, 6.6), (12, -90, 14, 6.3, 6.3),
        (3, -116, 20, 6.6, 6), (-5, -140, 26, 8, 5.5), (-9, -160, 29, 9.5, 5.2),
        (-14, -176, 30, 9, 5),
    ]  # fmt: skip
    return swept(rows, domes=(3, 3))


def scapula() -> Surface:
    """Blade, socket, the spine that ends in the acromion, and the coracoid."""
    blade = [
        [(-44, -140, 7), (-72, -107, 13), (-98, -68, 20)],
        [(-45, -138, -12), (-80, -106, -8), (-110, -70, -2)],
        [(-51, -133, -34), (-87, -104, -40), (-116, -71, -42)],
        [(-74, -116, -74), (-98, -97, -84), (-119, -76, -92)],
        [(-103, -94, -124), (-110, -90, -130), (-114, -85, -134)],
    ]
    borders = (
        [(-46, -137, -26, 6, 5), (-74, -116, -74, 5, 4.5), (-104, -93, -125, 5, 4)],
        [(-98, -69, 19, 3, 3), (-111, -71, -3, 3, 3), (-117, -72, -42, 3, 3),
         (-119, -76, -92, 3, 3), (-113, -86, -133, 4, 4)],
    )  # fmt: skip
    plate = [
        (-109, -78, 0, 3, 4), (-98, -92, 3, 9, 3.5), (-85, -108, 8, 14, 3.5),
        (-72, -126, 13, 17, 4), (-64, -140, 17, 17, 5),
    ]  # fmt: skip
    crest = [
        (-112, -74, 1, 5, 4), (-107, -92, 6, 6, 5), (-98, -114, 12, 6, 5.5), (-86, -138, 19, 7, 6),
        (-70, -162, 26, 10, 6), (-50, -180, 31, 13, 5.5), (-32, -186, 33, 13, 5),
        (-16, -183, 32, 11, 4.5),
    ]  # fmt: skip
    coracoid = [
        (-42, -136, 4, 10, 9), (-36, -134, 17, 9.5, 8.5), (-20, -134, 22, 8.5, 7.5),
        (-4, -137, 14, 7.2, 6.5), (4, -140, -2, 6.5, 6), (5, -141, -10, 6, 5.5),
    ]  # fmt: skip
    return joined(
        sheet(blade, 4.0),
        *(swept(rows, _BEHIND, around=10) for rows in borders),
        knob((-40, -143, -10), (11, 11, 19)),
        swept(plate, _BEHIND),
        swept(crest, (0.75, -0.65, 0.1), (4, 6)),
        swept(coracoid, (0, 1, 0), (2, 4)),
    )
