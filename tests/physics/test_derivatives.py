"""Derivatives of equilibria: fields by the adjoint, closed forms, and where there are none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import vastus
from builders import PASSIVE, box, hinge, made, pair, rollers, solid
from vastus import Inputs, Model, Newton, Volume
from vastus.errors import ModelError, SolveError
from vastus.materials import StableNeoHookean
from vastus.measure.outputs import Outputs
from vastus.muscle import Density, ForceLength
from vastus.numerics.minimise import Rule, minimise
from vastus.numerics.types import Floats
from vastus.parts import Contact, ContactKind, Pin
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.influence import Influence
from vastus.sensitivity.parameters.paths import parameters_of
from vastus.sensitivity.slopes import slope_of
from vastus.sensitivity.stiffness import stiffness
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Equilibrium, Problem, Reduction
from vastus.state import State, rest

OUTPUTS = ("AB_angle_deg", "m_length_m", "m_stretch", "m_force_N")


def even(volume: Volume, follows: ForceLength = ForceLength.LOCAL) -> Model:
    """A pair whose fibres lie evenly, so that their density does not follow from the shape."""
    model = pair(hinge(), volume=volume)
    said = {"density": Density.UNIFORM, "force_length": follows}
    if follows is ForceLength.BELLY:
        laws = (StableNeoHookean(young=4e4, poisson=0.49),)
        regions = tuple(replace(r, laws=laws) if r.laws else r for r in model.regions)
        model = model.with_(regions=regions)
    return model.with_(muscles=tuple(replace(m, **said) for m in model.muscles))  # type: ignore[arg-type]


def state_of(model: Model, inputs: Inputs) -> State:
    return Newton(1e-9).prepare(model).step(rest(model), inputs)[0]


@cache
def equilibrium(volume: Volume, follows: ForceLength) -> StableEquilibrium:
    model = even(volume, follows)
    inputs = replace(Inputs.rest(model), excitation=np.array([0.3]))
    return StableEquilibrium(model, state_of(model, inputs))


KINDS = [
    (Volume.TET, ForceLength.LOCAL),
    (Volume.AVERAGED, ForceLength.LOCAL),
    (Volume.AVERAGED, ForceLength.BELLY),
]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("volume", "follows"), KINDS)
def test_fields_sum_to_the_derivatives_of_whole_muscles(volume, follows, output: str) -> None:
    """sum_e (dy/ds_e) s_e/s = dy/ds, and fibres that turn together are those of one turn."""
    here = equilibrium(volume, follows)
    model, field = here.model, Influence.of(here, slope_of(here, output))
    by = ["muscles.m.strength", "muscles.m.fibres.turn_z"]
    strength, turn = derivatives_at(here, by=by, of=[output]).J[0]
    assert field.strength() @ model.strength / 1e5 == pytest.approx(strength, rel=1e-8)
    turned = np.radians(1.0) * np.cross([0, 0, 1], model.fibre)
    assert (field.fibre() * turned).sum() == pytest.approx(turn, rel=1e-7)


@pytest.mark.parametrize("output", ["AB_angle_deg", "m_stretch"])
@pytest.mark.parametrize("volume", list(Volume))
def test_the_field_over_rest_places_is_that_of_single_vertices(volume, output: str) -> None:
    here = equilibrium(volume, ForceLength.LOCAL)
    owner = here.model.bone_of_vertex
    chosen = [np.flatnonzero(owner == k)[-1] for k in (-1, 0, 1)] + [np.flatnonzero(owner == 1)[0]]
    field = Influence.of(here, slope_of(here, output)).rest()[chosen]
    paths = [f"rest.{vertex}.{axis}" for vertex in chosen for axis in "xyz"]
    found = derivatives_at(here, by=paths, of=[output]).J.reshape(-1, 3)
    np.testing.assert_allclose(field, found, atol=1e-7 * np.abs(found).max())


def test_forces_of_tendons_at_the_end_of_their_toe_are_derived_exactly() -> None:
    """A tet of the tendon leaves its toe within 0.4 % of the modulus: its tangent has a kink there.

    Beside contact, whose points come and go, so that differences of equilibria must be fine too.
    """
    contact = Contact(muscles=ContactKind.NONE)
    model = vastus.shapes.elbow(tets=1500).with_(contact=contact)
    inputs = replace(Inputs.rest(model, 1.0), excitation=np.array([0.5, 0.1]))
    here = StableEquilibrium(model, state_of(model, inputs))
    path, names = "materials.tendon.modulus", ["elbow_angle_deg", "biceps_on_scapula_x_N"]
    found = derivatives_at(here, by=[path], of=names)
    parameter = parameters_of([path], model, here.inputs)[0]

    def outputs(change: float) -> Floats:
        varied, _ = parameter.varied(model, here.inputs, found.values[path] + change)
        problem = Problem(varied, Reduction())
        objective = NewtonObjective(problem, here.inputs, Hessian(problem))
        point = minimise(objective, problem.driven(here.state, here.inputs), Rule(1e-13, 40)).point
        row = Outputs(varied).of(point.state(here.inputs))
        return np.array([row[name] for name in names])

    h = 1e-3 * found.values[path]
    wide, fine = ((outputs(s) - outputs(-s)) / (2 * s) for s in (h, h / 2))
    np.testing.assert_allclose(found.J[:, 0], (4 * fine - wide) / 3, rtol=1e-7)


def test_outputs_of_several_muscles_may_be_asked_for_together() -> None:
    """One muscle's own slope beside another's column that is measured, in either order."""
    model = vastus.shapes.elbow(tets=1000).with_(contact=None)
    inputs = replace(Inputs.rest(model, 1.0), excitation=np.array([0.3, 0.1]))
    here = StableEquilibrium(model, state_of(model, inputs))
    by = ["inputs.activation.biceps", "materials.muscle.young", "muscles.triceps.force"]
    names = ["triceps_force_N", "biceps_on_scapula_x_N", "biceps_force_N", "triceps_on_forearm_x_N"]
    whole = derivatives_at(here, by=by)
    wanted = np.array([[whole[name, path] for path in by] for name in names])
    scale = np.abs(wanted).max(axis=1, keepdims=True)
    for chosen in (slice(0, 2), slice(2, 4), slice(0, 4)):
        found = derivatives_at(here, by=by, of=names[chosen])
        np.testing.assert_allclose(found.J / scale[chosen], wanted[chosen] / scale[chosen],
                                   atol=1e-7)  # fmt: skip
        assert list(found.outputs.values()) == pytest.approx(
            [whole.outputs[name] for name in names[chosen]], rel=1e-12
        )
    # As fits do, which measure no more than they need.
    few = Outputs(model).only(names[:1], here.state)
    found = derivatives_at(here, by=by, of=names[:1], usual=few)
    np.testing.assert_allclose(found.J / scale[:1], wanted[:1] / scale[:1], atol=1e-7)


def test_a_bar_that_is_pulled_has_the_stiffness_of_its_length() -> None:
    """F = E A ln... of a bar without lateral strain: dF/du = (lam + 2 mu) A / L at rest."""
    law = StableNeoHookean(young=6e4, poisson=0.3)
    mesh = box((4, 1, 1), (0.04, 0.01, 0.01))
    right = np.flatnonzero(mesh.X[:, 0] == mesh.X[:, 0].max())
    everywhere = Pin("sides", np.arange(mesh.n_vertices), (False, True, True))
    model = solid(
        mesh, (law,), pins=(*rollers(mesh)[:1], everywhere, Pin("end", right, (True, False, False)))
    )
    state = state_of(model, Inputs.rest(model))
    found = vastus.derivatives(model, state, by=["pins.end.shift.x"], of=["vertex_0_x_m"])
    assert found["vertex_0_x_m", "pins.end.shift.x"] == 0.0
    middle = int(np.argmin(np.abs(mesh.X - [0.02, 0.0, 0.0]).sum(axis=1)))
    name = f"vertex_{middle}_x_m"
    found = vastus.derivatives(model, state, by=["pins.end.shift.x"], of=[name])
    assert found[name, "pins.end.shift.x"] == pytest.approx(0.5, rel=1e-9)


def test_a_free_joint_is_as_stiff_as_it_is_when_it_is_driven() -> None:
    """1/(dq/dM) of a free hinge is dM/dq of the same hinge, driven to where it was."""
    model = pair(hinge())
    inputs = replace(Inputs.rest(model), excitation=np.array([0.3]))
    free = state_of(model, inputs)
    angle = StableEquilibrium(model, free).q.coordinates
    driven = state_of(model, replace(inputs, joints=angle))
    name = "AB_stiffness_Nm_per_rad"
    assert stiffness(model, free)[name] == pytest.approx(stiffness(model, driven)[name], rel=1e-7)


def test_a_muscle_is_as_stiff_as_two_lengths_of_it_say() -> None:
    model = pair(made("slider"))
    inputs = replace(Inputs.rest(model), excitation=np.array([0.3]))
    pulls, h = [], 1e-6
    for shift in (-h, h):
        state = state_of(model, replace(inputs, joints=np.array([shift])))
        row = vastus.measure.outputs.Outputs(model).of(state)
        pulls.append(np.array([row[f"m_on_B_{a}_N"] for a in "xyz"]))
    state = state_of(model, replace(inputs, joints=np.zeros(1)))
    axis = np.asarray(model.joints[0].direction)
    by = vastus.derivatives(
        model, state, by=["inputs.joints.joint"], of=["m_on_B_x_N", "m_on_B_y_N", "m_on_B_z_N"]
    )
    wanted = (pulls[1] - pulls[0]) / (2 * h)
    np.testing.assert_allclose(by.J[:, 0], wanted, atol=1e-5 * np.abs(wanted).max())
    assert stiffness(model, state)["m_stiffness_N_per_m"] > 0.3 * abs(wanted @ axis)


def pressed(part: float) -> tuple[Model, State]:
    """A slender bar between clamps that have come nearer by a part of its length, still straight.

    No minimiser stays on such a saddle: the roots of the forces are sought with the true Hessian.
    """
    mesh = box((16, 2, 2), (0.12, 0.01, 0.01))
    left, right = (np.flatnonzero(mesh.X[:, 0] == x) for x in (0.0, mesh.X[:, 0].max()))
    shift = (-0.12 * part, 0.0, 0.0)
    model = solid(mesh, PASSIVE, pins=(Pin("left", left), Pin("right", right, shift=shift)))
    problem, inputs = Problem(model, Reduction()), Inputs.rest(model)
    objective, hessian = Equilibrium(problem, inputs), Hessian(problem)
    start = replace(rest(model), x=mesh.X * [1 - part, 1.0, 1.0], memory={})
    q = problem.driven(start, inputs)
    for _ in range(8):
        g, multiply = objective.gradient(q), hessian.operator(objective, q)
        H = np.column_stack([multiply(e) for e in np.eye(len(g))])
        q = objective.retract(q, -np.linalg.solve(H, g))
    return model, q.state(inputs)


def test_an_unstable_equilibrium_is_refused() -> None:
    """A bar that is pressed beyond its buckling load, held straight by symmetry."""
    place = ["vertex_80_y_m"]
    assert vastus.derivatives(*pressed(0.01), by=["pins.right.shift.y"], of=place).J[0, 0] > 0
    with pytest.raises(SolveError, match="is not stable: its energy is no minimum"):
        vastus.derivatives(*pressed(0.2), by=["pins.right.shift.y"], of=place)


def test_a_state_that_is_no_equilibrium_is_refused() -> None:
    model = pair(hinge())
    state = state_of(model, Inputs.rest(model))
    bent = replace(state, x=state.x + 3e-2 * np.sin(300 * state.x[:, ::-1]))
    with pytest.raises(SolveError, match="is no equilibrium"):
        vastus.derivatives(model, bent, by=["gravity.z"])


def test_friction_and_motion_have_no_derivatives() -> None:
    model = pair(hinge())
    state = rest(model, velocity=(0.1, 0.0, 0.0))
    with pytest.raises(ModelError, match="one of a motion"):
        vastus.derivatives(model, state, by=["gravity.z"])


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("muscles.n.strength", r"no muscle 'n'; muscles: m \(like 'muscles.n.strength': muscles.m"),
        ("muscles.m.force", "has no 'force'; it has: strength"),
        ("materials.muscle.yung", "'muscle' has no parameter 'yung'; it has: poisson, young"),
        ("materials.tendon.young", "no material 'tendon'; materials: muscle, m"),
        ("inputs.joints.AB", "moves freely, so that its coordinate is an output"),
        ("strength", "no parameter 'strength'; parameters are called inputs.activation.name"),
        ("pins.left.shift.x", "no pin 'left'; pins: none"),
        ("muscles.m.attachments.C.x", "not attached to 'C'; it is to: A, B"),
    ],
)
def test_a_path_that_cannot_be_varied_is_told(path: str, said: str) -> None:
    model = pair(hinge())
    with pytest.raises(ModelError, match=said):
        vastus.derivatives(model, equilibrium(*KINDS[0]).state, by=[path])


def test_an_output_that_does_not_exist_is_told() -> None:
    here = equilibrium(*KINDS[0])
    with pytest.raises(ModelError, match="no output 'elbow'"):
        derivatives_at(here, by=["gravity.z"], of=["elbow"])
    with pytest.raises(ModelError, match="no output with a field of derivatives 'elbow'"):
        slope_of(here, "elbow")


def test_relative_derivatives_are_per_whole_parameter() -> None:
    found = derivatives_at(equilibrium(*KINDS[0]), by=["muscles.m.strength"], of=["AB_angle_deg"])
    assert found.relative[0, 0] == pytest.approx(1e5 * found.J[0, 0])
    assert found.rows()[0]["derivative"] == found["AB_angle_deg", "muscles.m.strength"]
    assert "d AB_angle_deg / d muscles.m.strength" in repr(found)
