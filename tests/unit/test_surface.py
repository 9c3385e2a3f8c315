"""Triangle surfaces against closed forms of the unit cube."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import TetMesh

X = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
QUADS = np.array(
    [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
)
FACES = QUADS[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def test_a_cube_encloses_a_volume_of_one() -> None:
    assert Surface(X, FACES).volume == pytest.approx(1)


def test_a_cube_inside_out_encloses_minus_one() -> None:
    assert Surface(X, FACES[:, ::-1]).volume == pytest.approx(-1)


def test_the_volume_does_not_depend_on_the_place() -> None:
    assert Surface(X + 1000, FACES).volume == pytest.approx(1, abs=1e-9)


def test_the_faces_of_a_cube_have_an_area_of_six() -> None:
    assert Surface(X, FACES).areas.sum() == pytest.approx(6)


def test_normals_point_outward() -> None:
    surface = Surface(X, FACES)
    outward = X[FACES].mean(axis=1) - 0.5
    assert (np.einsum("ki,ki->k", surface.normals, outward) > 0).all()


def test_the_normal_of_a_face_without_area_is_zero() -> None:
    assert Surface(X, np.array([[0, 0, 1]])).normals == pytest.approx(np.zeros((1, 3)))


def test_vertex_normals_are_the_unit_mean_of_their_faces() -> None:
    normals = Surface(X, FACES).vertex_normals
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1)
    assert (normals * (X - 0.5)).sum(axis=1) == pytest.approx(0.8, abs=0.1)


def test_a_cube_is_closed() -> None:
    assert Surface(X, FACES).closed


def test_a_cube_without_a_face_is_open_along_three_edges() -> None:
    surface = Surface(X, FACES[1:])
    assert not surface.closed
    assert sorted(map(sorted, surface.boundary_edges.tolist())) == [[0, 1], [0, 3], [1, 3]]


def test_a_cube_with_one_face_turned_has_no_inside() -> None:
    turned = FACES.copy()
    turned[0] = turned[0, ::-1]
    assert not Surface(X, turned).closed


def test_a_surface_without_faces_is_not_closed() -> None:
    assert not Surface(X, np.zeros((0, 3), int)).closed


def test_a_cube_of_triangles_has_eighteen_edges() -> None:
    assert Surface(X, FACES).edges.shape == (18, 2)


def test_the_boundary_of_a_tet_mesh_is_a_closed_surface_of_its_vertices() -> None:
    spare = np.array([[9.0, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    surface, kept = boundary_surface(TetMesh(spare, np.array([[1, 2, 3, 4]])))
    assert kept.tolist() == [1, 2, 3, 4]
    assert surface.closed
    assert surface.volume == pytest.approx(1 / 6)


def test_a_face_out_of_range_is_named() -> None:
    with pytest.raises(ModelError, match="face 1 names vertex 8, but there are 8 vertices"):
        Surface(X, np.array([[0, 1, 2], [3, 4, 8]]))


def test_a_vertex_that_is_not_finite_is_named() -> None:
    with pytest.raises(ModelError, match="vertex 7 has a coordinate that is not finite"):
        Surface(np.vstack([X[:7], [[0, np.nan, 0]]]), FACES)
