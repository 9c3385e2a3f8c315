"""Soft bodies kept apart by a barrier: slopes, closed forms, no way through, what is left out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from builders import WEIGHTLESS, box, face_load, heap, inputs_of
from vastus.contact.barrier import BarrierContact
from vastus.contact.detector import crossed, toolkit
from vastus.contact.prepare import barrier, usual_contact
from vastus.errors import MissingExtra, ModelError, SolveError
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.measure.contact_outputs import ContactOutputs
from vastus.measure.fields import Fields
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.parts import Contact, ContactKind, Load, Pin, Region, Tissue
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import State, rest

pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")

LAW = NeoHookean(8e4, 0.3)
BARRIER = Contact(bones=ContactKind.BARRIER)


def at(mesh: TetMesh, x: float, y: float, z: float) -> TetMesh:
    return TetMesh(mesh.X + np.array([x, y, z]), mesh.T)


def blocks(meshes: Sequence[TetMesh], **fields: object) -> Model:
    """Weightless passive blocks 'a', 'b' ... that are not connected."""
    return heap(*meshes, laws=(LAW,), **({"contact": Contact()} | fields))


def stacked(gap: float, cells: tuple[int, int] = (6, 4), pressure: float = 4e3) -> Model:
    """Two blocks of 20 x 20 x 10 mm one on the other, the upper pressed by a dead load."""
    lower = box((cells[0], cells[0], cells[0] // 2), (0.02, 0.02, 0.01))
    upper = at(box((cells[1], cells[1], cells[1] // 2), (0.02, 0.02, 0.01)), 0, 0, 0.01 + 0.8 * gap)
    model = blocks((lower, upper), contact=Contact(gap=gap, pressure=8e4))
    X, down = model.mesh.X, np.array([0.0, 0.0, -pressure * 4e-4])
    of_b = lower.n_vertices
    pushed = face_load(upper, 2, down)
    held = [Pin("floor", np.flatnonzero(X[:, 2] == 0), (False, False, True))]
    held += [
        Pin(f"{axis} of {name}", first + np.flatnonzero(mesh.X[:, k] == 0), _axes(k))
        for k, axis in enumerate("xy")
        for name, first, mesh in (("a", 0, lower), ("b", of_b, upper))
    ]
    load = Load("weight", pushed.vertices + of_b, pushed.weights, down)
    return model.with_(pins=tuple(held), loads=(load,))


def hinged(opening: float = 0.15) -> Model:
    """Two slabs of 30 x 10 x 10 mm that share an edge, the upper pressed down in its middle.

    They enclose an angle [rad], in which faces have no vertex but those within a ring of the edge,
    and at the far end.
    """
    slab = box((2, 2, 2), (0.03, 0.01, 0.01))
    c, s = np.cos(opening), np.sin(opening)
    turned = slab.X @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]).T + [0, 0, 0.01]
    both = np.concatenate([slab.X, turned])
    X, index = np.unique(np.round(both, 12), axis=0, return_inverse=True)
    T = index.reshape(-1)[np.concatenate([slab.T, slab.T + slab.n_vertices])]
    region = np.repeat([0, 1], slab.n_tets)
    upper = index.reshape(-1)[slab.n_vertices :]
    middle = upper[np.isclose(slab.X[:, 0], 0.015) & np.isclose(slab.X[:, 2], 0.01)]
    return Model(
        TetMesh(X, T).oriented(),
        region,
        tuple(Region(name, Tissue.PASSIVE, (LAW,)) for name in "ab"),
        np.zeros((len(T), 3)),
        pins=(Pin("floor", np.flatnonzero(X[:, 2] == 0)), Pin("press", middle)),
        gravity=WEIGHTLESS,
        contact=Contact(gap=5e-4, pressure=8e4),
    )


def test_bodies_that_share_an_edge_stay_out_of_each_other_beside_it() -> None:
    model = hinged()
    assert len(barrier(model).detector.left_out) == 0  # type: ignore[union-attr]
    stepper, state = Newton(tolerance=1e-8).prepare(model), rest(model)
    for down in (1e-3, 2e-3, 3e-3, 4e-3, 5e-3):
        shifts = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -down]])
        state, report = stepper.step(state, replace(Inputs.rest(model), shifts=shifts))
        assert report.converged
    assert penetrations(model, state.x) == ()
    row = ContactOutputs(model).of(state)
    assert row["a_b_contact_N"] > 1.0


def _axes(axis: int) -> tuple[bool, bool, bool]:
    return tuple(np.arange(3) == axis)  # type: ignore[return-value]


@pytest.mark.parametrize(("gap", "rms", "largest"), [(2e-4, 0.03, 0.08), (5e-5, 0.01, 0.03)])
def test_pressure_passes_between_blocks_of_unequal_meshes(
    gap: float, rms: float, largest: float
) -> None:
    """P_zz = -p in every tet, and exactly so in the mean of each block."""
    model = stacked(gap)
    state, report = Newton(tolerance=1e-9).prepare(model).step(rest(model), Inputs.rest(model))
    assert report.converged
    _, P = Fields(model).soft(state)
    stress, volumes = P[:, 2, 2], model.mesh.volumes
    for block in range(2):
        own = model.region == block
        mean = np.average(stress[own], weights=volumes[own])
        assert mean == pytest.approx(-4e3, rel=1e-6)
        spread = np.sqrt(np.average((stress[own] + 4e3) ** 2, weights=volumes[own]))
        assert spread < rms * 4e3
        assert np.abs(stress[own] + 4e3).max() < largest * 4e3


@pytest.fixture(scope="module")
def squeezed() -> tuple[Problem, Equilibrium, Configuration]:
    """An elbow with a barrier about all its bodies, wide enough to push its free forearm."""
    model = elbow(1_500).with_(contact=replace(BARRIER, gap=2.5e-2, pressure=1e5))
    problem = Problem(model, Reduction())
    inputs = Inputs.rest(model)
    x = problem.driven(rest(model), inputs).x.copy()
    soft = problem.unknowns.free
    x.reshape(-1)[soft] += 2e-5 * np.random.default_rng(3).standard_normal(len(soft))
    alone = Equilibrium(problem, inputs)
    alone.energies = tuple(e for e in alone.energies if isinstance(e, BarrierContact))
    return problem, alone, problem.configure(x, rest(model).poses)


def test_forces_are_slopes_with_a_free_bone(
    squeezed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    _, alone, q = squeezed
    g = alone.gradient(q)
    assert np.linalg.norm(g[: q.chart.size]) > 1e-3 * np.linalg.norm(g)
    rng = np.random.default_rng(5)
    for _ in range(4):
        d, h = rng.standard_normal(len(g)), 1e-8
        ends = [alone.value(alone.retract(q, s * h * d)) for s in (1.0, -1.0)]
        slope = (ends[0] - ends[1]) / (2 * h)
        assert abs(slope - g @ d) < 1e-7 * np.linalg.norm(g) * np.linalg.norm(d)


def test_the_stiffness_is_the_slope_of_the_forces(
    squeezed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    problem, alone, q = squeezed
    stiffness = alone.stiffness

    def bare(q, tangents, *, definite):  # type: ignore[no-untyped-def]
        tangents[:] = 0.0
        return stiffness(q, tangents, definite=definite)

    alone.stiffness = bare  # type: ignore[method-assign]
    multiply = Hessian(problem).operator(alone, q)
    k, rng = q.chart.size, np.random.default_rng(6)
    for _ in range(3):
        d = rng.standard_normal(len(alone.gradient(q)))
        d, h = d / np.linalg.norm(d), 1e-8
        ends = [alone.gradient(alone.retract(q, s * h * d)) for s in (1.0, -1.0)]
        slope, found = (ends[0] - ends[1]) / (2 * h), multiply(d)
        assert np.abs(found[k:] - slope[k:]).max() < 1e-5 * np.abs(slope[k:]).max()


def test_the_energy_is_never_negative() -> None:
    """Wherever bodies are that do not cross; some collision sets have negative weights."""
    model = blocks(
        [at(box((3, 3, 2), (0.03, 0.03, 0.02)), 0, 0, 0.021 * k) for k in range(2)],
        contact=Contact(gap=3e-3),
    )
    energy = barrier(model)
    assert energy is not None
    rng, X = np.random.default_rng(1), model.mesh.X
    problem = Problem(model, Reduction())
    least, pushed = 0.0, 0
    for _ in range(1_000):
        x = X + 4e-4 * rng.standard_normal(X.shape)
        value = energy.value(Configuration(problem, x, rest(model).poses))
        least, pushed = min(least, value), pushed + (value > 0)
    assert least == 0.0
    assert pushed > 900


def test_a_body_does_not_pass_through_another_in_one_long_step() -> None:
    """A block thrown through a thin one: the step ends before they touch."""
    thin = box((4, 4, 1), (0.04, 0.04, 0.002))
    model = blocks([thin, at(box((2, 2, 2), (0.01, 0.01, 0.01)), 0.013, 0.012, 0.01)])
    energy = barrier(model)
    assert energy is not None
    q = Configuration(Problem(model, Reduction()), model.mesh.X, rest(model).poses)
    shift = np.zeros_like(q.x)
    shift[thin.n_vertices :, 2] = -0.05
    part = energy.longest(q, shift)
    assert 0.0 < part * 0.05 < 0.008
    assert energy.longest(q, -shift) == 1.0


def test_a_muscle_between_others_presses_them_as_they_press_it() -> None:
    model = stacked(2e-4)
    state, _ = Newton().prepare(model).step(rest(model), Inputs.rest(model))
    row = ContactOutputs(model).of(state)
    # Facets lean a little, and the rollers at the sides take that up.
    assert row["a_b_contact_N"] == pytest.approx(4e3 * 4e-4, rel=1e-3)
    assert 0 < row["a_b_contact_distance_m"] < 2e-4
    assert 4e-4 < row["a_b_contact_m2"] < 6e-4  # a third of all faces about a vertex
    assert row["a_b_contact_Pa"] > 4e3
    assert not penetrations(model, state.x)


def test_what_overlaps_at_rest_is_left_out_with_its_neighbours() -> None:
    one = box((6, 6, 2), (0.06, 0.06, 0.02))
    dented = at(one, 0, 0, 0.021)
    X = dented.X.copy()
    corner = np.linalg.norm(X - X.min(axis=0), axis=1) < 5e-3
    X[corner, 2] -= 3e-3
    model = blocks([one, TetMesh(X, dented.T)])
    energy = barrier(model)
    assert energy is not None
    left = energy.detector.left_out
    assert 0 < len(left) < 0.2 * len(energy.detector.surfaces.vertex)
    q = Configuration(Problem(model, Reduction()), model.mesh.X, rest(model).poses)
    assert energy.value(q) == 0.0


def test_edges_cross_triangles() -> None:
    triangle = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    through = np.array([[0.2, 0.2, -1], [0.2, 0.2, 1]])
    beside = np.array([[0.8, 0.8, -1], [0.8, 0.8, 1]])
    above = np.array([[0.2, 0.2, 1], [0.2, 0.2, 2]])
    corners = np.stack([np.concatenate([edge, triangle]) for edge in (through, beside, above)])
    assert crossed(corners).tolist() == [True, False, False]


def test_muscles_side_by_side_stay_out_of_each_other() -> None:
    """Two bodies whose sides are driven into each other are pushed aside."""
    cells, size = (4, 4, 4), (0.02, 0.02, 0.02)
    one, other = box(cells, size), at(box((3, 3, 3), size), 0.0205, 0.003, 0.002)
    model = blocks([one, other])
    X = model.mesh.X
    far = [np.flatnonzero(X[:, 0] == extreme) for extreme in (X[:, 0].min(), X[:, 0].max())]
    pins = (Pin("left", far[0]), Pin("right", far[1], shift=(-0.006, 0.0, 0.0)))
    for contact, depth in ((None, 3e-3), (Contact(), 0.0)):
        own = model.with_(pins=pins, contact=contact)
        state, report = Newton().prepare(own).step(rest(own), inputs_of(own))
        assert report.converged
        found = max((p.depth for p in penetrations(own, state.x)), default=0.0)
        assert found > depth if contact is None else found == 0.0


def test_where_its_extra_is_missing_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scenes then have contact with bones alone."""
    monkeypatch.setitem(sys.modules, "ipctk", None)
    toolkit.cache_clear()
    try:
        assert usual_contact().muscles is ContactKind.NONE
        with pytest.raises(MissingExtra, match=r"'ipctk': pip install 'vastus\[contact\]'"):
            barrier(stacked(2e-4))
    finally:
        toolkit.cache_clear()


