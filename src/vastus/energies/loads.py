"""Dead loads: gravity on every tet, bone included, and the model's named forces."""

from __future__ import annotations

import numpy as np

from vastus.model import Model
from vastus.numerics.types import Floats


def external_force(model: Model) -> Floats:
    """(n, 3) the nodal forces [N] that do not depend on the state."""
    density = np.array([r.density for r in model.regions])[model.region]
    corner_mass = np.repeat(density * model.mesh.volumes / 4.0, 4)
    mass = np.bincount(model.mesh.T.ravel(), corner_mass, minlength=model.mesh.n_vertices)
    force = mass[:, None] * model.gravity
    for load in model.loads:
        np.add.at(force, load.vertices, np.outer(load.weights, load.force))
    return force
