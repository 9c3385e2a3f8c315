"""Deep and small muscles as spindles around their lines, left side [mm], and intercostal sheets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.bodies.upper.lines import Line
from vastus.bodies.upper.muscle_volumes.solids import (
    MILLIMETRE,
    Follows,
    MuscleSolid,
    fan,
    spindles,
)
from vastus.modelling.trunk.landmarks import Landmarks
from vastus.numerics.types import Floats

# Groups by region; those of both regions are two muscles. A number is what widens their spindles.
_SPINDLES: dict[tuple[str, str], float] = {
    ("multifidus", "trunk"): 0.8, ("multifidus", "neck"): 0.9, ("rotatores", "trunk"): 1.0,
    ("rotatores", "neck"): 1.0, ("interspinalis", "trunk"): 1.0, ("interspinalis", "neck"): 1.7,
    ("intertransversi", "trunk"): 1.0, ("intertransversi", "neck"): 1.0,
    ("semispinalis_thoracis", "trunk"): 0.7, ("semispinalis_thoracis", "neck"): 0.8,
    ("semispinalis_cervicis", "neck"): 1.0, ("longissimus_capitis", "neck"): 1.1,
    ("longissimus_cervicis", "neck"): 1.0, ("iliocostalis_cervicis", ""): 1.2,
    ("splenius_cervicis", "neck"): 1.0, ("longus_capitis", "neck"): 1.0,
    ("longus_colli", "neck"): 1.0, ("obliquus_capitis", "neck"): 1.0,
    ("rectus_capitis_posterior", "neck"): 1.0, ("rectus_capitis_anterior", "neck"): 1.0,
    ("rectus_capitis_lateralis", "neck"): 1.0, ("geniohyoid", "neck"): 1.2,
    ("mylohyoid", "neck"): 1.2, ("stylohyoid", "neck"): 1.2, ("omohyoid", "neck"): 1.2,
    ("sternohyoid", "neck"): 1.3, ("sternothyroid", "neck"): 1.2,
    ("pectoralis_minor", "trunk"): 1.1,
    ("subclavius", "trunk"): 1.0, ("quadratus_lumborum", "trunk"): 1.7,
    ("serratus_posterior_inferior", "trunk"): 0.7,
}  # fmt: skip
_BOTH = {"multifidus", "rotatores", "interspinalis", "intertransversi", "semispinalis_thoracis"}
_HALF = 2.4  # [mm] of the thickness of each intercostal layer
_PARTS = {"external": (0.14, 0.92), "internal": (0.22, 0.98)}  # of the rib that they cover
_OUTWARD = {"external": 2.6, "internal": -2.6}  # [mm] from the middle of the ribs
_SLANT = {"external": 0.06, "internal": -0.06}  # of a rib that fibres run along it


def deep_muscles(lines: Sequence[Line], marks: Landmarks) -> list[MuscleSolid]:
    """Spindles of one side's lines, and the sheets of ten spaces between ribs."""
    left = [line for line in lines if line.side == "L"]
    found = []
    for (group, region), swell in _SPINDLES.items():
        mine = [one for one in left if one.group == group and region in ("", one.region)]
        name = f"{group}_{region}" if group in _BOTH else group
        wanted = Follows(group, mine[0].region if group in _BOTH else None)
        found.append(spindles(name, mine, swell=swell, layer=_layer(group), follows=(wanted,)))
    return found + [_space(kind, k, marks) for k in range(1, 11) for kind in _PARTS]


def _layer(group: str) -> int:
    """Muscles of the neck's front and of the chest give way to the deepest."""
    return 1 if group in ("serratus_posterior_inferior", "pectoralis_minor", "omohyoid") else 0


def _space(kind: str, number: int, marks: Landmarks) -> MuscleSolid:
    """The sheet of a space, from a rib to the one below."""
    upper, lower = marks.ribs[number, "L"], marks.ribs[number + 1, "L"]
    first, last = _PARTS[kind]
    rows = []
    for part in np.linspace(first, min(last, 0.95), 8):
        start = upper.at(part)
        near = min(lower.part_near(start), 1.0) + _SLANT[kind]
        end = lower.at(min(max(near, 0.05), 1.0))
        shift = MILLIMETRE * _OUTWARD[kind] * _outward((start + end) / 2)
        rows.append([(start + t * (end - start) + shift) / MILLIMETRE for t in (0.1, 0.5, 0.9)])
    wanted = Follows(f"{kind}_intercostal", numbers=(number,))
    return fan(f"{kind}_intercostal{number}", rows, _HALF, wanted, layer=0)


def _outward(point: Floats) -> Floats:
    away = point - np.array([0.0, -0.095, point[2]])
    return np.asarray(away / np.linalg.norm(away))
