"""A cantilever bent by an end load, against FElupe on the same tets."""

from __future__ import annotations

import warnings

import numpy as np

from builders import box, face_load, solid, solve
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import NeoHookean
from vastus.materials.base import lame
from vastus.numerics.types import Floats
from vastus.parts import Load, Pin

YOUNG, POISSON = 6e4, 0.4


def felupe_displacement(mesh: TetMesh, load: Load, steps: int = 5) -> Floats:
    """(n, 3) [m] for psi = mu/2 (I - 3) - mu ln J + lam/2 (ln J)^2, clamped at x = 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import felupe as fem

        region = fem.RegionTetra(fem.Mesh(mesh.X, mesh.T, "tetra"))
        field = fem.FieldContainer([fem.Field(region, dim=3)])
        mu, lam = lame(YOUNG, POISSON)
        body = fem.SolidBody(fem.NeoHookeCompressible(mu=mu, lmbda=lam), field)
        clamp = {"clamp": fem.Boundary(field[0], fx=0.0)}
        fixed, free = fem.dof.partition(field, clamp)
        for share in np.linspace(0, 1, steps + 1)[1:]:
            force = fem.PointLoad(field, load.vertices, share * np.outer(load.weights, load.force))
            fem.newtonrhapson(
                items=[body, force],
                dof0=fixed,
                dof1=free,
                ext0=fem.dof.apply(field, clamp, fixed),
                tol=1e-11,
                verbose=0,
            )
        return field[0].values.copy()


def test_a_strongly_bent_cantilever_agrees_with_felupe() -> None:
    """The tip sinks by a third of the length; displacements agree to 1e-9 of the largest."""
    mesh = box((10, 2, 2), (0.2, 0.03, 0.03))
    load = face_load(mesh, 0, np.array([0.0, 0.0, -0.3]))
    clamp = Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0))
    model = solid(mesh, (NeoHookean(YOUNG, POISSON),), pins=(clamp,), loads=(load,))
    state, _ = solve(model)
    other = felupe_displacement(mesh, load)
    assert np.abs(other[:, 2]).max() > 0.3 * 0.2
    np.testing.assert_allclose(state.x - mesh.X, other, atol=1e-9 * np.abs(other).max())
