"""Tets whose volume is left to patches are never turned inside out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import pair
from vastus import Newton, shapes
from vastus.energies.collapse import Collapse
from vastus.energies.elastic import TissueEnergy
from vastus.energies.loads import external_force
from vastus.energies.volume import AveragedVolume
from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.parts import Load, Volume
from vastus.schedules import ramp
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import rest
from vastus.timeloop import simulate


def ratios(model: Model, x: np.ndarray) -> np.ndarray:
    """The volume ratios of the soft tets."""
    F = np.einsum("eai,eaj->eij", x[model.mesh.T[model.soft]], model.mesh.gradients[model.soft])
    return np.linalg.det(F)


def flattened(model: Model, part: float) -> np.ndarray:
    """The vertices with a corner of the first soft tet moved, so that the tet has so much left."""
    x = model.mesh.X.copy()
    corner, *base = model.mesh.T[model.soft[0]]
    foot = x[base[0]]
    normal = np.cross(x[base[1]] - foot, x[base[2]] - foot)
    normal /= np.linalg.norm(normal)
    height = (x[corner] - foot) @ normal
    x[corner] -= (1 - part) * height * normal
    return x


@pytest.mark.parametrize("part", [0.19, 0.05, 1e-3])
def test_the_energy_is_that_of_the_flat_tets(part: float) -> None:
    """V K j^2 b(J / j) of each tet that is below j = 0.2, and the bulk modulus that it left."""
    model = pair().with_(volume=Volume.AVERAGED)
    x = flattened(model, part)
    J = ratios(model, x)
    flat = J < 0.2
    assert flat.any()
    assert np.isclose(J[0], part)
    young, poisson = 6e4, 0.45  # the law of `pair`
    mu, lam = young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    found = Collapse(model).value(Configuration(Problem(model, Reduction()), x, rest(model).poses))
    u = J[flat] / 0.2
    shape = -((u - 1) ** 2) * np.log(u)
    volumes = model.mesh.volumes[model.soft][flat]
    least, most = (K * 0.04 * float(volumes @ shape) for K in (0.5 * lam, lam + mu))
    assert least < found < most


@pytest.mark.parametrize("part", [1.0, 0.19, 0.05])
def test_the_stress_told_pulls_as_the_tissue_does(part: float) -> None:
    """Sum of V P grad N over tets is the force on vertices, also where one of them is flat."""
    model = pair().with_(volume=Volume.AVERAGED)
    x, problem = flattened(model, part), Problem(model, Reduction())
    state = replace(rest(model), x=x)
    assert ((ratios(model, x) < 0.2).any()) == (part < 0.2)
    _, P = Fields(model).soft(state)
    V, B = model.mesh.volumes[model.soft], model.mesh.gradients[model.soft]
    told = np.zeros_like(x)
    np.add.at(told, model.mesh.T[model.soft], np.einsum("e,eij,eaj->eai", V, P, B))
    q = Configuration(problem, x, state.poses)
    forces = problem.no_forces(q)
    for energy in problem.energies:
        if isinstance(energy, (TissueEnergy, AveragedVolume, Collapse)):
            energy.add_forces(q, forces)
    np.testing.assert_allclose(told, forces.nodes, atol=1e-12 * np.abs(told).max())


def test_moments_told_carry_a_forearm_whose_muscle_is_pressed_flat() -> None:
    """sum_muscles M + sum x x m g . axis = 0 over what turns, at full activation."""
    model = shapes.elbow(tets=2000).with_(contact=None)
    inputs = list(ramp(model, biceps=1.0, seconds=1, fps=3))
    *_, frame = simulate(model, Newton(), inputs)
    state, (joint,) = frame.state, model.joints
    assert ratios(model, state.x).min() < 0.2
    turning = model.bone_of_vertex == model.bone(joint.bones[1])
    upper = state.poses[model.bone(joint.bones[0])]
    centre, axis = upper[:, :3] @ joint.centre + upper[:, 3], upper[:, :3] @ joint.direction
    weight = np.cross(state.x[turning] - centre, external_force(model)[turning]).sum(axis=0) @ axis
    told = Outputs(model).of(state)
    muscles = sum(told[f"{m.name}_{joint.name}_moment_Nm"] for m in model.muscles)
    assert abs(weight) > 1.0
    assert muscles == pytest.approx(-weight, rel=1e-6), frame.report.sentence


def test_what_is_turned_inside_out_has_no_energy_whatever_it_left_to_its_patch() -> None:
    """Also of a law without a bulk modulus: infinite, and no warning of a product with zero.

    The stress that is told of it is that of its other energies.
    """
    model = pair().with_(volume=Volume.AVERAGED)
    collapse = Collapse(model)
    F = np.tile(np.eye(3), (len(model.soft), 1, 1))
    F[3, 0, 0] = -0.1
    P = np.zeros_like(F)
    collapse.add_stress(F, P)
    assert not P.any()
    collapse._bulk[:] = 0.0
    with np.errstate(all="raise"):
        energies = collapse.energy(F)
    assert np.flatnonzero(np.isinf(energies)).tolist() == [3]


def test_nothing_starts_from_an_inverted_tet() -> None:
    model = pair().with_(volume=Volume.AVERAGED)
    state = replace(rest(model), x=flattened(model, -0.1))
    name = model.regions[model.region[model.soft[0]]].name
    with pytest.raises(SolveError, match=rf"tet {model.soft[0]} of '{name}' is inverted"):
        Newton().prepare(model).step(state, Inputs.rest(model, time=1.0))


@pytest.mark.slow  # hundreds of iterations on the way to a very large load
def test_a_corner_that_is_pressed_hard_stays_upright() -> None:
    """64 N on one vertex of a soft bar: without the resistance one tet of it is inverted."""
    bar = shapes.bar(tets=1000)
    X = bar.mesh.X
    top = np.flatnonzero(X[:, 2] > X[:, 2].max() - 1e-9)
    vertex = top[np.argmin(np.linalg.norm(X[top] - X[top].mean(axis=0), axis=1))]
    push = Load("push", np.array([vertex]), np.array([1.0]), np.array([0.0, 0.0, -64.0]))
    model = bar.with_(gravity=np.zeros(3), loads=(push,))
    state, report = Newton().prepare(model).step(rest(model), Inputs.rest(model, time=1.0))
    assert report.converged
    assert 0.05 < ratios(model, state.x).min() < 0.2


def test_a_bipennate_muscle_lifts_its_weight_without_pressing_tets_flat() -> None:
    """Muscle above the cord was pressed flat at the edges of the sheets, where nothing held it."""
    model = shapes.bipennate(4_000)
    hung = np.unique(model.mesh.T[model.tets_of(["lower"])])
    weight = Load("weight", hung, np.full(len(hung), 1 / len(hung)), np.array([0.0, 0, -100]))
    model = model.with_(loads=(weight,))
    inputs = ramp(model, belly=1.0, seconds=1, fps=4)
    least = [ratios(model, f.state.x).min() for f in simulate(model, QuasiNewton(), inputs)]
    assert min(least) > 0.2
