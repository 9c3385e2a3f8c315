"""Bones as bodies: what they carry, how large they are, where they turn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import hinge, pair, row, vertices_of
from vastus.energies.skeletal import BoneElastic
from vastus.errors import SolveError
from vastus.numerics.rotation import exp_map
from vastus.parts import Drive, Pin
from vastus.skeleton.bones import Skeleton, Tie, turning_centres
from vastus.skeleton.rigid import Rigid
from vastus.solvers.problem import Problem, Reduction, Unknowns
from vastus.solvers.ties import make_skeleton
from vastus.state import rest

CORNERS = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [5, 0, 0], [7, 0, 0]])
OWNER = np.array([0, 0, 0, 0, 1, 1])


def test_a_bone_turns_about_its_joints_or_its_middle() -> None:
    tie = Tie(0, 2, np.array([[3.0, 0, 0], [5.0, 0, 0]]))
    np.testing.assert_allclose(turning_centres(CORNERS, OWNER, 3, (tie,))[[0, 1, 2]], [
        [4.0, 0, 0],
        [6.0, 0, 0],
        [4.0, 0, 0],
    ])  # fmt: skip


def test_the_size_of_a_bone_is_its_mean_distance() -> None:
    skeleton = Skeleton(CORNERS, OWNER, np.array([1]), 3, turning_centres(CORNERS, OWNER, 3, ()))
    np.testing.assert_allclose(skeleton.size, [1.0, 1.0, 1.0])
    assert skeleton.slot(1) == 0
    assert skeleton.slot(0) == -1


def test_gaps_are_the_distances_between_images() -> None:
    tie = Tie(0, 1, np.array([[2.0, 0, 0]]))
    skeleton = Skeleton(CORNERS, OWNER, np.array([1]), 2, np.zeros((2, 3)), (tie,))
    poses = np.tile(np.eye(3, 4), (2, 1, 1))
    np.testing.assert_array_equal(skeleton.gaps(poses), [[0.0, 0, 0]])
    poses[1, :, 3] = [0.5, 0, 1]
    np.testing.assert_allclose(skeleton.gaps(poses), [[-0.5, 0, -1]])


def test_poses_place_the_carried_vertices() -> None:
    skeleton = Skeleton(CORNERS, OWNER, np.array([1]), 2, np.zeros((2, 3)))
    poses = np.tile(np.eye(3, 4), (2, 1, 1))
    R = exp_map(np.array([0.0, 0.0, np.pi / 2]))
    poses[1] = np.column_stack([R, [1.0, 0, 0]])
    found = skeleton.positions(poses)
    np.testing.assert_array_equal(found[:4], CORNERS[:4])
    np.testing.assert_allclose(found[4:], [[1, 5, 0], [1, 7, 0]], atol=1e-14)


def test_scalars_are_free_carried_or_fixed() -> None:
    model = pair()
    soft = np.flatnonzero(model.bone_of_vertex < 0)
    model = model.with_(pins=(Pin("pin", soft[:1], (True, False, True)),))
    unknowns = Unknowns.of(model, make_skeleton(model))
    assert len(unknowns.free) == 3 * len(soft) - 2
    assert 3 * soft[0] + 1 in unknowns.free
    np.testing.assert_array_equal(unknowns.free_index[unknowns.free], np.arange(len(unknowns.free)))
    touching = unknowns.carried[unknowns.touching]
    assert set(touching) <= set(vertices_of(model, "B"))
    assert (np.abs(model.mesh.X[touching, 0] - 0.18) < 1e-12).all()


def test_a_joint_between_bones_that_nothing_moves_is_left_out() -> None:
    model = pair(hinge())
    held = model.with_(bones=tuple(replace(b, drive=Drive.PINNED) for b in model.bones))
    assert make_skeleton(held).ties == ()
    assert make_skeleton(model).ties


def test_joints_that_cannot_be_closed_are_said() -> None:
    model = row((hinge(("A", "B")), hinge(("B", "C"), 0.28)))
    model = model.with_(bones=(*model.bones[:2], replace(model.bones[2], drive=Drive.SCRIPTED)))
    problem, poses = Problem(model, Reduction()), rest(model).poses
    poses[2, 0, 3] = 1.0
    with pytest.raises(SolveError, match=r"the joints cannot be closed: a gap of .* m remains"):
        Rigid().close(problem.skeleton, poses)


def test_the_energy_of_an_affine_bone_has_its_slope_and_curvature() -> None:
    model = pair()
    bones = BoneElastic(model, np.array([1]), young=1e5)
    poses = rest(model).poses
    assert bones.energy(poses)[0] == pytest.approx(0.0, abs=1e-12)
    poses[1, :, :3] += 0.05 * np.random.default_rng(0).standard_normal((3, 3))
    h = 1e-6
    for i in range(9):
        step = np.zeros_like(poses)
        step[1, i // 3, i % 3] = h
        ahead, behind = poses + step, poses - step
        slope = (bones.energy(ahead) - bones.energy(behind))[0] / (2 * h)
        assert bones.gradient(poses)[i] == pytest.approx(slope, rel=1e-6, abs=1e-6)
        column = (bones.gradient(ahead) - bones.gradient(behind)) / (2 * h)
        np.testing.assert_allclose(bones.hessian(poses)[:, i], column, rtol=1e-5, atol=1e-4)
