"""Assembly against the plain loop over tets and corners."""

from __future__ import annotations

import numpy as np
import pytest

from builders import box, shaken
from vastus.numerics.sparse import Scatter, select_between, select_upper
from vastus.numerics.types import Floats

MESH = shaken(box((2, 2, 2), (0.2, 0.1, 0.1)), 0.01)
SIZE = 3 * MESH.n_vertices
rng = np.random.default_rng(0)
P = rng.standard_normal((MESH.n_tets, 3, 3))
HALF = rng.standard_normal((MESH.n_tets, 9, 9))
H = HALF + np.swapaxes(HALF, 1, 2)


@pytest.fixture(scope="module")
def scatter() -> Scatter:
    return Scatter.of(MESH.T, MESH.n_vertices)


@pytest.fixture(scope="module")
def dense() -> Floats:
    """(3 n, 3 n) the stiffness, summed corner by corner."""
    K = np.zeros((SIZE, SIZE))
    for e, tet in enumerate(MESH.T):
        for a, i in enumerate(tet):
            for b, j in enumerate(tet):
                block = H[e].reshape(3, 3, 3, 3)
                part = np.einsum("c,icjd,d->ij", MESH.gradients[e, a], block, MESH.gradients[e, b])
                K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += MESH.volumes[e] * part
    return K


@pytest.fixture(scope="module")
def blocks(scatter: Scatter) -> Floats:
    return scatter.blocks(H, MESH.gradients, MESH.volumes)


def index_of(chosen: np.ndarray) -> np.ndarray:
    """(3 n,) the position of each chosen scalar, or -1."""
    index = np.full(SIZE, -1)
    index[chosen] = np.arange(len(chosen))
    return index


def test_forces_are_the_sum_over_corners(scatter: Scatter) -> None:
    weighted = MESH.gradients * MESH.volumes[:, None, None]
    wanted = np.zeros((MESH.n_vertices, 3))
    for e, tet in enumerate(MESH.T):
        for a, i in enumerate(tet):
            wanted[i] += P[e] @ weighted[e, a]
    np.testing.assert_allclose(scatter.forces(P, weighted), wanted, atol=1e-14)


def test_the_upper_triangle_of_all_scalars_is_the_dense_one(scatter, blocks, dense) -> None:
    matrix = select_upper(scatter, np.arange(SIZE)).fill(blocks)
    np.testing.assert_allclose(matrix.toarray(), np.triu(dense), atol=1e-12)
    assert matrix.has_sorted_indices
    first = matrix.indices[matrix.indptr[:-1]]
    np.testing.assert_array_equal(first, np.arange(SIZE))


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
def test_chosen_scalars_are_taken_in_their_order(scatter, blocks, dense, order: str) -> None:
    chosen = np.random.default_rng(1).permutation(SIZE)[:40]
    chosen = np.sort(chosen) if order == "sorted" else chosen
    matrix = select_upper(scatter, index_of(chosen)).fill(blocks)
    wanted = np.triu(dense[np.ix_(chosen, chosen)])
    np.testing.assert_allclose(matrix.toarray(), wanted, atol=1e-12)


def test_the_matrix_between_two_sets_is_full(scatter, blocks, dense) -> None:
    scalars = np.random.default_rng(2).permutation(SIZE)
    rows, columns = scalars[:30], scalars[20:60]
    matrix = select_between(scatter, index_of(rows), index_of(columns)).fill(blocks)
    np.testing.assert_allclose(matrix.toarray(), dense[np.ix_(rows, columns)], atol=1e-12)


def test_nothing_chosen_gives_an_empty_matrix(scatter, blocks) -> None:
    none = np.full(SIZE, -1)
    assert select_upper(scatter, none).fill(blocks).shape == (0, 0)
    assert select_between(scatter, none, np.arange(SIZE)).fill(blocks).shape == (0, SIZE)


def test_new_blocks_refill_the_same_matrix(scatter, blocks, dense) -> None:
    selection = select_upper(scatter, np.arange(SIZE))
    first = selection.fill(2.0 * blocks)
    assert selection.fill(blocks) is first
    np.testing.assert_allclose(first.toarray(), np.triu(dense), atol=1e-12)


def test_vertices_of_no_tet_have_no_force() -> None:
    scatter = Scatter.of(MESH.T, MESH.n_vertices + 2)
    forces = scatter.forces(P, MESH.gradients)
    np.testing.assert_array_equal(forces[-2:], 0.0)
