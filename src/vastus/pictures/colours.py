"""The colours of tissues, of parts and of fields, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass

import numpy as np

from vastus.errors import known
from vastus.materials.base import require
from vastus.measure.contact_outputs import loose_bones
from vastus.model import Model
from vastus.modelling.surfaces.body_parts import Part
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.pictures.skin import Skin

# RGB from 0 to 1. Muscle is RELAXED at activation 0 and ACTIVE at 1.
IVORY = np.array([0.93, 0.88, 0.76])
SILVER = np.array([0.80, 0.84, 0.90])
SKIN = np.array([0.93, 0.76, 0.66])
RELAXED = np.array([0.80, 0.60, 0.56])
ACTIVE = np.array([0.78, 0.05, 0.06])
DARK, BRIGHT = np.array([0.36, 0.13, 0.13]), np.array([1.00, 0.10, 0.04])  # lines at 0 and 1
TISSUE_COLOURS = {
    Tissue.MUSCLE: RELAXED,
    Tissue.TENDON: SILVER,
    Tissue.BONE: IVORY,
    Tissue.PASSIVE: SKIN,
}
# What is marked in pictures of a build, and what stands behind it.
RED = np.array([0.68, 0.24, 0.21])
PALE = np.array([0.93, 0.91, 0.87])
BLUE, ORANGE = np.array([0.10, 0.38, 0.86]), np.array([0.95, 0.50, 0.05])
# Hues [deg] with saturation and value: neighbours in this order are told apart most easily.
_HUES = (
    *((355, 0.75, 0.85), (210, 0.70, 0.85), (130, 0.60, 0.65), (35, 0.85, 0.97)),
    *((285, 0.50, 0.75), (178, 0.65, 0.75), (325, 0.45, 0.95), (75, 0.70, 0.75)),
    *((240, 0.45, 0.65), (20, 0.65, 0.60), (195, 0.40, 0.95), (100, 0.40, 0.90)),
)
# Of balls and fruits, which nothing but contact holds.
LOOSE = np.array([[0.82, 0.36, 0.24], [0.72, 0.74, 0.36], [0.50, 0.36, 0.58]])
_SHADES = (1.0, 0.86, 0.95, 0.80, 0.91)

# Equally spaced along the map; viridis for sizes, blue over grey to red for what has a middle.
MAPS = {
    "viridis": np.array([
        (68, 1, 84), (72, 31, 112), (68, 57, 131), (59, 82, 139), (49, 104, 142), (40, 124, 142),
        (33, 145, 140), (32, 164, 134), (53, 183, 121), (94, 201, 98), (144, 215, 67),
        (200, 224, 32), (253, 231, 37),
    ]),
    "blue-red": np.array([
        (0, 69, 147), (25, 96, 176), (59, 124, 204), (98, 153, 223), (141, 182, 235),
        (189, 211, 239), (238, 238, 238), (237, 198, 188), (229, 159, 141), (214, 122, 99),
        (191, 87, 62), (162, 57, 31), (132, 26, 0),
    ]),
}  # fmt: skip
ROUND = np.array([1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0])  # what a limit may begin with
REGARDED = 98.0  # [%] of the values that automatic limits enclose; few tets reach far beyond
NARROWEST = 0.01  # of what is enclosed about a centre


def rgb(values: Floats, name: str, low: float, high: float) -> np.ndarray:
    """(k, 3) uint8: the colours of values (k,) in a map, whose ends are for `low` and `high`.

    Values beyond the ends get the colours of the ends.
    """
    if name not in MAPS:
        raise known("colour map", name, MAPS)
    require(bool(np.isfinite(values).all()), "values that are not finite have no colour")
    require(low < high, f"colours need limits that increase, not {low:g} and {high:g}")
    table = MAPS[name]
    at = np.clip((np.asarray(values, float) - low) / (high - low), 0.0, 1.0) * (len(table) - 1)
    channels = [np.interp(at, np.arange(len(table)), channel) for channel in table.T]
    return np.column_stack(channels).round().astype(np.uint8)


@dataclass(frozen=True)
class Shade:
    """How a field is shown: `scale` times a value is the number to print with the unit.

    Values and limits are in the unit of the field (SI), not in the printed one. A field with a
    `centre` has the middle of the blue-red map there. Fixed `limits` only give way to values
    beyond them. Of a field of vectors the size is shown. What `bones` and the tissue around muscles
    have as well is shown on them, too.
    """

    field: str  # its name in `vastus.measure.fields.Fields` and in files
    label: str
    unit: str = ""
    scale: float = 1.0
    centre: float | None = None
    limits: tuple[float, float] | None = None
    bones: bool = False
    only: str = ""  # what alone has the field; all states have it unless given

    @property
    def map(self) -> str:
        """The name of its colour map."""
        return "viridis" if self.centre is None else "blue-red"

    @property
    def title(self) -> str:
        """The label with its unit."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label

    def colours(self, values: Floats, low: float, high: float) -> np.ndarray:
        """(k, 3) uint8: the colours of values (k,)."""
        return rgb(values, self.map, low, high)

    def limits_of(self, values: Floats) -> tuple[float, float]:
        """The ends of the colour map for these values: round, and equally far from a centre."""
        if self.limits is not None:
            low, high = self.limits
            return float(values.min(initial=low)), float(values.max(initial=high))
        if self.centre is not None:
            reach = max(_enclosing(np.abs(values - self.centre)), NARROWEST)
            return self.centre - reach, self.centre + reach
        return 0.0, _enclosing(values) or 1.0 / self.scale


