"""Homogeneous verification problems of FEBio: te01, ma24 and mu03.

Each is described by its geometry, its parameters and the norm of the displacements at the free
scalars, as FEBio's own test suite states them, to its convergence tolerance of about 1e-8. The
deformation is uniform, so linear tets must reproduce it.
"""

from __future__ import annotations

import numpy as np
import pytest

from builders import box, nodal_forces, rollers, solid, solve
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import ActiveFibre, MooneyRivlin, MuscleTissue, NeoHookean
from vastus.model import Model, Muscle
from vastus.muscle import Density
from vastus.parts import Load, Pin
from vastus.state import State

# The cube of ma24 and mu03: x, y in [-0.5, 0.5], z in [0, 1], rollers on its low faces.
CUBE = TetMesh(box((1, 1, 1), (1.0, 1.0, 1.0)).X - [0.5, 0.5, 0.0], box((1, 1, 1), (1, 1, 1)).T)


def norm(model: Model, state: State) -> float:
    """The norm of the displacements that neither a pin holds nor a shift prescribes."""
    return float(np.linalg.norm((state.x - model.mesh.X)[~model.held]))


def stretches(model: Model, state: State) -> np.ndarray:
    """(3,) the stretches along the axes."""
    return np.ptp(state.x, axis=0) / np.ptp(model.mesh.X, axis=0)


def test_te01_a_single_tet_under_a_point_load() -> None:
    """Mooney-Rivlin c1 = 1, c2 = 0, k = 1000; vertex i slides along axis i; -0.5 on the top one."""
    X = np.vstack([np.zeros(3), np.eye(3)])
    slides = [Pin("corner", np.array([0]))]
    for axis in range(3):
        held = tuple(a != axis for a in range(3))
        slides.append(Pin(f"slide {axis}", np.array([axis + 1]), held))
    load = Load("weight", np.array([3]), np.ones(1), np.array([0.0, 0.0, -0.5]))
    tet = TetMesh(X, np.array([[0, 1, 2, 3]]))
    model = solid(tet, (MooneyRivlin(1.0, 0.0, 1000.0),), pins=tuple(slides), loads=(load,))
    state, _ = solve(model)
    assert norm(model, state) == pytest.approx(0.44268188785, rel=1e-7)
    wanted = [1.21446318, 1.21446318, 0.67754327]
    np.testing.assert_allclose(stretches(model, state), wanted, rtol=1e-7)


def test_ma24_a_cube_of_active_neo_hookean() -> None:
    """E = 1, v = 0.3, active stress sigma_a = T0/J (F n)(F n)^T with T0 = 0.5 along x."""
    model = solid(
        CUBE,
        (NeoHookean(1.0, 0.3), ActiveFibre()),
        pins=rollers(CUBE),
        muscles=(Muscle("body", strength=0.5, density=Density.UNIFORM),),
    )
    state, _ = solve(model, body=1.0)
    assert norm(model, state) == pytest.approx(0.61766348475, rel=1e-7)
    wanted = [0.723829154, 1.09774125, 1.09774125]
    np.testing.assert_allclose(stretches(model, state), wanted, rtol=1e-7)


def test_mu03_muscle_stretched_along_its_fibre() -> None:
    """G1 = G2 = 500, p1 = 0.05, p2 = 6.6, smax = 3e5, Lofl = 1, lam_max = 1.4, k = 1e7; u_x = 0.2.

    The Cauchy stress along the fibre is the force on the moved face over its present area.
    """
    law = MuscleTissue(G1=500.0, G2=500.0, p1=0.05, p2=6.6, Lofl=1.0, lam_max=1.4, smax=3e5, K=1e7)
    face = np.flatnonzero(CUBE.X[:, 0] == 0.5)
    pull = Pin("pull", face, (True, False, False), (0.2, 0.0, 0.0))
    model = solid(CUBE, (law,), pins=(*rollers(CUBE), pull))
    state, _ = solve(model)
    assert norm(model, state) == pytest.approx(0.244325959214, rel=1e-7)
    along, across, third = stretches(model, state)
    assert along == pytest.approx(1.2, rel=1e-14)
    np.testing.assert_allclose([across, third], 0.91361773, rtol=1e-7)
    force = nodal_forces(model, state)[face, 0].sum()
    assert force / (across * third) == pytest.approx(48984.424, rel=1e-5)
