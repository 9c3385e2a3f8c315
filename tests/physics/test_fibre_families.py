"""Two families of fibres in one tissue: a cross-ply and an annulus, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import root

import vastus
from builders import box, face_load, rollers, shaken, solid, solve
from vastus.errors import VastusError
from vastus.files.model_file import load_model, save_model
from vastus.materials import Along, NeoHookean, TautFibre
from vastus.materials.base import LAWS, lame
from vastus.modelling.build import build
from vastus.scene.scene import Description, Scene, Shape

YOUNG, POISSON, SIZE = 6e4, 0.45, (0.1, 0.03, 0.02)
FIBRES = TautFibre(smax=1e5)


def at(angle: float) -> np.ndarray:
    """(3,) in the plane of x and y, at an angle [deg] to x."""
    return np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])


def ply_stretches(angle: float, traction: float) -> np.ndarray:
    """(3,) where P_i = mu (l_i - 1/l_i) + lam ln(J)/l_i + 2 t(s) n_i^2 l_i/s is the traction or 0.

    n is the direction of a family, s^2 = sum_i n_i^2 l_i^2 its stretch and t its tension.
    """
    (mu, lam), n = lame(YOUNG, POISSON), at(angle)

    def residual(stretch: np.ndarray) -> np.ndarray:
        s = np.sqrt((n * stretch) @ (n * stretch))
        tension = FIBRES.smax * FIBRES.p1 * max(np.expm1(FIBRES.p2 * (s - 1)), 0.0)
        log_J = np.log(stretch.prod())
        P = mu * (stretch - 1 / stretch) + lam * log_J / stretch + 2 * tension * n**2 * stretch / s
        return (P - [traction, 0.0, 0.0]) / mu

    found = root(residual, [1.1, 0.95, 0.95], tol=1e-14)
    assert np.abs(found.fun).max() < 1e-12
    return np.asarray(found.x)


@pytest.mark.parametrize("angle", [15.0, 35.0])
def test_a_cross_ply_stretches_as_the_closed_form(angle: float) -> None:
    mesh = shaken(box((4, 2, 2), SIZE), 0.002)
    force = np.array([3e4 * SIZE[1] * SIZE[2], 0.0, 0.0])
    model = solid(
        mesh,
        (NeoHookean(YOUNG, POISSON), FIBRES, Along(FIBRES, "cross")),
        fibre=np.tile(at(angle), (mesh.n_tets, 1)),
        directions={"cross": np.tile(at(-angle), (mesh.n_tets, 1))},
        pins=rollers(mesh),
        loads=(face_load(mesh, 0, force),),
    )
    state, _ = solve(model)
    np.testing.assert_allclose(state.x, mesh.X * ply_stretches(angle, 3e4), atol=1e-10)


def test_a_law_of_ones_own_reads_directions_and_quantities_of_each_tet() -> None:
    """The same ply as one law, whose fibres are as strong as a number of each tet says."""

    @vastus.law(directions=["cross"], quantities=["amount"])
    def ply(F, d, cross, amount, smax=1.0, p1=0.05, p2=6.6):
        psi = 0.0
        for n in (d, cross):
            taut = vastus.materials.maximum(np.sqrt((F @ n) @ (F @ n)) - 1, 0.0)
            psi = psi + amount * smax * p1 * (np.expm1(p2 * taut) / p2 - taut)
        return psi

    LAWS.pop("ply")
    mesh = shaken(box((4, 2, 2), SIZE), 0.002)
    force = np.array([3e4 * SIZE[1] * SIZE[2], 0.0, 0.0])
    model = solid(
        mesh,
        (NeoHookean(YOUNG, POISSON), ply()),
        fibre=np.tile(at(15.0), (mesh.n_tets, 1)),
        directions={"cross": np.tile(at(-15.0), (mesh.n_tets, 1))},
        quantities={"amount": np.full(mesh.n_tets, FIBRES.smax)},
        pins=rollers(mesh),
        loads=(face_load(mesh, 0, force),),
    )
    state, _ = solve(model)
    np.testing.assert_allclose(state.x, mesh.X * ply_stretches(15.0, 3e4), atol=1e-10)
    with pytest.raises(VastusError, match="quantity 'amount', but the model has: none"):
        model.with_(quantities={})


SCENE = {
    "vastus": 1,
    "model": {"shape": "bar", "tets": 1000},
    "directions": {
        "cross": {"turned": {"angle": 60, "axis": [0, 1, 0]}},
        "hoop": {"around": {"axis": [1, 0, 0], "point": [0, 0.001, 0.002], "angle": 30}},
    },
    "quantities": {"amount": {"ramp": {"from": [0, 0, 0], "to": [0.1, 0, 0], "values": [1, 3]}}},
    "materials": {
        "muscle": [
            {"law": "stable_neo_hookean"},
            {"law": "active_fibre"},
            {"law": "taut_fibre", "smax": 1e5, "along": "cross"},
        ]
    },
}


def built(**changes: object) -> vastus.Model:
    return build(Scene(Description.model_validate(SCENE | changes), Shape("bar", {"tets": 1000})))


def test_a_scene_gives_directions_and_quantities(tmp_path) -> None:
    model = built()
    d, c, h = model.fibre, model.directions["cross"], model.directions["hoop"]
    soft = model.soft
    np.testing.assert_allclose(np.einsum("ij,ij->i", d, c)[soft], 0.5, atol=1e-12)
    np.testing.assert_allclose(h[soft, 0], 0.5, atol=1e-12)
    away = (model.mesh.centroids - [0, 0.001, 0.002])[soft]
    np.testing.assert_allclose(
        np.einsum("ij,ij->i", away - away * [1, 0, 0], h[soft]), 0, atol=1e-12
    )
    x = np.clip(model.mesh.centroids[:, 0] / 0.1, 0, 1)
    np.testing.assert_allclose(model.quantities["amount"], 1 + 2 * x)
    save_model(tmp_path / "model.npz", model)
    again = load_model(tmp_path / "model.npz")
    assert again.digest == model.digest
    assert isinstance(again.regions[model.region[soft[0]]].laws[2], Along)
    assert model.digest != built(directions={"cross": {"direction": [0, 0, 1]}}).digest


def test_a_law_along_a_direction_that_does_not_exist_is_named() -> None:
    with pytest.raises(VastusError, match="asks for the direction 'cross'"):
        built(directions={})