def _enclosing(sizes: Floats) -> float:
    """A round number that most of the sizes do not exceed."""
    largest = float(np.percentile(sizes, REGARDED)) if len(sizes) else 0.0
    if not largest > 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(largest))
    enough = np.searchsorted(ROUND, largest / power * (1 - 1e-9))
    return float(ROUND[enough] * power)


FIELDS = {
    "activation": Shade("activation", "activation", limits=(0.0, 1.0)),
    "stretch": Shade("fibre_stretch", "fibre stretch", centre=1.0),
    "stress": Shade("von_mises", "von Mises stress", unit="kPa", scale=1e-3),
    "volume ratio": Shade("volume_ratio", "volume ratio", centre=1.0),
    "contact pressure": Shade(
        "contact_pressure", "contact pressure", unit="kPa", scale=1e-3, only="models with contact"
    ),
    "speed": Shade("velocity", "speed", unit="m/s", bones=True, only="motions in time"),
}


def muscle_colour(level: Floats | float) -> Floats:
    """RGB from 0 to 1 of muscle, (3,) at one activation or (k, 3) at activations (k, 1)."""
    return np.asarray(RELAXED + np.clip(level, 0.0, 1.0) * (ACTIVE - RELAXED))


def line_colour(level: Floats | float) -> Floats:
    """RGB from 0 to 1 of a line of muscle, which is drawn thin: dark at rest, bright if active."""
    return np.asarray(DARK + np.clip(level, 0.0, 1.0) * (BRIGHT - DARK))


@dataclass(frozen=True)
class LineShade(Shade):
    """Activations as lines of muscle show them."""

    def colours(self, values: Floats, low: float, high: float) -> np.ndarray:
        """(k, 3) uint8: the colours of activations (k,), whatever the limits."""
        return (255 * line_colour(np.asarray(values)[:, None])).round().astype(np.uint8)


LINES = LineShade("activation", "activation of lines", limits=(0.0, 1.0))


def skin_colours(model: Model, skin: Skin, level: Floats) -> Floats:
    """(p, 3) RGB from 0 to 1 of a skin's points, muscles reddening with the level (m,) of tets."""
    rgb = np.array([TISSUE_COLOURS[tissue] for tissue in Tissue])[model.tissue[skin.tets]]
    for number, bone in enumerate(loose_bones(model)):
        own = np.isin(skin.tets, model.tets_of(model.bones[bone].regions))
        rgb[own] = LOOSE[number % len(LOOSE)]
    muscle = model.is_tissue(Tissue.MUSCLE)[skin.tets]
    rgb[muscle] = muscle_colour(level[skin.tets[muscle], None])
    count = skin.spread(np.ones((len(rgb), 1)))
    return np.clip(skin.spread(rgb) / count, 0.0, 1.0)


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
            colours.append(TISSUE_COLOURS[part.tissue])
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
