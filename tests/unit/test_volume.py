"""The averaged volume: derivatives, rigid motions, and who can solve with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from builders import box, inputs_of, pair, shaken, solid, solve
from vastus.energies.elastic import Elastic
from vastus.errors import ModelError
from vastus.files.model_file import load_model, save_model
from vastus.materials import ActiveFibre, NeoHookean, StableNeoHookean, StVenantKirchhoff
from vastus.materials.base import Law
from vastus.model import Model
from vastus.modelling.build import build
from vastus.numerics.types import Floats
from vastus.parts import Pin, Volume
from vastus.scene.read import scene_of
from vastus.solvers.emu.baselines import Admm
from vastus.solvers.hessian import Hessian
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.state import rest

MESH = shaken(box((4, 2, 2), (0.2, 0.1, 0.1)), 0.008)
LAWS: dict[str, tuple[Law, ...]] = {
    "quadratic": (StableNeoHookean(6e4, 0.499), ActiveFibre()),
    "logarithmic": (NeoHookean(6e4, 0.499),),
}


def body(kind: str) -> Model:
    clamp = Pin("clamp", np.flatnonzero(MESH.X[:, 0] == 0))
    return solid(MESH, LAWS[kind], pins=(clamp,), volume=Volume.AVERAGED)


def moved(amount: float) -> Floats:
    return MESH.X + amount * np.random.default_rng(0).standard_normal(MESH.X.shape)


@pytest.mark.parametrize("kind", LAWS)
def test_forces_and_hessian_are_the_derivatives_of_the_energy(kind: str) -> None:
    """Central differences along a random direction."""
    model = body(kind)
    problem, inputs = Problem(model, Reduction()), inputs_of(model, body=0.5)
    objective = Equilibrium(problem, inputs)
    q = problem.place(np.where(model.held, MESH.X, moved(2e-3)), rest(model).poses)
    g = objective.gradient(q)
    v, h = np.random.default_rng(1).standard_normal(len(g)), 1e-7
    ahead, behind = objective.retract(q, h * v), objective.retract(q, -h * v)
    rise = (objective.value(ahead) - objective.value(behind)) / (2 * h)
    assert rise == pytest.approx(g @ v, rel=1e-7)
    bend = (objective.gradient(ahead) - objective.gradient(behind)) / (2 * h)
    Hv = Hessian(problem).operator(objective, q)(v)
    np.testing.assert_allclose(Hv, bend, atol=1e-7 * np.abs(bend).max())


@pytest.mark.parametrize("kind", LAWS)
def test_one_pass_gives_the_energies_and_forces_of_the_separate_loops(kind: str) -> None:
    elastic = Elastic(body(kind))
    x, tension = moved(2e-3), np.full(MESH.n_tets, 1e5)
    for _ in range(2):  # the second pass must not add to the first
        response = elastic.respond(x, tension)
    F = elastic.deformation(x)
    weighted = elastic.volumes[:, None, None] * elastic.stress(F, tension)
    wanted = np.einsum("mij,maj->mai", weighted, elastic.B)
    np.testing.assert_allclose(response.forces, wanted, atol=1e-12 * np.abs(wanted).max())
    energies = elastic.energy(F, tension)
    np.testing.assert_allclose(response.energies, energies, atol=1e-12 * np.abs(energies).max())


@pytest.mark.parametrize("kind", LAWS)
def test_a_rigid_motion_changes_nothing(kind: str) -> None:
    elastic, tension = Elastic(body(kind)), np.zeros(MESH.n_tets)
    Q, x = Rotation.from_rotvec([0.4, -0.9, 1.3]).as_matrix(), moved(2e-3)
    before, after = (elastic.deformation(place) for place in (x, x @ Q.T + [0.1, 0.2, -0.3]))
    energy, P = elastic.energy(before, tension), elastic.stress(before, tension)
    np.testing.assert_allclose(elastic.energy(after, tension), energy, rtol=1e-9)
    turned = elastic.stress(after, tension)
    np.testing.assert_allclose(turned, Q @ P, atol=1e-9 * np.abs(P).max())


def test_newton_still_squares_the_residual() -> None:
    _, report = solve(pair(volume=Volume.AVERAGED), m=0.5)
    residuals = np.array(report.history) / report.load
    near = residuals[(residuals < 1e-2) & (residuals > 1e-7)]
    after = residuals[1:][(residuals[:-1] < 1e-2) & (residuals[:-1] > 1e-7)]
    assert len(near) >= 1
    assert (after < 30 * near**2).all()


def test_the_alternating_method_refuses_it() -> None:
    with pytest.raises(ModelError, match="averaged volume couples tets, which the alternating"):
        Admm().prepare(pair(volume=Volume.AVERAGED))


def test_a_law_that_does_not_know_its_bulk_modulus_is_refused() -> None:
    with pytest.raises(ModelError, match="no law of region 'body' knows its bulk modulus"):
        solid(MESH, (StVenantKirchhoff(),), volume=Volume.AVERAGED)


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(ModelError, match="no volume 'mean'; volumes: tet, averaged"):
        solid(MESH, LAWS["quadratic"], volume="mean")


def test_it_is_saved_with_the_model(tmp_path: Path) -> None:
    model = body("quadratic")
    save_model(tmp_path / "body.npz", model)
    again = load_model(tmp_path / "body.npz")
    assert again.volume is Volume.AVERAGED
    assert again.digest == model.digest != model.with_(volume=Volume.TET).digest


def test_a_scene_can_ask_for_it() -> None:
    text = b"vastus: 1\nmodel: {shape: fusiform, tets: 1000}\nvolume: averaged\n"
    assert build(scene_of(text, Path("scene.yaml"))).volume is Volume.AVERAGED
