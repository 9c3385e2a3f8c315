"""The elastic energy of tets with several laws."""

from __future__ import annotations

import numpy as np

from builders import inputs_of
from vastus import shapes
from vastus.energies.elastic import Elastic
from vastus.numerics.sparse import Scatter

MODEL = shapes.fusiform(tets=1200)
RNG = np.random.default_rng(3)
X = MODEL.mesh.X + 1e-4 * RNG.standard_normal(MODEL.mesh.X.shape)


def test_one_pass_gives_the_energies_and_forces_of_the_separate_loops() -> None:
    elastic = Elastic(MODEL)
    scatter = Scatter.of(elastic.T, MODEL.mesh.n_vertices)
    tension = elastic.tension(inputs_of(MODEL, belly=0.7).activation)
    F = elastic.deformation(X)
    for _ in range(2):  # the second pass must not add to the first
        response = elastic.respond(X, tension)
    weighted = elastic.B * elastic.volumes[:, None, None]
    energies, P = elastic.energy(F, tension), elastic.stress(F, tension)
    np.testing.assert_allclose(response.energies, energies, atol=1e-12 * np.abs(energies).max())
    wanted = scatter.forces(P, weighted)
    gathered = scatter.gather(response.forces)
    np.testing.assert_allclose(gathered, wanted, atol=1e-12 * np.abs(wanted).max())
