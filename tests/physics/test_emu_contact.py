"""EMU with contact of its nearest mesh ends where Newton's method does, as its alpha grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from builders import WEIGHTLESS
from vastus.inputs import Inputs
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.modelling.shapes import elbow, fusiform
from vastus.parts import Contact, ContactKind
from vastus.reproduce.emu.paper import beside_itself
from vastus.solvers.emu.directions import ModeSpace, Woodbury
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.state import State, rest
from vastus.timeloop import Solver

pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")


def muscles() -> Model:
    """Two fusiform muscles side by side, 1.5 mm apart, between the same two bones."""
    one = fusiform(tets=1_000)
    return beside_itself(one, 0.0415).with_(gravity=WEIGHTLESS, contact=Contact())


def solved(solver: Solver, model: Model, *levels: float) -> State:
    stepper, state = solver.prepare(model), rest(model)
    for number, level in enumerate(levels):
        inputs = Inputs.rest(model, time=number + 1.0)
        excitation = np.full(len(model.muscles), level)
        state, report = stepper.step(state, replace(inputs, excitation=excitation))
        assert report.converged
    return state


def test_muscles_that_bulge_into_each_other_end_as_by_newton() -> None:
    model, level = muscles(), 0.05
    wanted = solved(Newton(), model, level)
    through = solved(Newton(), model.with_(contact=None), level)
    length = np.ptp(model.mesh.X, axis=0).max()
    assert max(p.depth for p in penetrations(model, through.x)) > 2e-4
    found = solved(Emu(alpha=1e3), model, level)
    assert not penetrations(model, found.x)
    assert np.abs(found.x - wanted.x).max() < 1e-3 * length


def test_modes_feel_the_stiffness_of_contact() -> None:
    """S of few modes has that of contact between their shapes."""
    model = muscles()
    stepper = Emu(alpha=1e2, direction=Woodbury()).prepare(model)
    modes = ModeSpace(stepper.space, 4)
    size, rng = 3 * model.mesh.n_vertices, np.random.default_rng(0)
    K = random_array((size, size), density=1e-3, rng=rng)
    K = csr_matrix(K + K.T)
    S = modes._touching(K)
    for m, axis in ((0, 1), (2, 0), (3, 2)):
        y = np.zeros((stepper.space.size, 3))
        y[:, axis] = modes.modes.shapes[:, m]
        moved = stepper.space.vertices(y).ravel()
        assert S[3 * m + axis, 3 * m + axis] == pytest.approx(moved @ (K @ moved), rel=1e-9)


def test_a_free_forearm_is_touched_as_by_newton() -> None:
    """As near to Newton's method as without contact."""
    model, errors = elbow(1_500), []
    for contact in (None, Contact(muscles=ContactKind.NONE, gap=4e-3)):
        own = model.with_(contact=contact)
        found = [solved(solver, own, 0.0, 0.1).x for solver in (Newton(), Emu(alpha=1e4))]
        errors.append(np.abs(found[1] - found[0]).max() / np.ptp(model.mesh.X, axis=0).max())
    assert errors[1] < 1.2 * errors[0] < 1e-3
