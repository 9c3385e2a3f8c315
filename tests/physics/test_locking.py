"""Nearly incompressible tets lock by themselves; with an averaged volume they do not.

A bar of 20 x 5 x 5 cm, clamped at one end, is bent a little by a force at the other. FElupe bends
the same bar of quadratic tets, which hardly lock.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from builders import box, face_load, inputs_of, nodal_forces, shaken, solid, solve
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import (
    LAWS,
    ActiveFibre,
    FixedCorotated,
    MooneyRivlin,
    NeoHookean,
    Ogden,
    StableNeoHookean,
    TendonTissue,
    det,
    law,
)
from vastus.materials.base import Law, lame
from vastus.measure.fields import Fields, cauchy
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Pin, Volume
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest

SIZE = (0.2, 0.05, 0.05)
YOUNG, FORCE = 6e4, np.array([0.0, 0.0, -0.05])


def bar(across: int) -> TetMesh:
    return shaken(box((4 * across, across, across), SIZE), 0.15 * SIZE[2] / across)


def bent_model(across: int, poisson: float, volume: Volume) -> Model:
    mesh = bar(across)
    clamp = Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0))
    end = face_load(mesh, 0, FORCE)
    laws = (NeoHookean(YOUNG, poisson),)
    return solid(mesh, laws, pins=(clamp,), loads=(end,), volume=volume)


@cache
def bent(across: int, poisson: float, volume: Volume) -> tuple[Model, State]:
    model = bent_model(across, poisson, volume)
    return model, solve(model, tolerance=1e-10)[0]


def sag(across: int, poisson: float, volume: Volume) -> float:
    """How far the loaded end sinks on average [m]."""
    model, state = bent(across, poisson, volume)
    end = model.loads[0]
    return float(-end.weights @ (state.x - model.mesh.X)[end.vertices, 2])


@cache
def quadratic_sag(poisson: float) -> float:
    """The same by FElupe, with quadratic tets, three across."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import felupe as fem

        coarse = box((12, 3, 3), SIZE)
        mesh = fem.Mesh(coarse.X, coarse.T, "tetra").add_midpoints_edges()
        field = fem.FieldContainer([fem.Field(fem.RegionQuadraticTetra(mesh), dim=3)])
        mu, lam = lame(YOUNG, poisson)
        body = fem.SolidBody(fem.NeoHookeCompressible(mu=mu, lmbda=lam), field)
        clamp = {"clamp": fem.Boundary(field[0], fx=0.0)}
        fixed, free = fem.dof.partition(field, clamp)
        weights = midpoint_weights(coarse, np.asarray(mesh.points))
        force = fem.PointLoad(field, np.arange(len(weights)), np.outer(weights, FORCE))
        ext0 = fem.dof.apply(field, clamp, fixed)
        fem.newtonrhapson(
            items=[body, force], dof0=fixed, dof1=free, ext0=ext0, tol=1e-8, verbose=0
        )
        return float(-weights @ field[0].values[:, 2])


def midpoint_weights(mesh: TetMesh, points: Floats) -> Floats:
    """(points,) an even traction on the end: on a quadratic face, a third at each edge's middle."""
    faces = mesh.boundary[(mesh.X[mesh.boundary, 0] == SIZE[0]).all(axis=1)]
    middles = (mesh.X[faces] + mesh.X[np.roll(faces, 1, axis=1)]).reshape(-1, 1, 3) / 2
    at = np.linalg.norm(points - middles, axis=2).argmin(axis=1)
    return np.bincount(at, minlength=len(points)) / len(at)  # all faces have the same area


def test_plain_tets_lock() -> None:
    """They sink by a ninth of what they should, and by less the nearer Poisson's ratio is to .5."""
    assert sag(4, 0.499, Volume.TET) < 0.15 * quadratic_sag(0.499)
    assert sag(4, 0.4999, Volume.TET) < 0.7 * sag(4, 0.499, Volume.TET)


def test_averaged_tets_do_not_lock() -> None:
    """They sag the same share of quadratic tets at Poisson's ratio 0.499 as plain tets at 0.3."""
    compressible = sag(4, 0.3, Volume.TET) / quadratic_sag(0.3)
    incompressible = sag(4, 0.499, Volume.AVERAGED) / quadratic_sag(0.499)
    assert compressible == pytest.approx(0.8, abs=0.03)
    assert incompressible == pytest.approx(compressible, abs=0.03)


def test_averaged_tets_do_not_mind_how_incompressible_they_are() -> None:
    slightly, very = (sag(4, poisson, Volume.AVERAGED) for poisson in (0.499, 0.49999))
    assert very == pytest.approx(slightly, rel=2e-3)


def test_averaged_tets_converge() -> None:
    """The error falls by half from 3 to 6 across; four quadratic tets across give 4.172 mm."""
    errors = [1 - sag(across, 0.499, Volume.AVERAGED) / 4.172e-3 for across in (3, 6)]
    assert 0 < errors[1] < 0.13
    assert errors[1] < 0.5 * errors[0]


def pressure_error(poisson: float, volume: Volume) -> float:
    """Of the mean stress in the bar's middle, against a third of M z / I of beam theory."""
    model, state = bent(4, poisson, volume)
    F = model.mesh.deformation(state.x)
    mean = (
        np.trace(cauchy(Fields(model).stress(F, state), F, np.linalg.det(F)), axis1=1, axis2=2) / 3
    )
    x, _, z = model.mesh.centroids.T
    wanted = -FORCE[2] * (SIZE[0] - x) * (z - SIZE[2] / 2) / (SIZE[1] * SIZE[2] ** 3 / 12) / 3
    middle = (x > 0.25 * SIZE[0]) & (x < 0.75 * SIZE[0])
    return float(np.linalg.norm((mean - wanted)[middle]) / np.linalg.norm(wanted[middle]))


