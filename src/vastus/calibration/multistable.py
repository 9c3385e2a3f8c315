"""Whether fibres of a model may have several lengths at one force: the law tells, before a fit.

Beyond its optimal length an active fibre pulls less the longer it is. Where its force falls more
steeply than that of the tissue around it rises, tets in series have several equilibria, and the
outputs jump between them as parameters change (theory, eq. 110).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.energies.elastic import laws_of, rows_of
from vastus.energies.loops import loops
from vastus.model import Model
from vastus.muscle import ForceLength, belly_of
from vastus.numerics.types import Floats, Ints

POINTS = 101  # stretches that are looked at
BEYOND = 0.05  # what a fit may yet visit, past what it has


def multistable(model: Model, activation: Floats, visited: Floats) -> Iterator[str]:
    """A sentence for each muscle whose active force falls too steeply at activations (muscles,).

    That is among the stretches that its tets have `visited` (muscles, 2), or nearly so.
    """
    for index, muscle in enumerate(model.muscles):
        if model.force_length(index) is not ForceLength.LOCAL or not activation[index]:
            continue
        tets = belly_of(model, index)
        for region in np.unique(model.region[tets]):
            stretches = np.linspace(visited[index, 0] - BEYOND, visited[index, 1] + BEYOND, POINTS)
            slope = _slope(model, int(region), tets, float(activation[index]), stretches)
            falling = stretches[slope < 0.0]
            if len(falling):
                yield (
                    f"the force of '{model.regions[region].name}' falls with length between the "
                    f"stretches {falling[0]:.2f} and {falling[-1]:.2f} at activation "
                    f"{activation[index]:.2g}, as its passive tissue is softer than its active "
                    "fibres lose force there: equilibria may jump, and a fit may end beside the "
                    f"best; give muscle '{muscle.name}' force_length: belly, or stiffer tissue"
                )


def _slope(model: Model, region: int, tets: Ints, level: float, stretches: Floats) -> Floats:
    """(k,) the change of tension with stretch [Pa] of all laws of a region, at constant volume."""
    chosen = tets[model.region[tets] == region][:1]
    laws = laws_of(model, region)
    summed = loops(*((law.point, law.slots) for law in laws))
    rows = np.ascontiguousarray(rows_of(model, laws, chosen))
    d = np.tile(model.fibre[chosen], (len(stretches), 1))
    dd = np.einsum("ki,kj->kij", d, d)
    T0 = np.full(len(stretches), level * float(model.strength[chosen[0]]))
    every = np.arange(len(stretches))

    def tension(stretch: Floats) -> Floats:
        across = stretch**-0.5
        F = across[:, None, None] * (np.eye(3) - dd) + stretch[:, None, None] * dd
        way = -0.5 * (across / stretch)[:, None, None] * (np.eye(3) - dd) + dd
        P = np.empty_like(F)
        summed.stress(every, np.ascontiguousarray(F), d, T0, np.zeros(len(F), np.int64), rows, P)
        return np.asarray(np.einsum("kij,kij->k", P, way))

    h = 1e-4
    return (tension(stretches + h) - tension(stretches - h)) / (2 * h)
