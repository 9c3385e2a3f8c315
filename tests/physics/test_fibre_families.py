"""Two families of fibres in one tissue: a cross-ply and an annulus, against closed forms."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import root

import vastus
from builders import box, face_load, rollers, shaken, solid, solve
from vastus.errors import VastusError
from vastus.files.meshes import write_mesh
from vastus.files.model_file import load_model, save_model
from vastus.files.npz import write_npz
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


RING = """
vastus: 1
mesh: {file: ring.vtu, units: m, labels: region}
regions:
  left: {label: 1, tissue: passive}
  right: {label: 2, tissue: passive}
"""


def ring(folder: Path, said: str) -> vastus.Model:
    """A block of two regions with data on tets and vertices, and what else a scene says."""
    mesh = box((4, 2, 2), (0.4, 0.2, 0.2))
    label = 1 + (mesh.centroids[:, 0] > 0.2)
    X, x = mesh.X, mesh.centroids
    tets = {"region": label, "second": np.column_stack([x[:, 0], 1 + x[:, 1], -x[:, 2]])}
    vertices = {"collagen": 2 * X[:, 0] - X[:, 1], "along": np.tile([0.0, -3.0, 4.0], (len(X), 1))}
    write_mesh(folder / "ring.vtu", mesh, cell_data=tets, point_data=vertices)
    write_npz(folder / "second.npz", {"second": tets["second"], "label": label})
    amount = np.linspace(1, 2, mesh.n_tets)
    rows = zip(*tets["second"].T, amount, strict=True)
    text = "\n".join(",".join(f"{v:.17g}" for v in row) for row in rows)
    (folder / "all.csv").write_text("second_x,second_y,second_z,amount\n" + text)
    (folder / "scene.yaml").write_text(RING + said)
    return vastus.build(vastus.read(folder / "scene.yaml"))


@pytest.mark.parametrize("given", ["data: second", "file: second.npz", "file: all.csv"])
def test_directions_are_data_of_the_mesh_or_of_a_file(tmp_path: Path, given: str) -> None:
    model = ring(tmp_path, f"directions: {{second: {{{given}, regions: [right]}}}}")
    x = model.mesh.centroids
    wanted = np.column_stack([x[:, 0], 1 + x[:, 1], -x[:, 2]])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    wanted[x[:, 0] < 0.2] = 0
    np.testing.assert_allclose(model.directions["second"], wanted, atol=1e-7)


def test_data_on_vertices_are_averaged_over_tets(tmp_path: Path) -> None:
    said = "directions: {along: {data: along}}\nquantities: {collagen: {data: collagen}}"
    model = ring(tmp_path, said)
    x = model.mesh.centroids
    np.testing.assert_allclose(model.quantities["collagen"], 2 * x[:, 0] - x[:, 1], atol=1e-12)
    np.testing.assert_allclose(np.abs(model.directions["along"] @ [0, -0.6, 0.8]), 1.0)


def test_numbers_and_vectors_by_region_win(tmp_path: Path) -> None:
    said = (
        "directions: {one: {by_region: {left: [0, 0, 2]}}}\n"
        "quantities: {amount: {file: all.csv, data: amount, regions: {left: 7}}}"
    )
    model = ring(tmp_path, said)
    left = model.mesh.centroids[:, 0] < 0.2
    np.testing.assert_array_equal(model.directions["one"][left], [[0, 0, 1]] * left.sum())
    assert not model.directions["one"][~left].any()
    amount = np.where(left, 7.0, np.linspace(1, 2, len(left)))
    np.testing.assert_allclose(model.quantities["amount"], amount)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("directions: {a: {data: other}}", "unknown vectors 'other'"),
        ("directions: {a: {data: collagen}}", "unknown vectors 'collagen'"),
        ("quantities: {a: {data: second}}", "unknown numbers 'second'"),
        ("quantities: {a: {file: all.csv}}", "has 4 arrays of numbers; name one by 'data'"),
        ("quantities: {a: {file: all.csv, data: b}}", "unknown numbers 'b'"),
        ("quantities: {a: {file: gone.csv}}", "gone.csv"),
        ("quantities: {a: {file: short.csv}}", "has 2 rows, but the model has 96 tets"),
        ("quantities: {a: {value: 1, data: b}}", "give exactly one of value, ramp, data"),
        ("directions: {a: {}}", "give exactly one of direction, turned, around, data"),
        ("directions: {a: {by_region: {top: [1, 0, 0]}}}", "region 'top'"),
    ],
)
def test_what_tets_cannot_have_is_named(tmp_path: Path, said: str, sentence: str) -> None:
    (tmp_path / "short.csv").write_text("1\n2\n")
    with pytest.raises(VastusError, match=re.escape(sentence)):
        ring(tmp_path, said)


def test_data_need_a_mesh() -> None:
    with pytest.raises(VastusError, match="but there is no mesh: give a 'file'"):
        built(directions={"cross": {"data": "cross"}})
