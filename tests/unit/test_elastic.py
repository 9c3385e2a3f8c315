"""The elastic energy of tets with several laws."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from builders import inputs_of
from vastus import shapes
from vastus.energies.elastic import Elastic
from vastus.inputs import Inputs
from vastus.numerics.sparse import Scatter
from vastus.numerics.types import Floats
from vastus.parts import Volume
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.state import rest

MODEL = shapes.fusiform(tets=1200)
RNG = np.random.default_rng(3)
PASSES = 400  # of each thread
X = MODEL.mesh.X + 1e-4 * RNG.standard_normal(MODEL.mesh.X.shape)


def test_one_pass_gives_the_energies_and_forces_of_the_separate_loops() -> None:
    elastic = Elastic(MODEL)
    scatter = Scatter.of(elastic.T, MODEL.mesh.n_vertices)
    tension = elastic.tension(inputs_of(MODEL, belly=0.7).excitation)
    F = elastic.deformation(X)
    for _ in range(2):  # the second pass must not add to the first
        response = elastic.respond(X, tension)
    weighted = elastic.B * elastic.volumes[:, None, None]
    energies, P = elastic.energy(F, tension), elastic.stress(F, tension)
    np.testing.assert_allclose(response.energies, energies, atol=1e-12 * np.abs(energies).max())
    wanted = scatter.forces(P, weighted)
    gathered = scatter.gather(response.forces)
    np.testing.assert_allclose(gathered, wanted, atol=1e-12 * np.abs(wanted).max())


def forces_of(problem: Problem, x: Floats, drive: Inputs) -> tuple[Floats, float]:
    """Nodal forces and energy."""
    objective, q = Equilibrium(problem, drive), problem.configure(x, rest(problem.model).poses)
    return objective.forces(q).nodes, objective.value(q)


@pytest.mark.parametrize("shared", [True, False], ids=["one body", "two bodies"])
@pytest.mark.parametrize("volume", list(Volume))
def test_two_threads_of_one_process_find_the_forces_of_one(volume: Volume, shared: bool) -> None:
    model = MODEL.with_(volume=volume)
    first = Problem(model, Reduction())
    problems = (first, first if shared else Problem(model, Reduction()))
    drives = [inputs_of(model, belly=a) for a in (0.2, 0.9)]
    places = [X, MODEL.mesh.X + 1e-4 * RNG.standard_normal(X.shape)]
    quiet = [forces_of(first, x, drive) for x, drive in zip(places, drives, strict=True)]

    def off(thread: int) -> float:
        """The largest error of the forces and energies of many passes."""
        wanted, worst = quiet[thread], 0.0
        for _ in range(PASSES):
            got = forces_of(problems[thread], places[thread], drives[thread])
            worst = max(worst, np.abs(got[0] - wanted[0]).max() / np.abs(wanted[0]).max())
            worst = max(worst, abs(got[1] - wanted[1]) / abs(wanted[1]))
        return worst

    with ThreadPoolExecutor(2) as pool:
        assert max(pool.map(off, (0, 1))) < 1e-13
