"""Joints hold, bones stay rigid, moments balance, and the ways to describe them agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import (
    WEIGHTLESS,
    box,
    carve,
    hinge,
    inputs_of,
    ladder,
    pair,
    row,
    solve,
    vertices_of,
)
from vastus.materials import StableNeoHookean
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive, Load
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Ball, Weld
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Problem, Reduction
from vastus.state import State, rest

LENGTH = 0.06  # [m] of the shortest bone
CENTRE = np.array([0.12, 0.015, -0.03])
TWO_HINGES = (hinge(("A", "B")), hinge(("B", "C"), 0.28))


def gaps(model: Model, state: State) -> Floats:
    """The distances [m] between the two images of every shared point."""
    found = []
    for joint in model.joints:
        first, second = (state.poses[model.bone(name)] for name in joint.bones)
        points = joint.points(LENGTH)
        apart = points @ (first - second)[:, :3].T + (first - second)[:, 3]
        found.append(np.linalg.norm(apart, axis=1))
    return np.concatenate(found)


def four_bar() -> Model:
    """Bones around a square, hinged at its corners, and a muscle from the lowest to the highest."""
    mesh = box((8, 1, 8), (0.24, 0.03, 0.24))
    x, _, z = mesh.centroids.T
    labels = np.full(mesh.n_tets, "", dtype="<U1")
    labels[(z < 0.03) & (x > 0.03) & (x < 0.21)] = "A"
    labels[(x < 0.03) & (z > 0.06) & (z < 0.18)] = "B"
    labels[(z > 0.21) & (x > 0.03) & (x < 0.21)] = "C"
    labels[(x > 0.21) & (z > 0.06) & (z < 0.18)] = "D"
    labels[(x > 0.09) & (x < 0.15) & (z > 0.03) & (z < 0.21)] = "m"
    joints = (
        hinge(("A", "B"), 0.015, 0.015),
        hinge(("B", "C"), 0.015, 0.225),
        hinge(("C", "D"), 0.225, 0.225),
        hinge(("D", "A"), 0.225, 0.015),
    )
    push = Load("push", np.array([0]), np.ones(1), np.array([0.5, 0.0, 0.0]))
    model = carve(mesh, labels, joints=joints)
    return model.with_(loads=(replace(push, vertices=vertices_of(model, "C")[:1]),))


@pytest.mark.parametrize(
    ("model", "activation"),
    [
        (pair(hinge()), {"m": 1.0}),
        (pair(Ball("ball", ("A", "B"), CENTRE)), {"m": 0.5}),
        (row(TWO_HINGES), {"m": 0.5, "n": 0.5}),
        (ladder(), {"m": 0.3, "n": 0.6}),
        (four_bar(), {"m": 0.2}),
    ],
    ids=["hinge", "ball", "three bones", "two muscles", "four-bar"],
)
def test_joints_stay_closed_and_bones_rigid(model: Model, activation: dict[str, float]) -> None:
    """|gap| < 1e-12 of the bone's length and |R^T R - I| < 1e-12 after a large motion."""
    state, _ = solve(model, **activation)
    assert np.abs(state.poses[1:, :, :3] - np.eye(3)).max() > 0.01
    assert gaps(model, state).max() < 1e-12 * LENGTH
    R = state.poses[:, :, :3]
    np.testing.assert_allclose(
        np.swapaxes(R, 1, 2) @ R, np.tile(np.eye(3), (len(R), 1, 1)), atol=1e-12
    )
    for bone in model.bones:
        mine = vertices_of(model, bone.name)
        pose = state.poses[model.bone(bone.name)]
        image = model.mesh.X[mine] @ pose[:, :3].T + pose[:, 3]
        np.testing.assert_allclose(state.x[mine], image, atol=1e-14)


def test_a_parallelogram_moves_its_top_without_turning_it() -> None:
    """In a four-bar of equal sides the coupler only translates, on a circle of that radius."""
    model = four_bar()
    assert rest_freedom(model) == 1
    state, _ = solve(model, m=0.2)
    pose = state.poses[model.bone("C")]
    np.testing.assert_allclose(pose[:, :3], np.eye(3), atol=1e-10)
    side = np.array([0.0, 0.0, 0.21])
    assert np.linalg.norm(side + pose[:, 3]) == pytest.approx(0.21, rel=1e-12)


def rest_freedom(model: Model) -> int:
    """How many coordinates the joints leave the free bones."""
    problem = Problem(model, Reduction())
    return problem.place(model.mesh.X, rest(model).poses).chart.size


