"""The vertices at which the fibres of a muscle begin or end, by the names of what they are on."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.scene.schema import unknown


def attached(names: tuple[str, ...], model: Model, own: Ints) -> Ints:
    """Those of a muscle's `own` vertices that belong to the bones or regions called `names`."""
    return np.concatenate([_shared(name, model, own) for name in names])


def _shared(name: str, model: Model, own: Ints) -> Ints:
    """The vertices of a muscle's own that belong to the bone or region called `name`."""
    bones, regions = [b.name for b in model.bones], [r.name for r in model.regions]
    if name in bones:
        shared = own[model.bone_of_vertex[own] == bones.index(name)]
    elif name in regions:
        shared = np.intersect1d(own, model.mesh.T[model.tets_of([name])])
    else:
        raise ModelError(unknown("bone or region", name, [*bones, *regions]))
    if not len(shared):
        raise ModelError(f"the muscle touches '{name}' nowhere: they share no vertex")
    return shared
