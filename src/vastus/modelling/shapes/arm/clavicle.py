"""The right clavicle as a field [mm]: an S of 15 cm, flat at its outer end."""

from __future__ import annotations

from vastus.modelling.shapes.arm.fields import Field, cut, swept
from vastus.modelling.shapes.arm.humerus import GAP
from vastus.modelling.shapes.arm.scapula import scapula

BOX = ((-165, -15, 295), (15, 80, 350))


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
