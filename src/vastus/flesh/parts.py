"""What flesh is built around: bones, muscles and other parts as surfaces, maybe a skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.surface import Surface, boundary_surface
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Tissue


@dataclass(frozen=True, eq=False)
class BonePart:
    """A bone; several of one `body` move together, and are named by it in poses."""

    name: str
    surface: Surface
    body: str | None = None

    @property
    def carrier(self) -> str:
        """The name of what carries it."""
        return self.body or self.name


@dataclass(frozen=True, eq=False)
class FibreSamples:
    """Directions (k, 3) of fibres at points (k, 3) [m]; their signs do not matter."""

    points: Floats
    directions: Floats


@dataclass(frozen=True, eq=False)
class MusclePart:
    """A muscle; without `fibres`, they run from end to end of its shape.

    `density` is the area of fibres that cross a unit of its cross-section: pennate muscles have
    more than 1.
    """

    name: str
    surface: Surface
    fibres: FibreSamples | None = None
    density: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.density) and self.density > 0):
            raise ModelError(
                f"muscle '{self.name}' has a density of fibres of {self.density:g}; it must be "
                "positive"
            )


@dataclass(frozen=True, eq=False)
class FillPart:
    """What only fills the skin out; its name tells its group of the skin."""

    name: str
    surface: Surface


@dataclass(frozen=True, eq=False)
class FleshParts:
    """All parts [m]; `others` only fill the skin out, and a `skin` replaces the implicit one."""

    bones: Sequence[BonePart]
    muscles: Sequence[MusclePart] = ()
    others: Sequence[FillPart] = ()
    skin: Surface | None = None
    name: str = field(default="flesh", compare=False)

    def __post_init__(self) -> None:
        if not self.bones:
            raise ModelError("flesh needs a bone to hold it, and there is none")
        for what, parts in (("bone", self.bones), ("muscle", self.muscles)):
            names = [part.name for part in parts]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ModelError(f"two of the {what}s are called '{twice}'; names must differ")

    @property
    def bodies(self) -> list[str]:
        """What carries bones, in the order of bones."""
        return list(dict.fromkeys(bone.carrier for bone in self.bones))


def parts_of(model: Model, *, skin: Surface | None = None) -> FleshParts:
    """The bones, muscles and other tissue of a model at rest."""
    of_vertex = model.bone_of_vertex
    bone_tets = model.is_tissue(Tissue.BONE)
    bones = []
    for index, bone in enumerate(model.bones):
        mine = np.flatnonzero(bone_tets & (of_vertex[model.mesh.T] == index).all(axis=1))
        if len(mine):
            bones.append(BonePart(bone.name, _surface(model, mine)))
    muscles = []
    for index, muscle in enumerate(model.muscles):
        mine = np.flatnonzero(model.muscle_of_tet == index)
        if len(mine):
            d = model.fibre[mine]
            known = np.flatnonzero(np.abs(d).sum(axis=1) > 0)
            centres = model.mesh.centroids[mine]
            fibres = FibreSamples(centres[known], d[known]) if len(known) else None
            muscles.append(MusclePart(muscle.name, _surface(model, mine), fibres))
    rest = np.flatnonzero(~bone_tets & (model.muscle_of_tet < 0))
    others = [FillPart("", _surface(model, rest))] if len(rest) else []
    if not bones:
        raise ModelError(f"model '{model.name}' has no bones of tets for flesh to hold on to")
    return FleshParts(bones, muscles, others, skin, model.name)


def _surface(model: Model, tets: np.ndarray) -> Surface:
    return boundary_surface(model.mesh.submesh(tets)[0])[0]
