"""Friction: slopes of its energy, and Coulomb's law where bodies slide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import WEIGHTLESS, box, nodal_forces
from vastus.contact.barrier import BarrierContact
from vastus.contact.distance import DistanceContact
from vastus.contact.friction import BarrierFriction, BoneFriction, curvature, slope, smoothed
from vastus.contact.prepare import frictions
from vastus.energies.energy import Energy, Stiffness
from vastus.geometry.tetmesh import TetMesh, together
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Pin, Region, Tissue
from vastus.solvers.hessian import Hessian
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.energy_account import Account
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import State, rest

pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")

FRICTION = 0.3


def test_the_smoothed_way_has_its_derivatives() -> None:
    way, h = np.array([1e-6, 3e-5, 9e-5, 2e-4, 1e-3]), 1e-9
    ends = [smoothed(way + s * h, 1e-4) for s in (1, -1)]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), slope(way, 1e-4) * way, rtol=1e-5)
    ends = [slope(way + s * h, 1e-4) for s in (1, -1)]
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), curvature(way, 1e-4) * way, rtol=1e-4)


def slab(kind: ContactKind) -> Model:
    """A block of tissue on the floor, and above it a plate of bone, scripted, 0.2 mm away."""
    tissue = box((6, 6, 2), (0.03, 0.03, 0.01))
    plate = box((2, 2, 1), (0.08, 0.08, 0.02))
    above = TetMesh(plate.X + np.array([-0.025, -0.025, 0.0102]), plate.T)
    mesh = together(tissue, above)
    return Model(
        mesh,
        np.repeat([0, 1], [tissue.n_tets, plate.n_tets]),
        (
            Region("block", Tissue.PASSIVE, (NeoHookean(8e4, 0.3),)),
            Region("plate", Tissue.BONE),
        ),
        np.zeros((mesh.n_tets, 3)),
        bones=(Bone("plate", ("plate",), Drive.SCRIPTED),),
        pins=(Pin("floor", np.flatnonzero(tissue.X[:, 2] == 0)),),
        gravity=WEIGHTLESS,
        contact=Contact(bones=kind, gap=2e-4, pressure=8e4, friction=FRICTION),
    )


def dragged(model: Model, ways: list[float]) -> list[State]:
    """The plate pressed down by half a millimetre, then moved sideways to these places [m]."""
    stepper, state, states = Newton(tolerance=1e-9).prepare(model), rest(model), []
    for number, way in enumerate([0.0, *ways]):
        poses = Inputs.rest(model).poses.copy()
        poses[0, :, 3] = [way, 0.0, -7e-4]
        inputs = replace(Inputs.rest(model, time=number + 1.0), poses=poses)
        state, report = stepper.step(state, inputs)
        assert report.converged
        states.append(state)
    return states


@pytest.mark.parametrize("kind", [ContactKind.DISTANCE, ContactKind.BARRIER])
def test_what_slides_is_held_back_by_its_coefficient(kind: ContactKind) -> None:
    """|T| = m N where all points slide; N is that of the step before, which is the same here."""
    model = slab(kind)
    states = dragged(model, [1e-3, 2e-3, 3e-3, 4e-3])
    floor = model.pins[0].vertices
    force = np.array([nodal_forces(model, s)[floor].sum(axis=0) for s in states])
    across = np.linalg.norm(force[:, :2], axis=1)
    assert across[0] < 1e-2 * abs(force[0, 2])
    np.testing.assert_allclose(across[-1], FRICTION * abs(force[-1, 2]), rtol=0.02)
    assert across[1] < across[-1] * 1.05


def test_without_a_coefficient_there_is_no_friction() -> None:
    model = slab(ContactKind.DISTANCE)
    own = model.with_(contact=replace(model.contact, friction=0.0))
    force = nodal_forces(own, dragged(own, [2e-3])[-1])[own.pins[0].vertices].sum(axis=0)
    assert np.linalg.norm(force[:2]) < 1e-3 * abs(force[2])


@pytest.mark.parametrize("kind", [ContactKind.DISTANCE, ContactKind.BARRIER])
def test_forces_are_slopes_and_stiffness_theirs(kind: ContactKind) -> None:
    """With a free bone that is rubbed."""
    contact = Contact(bones=kind, gap=2.5e-2, pressure=1e5, friction=FRICTION)
    model = elbow(1_500).with_(contact=contact)
    problem, inputs = Problem(model, Reduction()), Inputs.rest(model)
    q = problem.driven(rest(model), inputs)
    rng = np.random.default_rng(2)
    if kind is ContactKind.DISTANCE:
        # At rest nothing is pushed: the start is one in which tissue was moved onto bones.
        shift = np.column_stack([-0.25 * q.x[:, :2], np.full(len(q.x), -0.12)])
        x = q.x + np.where(model.bone_of_vertex[:, None] < 0, shift, 0.0)
        q = problem.configure(x, q.poses)
    wanted = {
        ContactKind.DISTANCE: (DistanceContact, BoneFriction),
        ContactKind.BARRIER: (BarrierContact, BarrierFriction),
    }[kind]
    touching = [e for e in problem.energies if isinstance(e, wanted[0])]
    rubbing: list[Energy] = list(frictions(model, touching, q))
    assert len(rubbing) == 1
    assert isinstance(rubbing[0], wanted[1])
    alone = Equilibrium(problem, inputs)
    alone.energies = tuple(rubbing)
    size = len(alone.gradient(q))
    slid = alone.retract(q, 3e-4 * rng.standard_normal(size))
    g, d = alone.gradient(slid), rng.standard_normal(size)
    d /= np.linalg.norm(d)
    assert np.linalg.norm(g[: q.chart.size]) > 1e-4 * np.linalg.norm(g)
    h = 1e-7
    ends = [alone.retract(slid, s * h * d) for s in (1.0, -1.0)]
    rise = (alone.value(ends[0]) - alone.value(ends[1])) / (2 * h)
    assert abs(rise - g @ d) < 1e-6 * np.linalg.norm(g)
    stiffness = alone.stiffness

    def bare(q: Configuration, tangents, *, definite):  # type: ignore[no-untyped-def]
        tangents[:] = 0.0
        return stiffness(q, tangents, definite=definite)

    alone.stiffness = bare  # type: ignore[method-assign]
    change = (alone.gradient(ends[0]) - alone.gradient(ends[1])) / (2 * h)
    found, k = Hessian(problem).operator(alone, slid)(d), q.chart.size
    assert np.abs(found[k:] - change[k:]).max() < 1e-4 * np.abs(change[k:]).max()


def test_a_majorant_bounds_the_energy_of_what_slides() -> None:
    """E(x + d) <= E + g d + d K d / 2 for any d, which the second derivatives do not hold."""
    model = slab(ContactKind.DISTANCE)
    state = dragged(model, [2e-4])[-1]
    problem = Problem(model, Reduction())
    energy = next(iter(frictions(model, problem.contact, state)))
    rng, size = np.random.default_rng(4), state.x.size

    def at(x: Floats) -> Configuration:
        return Configuration(problem, x.reshape(-1, 3), state.poses)

    def risen(stiffness: Stiffness, here: Floats, way: Floats) -> float:
        """By how much the energy is above the parabola, over its value."""
        forces = problem.no_forces(at(here))
        energy.add_forces(at(here), forces)
        energy.add_stiffness(at(here), stiffness)
        K = stiffness.matrix(size)
        assert K is not None
        parabola = energy.value(at(here)) + forces.nodes.ravel() @ way + 0.5 * way @ (K @ way)
        return (energy.value(at(here + way)) - parabola) / energy.value(at(here))

    worst = {True: -np.inf, False: -np.inf}
    for start in 10.0 ** np.arange(-7, -2):
        slid = state.x.ravel() + start * rng.standard_normal(size)
        ways = [length * rng.standard_normal(size) for length in 10.0 ** np.arange(-7, -2)]
        for way in (*ways, *(-2 * (slid - state.x.ravel()),)):
            for majorant in worst:
                stiffness = Stiffness(np.zeros((0, 9, 9)), majorant=majorant)
                worst[majorant] = max(worst[majorant], risen(stiffness, slid, way))
    assert worst[True] < 1e-12
    assert worst[False] > 0.1


def test_what_turns_back_takes_few_steps() -> None:
    """A plate pressed hard is let go and pushed back: without a majorant it takes 34 steps."""
    model = slab(ContactKind.DISTANCE)
    stepper, state = Newton(tolerance=1e-9).prepare(model), rest(model)
    for number, (way, down) in enumerate([(0.0, 7e-4), (1e-3, 9e-4), (9e-4, 1.2e-3), (0, 5e-4)]):
        inputs = Inputs.rest(model, time=number + 1.0)
        inputs.poses[0, :, 3] = [way, 0.0, -down]
        state, report = stepper.step(state, inputs)
        assert report.converged
    assert report.substeps == 1
    assert report.iterations < 22


@pytest.mark.parametrize("friction", [pytest.param(0.0, marks=pytest.mark.slow), FRICTION])
def test_the_energy_that_a_plate_puts_in_is_stored_or_lost(friction: float) -> None:
    """Half the step: a quarter is missing, and with friction, which lags behind, half."""
    model = slab(ContactKind.DISTANCE)
    assert model.contact is not None
    model, lost = model.with_(contact=replace(model.contact, friction=friction)), []
    for step in (4e-3, 2e-3):
        stepper = Dynamic(step=step, viscosity=5e-3).prepare(model)
        state = stepper.begin(rest(model))
        for k in range(round(0.04 / step)):
            inputs = Inputs.rest(model, (k + 1) * step)
            part = 0.5 * (1 - np.cos(np.pi * inputs.time / 0.04))
            inputs.poses[0, :, 3] = [2e-3 * part, 0.0, -9e-4 * part]
            state = stepper.step(state, inputs)[0]
        account = Account.of(state.memory)
        assert account is not None
        lost.append(account.lost)
    assert account.error < (1e-2 if friction else 1e-3)
    assert lost[0] / lost[1] > (1.6 if friction else 3.0)
    assert account.contact > 1e-4
    assert account.drives > account.stored + account.friction
    assert (account.friction > 1e-3) == bool(friction)