def test_a_start_in_which_bodies_lie_in_each_other_is_refused_by_name() -> None:
    model = stacked(2e-4)
    x = model.mesh.X.copy()
    x[model.mesh.T[model.region == 1], 2] -= 2e-3
    sunk = State.still(0.0, x, rest(model).poses, np.zeros(0), {})
    with pytest.raises(SolveError, match=r"'b' and 'a' lie in each other by 1\.8 mm"):
        Newton().prepare(model).step(sunk, Inputs.rest(model))


@pytest.mark.parametrize("folds", [False, True])
def test_a_body_that_folds_over_meets_itself_if_that_is_asked_for(folds: bool) -> None:
    """A clip whose upper leg is pressed down: it passes through the lower one unless it may not."""
    bar = box((24, 2, 2), (0.24, 0.01, 0.01))
    s = bar.X[:, 0]  # along the bar that the clip is bent from: leg, bend, leg
    turn, out = np.pi * np.clip((s - 0.1) / 0.04, 0, 1), 0.04 / np.pi + bar.X[:, 2]
    along = np.minimum(s, 0.1) - np.maximum(s - 0.14, 0) + out * np.sin(turn)
    X = np.column_stack([along, bar.X[:, 1], -out * np.cos(turn)])
    lower, upper = np.flatnonzero(s < 0.1), np.flatnonzero(s > 0.18)
    straight = Pin("straight", np.flatnonzero(bar.X[:, 1] == 0.005), (False, True, False))
    load = Load("press", upper, np.full(len(upper), 1 / len(upper)), np.array([0.0, 0.0, -0.4]))
    model = blocks(
        [TetMesh(X, bar.T).oriented()],
        pins=(Pin("lower", lower), straight),  # else it may slip off sideways
        loads=(load,),
        contact=Contact(folds=folds),
    )
    state, report = Newton().prepare(model).step(rest(model), inputs_of(model))
    assert report.converged
    between = state.x[upper, 2].min() - state.x[lower, 2].max()
    assert between > 0 if folds else between < -0.01


