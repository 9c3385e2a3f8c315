"""Rotations, rotation vectors and poses."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.numerics.rotation import exp_map, interpolate_poses, log_map, skew

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


def test_poses_are_interpolated_along_the_shortest_turn() -> None:
    a, b = pose([0.0, 0.0, 0.2], [0.0, 0.0, 0.0]), pose([0.0, 0.0, 1.2], [1.0, 2.0, 0.0])
    middle = interpolate_poses(a, b, 0.5)
    np.testing.assert_allclose(middle, pose([0.0, 0.0, 0.7], [0.5, 1.0, 0.0]), atol=1e-14)
    np.testing.assert_allclose(interpolate_poses(a, b, 0.0), a, atol=1e-15)
    np.testing.assert_allclose(interpolate_poses(a, b, 1.0), b, atol=1e-15)


def test_many_poses_are_interpolated_at_once() -> None:
    a = np.stack([np.eye(3, 4), pose([0.1, 0.0, 0.0], [1.0, 0.0, 0.0])])
    b = np.stack([pose([0.0, 0.4, 0.0], [0.0, 0.0, 1.0]), a[1]])
    out = interpolate_poses(a, b, 0.25)
    np.testing.assert_allclose(out[0], pose([0.0, 0.1, 0.0], [0.0, 0.0, 0.25]), atol=1e-14)
    np.testing.assert_allclose(out[1], a[1], atol=1e-14)


def test_equal_poses_are_copied_exactly() -> None:
    a = pose([0.3, 0.1, 0.2], [1.0, 2.0, 3.0])
    out = interpolate_poses(a, a.copy(), 0.3)
    np.testing.assert_array_equal(out, a)
    out[0, 0] = 7.0
    assert a[0, 0] != 7.0
