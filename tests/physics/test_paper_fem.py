"""The finite elements of EMU's paper: the same equilibrium, reached more slowly."""

from __future__ import annotations

import numpy as np
import pytest

from builders import inputs_of
from vastus import shapes
from vastus.solvers.emu.baselines import paper_fem
from vastus.solvers.newton import Newton
from vastus.state import rest


@pytest.mark.slow
def test_projected_newton_with_affine_bones_finds_the_same_equilibrium() -> None:
    """The bones' elasticity leaves a difference of muscle over bone stiffness, here 1e-4."""
    model = shapes.fusiform(tets=1200)
    inputs = inputs_of(model, belly=0.2)
    exact, report = Newton().prepare(model).step(rest(model), inputs)
    state, slow = paper_fem(young=1e9, tolerance=1e-6).prepare(model).step(rest(model), inputs)
    apart = np.linalg.norm(state.x - exact.x, axis=1).max()
    assert apart < 1e-4 * np.ptp(model.mesh.X, axis=0).max()
    assert slow.iterations > report.iterations


def test_it_needs_no_bones() -> None:
    model = shapes.bar(tets=1100).with_(gravity=np.zeros(3))
    inputs = inputs_of(model, **{model.muscles[0].name: 0.3})
    exact, _ = Newton().prepare(model).step(rest(model), inputs)
    state, _ = paper_fem().prepare(model).step(rest(model), inputs)
    np.testing.assert_allclose(state.x, exact.x, atol=1e-7)
