"""Rotations, rotation vectors and poses."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.numerics.rotation import (
    exp_map,
    interpolate_poses,
    is_rotation,
    log_map,
    nearest_rotations,
    quaternions,
    skew,
)

VECTORS = [[0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [0.3, -0.2, 0.9], [0.0, 3.1, 0.0]]


@pytest.mark.parametrize("w", VECTORS)
def test_exp_makes_a_rotation_and_log_takes_it_back(w: list[float]) -> None:
    R = exp_map(np.array(w))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(log_map(R), w, atol=1e-12)


def test_a_quarter_turn_about_z_takes_x_to_y() -> None:
    R = exp_map(np.array([0.0, 0.0, np.pi / 2]))
    np.testing.assert_allclose(R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)


def test_many_rotations_are_made_at_once() -> None:
    w = np.random.default_rng(0).uniform(-1, 1, (5, 3))
    np.testing.assert_allclose(log_map(exp_map(w)), w, atol=1e-12)


def test_skew_is_the_cross_product_and_the_derivative_of_exp() -> None:
    v, u = np.random.default_rng(0).standard_normal((2, 4, 3))
    np.testing.assert_allclose(np.einsum("kij,kj->ki", skew(v), u), np.cross(v, u))
    h = 1e-6
    slope = (exp_map(h * v[0]) - exp_map(-h * v[0])) / (2 * h)
    np.testing.assert_allclose(slope, skew(v[0]), atol=1e-9)


def pose(w: list[float], t: list[float]) -> np.ndarray:
    return np.column_stack([exp_map(np.array(w)), t])


def about(centre: list[float], w: list[float]) -> np.ndarray:
    """A turn about a centre."""
    R = exp_map(np.array(w))
    return np.column_stack([R, np.array(centre) - R @ centre])


def applied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The pose `b` after the pose `a`."""
    return np.column_stack([b[:, :3] @ a[:, :3], b[:, :3] @ a[:, 3] + b[:, 3]])


@pytest.mark.parametrize("turn", [1e-12, 1e-5, 0.3, np.pi / 2, 3.1])
@pytest.mark.parametrize("s", [0.0, 0.25, 0.5, 1.0])
def test_a_turn_keeps_its_centre_and_has_constant_speed(turn: float, s: float) -> None:
    centre, axis = [0.1, -0.2, 0.3], np.array([0.6, 0.0, 0.8])
    between = interpolate_poses(np.eye(3, 4), about(centre, list(turn * axis)), s)
    np.testing.assert_allclose(between, about(centre, list(s * turn * axis)), atol=1e-14)
    np.testing.assert_allclose(between @ [*centre, 1.0], centre, atol=1e-14)


def test_a_shift_is_straight() -> None:
    a, b = pose([0.3, 0.1, 0.2], [1.0, 2.0, 3.0]), pose([0.3, 0.1, 0.2], [1.0, 2.4, 2.0])
    np.testing.assert_allclose(interpolate_poses(a, b, 0.25), 0.75 * a + 0.25 * b, atol=1e-15)


def test_a_motion_ends_where_it_should_and_repeats_itself() -> None:
    a, b = pose([0.0, 0.4, 0.2], [0.3, 0.0, 0.1]), pose([0.5, -0.3, 1.2], [1.0, 2.0, 0.0])
    np.testing.assert_allclose(interpolate_poses(a, b, 0.0), a, atol=1e-15)
    np.testing.assert_allclose(interpolate_poses(a, b, 1.0), b, atol=1e-15)
    third = interpolate_poses(np.eye(3, 4), b, 1 / 3)
    np.testing.assert_allclose(applied(applied(third, third), third), b, atol=1e-14)


def test_what_turns_while_it_moves_along_the_axis_is_a_screw() -> None:
    a, b = pose([0.0, 0.0, 0.2], [0.0, 0.0, 0.0]), pose([0.0, 0.0, 1.2], [0.0, 0.0, 4.0])
    middle = interpolate_poses(a, b, 0.5)
    np.testing.assert_allclose(middle, pose([0.0, 0.0, 0.7], [0.0, 0.0, 2.0]), atol=1e-14)


def test_many_poses_are_interpolated_at_once() -> None:
    a = np.stack([np.eye(3, 4), pose([0.1, 0.0, 0.0], [1.0, 0.0, 0.0])])
    b = np.stack([pose([0.0, 0.4, 0.0], [0.0, 1.0, 0.0]), a[1]])
    out = interpolate_poses(a, b, 0.25)
    np.testing.assert_allclose(out[0], pose([0.0, 0.1, 0.0], [0.0, 0.25, 0.0]), atol=1e-14)
    np.testing.assert_array_equal(out[1], a[1])


def test_equal_poses_are_copied_exactly() -> None:
    a = pose([0.3, 0.1, 0.2], [1.0, 2.0, 3.0])
    out = interpolate_poses(a, a.copy(), 0.3)
    np.testing.assert_array_equal(out, a)
    out[0, 0] = 7.0
    assert a[0, 0] != 7.0


def test_no_poses_are_interpolated_to_none() -> None:
    none = np.zeros((0, 3, 4))
    assert interpolate_poses(none, none.copy(), 0.5).shape == (0, 3, 4)


@pytest.mark.parametrize("shape", [(40,), (40, 2)])
def test_quaternions_do_not_jump(shape: tuple[int, ...]) -> None:
    angles = np.linspace(0, 4 * np.pi, 40)
    w = np.zeros((*shape, 3))
    w[..., 2] = angles if len(shape) == 1 else np.column_stack([angles, -2 * angles])
    R = exp_map(w.reshape(-1, 3)).reshape(*shape, 3, 3)
    q = quaternions(R)
    assert (np.einsum("f...i,f...i->f...", q[1:], q[:-1]) > 0.9).all()
    np.testing.assert_allclose(q[0], np.broadcast_to([1.0, 0.0, 0.0, 0.0], q[0].shape))
    np.testing.assert_allclose(1 - 2 * (q[..., 3] ** 2), R[..., 0, 0], atol=1e-12)


def test_the_nearest_rotation_of_a_mirror_is_a_rotation() -> None:
    R = nearest_rotations(np.diag([1.0, 1.1, -0.2]))
    assert is_rotation(R)


def test_neither_mirrors_nor_stretches_are_rotations() -> None:
    R = exp_map(np.array([0.3, -0.2, 0.9]))
    assert is_rotation(np.array([R, np.eye(3)]))
    assert not is_rotation(np.array([np.eye(3), -R]))
    assert not is_rotation(R * (1.0 + 1e-6))
