"""What every registered joint must satisfy, with rigid and with affine bones."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from scipy.linalg import null_space

from builders import WEIGHTLESS, inputs_of, pair
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import JOINTS, Joint
from vastus.skeleton.rigid import Rigid
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import rest

GIVEN = {
    "name": "joint",
    "bones": ("A", "B"),
    "centre": np.array([0.12, 0.015, -0.03]),
    "axis": np.array([0.3, 2.0, -0.2]),
}
REDUCTIONS = {
    "rigid": Reduction(Rigid()),
    "affine": Reduction(Affine(young=1e6)),
    "tied": Reduction(Rigid(), joint_stiffness=1e4),
}


def made(kind: str) -> Joint:
    """A joint of a kind, with the fields that it has."""
    wanted = {f.name for f in fields(JOINTS[kind])}
    return JOINTS[kind](**{name: value for name, value in GIVEN.items() if name in wanted})


@pytest.fixture(params=sorted(JOINTS))
def joint(request: pytest.FixtureRequest) -> Joint:
    """A joint of each kind."""
    return made(request.param)


@pytest.fixture(params=sorted(REDUCTIONS))
def reduction(request: pytest.FixtureRequest) -> Reduction:
    """Each way to describe bones and joints."""
    return REDUCTIONS[request.param]


def strayed(problem: Problem, model: Model, far: float = 0.01) -> Configuration:
    """A configuration away from rest, its joints closed; bones have moved by about `far` [m]."""
    rng = np.random.default_rng(0)
    x = model.mesh.X + 0.05 * far * rng.standard_normal(model.mesh.X.shape)
    start = problem.place(x, rest(model).poses)
    return problem.configure(x, start.chart.move(far * rng.standard_normal(start.chart.size)))


def test_the_shared_points_scale_with_the_span(joint: Joint) -> None:
    once, twice = joint.points(0.1), joint.points(0.2)
    assert once.shape[1] == 3
    np.testing.assert_allclose(twice - GIVEN["centre"], 2 * (once - GIVEN["centre"]), atol=1e-15)


def test_the_angle_is_zero_at_rest_and_the_turn_otherwise(joint: Joint) -> None:
    axis = np.array([0.6, 0.0, 0.8]) if joint.direction is None else joint.direction
    assert joint.angle(np.eye(3)) == pytest.approx(0.0, abs=1e-12)
    for turn in (0.1, 1.5, 3.0):
        assert joint.angle(exp_map(turn * axis)) == pytest.approx(turn, abs=1e-9)


def test_a_hinge_knows_the_sign_of_its_angle() -> None:
    hinge = made("hinge")
    assert hinge.angle(exp_map(-2.0 * hinge.direction)) == pytest.approx(-2.0)


@pytest.mark.parametrize("bones", [Rigid(), Affine()], ids=["rigid", "affine"])
def test_poses_thrown_apart_are_closed_again(joint: Joint, bones: Rigid | Affine) -> None:
    model = pair(joint)
    problem = Problem(model, Reduction(bones))
    poses = rest(model).poses
    poses[1, :, :3] = exp_map(np.array([0.1, -0.2, 0.15]))
    poses[1, :, 3] += [0.02, -0.01, 0.03]
    closed = bones.close(problem.skeleton, poses)
    size = float(problem.skeleton.size.max())
    assert np.abs(problem.skeleton.gaps(closed)).max() < 1e-13 * size
    R = closed[1, :, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)


def test_a_chart_moves_points_as_it_says(joint: Joint, reduction: Reduction) -> None:
    """The map `push` is the derivative of the carried positions, `pull` its transpose."""
    model = pair(joint)
    problem = Problem(model, reduction)
    chart, skeleton = strayed(problem, model).chart, problem.skeleton
    push = chart.push(np.arange(len(skeleton.X)))
    h = 1e-6

    def along(k: int) -> Floats:
        z = h * np.eye(chart.size)[k]
        ahead, behind = (skeleton.positions(chart.move(s)) for s in (z, -z))
        return ((ahead - behind) / (2 * h)).ravel()

    slopes = np.array([along(k) for k in range(chart.size)]).reshape(chart.size, len(push)).T
    np.testing.assert_allclose(push, slopes, atol=1e-8)
    g = np.random.default_rng(1).standard_normal(skeleton.X.shape)
    np.testing.assert_allclose(chart.pull(g), push.T @ g.ravel(), rtol=1e-12, atol=1e-12)


def test_the_reduced_gradient_is_the_slope_of_the_energy(
    joint: Joint, reduction: Reduction
) -> None:
    model = pair(joint)
    problem = Problem(model, reduction)
    objective = NewtonObjective(problem, inputs_of(model, m=0.5), Hessian(problem))
    q = strayed(problem, model)
    g = objective.gradient(q)
    rng = np.random.default_rng(2)
    bones = np.arange(len(g)) < q.chart.size
    for chosen in (bones, ~bones):
        d = np.where(chosen, rng.standard_normal(len(g)), 0.0)
        h = 1e-6
        ahead, behind = (objective.value(objective.retract(q, s * d)) for s in (h, -h))
        scale = np.linalg.norm(g * chosen) * np.linalg.norm(d)
        assert (ahead - behind) / (2 * h) == pytest.approx(g @ d, abs=1e-6 * scale + 1e-12)


@pytest.mark.parametrize("kind", ["rigid", "tied"])
def test_newton_s_direction_solves_with_the_second_derivatives(joint: Joint, kind: str) -> None:
    """H d = -g, with H by differences of the energy's slope along the retraction."""
    model = pair(joint, cells=(4, 1, 1), gravity=WEIGHTLESS)
    problem = Problem(model, REDUCTIONS[kind])
    curvature = Hessian(problem)
    objective = NewtonObjective(problem, inputs_of(model, m=0.05), curvature)
    q = strayed(problem, model, far=0.001)
    g = objective.gradient(q)
    H = hessian(objective, q, len(g))
    assert np.linalg.eigvalsh(H).min() > 0, "choose a configuration with a definite Hessian"
    d = objective.direction(q, g)
    assert curvature.effort.projected == 0
    np.testing.assert_allclose(H @ d, -g, atol=1e-3 * np.abs(g).max())


def hessian(objective: NewtonObjective, q: Configuration, size: int, h: float = 1e-4) -> Floats:
    """(size, size) second differences of the energy along the retraction from q."""

    def value(step: Floats) -> float:
        return objective.value(objective.retract(q, step))

    E = h * np.eye(size)
    middle = value(np.zeros(size))
    ahead, behind = (np.array([value(s * e) for e in E]) for s in (1, -1))
    H = np.diag((ahead + behind - 2 * middle) / h**2)
    for i in range(size):
        for j in range(i):
            mixed = value(E[i] + E[j]) + value(-E[i] - E[j]) + 2 * middle
            H[i, j] = H[j, i] = (mixed - ahead[[i, j]].sum() - behind[[i, j]].sum()) / (2 * h**2)
    return H


def test_ties_of_affine_bones_leave_the_freedom_of_their_points(joint: Joint) -> None:
    """A joint of k independent points takes 3 k of an affine bone's 12 coordinates."""
    model = pair(joint)
    problem = Problem(model, Reduction(Affine()))
    points = problem.skeleton.ties[0].points
    equations = np.hstack([points, np.ones((len(points), 1))])
    wanted = 3 * null_space(equations).shape[1]
    assert problem.place(model.mesh.X, rest(model).poses).chart.size == wanted
