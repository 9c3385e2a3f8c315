"""Blocks with springs in series, and their projection on a few modes."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.numerics.types import Floats
from vastus.numerics.woodbury import reduce, series, times


def blocks(count: int = 7, lowest: float = 0.1, seed: int = 0) -> Floats:
    """Symmetric blocks (count, 9, 9) with eigenvalues from `lowest` to 9."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((count, 9, 9)))[0]
    return (Q * np.linspace(lowest, 9.0, 9)) @ np.swapaxes(Q, 1, 2)


@pytest.mark.parametrize("w", [1e-8, 1.0, 1e10])
def test_series_springs_stay_accurate_however_stiff_the_spring_is(w: float) -> None:
    K = blocks()
    springs = np.full(len(K), w)
    values, vectors = np.linalg.eigh(K)
    exact = (vectors * (values * w / (values + w))[:, None]) @ np.swapaxes(vectors, 1, 2)
    g = np.ones((len(K), 9))
    z, projected = series(M := K.copy(), springs, g)
    assert projected == 0
    np.testing.assert_allclose(M, exact, atol=1e-13 * np.abs(exact).max())
    np.testing.assert_allclose(
        np.einsum("eij,ej->ei", K + w * np.eye(9), z), g, rtol=1e-10, atol=1e-10
    )


def test_an_indefinite_block_that_the_spring_cannot_save_is_projected() -> None:
    K = blocks(lowest=-5.0)
    g = np.ones((len(K), 9))
    z, projected = series(M := K.copy(), np.full(len(K), 1.0), g)
    assert projected == len(K)
    assert np.linalg.eigvalsh(M).min() > -1e-12
    assert (np.einsum("ei,ei->e", z, g) > 0).all()


def test_a_slightly_indefinite_block_is_left_alone() -> None:
    K = blocks(lowest=-0.5)
    _, projected = series(K.copy(), np.full(len(K), 1.0), np.ones((len(K), 9)))
    assert projected == 0


def test_the_projection_on_modes_is_that_of_the_assembled_matrix() -> None:
    M, B = blocks(40), np.random.default_rng(1).standard_normal((40, 3, 5))
    # Index 3 r + c of a block is F[r, c]; index 3 i + r of a mode is its part along r.
    wide = np.einsum("eci,rs->ercis", B, np.eye(3)).reshape(40, 9, 15)
    dense = np.einsum("eap,eab,ebq->pq", wide, M, wide)
    np.testing.assert_allclose(reduce(M, B), dense, atol=1e-11)


def test_products_of_blocks_and_vectors() -> None:
    M, v = blocks(), np.random.default_rng(2).standard_normal((7, 9))
    np.testing.assert_allclose(times(M, v), np.einsum("eij,ej->ei", M, v), atol=1e-13)