def test_pressures_are_as_good_as_those_of_compressible_tets() -> None:
    """Those of plain tets alternate from one to the next, many times as large as the truth."""
    assert pressure_error(0.499, Volume.TET) > 5
    assert pressure_error(0.499, Volume.AVERAGED) < 1.1 * pressure_error(0.3, Volume.TET)


@law
def rubber(F, young=YOUNG, poisson=0.499):  # type: ignore[no-untyped-def]
    """The energy of `neo_hookean`, as a user would write it."""
    mu, lam = lame(young, poisson)
    log_J = np.log(det(F))
    return mu / 2 * (np.sum(F * F) - 3) - mu * log_J + lam / 2 * log_J**2


@law(bulk="K")
def hidden(F, mu=2e4, K=1e7):  # type: ignore[no-untyped-def]
    """The volume ratio is not seen in the third invariant, so the author names the modulus."""
    I3 = det(F.T @ F)
    return mu / 2 * (I3 ** (-1 / 3) * np.sum(F * F) - 3) + K / 8 * np.log(I3) ** 2


@law
def stretched(stretches, mu=2e4, K=1e7):  # type: ignore[no-untyped-def]
    J = np.prod(stretches)
    e = np.log(stretches)
    return mu * (np.sum(e * e) - np.log(J) ** 2 / 3) + K / 4 * (J * J - 1 - 2 * np.log(J))


for made in (rubber, hidden, stretched):
    LAWS.pop(made.name)


def own_sag(made: Law, volume: Volume) -> float:
    """How far the loaded end of a bar of a user's law sinks [m]."""
    model = bent_model(4, 0.499, volume)
    model = model.with_(regions=(replace(model.regions[0], laws=(made,)),))
    state, end = solve(model, tolerance=1e-10)[0], model.loads[0]
    return float(-end.weights @ (state.x - model.mesh.X)[end.vertices, 2])


def test_averaged_tets_of_a_users_law_do_not_lock_either() -> None:
    """They sag as those of the built-in law, of which theirs is a copy, and plain ones lock."""
    plain, averaged = (own_sag(rubber(), volume) for volume in Volume)
    assert plain == pytest.approx(sag(4, 0.499, Volume.TET), rel=1e-6)
    assert averaged == pytest.approx(sag(4, 0.499, Volume.AVERAGED), rel=0.01)


@pytest.mark.parametrize("made", [hidden(), stretched()], ids=lambda made: made.name)
def test_the_bulk_part_is_named_or_found(made: Law) -> None:
    """The same shear modulus: the same small bending, whatever the energy at large strains."""
    assert own_sag(made, Volume.AVERAGED) == pytest.approx(sag(4, 0.499, Volume.AVERAGED), rel=0.02)


@pytest.mark.parametrize(
    "laws",
    [
        (rubber(),),
        (Ogden(K=1e7),),
        (StableNeoHookean(6e4, 0.499), ActiveFibre()),
        (NeoHookean(6e4, 0.499),),
        (FixedCorotated(6e4, 0.49),),
        (MooneyRivlin(1e4, 1e3, 1e7),),
        (TendonTissue(K=1e7),),
    ],
    ids=lambda laws: "+".join(each.name for each in laws),
)
def test_a_uniform_strain_is_still_exact(laws: tuple[Law, ...]) -> None:
    """The patch test: an affine boundary gives an affine inside, with the stress of the law."""
    A = np.array([[1.05, 0.10, -0.05], [0.02, 0.90, 0.08], [0.06, -0.10, 1.05]])
    mesh = shaken(box((3, 3, 3), (0.1, 0.1, 0.1)), 0.006)
    pins = tuple(
        Pin(f"pin {v}", np.array([v]), shift=tuple((A @ mesh.X[v] - mesh.X[v]).tolist()))
        for v in np.unique(mesh.boundary)
    )
    model = solid(mesh, laws, pins=pins, volume=Volume.AVERAGED)
    strayed = replace(rest(model), x=shaken(mesh, 0.002, seed=1).X)
    state, _ = Newton(tolerance=1e-12).prepare(model).step(strayed, inputs_of(model, body=0.5))
    np.testing.assert_allclose(state.x, mesh.X @ A.T, atol=1e-11)
    F = mesh.deformation(state.x)
    P = [Fields(m).stress(F, state) for m in (model, model.with_(volume=Volume.TET))]
    np.testing.assert_allclose(P[0], P[1], atol=1e-9 * np.abs(P[1]).max())


def test_the_stresses_that_are_put_out_balance_the_load() -> None:
    model, state = bent(4, 0.499, Volume.AVERAGED)
    forces = nodal_forces(model, state)
    held = model.held.any(axis=1)
    assert np.abs(forces[~held]).max() < 1e-8 * abs(FORCE[2])
    np.testing.assert_allclose(forces[held].sum(axis=0), -FORCE, atol=1e-8 * abs(FORCE[2]))


def test_quasi_newton_finds_newtons_answer() -> None:
    model, state = bent(4, 0.499, Volume.AVERAGED)
    other, _ = QuasiNewton(accuracy=1e-4).prepare(model).step(rest(model), inputs_of(model))
    assert np.linalg.norm(other.x - state.x, axis=1).max() < 1e-4 * SIZE[0]