def test_folds_need_a_barrier() -> None:
    with pytest.raises(ModelError, match="'folds' needs 'muscles: barrier'"):
        Contact(muscles=ContactKind.NONE, folds=True)


def test_kinds_of_contact_may_be_given_by_name() -> None:
    assert Contact(bones="barrier").bones is ContactKind.BARRIER  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="contact has bones of kind 'soft'; kinds: distance"):
        Contact(bones="soft")  # type: ignore[arg-type]


def test_a_misspelt_body_is_not_left_alone_silently() -> None:
    model = elbow(tets=1_500).with_(contact=Contact(exclude=(("biceps", "scapular"),)))
    with pytest.raises(ModelError, match="no body 'scapular'; bodies: humerus"):
        Newton().prepare(model)


def test_pairs_kept_for_a_little_room_are_all_that_the_toolkit_finds() -> None:
    model = stacked(5e-4)
    contact, X = barrier(model), model.mesh.X
    assert contact is not None
    mesh = contact.detector.mesh
    for way in np.linspace(0.0, 0.015, 25):  # [m] further than there is room for at first
        shift = (X[:, 2] > 0.01)[:, None] * [way, 0, -2e-4]
        q = Configuration(Problem(model, Reduction()), X + shift, rest(model).poses)
        x = contact.detector.place(q.x)
        found = toolkit().NormalCollisions()
        found.use_area_weighting = True
        found.build(mesh, x, contact.gap)
        energy = contact.potential(found, mesh, x)
        assert energy > 0
        assert contact.value(q) == pytest.approx(energy, rel=1e-12)
        down = np.where(shift != 0, [0, 0, -2e-3], 0.0)
        end = contact.detector.place(q.x + down)
        ccd = toolkit().AdditiveCCD()
        free = toolkit().compute_collision_free_stepsize(mesh, x, end, narrow_phase_ccd=ccd)
        assert 0 < free < 1
        assert contact.longest(q, down) == pytest.approx(free, rel=1e-9)
