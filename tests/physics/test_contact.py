"""Contact: forces are slopes of the energy, bodies stay out of bones, closed forms hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.contact.distance import DistanceContact, Pushed, Touch
from vastus.energies.energy import Stiffness
from vastus.inputs import Inputs
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.modelling.shapes import elbow
from vastus.parts import Contact
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import rest


@pytest.fixture(scope="module")
def pressed() -> tuple[Problem, Equilibrium, Configuration]:
    """An elbow whose soft tissue was moved onto its bones, of which the forearm is free."""
    model = elbow(2_000).with_(contact=Contact(gap=2e-3, pressure=1e6))
    problem = Problem(model, Reduction())
    inputs = Inputs.rest(model)
    q = problem.driven(rest(model), inputs)
    x = q.x.copy()
    rng = np.random.default_rng(3)
    soft = problem.unknowns.free
    x.reshape(-1)[soft] += 1e-3 * rng.standard_normal(len(soft))
    # The bellies are pushed inward and down, so that they lie in humerus and forearm.
    shift = np.column_stack([-0.25 * x[:, :2], np.full(len(x), -0.12)])
    x += np.where(model.bone_of_vertex[:, None] < 0, shift, 0.0)
    return problem, Equilibrium(problem, inputs), problem.configure(x, q.poses)


def contact_of(objective: Equilibrium) -> DistanceContact:
    return next(e for e in objective.energies if isinstance(e, DistanceContact))


def test_a_free_bone_is_touched(pressed: tuple[Problem, Equilibrium, Configuration]) -> None:
    problem, objective, q = pressed
    energy = contact_of(objective)
    free = [
        len(touch.rows)
        for obstacle, touch in zip(energy.obstacles, energy.touches(q), strict=True)
        if problem.model.bones[obstacle.bone].name == "forearm"
    ]
    assert free[0] > 20


def only(problem: Problem, objective: Equilibrium) -> Equilibrium:
    alone = Equilibrium(problem, Inputs.rest(problem.model))
    alone.energies = (contact_of(objective),)
    return alone


def test_forces_are_slopes_with_a_free_bone_in_contact(
    pressed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    problem, objective, q = pressed
    alone = only(problem, objective)
    g = alone.gradient(q)
    rng = np.random.default_rng(5)
    for _ in range(4):
        d = rng.standard_normal(len(g))
        h = 1e-7
        slope = (alone.value(alone.retract(q, h * d)) - alone.value(alone.retract(q, -h * d))) / (
            2 * h
        )
        assert abs(slope - g @ d) < 1e-7 * np.linalg.norm(g) * np.linalg.norm(d)
    bones = q.chart.size
    assert np.linalg.norm(g[:bones]) > 1e-3 * np.linalg.norm(g)


def test_the_stiffness_is_the_slope_of_the_forces(
    pressed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    problem, objective, q = pressed
    alone = only(problem, objective)
    hessian = Hessian(problem)
    # Room of the tets: theirs are not of this energy.
    multiply = hessian.operator(_without_tissue(alone), q)
    rng = np.random.default_rng(6)
    for _ in range(3):
        d = rng.standard_normal(len(alone.gradient(q)))
        d /= np.linalg.norm(d)
        h = 1e-8
        ends = [alone.gradient(alone.retract(q, s * h * d)) for s in (1.0, -1.0)]
        slope = (ends[0] - ends[1]) / (2 * h)
        k = q.chart.size
        found = multiply(d)
        size = np.abs(slope[k:]).max()
        assert np.abs(found[k:] - slope[k:]).max() < 1e-5 * size
        # Bone coordinates are those of the chart at q, around which the forces elsewhere turn.
        assert abs(d[:k] @ found[:k] - d[:k] @ slope[:k]) < 1e-3 * abs(d @ found)


def test_points_of_a_face_add_up_to_what_each_has(
    pressed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    """Blocks between vertices and by poses, against a sum over points one by one."""
    problem, objective, q = pressed
    energy, rng = contact_of(objective), np.random.default_rng(5)
    free, posed = list(problem.skeleton.free), 0
    for pushed in energy.pushed(q):
        rows, faces = pushed.touch.rows, pushed.obstacle.faces
        assert 0 < len(faces.groups(rows)) < len(rows)
        K = rng.standard_normal((len(rows), 3, 3))
        K = K + K.transpose(0, 2, 1)
        turning = rng.standard_normal(len(rows))
        found, single = (Stiffness(np.zeros((0, 9, 9))) for _ in range(2))
        energy.add_blocks(pushed, K, found, turning)
        for k in range(len(rows)):
            one = Touch(*(field[k : k + 1] for field in pushed.touch))
            alone = Pushed(pushed.obstacle, one, q)
            energy.add_blocks(alone, K[k : k + 1], single, turning[k : k + 1])
        A, B = (s.matrix(q.x.size) for s in (found, single))
        assert A is not None
        assert B is not None
        assert abs(A - B).max() < 1e-12 * abs(B).max()
        if pushed.obstacle.bone not in free:
            assert found.posed() is None
            continue
        posed += 1
        for a, b in zip(found.posed() or (), single.posed() or (), strict=True):
            assert abs(a - b).max() < 1e-12 * abs(b).max()
    assert posed


def test_boxes_leave_out_only_what_touches_nothing(
    pressed: tuple[Problem, Equilibrium, Configuration],
) -> None:
    """Against the distances of all points, with a bone far from some bodies and one that gives."""
    _, objective, q = pressed
    bent = np.diag([1.02, 0.97, 1.01]) @ q.poses[0]
    left_out = 0
    for obstacle in contact_of(objective).obstacles:
        faces, everything = obstacle.faces, np.arange(len(obstacle.start))
        for pose in (q.poses[obstacle.bone], bent, bent + [[0, 0, 0, 0.1]] * 3):
            place = (faces.points(q.x, everything) - pose[:, 3]) @ pose[:, :3]
            phi, _, _ = obstacle.field.at(place, obstacle.start)
            rows = obstacle.field.near(faces, q.x, pose, obstacle.start, obstacle.reach)
            assert set(np.flatnonzero(np.isfinite(phi))) <= set(rows)
            left_out += int((~obstacle.field.beside(faces, q.x, pose)).sum())
    assert left_out > 0


def _without_tissue(objective: Equilibrium) -> Equilibrium:
    stiffness = objective.stiffness

    def bare(q: Configuration, tangents: np.ndarray, *, definite: bool):  # type: ignore[no-untyped-def]
        tangents[:] = 0.0
        return stiffness(q, tangents, definite=definite)

    objective.stiffness = bare  # type: ignore[method-assign]
    return objective


@pytest.mark.slow  # EMU has a quick one, and closed forms are quick
def test_a_muscle_slides_on_its_bone_instead_of_through_it() -> None:
    model = elbow(3_000)
    depths = []
    for contact in (None, Contact()):
        own = model.with_(contact=contact)
        stepper, state = Newton().prepare(own), rest(own)
        for level in (0.0, 0.2, 0.5):
            excitation = np.array([0.0, level])
            inputs = replace(Inputs.rest(own, time=level + 1.0), excitation=excitation)
            state, _ = stepper.step(state, inputs)
        found = [p.depth for p in penetrations(own, state.x) if "triceps" in (p.one, p.other)]
        depths.append(max(found, default=0.0))
    assert depths[0] > 5e-3
    assert depths[1] < 7e-4  # 6 mm of edge on a bone of 12 mm: chords, not pressure


def test_nothing_is_pushed_at_rest() -> None:
    model: Model = elbow(2_000).with_(contact=Contact(gap=5e-3))
    problem = Problem(model, Reduction())
    objective = Equilibrium(problem, Inputs.rest(model))
    q = problem.driven(rest(model), Inputs.rest(model))
    assert contact_of(objective).value(q) == 0.0
