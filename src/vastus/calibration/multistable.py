"""Whether fibres of a model may have several lengths at one force: the law tells, before a fit.

Beyond its optimal length an active fibre pulls less the longer it is. Where its force falls more
steeply than that of the tissue around it rises, tets in series have several equilibria, and the
outputs jump between them as parameters change (theory, eq. 73).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.energies.elastic import laws_of, rows_of
from vastus.energies.loops import loops
from vastus.model import Model
from vastus.muscle import ForceLength, belly_of
from vastus.numerics.types import Floats, Ints

RANGE = np.linspace(0.7, 1.6, 181)  # stretches that are looked at


def multistable(model: Model, activation: Floats) -> Iterator[str]:
    """A sentence for each muscle whose active force falls too steeply at activations (muscles,)."""
    for index, muscle in enumerate(model.muscles):
        if model.force_length(index) is not ForceLength.LOCAL or not activation[index]:
            continue
        tets = belly_of(model, index)
        for region in np.unique(model.region[tets]):
            slope = _slope(model, int(region), tets, float(activation[index]))
            falling = RANGE[slope < 0.0]
            if len(falling):
                yield (
                    f"the force of '{model.regions[region].name}' falls with length between the "
                    f"stretches {falling[0]:.2f} and {falling[-1]:.2f} at activation "
                    f"{activation[index]:.2g}, as its passive tissue is softer than its active "
                    "fibres lose force there: equilibria may jump, and a fit may end beside the "
                    f"best; give muscle '{muscle.name}' force_length: belly, or stiffer tissue"
                )


def _slope(model: Model, region: int, tets: Ints, level: float) -> Floats:
    """(k,) the change of tension with stretch [Pa] of all laws of a region, at constant volume."""
    chosen = tets[model.region[tets] == region][:1]
    laws = laws_of(model, region)
    summed = loops(*((law.point, law.slots) for law in laws))
    rows = np.ascontiguousarray(rows_of(model, laws, chosen))
    d = np.tile(model.fibre[chosen], (len(RANGE), 1))
    dd = np.einsum("ki,kj->kij", d, d)
    T0 = np.full(len(RANGE), level * float(model.strength[chosen[0]]))
    every = np.arange(len(RANGE))

    def tension(stretch: Floats) -> Floats:
        across = stretch**-0.5
        F = across[:, None, None] * (np.eye(3) - dd) + stretch[:, None, None] * dd
        way = -0.5 * (across / stretch)[:, None, None] * (np.eye(3) - dd) + dd
        P = np.empty_like(F)
        summed.stress(every, np.ascontiguousarray(F), d, T0, np.zeros(len(F), np.int64), rows, P)
        return np.asarray(np.einsum("kij,kij->k", P, way))

    h = 1e-4
    return (tension(RANGE + h) - tension(RANGE - h)) / (2 * h)