@pytest.mark.parametrize(
    ("model", "freedom"),
    [
        (pair(), 6),
        (pair(hinge()), 1),
        (pair(Ball("ball", ("A", "B"), CENTRE)), 3),
        (pair(Weld("weld", ("A", "B"), CENTRE)), 0),
        (row(TWO_HINGES), 2),
    ],
    ids=["free", "hinge", "ball", "weld", "two hinges"],
)
def test_joints_leave_the_freedom_of_their_kind(model: Model, freedom: int) -> None:
    """6 coordinates a free bone, less 3 for a ball, 5 for a hinge and 6 for a weld."""
    assert rest_freedom(model) == freedom


def test_the_moment_of_a_load_equals_the_slope_of_the_tissue_energy() -> None:
    """axis . (x - c) x f = dE/dtheta: the virtual work of a turn about the hinge vanishes.

    The slope is a central difference over 2e-3 rad, so its error is about 1e-6.
    """
    joint = hinge()
    free = pair(joint, gravity=WEIGHTLESS)
    tip = vertices_of(free, "B")[-1:]
    force = np.array([0.0, 0.0, -2.0])
    state, _ = solve(free.with_(loads=(Load("tip", tip, np.ones(1), force),)))
    angle = joint.angle(state.poses[1, :, :3])
    assert angle > 0.1

    def energy(theta: float) -> float:
        R = exp_map(theta * joint.direction)
        turned = np.column_stack([R, joint.centre - R @ joint.centre])
        bones = (free.bones[0], replace(free.bones[1], drive=Drive.SCRIPTED))
        driven = free.with_(bones=bones, joints=())
        inputs = inputs_of(driven, poses=np.stack([np.eye(3, 4), turned]))
        return Newton(tolerance=1e-11).prepare(driven).step(rest(driven), inputs)[1].energy

    slope = (energy(angle + 1e-3) - energy(angle - 1e-3)) / 2e-3
    moment = np.cross(state.x[tip[0]] - joint.centre, force) @ joint.direction
    assert slope == pytest.approx(moment, rel=1e-5)


def test_a_bone_on_a_hinge_in_very_soft_tissue_hangs() -> None:
    """(centre of mass - c) x g = 0 about the axis, but for 1e-4 that the tissue carries."""
    down = 9.81 * np.array([np.cos(0.5), 0.0, -np.sin(0.5)])
    joint = hinge(x=0.18, z=0.015)
    model = pair(joint, gravity=down)
    soft = replace(model.regions[2], laws=(StableNeoHookean(1.0, 0.3),), density=0.0)
    model = model.with_(regions=(*model.regions[:2], soft))
    state, _ = solve(model, tolerance=1e-10)
    tets = model.tets_of(["B"])
    mass_centre = np.average(
        state.x[model.mesh.T[tets]].mean(axis=1), weights=model.mesh.volumes[tets], axis=0
    )
    arm = mass_centre - joint.centre
    sine = np.cross(arm, down) @ joint.direction / np.linalg.norm(arm) / np.linalg.norm(down)
    assert abs(sine) < 1e-4
    assert joint.angle(state.poses[1, :, :3]) == pytest.approx(0.5, abs=1e-4)


def test_stiff_affine_bones_approach_rigid_ones() -> None:
    """The difference falls as 1/young: ten times stiffer bones are ten times nearer."""
    model = pair(hinge())
    exact = solve(model, m=0.5)[0].x
    errors = [
        np.abs(
            solve(model, reduction=Reduction(Affine(young)), tolerance=1e-10, m=0.5)[0].x - exact
        ).max()
        for young in (1e7, 1e8)
    ]
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.05)
    assert errors[1] < 1e-4


def test_stiff_ties_approach_eliminated_joints() -> None:
    """The difference falls as 1/k: ten times stiffer springs are ten times nearer."""
    model = row(TWO_HINGES)
    exact = solve(model, m=0.5, n=0.3)[0].x
    errors = [
        np.abs(
            solve(model, reduction=Reduction(joint_stiffness=k), m=0.5, n=0.3)[0].x - exact
        ).max()
        for k in (1e5, 1e6)
    ]
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.1)
    assert errors[1] < 1e-3


@pytest.mark.parametrize(
    "reduction", [Reduction(), Reduction(Affine(1e8))], ids=["rigid", "affine"]
)
def test_a_weld_makes_two_bones_one(reduction: Reduction) -> None:
    """The same equilibrium as one bone of both regions; affine bones differ by their own strain."""
    model = row(gravity=np.array([0.0, 0.0, -3.0]))
    centre = np.array([0.28, 0.015, 0.015])
    welded = model.with_(joints=(Weld("weld", ("B", "C"), centre),))
    single = model.with_(bones=(model.bones[0], Bone("BC", ("B", "C"))))
    first, second = (
        solve(m, reduction=reduction, tolerance=1e-9, m=0.3)[0].x for m in (welded, single)
    )
    np.testing.assert_allclose(first, second, atol=1e-9)
