"""An affine motion of the boundary is an exact solution: Div P(A) = 0 for a uniform gradient A."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import box, inputs_of, shaken, solid
from vastus.materials import (
    ActiveFibre,
    FixedCorotated,
    MooneyRivlin,
    MuscleTissue,
    NeoHookean,
    StableNeoHookean,
)
from vastus.materials.base import Law
from vastus.parts import Pin
from vastus.solvers.newton import Newton
from vastus.state import rest

A = np.array([[1.15, 0.10, -0.05], [0.02, 0.90, 0.08], [0.06, -0.10, 1.05]])
OFFSET = np.array([0.01, -0.02, 0.03])


@pytest.mark.parametrize(
    "laws",
    [
        (StableNeoHookean(6e4, 0.45),),
        (NeoHookean(6e4, 0.3),),
        (FixedCorotated(6e4, 0.3),),
        (MooneyRivlin(1e4, 1e3, 1e5),),
        (MuscleTissue(K=1e5),),
        (StableNeoHookean(6e4, 0.45), ActiveFibre()),
    ],
    ids=lambda laws: "+".join(law.name for law in laws),
)
def test_an_affine_boundary_gives_an_affine_inside(laws: tuple[Law, ...]) -> None:
    """F = A in every tet of an irregular mesh, to 1e-10."""
    mesh = shaken(box((3, 3, 3), (0.1, 0.1, 0.1)), 0.006)
    shifts = mesh.X @ (A - np.eye(3)).T + OFFSET
    pins = tuple(
        Pin(f"pin {v}", np.array([v]), shift=tuple(shifts[v].tolist()))
        for v in np.unique(mesh.boundary)
    )
    model = solid(mesh, laws, pins=pins)
    strayed = replace(rest(model), x=shaken(mesh, 0.004, seed=1).X)
    inputs = inputs_of(model, body=0.5)
    state, report = Newton(tolerance=1e-12).prepare(model).step(strayed, inputs)
    assert report.iterations > 0
    np.testing.assert_allclose(state.x, mesh.X @ A.T + OFFSET, atol=1e-11)
    np.testing.assert_allclose(
        mesh.deformation(state.x), np.broadcast_to(A, (mesh.n_tets, 3, 3)), atol=1e-10
    )


def test_a_weightless_body_at_rest_needs_no_step() -> None:
    """P(I) = 0: the model as meshed is its own equilibrium."""
    mesh = box((2, 2, 2), (0.1, 0.1, 0.1))
    model = solid(mesh, (StableNeoHookean(6e4, 0.4999),), pins=(Pin("base", np.arange(9)),))
    state, report = Newton().prepare(model).step(rest(model), inputs_of(model))
    assert report.iterations == 0
    np.testing.assert_array_equal(state.x, mesh.X)
