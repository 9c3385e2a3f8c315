"""The colours of parts: bones in shades of ivory, muscles in hues that differ."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hsv_to_rgb

import numpy as np

from vastus.io.skin import IVORY, SILVER, SKIN
from vastus.model import Tissue
from vastus.modelling.anatomy.parts import Part
from vastus.numerics.types import Floats

RED = np.array([0.68, 0.24, 0.21])
PALE = np.array([0.93, 0.91, 0.87])
BLUE, ORANGE = np.array([0.10, 0.38, 0.86]), np.array([0.95, 0.50, 0.05])
# Hues [deg] with saturation and value: neighbours in this order are told apart most easily.
_HUES = (
    *((355, 0.75, 0.85), (210, 0.70, 0.85), (130, 0.60, 0.65), (35, 0.85, 0.97)),
    *((285, 0.50, 0.75), (178, 0.65, 0.75), (325, 0.45, 0.95), (75, 0.70, 0.75)),
    *((240, 0.45, 0.65), (20, 0.65, 0.60), (195, 0.40, 0.95), (100, 0.40, 0.90)),
)
_SHADES = (1.0, 0.86, 0.95, 0.80, 0.91)


def part_colours(parts: Sequence[Part]) -> Floats:
    """(p, 3) RGB from 0 to 1 of each part."""
    bones = muscles = 0
    colours = []
    for part in parts:
        if part.tissue is Tissue.BONE:
            colours.append(_SHADES[bones % len(_SHADES)] * IVORY)
            bones += 1
        elif part.tissue is Tissue.MUSCLE:
            colours.append(_hue(muscles))
            muscles += 1
        else:
            colours.append(SILVER if part.tissue is Tissue.TENDON else SKIN)
    return np.array(colours)


def muscle_colours(parts: Sequence[Part]) -> dict[str, Floats]:
    """The colour of each muscle: that of the first part that belongs to it."""
    found: dict[str, Floats] = {}
    for part, rgb in zip(parts, part_colours(parts), strict=True):
        if part.muscle and part.tissue is Tissue.MUSCLE:
            found.setdefault(part.muscle, rgb)
    return found


def _hue(index: int) -> Floats:
    """Those of the list, then the same darker."""
    hue, saturation, value = _HUES[index % len(_HUES)]
    return np.array(hsv_to_rgb(hue / 360, saturation, value * 0.8 ** (index // len(_HUES))))
