"""The bones of a trunk with its arms: landmarks, and closed surfaces that are cleared of each other.

Surfaces are made from formulas and kept, since this takes half a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from vastus.cache import Store
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.shapes.arm import bone_surface
from vastus.modelling.shapes.implicit import Field, cut, surface_of
from vastus.modelling.trunk import cage, head, pelvis, shoulder_blade, vertebrae
from vastus.modelling.trunk.arm_place import hung
from vastus.modelling.trunk.landmarks import LEVELS, SIDES, Landmarks
from vastus.modelling.trunk.primitives import Solid
from vastus.modelling.trunk.proportions import proportions

_MILLIMETRE = 1e-3
_ARM = ("humerus", "ulna", "radius", "hand")
MIDDLE_BONES = (
    *LEVELS, *(f"disc{level}" for level in LEVELS[1:]), "sacrum", "sternum", "skull", "mandible",
    "hyoid", "thyroid",
)  # fmt: skip
SIDE_BONES = (
    *(f"rib{k}" for k in range(1, 13)), *(f"cart{k}" for k in range(1, 9)), "hip", "clavicle",
    "scapula", *_ARM,
)  # fmt: skip
BONES = (*MIDDLE_BONES, *(name + side for name in SIDE_BONES for side in SIDES))


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Landmarks and surfaces [m] of all bones; cartilages 8 to 10 are one, `cart8`."""

    landmarks: Landmarks
    bones: Mapping[str, Surface]
    symmetric: bool = False

    def __post_init__(self) -> None:
        missing = [name for name in BONES if name not in self.bones]
        if missing:
            raise ModelError(
                f"the skeleton has no surface of {', '.join(missing[:5])}"
                f" ({len(missing)} of {len(BONES)} bones missing)"
            )


@dataclass(frozen=True)
class Grain:
    """How finely a surface is made: the cell of the lattice [mm], and the number of triangles."""

    cell: float
    faces: int


def parametric() -> Skeleton:
    """The parametric skeleton of an adult man, exactly alike on both sides."""
    return Skeleton(proportions(), _bones(), symmetric=True)


@cache
def _bones() -> dict[str, Surface]:
    bones, _ = Store().kept(drawn_bones)
    return bones


def drawn_bones() -> dict[str, Surface]:
    """The surfaces [m] of all bones, made from formulas."""
    fields = _Fields()
    bones = {name: _scaled(fields.surface(name)) for name in MIDDLE_BONES}
    for name in SIDE_BONES:
        left = _hung(name) if name in _ARM else _scaled(fields.surface(name))
        bones[name + "L"], bones[name + "R"] = left, mirrored(left)
    return bones


def mirrored(surface: Surface) -> Surface:
    """The mirror image of a surface at the mid-plane."""
    return Surface(surface.X * [-1.0, 1.0, 1.0], surface.faces[:, ::-1])


def _scaled(surface: Surface) -> Surface:
    return Surface(_MILLIMETRE * surface.X, surface.faces)


def _hung(name: str) -> Surface:
    """A bone of the arm, straight, as a left one on the trunk."""
    arm = bone_surface(name, 0.0)
    placed = _MILLIMETRE * hung(arm.X / _MILLIMETRE)
    return Surface(placed, arm.faces[:, ::-1])


class _Fields:
    """Solids by name, each made once, cut by its neighbours."""

    def __init__(self) -> None:
        self._made: dict[str, Solid] = {}

    def surface(self, name: str) -> Surface:
        """The surface [mm] of a bone of the left side or the middle."""
        shape, grain = self.raw(name), _grain(name)
        field = self._cleared(name)
        low, high = shape.low - 3, shape.high + 3
        return surface_of(field, low, high, cell=grain.cell, faces=grain.faces)

    def raw(self, name: str) -> Solid:
        """A solid before it is cut."""
        if name not in self._made:
            self._made[name] = _maker(name)()
        return self._made[name]

    def _cleared(self, name: str) -> Field:
        field = self.raw(name).field
        for tool, clearance in _neighbours(name):
            field = cut(field, self.raw(tool).field, clearance=clearance, blend=0.8)
        return field


