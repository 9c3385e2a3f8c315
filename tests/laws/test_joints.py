"""What every registered joint must satisfy, with rigid and with affine bones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import null_space

from builders import GIVEN, WEIGHTLESS, inputs_of, made, pair
from vastus.errors import ModelError
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.affine import Affine
from vastus.skeleton.bones import image
from vastus.skeleton.freedoms import Pair
from vastus.skeleton.joints import JOINTS, Joint, Weld
from vastus.skeleton.rigid import Rigid
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import rest

REDUCTIONS = {
    "rigid": Reduction(Rigid()),
    "affine": Reduction(Affine(young=1e6)),
    "tied": Reduction(Rigid(), joint_stiffness=1e4),
}


@pytest.fixture(params=sorted(JOINTS))
def joint(request: pytest.FixtureRequest) -> Joint:
    """A joint of each kind."""
    return made(request.param)


@pytest.fixture(params=sorted(REDUCTIONS))
def reduction(request: pytest.FixtureRequest, joint: Joint) -> Reduction:
    """Each way to describe bones and joints that knows the joint."""
    if request.param != "rigid" and not is_of_points(joint):
        pytest.skip("only rigid bones, and joints that are eliminated, have planes")
    return REDUCTIONS[request.param]


def is_of_points(joint: Joint) -> bool:
    """Whether the bones share points and nothing else."""
    return not len(joint.planes(1.0)[0])


def strayed(problem: Problem, model: Model, far: float = 0.01) -> Configuration:
    """A configuration away from rest, its joints closed; bones have moved by about `far` [m]."""
    rng = np.random.default_rng(0)
    x = model.mesh.X + 0.05 * far * rng.standard_normal(model.mesh.X.shape)
    start = problem.place(x, rest(model).poses)
    return problem.configure(x, start.chart.move(far * rng.standard_normal(start.chart.size)))


def test_the_shared_points_scale_with_the_span(joint: Joint) -> None:
    for once, twice in (
        (joint.points(0.1), joint.points(0.2)),
        (joint.planes(0.1)[0], joint.planes(0.2)[0]),
    ):
        assert once.shape[1] == 3
        near, far = (points - GIVEN["centre"] for points in (once, twice))
        np.testing.assert_allclose(far, 2 * near, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(joint.planes(1.0)[1], axis=1), 1.0)


def test_the_angle_is_zero_at_rest_and_the_turn_otherwise(joint: Joint) -> None:
    axis = getattr(joint, "axis", np.array([0.6, 0.0, 0.8]))
    axis = axis / np.linalg.norm(axis)
    assert joint.angle(np.eye(3)) == pytest.approx(0.0, abs=1e-12)
    for turn in (0.1, 1.5, 3.0):
        assert joint.angle(exp_map(turn * axis)) == pytest.approx(turn, abs=1e-9)


def test_a_hinge_knows_the_sign_of_its_angle() -> None:
    hinge = made("hinge")
    assert hinge.angle(exp_map(-2.0 * hinge.direction)) == pytest.approx(-2.0)


COORDINATES = np.array([0.7, -0.4])


def test_a_joint_s_motion_has_its_coordinates(joint: Joint) -> None:
    q = COORDINATES[: len(joint.freedoms)]
    pair = Pair.of(np.array([np.eye(3, 4), joint.motion(q)]))
    np.testing.assert_allclose([f.value(pair) for f in joint.freedoms], q, atol=1e-14)


def test_a_joint_s_motion_keeps_what_the_bones_share(joint: Joint) -> None:
    motion = joint.motion(COORDINATES[: len(joint.freedoms)])
    (held, normals), points = joint.planes(0.1), joint.points(0.1)
    if not isinstance(joint, Weld):
        np.testing.assert_allclose(image(motion, points), points, atol=1e-15)
    np.testing.assert_allclose(
        ((image(motion, held) - held) * normals).sum(axis=1), 0.0, atol=1e-15
    )


def test_screws_are_the_rates_of_the_motion(joint: Joint) -> None:
    q, h = COORDINATES[: len(joint.freedoms)], 1e-6
    X = np.random.default_rng(5).standard_normal((4, 3))
    here = image(joint.motion(q), X) - joint.centre
    for k, (turn, shift) in enumerate(joint.screws(q)):
        step = h * np.eye(len(q))[k]
        rate = (image(joint.motion(q + step), X) - image(joint.motion(q - step), X)) / (2 * h)
        np.testing.assert_allclose(np.cross(turn, here) + shift, rate, atol=1e-9)


def test_the_derivatives_of_coordinates_are_their_slopes(joint: Joint) -> None:
    """By the linear parts and centres of both bones, whether they are rigid or not."""
    rng = np.random.default_rng(6)
    centres = rng.standard_normal((2, 3))

    def at(p: Floats) -> Pair:
        first, second = p.reshape(2, 12)
        A = np.array([first[:9], second[:9]]).reshape(2, 3, 3)
        return Pair(A, np.array([first[9:], second[9:]]), centres)

    A = exp_map(0.3 * rng.standard_normal((2, 3))) + 0.05 * rng.standard_normal((2, 3, 3))
    p = np.hstack([A.reshape(2, 9), 0.1 * rng.standard_normal((2, 3))]).ravel()
    E = 1e-6 * np.eye(24)
    for freedom in joint.freedoms:
        slopes = [(freedom.value(at(p + e)) - freedom.value(at(p - e))) / 2e-6 for e in E]
        np.testing.assert_allclose(freedom.slope(at(p)), slopes, atol=1e-8)
        bends = [(freedom.slope(at(p + e)) - freedom.slope(at(p - e))) / 2e-6 for e in E]
        np.testing.assert_allclose(freedom.bend(at(p)), bends, atol=1e-8)


@pytest.mark.parametrize("bones", [Rigid(), Affine()], ids=["rigid", "affine"])
def test_poses_thrown_apart_are_closed_again(joint: Joint, bones: Rigid | Affine) -> None:
    if bones.young and not is_of_points(joint):
        pytest.skip("affine bones have no planes")
    model = pair(joint)
    problem = Problem(model, Reduction(bones))
    poses = rest(model).poses
    poses[1, :, :3] = exp_map(np.array([0.1, -0.2, 0.15]))
    poses[1, :, 3] += [0.02, -0.01, 0.03]
    closed = bones.close(problem.skeleton, poses)
    size = float(problem.skeleton.size.max())
    assert np.abs(problem.skeleton.errors(closed)).max() < 1e-13 * size
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
    if kind == "tied" and not is_of_points(joint):
        pytest.skip("springs tie points, not planes")
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
    if not is_of_points(joint):
        with pytest.raises(ModelError, match=f"'joint' is a {joint.kind}, which affine bones"):
            Problem(pair(joint), Reduction(Affine()))
        return
    model = pair(joint)
    problem = Problem(model, Reduction(Affine()))
    points = problem.skeleton.ties[0].points
    equations = np.hstack([points, np.ones((len(points), 1))])
    wanted = 3 * null_space(equations).shape[1]
    assert problem.place(model.mesh.X, rest(model).poses).chart.size == wanted
