"""EMU with contact ends where Newton's method does: by the energy of its nearest mesh as alpha
grows, by collision forces to within the gap that a barrier keeps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array

from builders import WEIGHTLESS
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.modelling.gallery.contacting import beside_itself
from vastus.modelling.shapes import elbow, fusiform
from vastus.numerics.minimise import Rule
from vastus.parts import Contact, ContactKind
from vastus.solvers.emu.baselines import Uncoupled
from vastus.solvers.emu.collisions import Collisions, Start, resolve
from vastus.solvers.emu.directions import (
    ModeSpace,
    Woodbury,
    hessian_of,
)
from vastus.solvers.emu.emu import Emu, EmuContact
from vastus.solvers.emu.pieces import final_mesh
from vastus.solvers.newton import Newton
from vastus.state import State, rest
from vastus.timeloop import Solver

pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")
PAPER = Emu(alpha=1e3, contact=EmuContact.PAPER)


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
    # Collision forces let bodies in by little, where the barrier keeps them 0.8 mm apart.
    pushed = solved(PAPER, model, level)
    assert 0.0 < max(p.depth for p in penetrations(model, pushed.x)) < 5e-5
    assert np.abs(pushed.x - wanted.x).max() < 5e-3 * length < np.abs(through.x - pushed.x).max()


def test_collision_forces_are_as_large_as_the_depths_that_they_leave() -> None:
    """The law of the penalty, f = k d, at rest; forces and moments of all of them cancel."""
    model = muscles()
    stepper = PAPER.prepare(model)
    inputs = replace(Inputs.rest(model, time=1.0), excitation=np.full(2, 0.05))
    collisions = Collisions(model)
    under = partial(stepper.energy, rest(model), inputs, stepper.alpha)
    hessian = hessian_of(stepper._direction)
    start = Start(stepper._gradients(rest(model)), collisions.none, hessian)
    energy, found = resolve(under, start, collisions, Rule(1e-6, 50))
    assert found.converged
    x = final_mesh(energy, found.point).x
    touching = collisions.at(x, collisions.none.sizes)
    force = touching.force(touching.depth / touching.compliance)
    applied = energy.external  # there is no weight
    assert np.linalg.norm(applied) > 0.05
    assert np.linalg.norm(force - applied) < 0.05 * np.linalg.norm(applied)
    np.testing.assert_allclose(applied.sum(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(np.cross(x, applied).sum(axis=0), 0.0, atol=1e-5)


def test_collision_forces_take_the_papers_direction() -> None:
    """It stops by the change of the energy, at a small alpha, as in the paper."""
    model = muscles()
    paper = Emu(10.0, Woodbury(), paper_stop=1e-3, contact=EmuContact.PAPER)
    found = solved(paper, model, 0.02)
    assert max((p.depth for p in penetrations(model, found.x)), default=0.0) < 5e-5


def test_collision_forces_need_the_hessian_of_the_mesh() -> None:
    with pytest.raises(ModelError, match="couples elements by the mesh"):
        Emu(10.0, Uncoupled(blocks=True, memory=5), contact=EmuContact.PAPER).prepare(muscles())


@pytest.mark.parametrize(
    ("contact", "sentence"),
    [(Contact(friction=0.3), "no friction"), (Contact(folds=True), "folds")],
)
def test_what_collision_forces_do_not_know_is_refused(contact: Contact, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        PAPER.prepare(muscles().with_(contact=contact))


def test_bodies_that_start_in_each_other_are_pushed_apart() -> None:
    """A barrier would refuse them."""
    model = beside_itself(fusiform(tets=1_000), 0.039).with_(gravity=WEIGHTLESS, contact=Contact())
    assert max(p.depth for p in penetrations(model, model.mesh.X)) > 4e-4
    found = solved(PAPER, model, 0.0)
    assert max((p.depth for p in penetrations(model, found.x)), default=0.0) < 5e-5


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


@pytest.mark.slow  # the quick ones push a muscle off a bone, and two off each other
def test_a_free_forearm_is_touched_as_by_newton() -> None:
    """As near to Newton's method as without contact, where that is no stiffer than tissue."""
    model, errors = elbow(1_500), []
    for contact in (None, Contact(muscles=ContactKind.NONE, gap=4e-3, pressure=3e5)):
        own = model.with_(contact=contact)
        found = [solved(solver, own, 0.0, 0.1).x for solver in (Newton(), Emu(alpha=1e4))]
        errors.append(np.abs(found[1] - found[0]).max() / np.ptp(model.mesh.X, axis=0).max())
    assert errors[1] < 1.2 * errors[0] < 1e-3


def test_a_muscle_is_pushed_off_a_bone_as_by_newton() -> None:
    """Depths by both are those of coarse faces on a round bone."""
    model = elbow(1_500).with_(contact=Contact())
    wanted, found = (solved(solver, model, 0.1) for solver in (Newton(), PAPER))
    through = solved(Newton(), model.with_(contact=None), 0.1)
    depths = [penetrations(model, state.x)[0].depth for state in (through, found)]
    assert depths[0] > 3e-3
    assert depths[1] < 5e-4
    apart = np.abs(found.x - wanted.x).max() / np.ptp(model.mesh.X, axis=0).max()
    assert apart < 1e-2