def _maker(name: str) -> Callable[[], Solid]:
    single = {
        "sternum": cage.sternum, "sacrum": pelvis.sacrum, "hip": pelvis.hip, "skull": head.skull,
        "mandible": head.mandible, "hyoid": head.hyoid, "thyroid": head.thyroid,
        "clavicle": shoulder_blade.clavicle, "scapula": shoulder_blade.scapula,
        "cart8": cage.common_cartilage,
    }  # fmt: skip
    if name in single:
        return single[name]
    for start, make in (("disc", vertebrae.disc), ("rib", None), ("cart", None)):
        if name.startswith(start):
            rest = name.removeprefix(start)
            if make is not None:
                return lambda: make(rest)
            number = int(rest)
            return lambda: cage.rib(number) if start == "rib" else cage.cartilage(number)
    return lambda: vertebrae.vertebra(name)


def _neighbours(name: str) -> list[tuple[str, float]]:
    """What a bone gives way to, and how far [mm]."""
    if name in LEVELS:
        return _vertebra_neighbours(name)
    if name.startswith("rib"):
        number = int(name.removeprefix("rib"))
        above = LEVELS[LEVELS.index(f"T{number}") - 1]
        ways = [(f"T{number}", 0.8), (above, 0.8), (f"disc{above}", 0.8)]
        return ways + ([(f"disc{LEVELS[LEVELS.index(above) - 1]}", 0.8)] if number == 1 else [])
    if name == "cart8":
        return [("rib8", 0.4), ("rib9", 0.4), ("rib10", 0.4), ("cart7", 0.8)]
    if name.startswith("cart"):
        number = int(name.removeprefix("cart"))
        above = [(f"cart{number - 1}", 0.8)] if number > 1 else []
        return [(f"rib{number}", 0.4), ("sternum", 0.45), *above]
    return {
        "sacrum": [("discL5", 0.5), ("L5", 1.0)],
        "hip": [("sacrum", 1.0)],
        "skull": [("C1", 1.0), ("C2", 1.0)],
        "mandible": [("skull", 1.2)],
        "scapula": [(f"rib{k}", 2.5) for k in range(1, 9)],
        "clavicle": [("sternum", 1.8), ("scapula", 1.8), ("rib1", 1.8), ("cart1", 1.8)],
    }.get(name, [])


def _vertebra_neighbours(level: str) -> list[tuple[str, float]]:
    """Both discs, and the vertebra below: this makes the facet joints."""
    k, gap = LEVELS.index(level), 0.6 if level.startswith("C") else 0.15
    discs = [f"disc{name}" for name in LEVELS[max(k - 1, 0) : k + 1] if name != "C1"]
    below = [(LEVELS[k + 1], 1.0)] if level != "L5" else []
    return [*((name, gap) for name in discs), *below]


def _grain(name: str) -> Grain:
    special = {
        "skull": Grain(1.8, 14000), "mandible": Grain(1.3, 6000), "hip": Grain(2.0, 4000),
        "sacrum": Grain(1.7, 4000), "hyoid": Grain(1.2, 800), "thyroid": Grain(1.2, 1200),
        "sternum": Grain(1.7, 2400), "scapula": Grain(1.5, 4000), "clavicle": Grain(1.6, 1600),
    }  # fmt: skip
    if name in special:
        return special[name]
    if name in LEVELS:
        return Grain(1.4 if name.startswith("C") else 1.7, 1800)
    if name.startswith("disc"):
        return Grain(1.4, 400)
    return Grain(1.5, 1600 if name.startswith("rib") else 800)


def distance_to(surface: Surface, points: np.ndarray) -> np.ndarray:
    """(n,) how far points (n, 3) are from a surface [m]."""
    from vastus.geometry.signed_distance import libigl

    squared, _, _ = libigl().point_mesh_squared_distance(points, surface.X, surface.faces)
    return np.sqrt(squared)
