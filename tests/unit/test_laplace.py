"""Fibres by a Laplace solve."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.fibres import laplace as fibres
from vastus.modelling.fibres.laplace import gradient_fibres, harmonic, ill_directed, laplace_fibres
from vastus.modelling.shapes.simple import box
from vastus.numerics.types import Ints


@pytest.fixture(scope="module")
def block() -> TetMesh:
    return box((6, 3, 3), (2.0, 1.0, 1.0))


def ends(mesh: TetMesh) -> tuple[Ints, Ints]:
    x = mesh.X[:, 0]
    return np.flatnonzero(x == x.min()), np.flatnonzero(x == x.max())


def test_fibres_of_a_box_between_opposite_faces_are_exactly_straight(block: TetMesh) -> None:
    found = laplace_fibres(block, np.arange(block.n_tets), *ends(block))
    assert np.abs(found - [1, 0, 0]).max() < 1e-12


def test_iterating_equals_a_direct_solve(block: TetMesh, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.full(block.n_vertices, np.nan)
    corner = np.argsort(block.X @ [1, 1, 1])
    values[corner[:3]], values[corner[-3:]] = -1, 1
    direct = gradient_fibres(block, np.arange(block.n_tets), values)
    monkeypatch.setattr(fibres, "_DIRECT", 0)
    assert gradient_fibres(block, np.arange(block.n_tets), values) == pytest.approx(
        direct, abs=1e-5
    )


def test_a_linear_potential_on_the_boundary_is_harmonic_inside(block: TetMesh) -> None:
    linear = block.X @ [1.0, 2.0, 3.0]
    values = np.full(block.n_vertices, np.nan)
    rim = np.unique(block.boundary)
    values[rim] = linear[rim]
    assert harmonic(block, values) == pytest.approx(linear)


def test_only_the_given_tets_get_fibres(block: TetMesh) -> None:
    some = np.flatnonzero(block.centroids[:, 1] > 0)
    assert laplace_fibres(block, some, *ends(block)).shape == (len(some), 3)


def test_tets_wholly_on_one_end_take_the_direction_of_the_nearest(block: TetMesh) -> None:
    origin = np.flatnonzero(block.X[:, 0] < 0.7)
    found = laplace_fibres(block, np.arange(block.n_tets), origin, ends(block)[1])
    assert np.abs(found - [1, 0, 0]).max() < 1e-12


def test_an_end_off_the_muscle_is_refused(block: TetMesh) -> None:
    some = np.flatnonzero(block.centroids[:, 0] < 1)
    with pytest.raises(ModelError, match="no vertex of the insertion"):
        laplace_fibres(block, some, *ends(block))


def test_straying_fibres_are_measured_by_volume(block: TetMesh) -> None:
    tets = np.arange(block.n_tets)
    fibre = np.tile([1.0, 0, 0], (len(tets), 1))
    assert ill_directed(block, tets, fibre) == 0
    stray = block.centroids[:, 0] < 0.5
    fibre[stray] = [0, 1, 0]
    axis = np.tile([1.0, 0, 0], (len(tets), 1))
    share = block.volumes[stray].sum() / block.volumes.sum()
    assert ill_directed(block, tets, fibre, axis) == pytest.approx(share)


def test_missing_fibres_count_as_straying(block: TetMesh) -> None:
    tets = np.arange(block.n_tets)
    fibre = np.tile([1.0, 0, 0], (len(tets), 1))
    fibre[:6] = 0
    assert ill_directed(block, tets, fibre) == pytest.approx(
        block.volumes[:6].sum() / block.volumes.sum()
    )


def test_fibres_of_a_bent_bar_are_circles() -> None:
    """The potential is linear in the angle, so the fibres are tangents of circles about z."""
    cells = 24
    straight = box((cells, 6, 2), (1.0, 1.0, 0.3))
    angle, radius = straight.X[:, 0] * np.pi / 2, 1.5 + straight.X[:, 1]
    X = np.column_stack([radius * np.sin(angle), radius * np.cos(angle), straight.X[:, 2]])
    bent = TetMesh(X, straight.T).oriented()
    found = laplace_fibres(bent, np.arange(bent.n_tets), *ends(straight))
    x, y, _ = bent.centroids.T
    tangent = np.column_stack([y, -x, np.zeros_like(x)]) / np.hypot(x, y)[:, None]
    cosine = np.einsum("mi,mi->m", found, tangent)
    assert np.arccos(cosine.clip(-1, 1)).max() < np.pi / 2 / cells


def test_a_piece_that_touches_neither_end_is_refused(block: TetMesh) -> None:
    loose = TetMesh(
        np.vstack([block.X, block.X + 9]), np.vstack([block.T, block.T + block.n_vertices])
    )
    origin, insertion = ends(block)
    with pytest.raises(ModelError, match=r"324 of 648 tets .* touch neither"):
        laplace_fibres(loose, np.arange(loose.n_tets), origin, insertion)
