"""Cavities and cables: whether they can move anything, and by numbers that look right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.checks.finding import Finding, middle_of, warning
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.parts import Drive

HARD = 10.0  # times the stiffness of the wall: pressures that no soft wall holds


def cavities(model: Model) -> Iterator[Finding]:
    """Pressures that no wall of such tissue holds."""
    for cavity in model.cavities:
        where, middle = f"cavity '{cavity.name}'", middle_of(model.mesh.X[np.unique(cavity.faces)])
        soft = _stiffnesses(model, cavity.faces)
        if soft and abs(cavity.pressure) > HARD * min(soft):
            yield warning(
                where,
                f"has {cavity.pressure:.3g} Pa, more than {HARD:g} times the stiffness of its wall "
                f"({min(soft):.3g} Pa)",
                "give the pressure above the ambient one, in Pa",
                middle,
            )


def _stiffnesses(model: Model, faces: Ints) -> list[float]:
    """The moduli [Pa] of the soft regions that have vertices of faces."""
    touching = model.soft[np.isin(model.mesh.T[model.soft], faces).any(axis=1)]
    regions = [model.regions[i] for i in np.unique(model.region[touching])]
    return [sum(law.stiffness() for law in region.laws) for region in regions]


def cables(model: Model) -> Iterator[Finding]:
    """Cables between points that cannot come nearer to each other."""
    moves = ~model.held.all(axis=1)
    still = [i for i, bone in enumerate(model.bones) if bone.drive is not Drive.FREE]
    moves &= ~np.isin(model.bone_of_vertex, still)
    for cable in model.cables:
        bones = np.unique(model.bone_of_vertex[cable.points])
        one_bone = len(bones) == 1 and bones[0] >= 0
        if one_bone or not moves[cable.points].any():
            what = f"bone '{model.bones[bones[0]].name}'" if one_bone else "what nothing moves"
            yield warning(
                f"cable '{cable.name}'",
                f"has all of its points on {what}, so that it moves nothing",
                "lead it through soft tissue, or to another bone",
                cable.at(model.mesh.X)[0],
            )


CHECKS = (cavities, cables)
