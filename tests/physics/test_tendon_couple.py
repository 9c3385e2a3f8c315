"""The bent elbow: muscles and weight balance about the hinge, and tendons pull rather than bend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from builders import vertices_of
from vastus.energies.loads import external_force
from vastus.measure.fields import Fields, stretch
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.numerics.types import Floats
from vastus.schedules import from_arrays, ramp
from vastus.solvers.newton import Newton
from vastus.state import State
from vastus.timeloop import simulate

Bent = tuple[Model, State]


@dataclass(frozen=True)
class Pull:
    """What a muscle does to the forearm: its moment about the hinge, and the part that bends."""

    moment: float  # [N m]
    couple: float  # [N m] its moment about the middle of the insertion

    @property
    def lever(self) -> float:
        """Force times arm [N m]."""
        return self.moment - self.couple


@pytest.fixture(scope="module")
def bent() -> Bent:
    """The elbow flexed by some 70 degrees by its biceps; farther on, tendons turn at the bone."""
    model = elbow(3_000)
    *_, last = simulate(model, Newton(), ramp(model, biceps=0.15, seconds=1.0, fps=4))
    return model, last.state


def pull(bent: Bent, name: str) -> Pull:
    """What the muscle does, from its stresses alone; the hinge runs along x through the origin."""
    model, state = bent
    mesh, x = model.mesh, state.x
    P = Fields(model).stress(mesh.deformation(x), state)
    P[model.muscle_of_tet != model.muscle(name)] = 0.0
    f = np.zeros_like(x)
    np.add.at(f, mesh.T, -np.einsum("m,mij,maj->mai", mesh.volumes, P, mesh.gradients))
    pulled = vertices_of(model, "forearm")
    pulled = pulled[np.linalg.norm(f[pulled], axis=1) > 1e-9]
    arm, force = x[pulled], f[pulled]
    return Pull(about_x(arm, force), about_x(arm - arm.mean(axis=0), force))


def about_x(arm: Floats, force: Floats) -> float:
    return float(np.cross(arm, force)[:, 0].sum())


def weight_moment(bent: Bent) -> float:
    model, state = bent
    fore = vertices_of(model, "forearm")
    return about_x(state.x[fore], external_force(model)[fore])


def test_the_moments_of_muscles_and_weight_balance_about_the_hinge(bent: Bent) -> None:
    moments = [pull(bent, "biceps").moment, pull(bent, "triceps").moment, weight_moment(bent)]
    assert moments[0] > 1.0
    assert abs(sum(moments)) < 1e-6 * moments[0]


def test_the_biceps_turns_the_forearm_by_its_pull_and_not_by_bending_its_tendon(bent: Bent) -> None:
    biceps = pull(bent, "biceps")
    assert abs(biceps.couple) < 0.12 * biceps.lever


def test_bending_the_tendon_of_the_passive_triceps_costs_the_biceps_little(bent: Bent) -> None:
    """Against its own lever it is large: the tendon turns by a right angle where it inserts."""
    assert abs(pull(bent, "triceps").couple) < 0.12 * pull(bent, "biceps").lever


def test_a_tendon_under_full_force_stretches_by_a_few_per_cent_and_does_not_swell() -> None:
    model = elbow(3_000)
    levels = np.array([0.0, 0.5, 1.0])
    held = from_arrays(model, levels, {"biceps": levels}, joints={"elbow": np.zeros(3)})
    *_, last = simulate(model, Newton(), held)
    loose = np.flatnonzero((model.bone_of_vertex[model.mesh.T] < 0).any(axis=1))
    tets = np.intersect1d(model.tets_of(["biceps tendon"]), loose)
    F, weights = model.mesh.deformation(last.state.x)[tets], model.mesh.volumes[tets]
    strain = stretch(F, model.fibre[tets]) - 1
    assert 0.01 < np.average(strain, weights=weights) < 0.06
    assert abs(np.average(np.linalg.det(F), weights=weights) - 1) < 0.02
    assert np.linalg.det(F).max() < 1.2
