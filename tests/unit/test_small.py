"""Point functions of 3x3 matrices against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from vastus.numerics.psd import project_psd
from vastus.numerics.small import (
    add_cofactor_derivative,
    add_outers,
    apply,
    cofactor,
    det,
    entries,
    rotation,
    square_sum,
)

RNG = np.random.default_rng(0)
F = np.eye(3) + 0.4 * RNG.standard_normal((3, 3))


def nearest_rotation(A: np.ndarray) -> np.ndarray:
    U, _, Vt = np.linalg.svd(A)
    return U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt


def test_products_and_invariants_agree_with_numpy():
    assert det(F) == pytest.approx(np.linalg.det(F))
    assert square_sum(F) == pytest.approx(np.sum(F * F))
    np.testing.assert_allclose(cofactor(F), (np.linalg.det(F) * np.linalg.inv(F).T).ravel())
    np.testing.assert_allclose(apply(F, np.arange(3.0)), F @ np.arange(3.0))


def test_the_derivative_of_the_cofactors_is_the_difference_of_cofactors():
    H = np.zeros((9, 9))
    add_cofactor_derivative(F, 2.0, H)
    D = RNG.standard_normal((3, 3))
    change = np.subtract(cofactor(F + D), cofactor(F - D))  # exact: cofactors are quadratic
    np.testing.assert_allclose(H @ D.ravel(), change, rtol=1e-12, atol=1e-12)


def test_outer_products_are_added():
    H, u, v = np.ones((9, 9)), entries(F), cofactor(F)
    add_outers(u, 2.0, v, 3.0, H)
    np.testing.assert_allclose(H, 1 + 2 * np.outer(u, u) + 3 * np.outer(v, v))


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.5, 2.0])
def test_the_nearest_rotation_agrees_with_the_singular_vectors(spread):
    for Q in Rotation.random(20, rng=3).as_matrix():
        A = Q @ (np.eye(3) + spread * RNG.standard_normal((3, 3)))
        gap = sum(np.sort(np.linalg.svd(A)[1] * [1, 1, np.sign(np.linalg.det(A))])[:2])
        R = np.reshape(rotation(A), (3, 3))
        np.testing.assert_allclose(R, nearest_rotation(A), atol=1e-13 + 1e-13 / gap**2)


def test_the_nearest_rotation_of_an_inverted_matrix_is_a_rotation():
    R = np.reshape(rotation(np.diag([1.2, 1.0, -0.5])), (3, 3))
    np.testing.assert_allclose(R, np.eye(3), atol=1e-12)


def test_the_nearest_rotation_of_nothing_is_finite():
    assert np.isfinite(rotation(np.zeros((3, 3)))).all()


def test_projection_clips_negative_eigenvalues_only():
    A = RNG.standard_normal((5, 9, 9))
    H = A + np.swapaxes(A, 1, 2)
    H[0] = A[0] @ A[0].T + np.eye(9)
    before = H.copy()
    project_psd(H)
    np.testing.assert_array_equal(H[0], before[0])
    values, vectors = np.linalg.eigh(before[1:])
    clipped = (vectors * np.maximum(values, 0)[:, None]) @ np.swapaxes(vectors, 1, 2)
    np.testing.assert_allclose(H[1:], clipped, atol=1e-13)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_projection_handles_blocks_that_fall_apart_and_repeated_eigenvalues(scale):
    A = RNG.standard_normal((4, 9, 9))
    H = scale * (A + np.swapaxes(A, 1, 2))
    H[0, :4] = H[0, :, :4] = 0.0
    H[1] = scale * np.diag([1.0, -1.0, 0, 0, 0, 2.0, 2.0, 2.0, -3.0])
    H[2] = 0.0
    values, vectors = np.linalg.eigh(H)
    clipped = (vectors * np.maximum(values, 0)[:, None]) @ np.swapaxes(vectors, 1, 2)
    project_psd(H)
    np.testing.assert_allclose(H, clipped, atol=1e-13 * scale)
