"""Tets at rest: what is derived from them, and what is refused."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh

UNIT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
REGULAR = np.array([[1.0, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])
A = np.array([[1.1, 0.2, -0.3], [0.4, 0.9, 0.1], [-0.2, 0.3, 1.3]])


def cube() -> TetMesh:
    """The unit cube as the six tets around its diagonal, some of them inverted."""
    X = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], float)
    steps = [np.cumsum([0, *p]) for p in permutations((4, 2, 1))]
    return TetMesh(X, np.array(steps))


def refusal(X: object, T: object) -> str:
    with pytest.raises(ModelError) as caught:
        TetMesh(np.array(X), np.array(T))
    return str(caught.value)


def test_the_volumes_of_a_cube_sum_to_one() -> None:
    assert cube().oriented().volumes.sum() == pytest.approx(1, abs=1e-15)


def test_the_unit_tet_has_a_sixth_of_the_volume_of_its_cube() -> None:
    assert TetMesh(UNIT, np.array([[0, 1, 2, 3]])).volumes == pytest.approx([1 / 6])


def test_an_inverted_tet_has_negative_volume() -> None:
    assert TetMesh(UNIT, np.array([[0, 2, 1, 3]])).volumes == pytest.approx([-1 / 6])


def test_orienting_turns_every_tet_positive() -> None:
    assert (cube().volumes < 0).any()
    assert (cube().oriented().volumes > 0).all()


def test_orienting_keeps_an_oriented_mesh() -> None:
    mesh = cube().oriented()
    assert mesh.oriented() is mesh


def test_shape_gradients_sum_to_zero() -> None:
    assert cube().gradients.sum(axis=1) == pytest.approx(0, abs=1e-15)


def test_the_gradient_of_a_linear_map_is_exact_in_every_tet() -> None:
    mesh = cube()
    found = np.einsum("mar,mac->mrc", (mesh.X @ A.T + 5)[mesh.T], mesh.gradients)
    assert found == pytest.approx(np.broadcast_to(A, found.shape), abs=1e-14)


def test_row_3i_plus_c_of_D_is_column_c_of_F() -> None:
    mesh = cube()
    columns = (mesh.D @ (mesh.X @ A.T)).reshape(-1, 3, 3)
    assert columns == pytest.approx(np.broadcast_to(A.T, columns.shape), abs=1e-14)


def test_the_deformation_of_a_linear_map_is_the_map() -> None:
    mesh = cube()
    assert mesh.deformation(mesh.X @ A.T)[3] == pytest.approx(A, abs=1e-14)


def test_D_transposed_is_the_transpose_of_D() -> None:
    mesh = cube()
    assert (mesh.D_transposed != mesh.D.T).nnz == 0


def test_a_flat_tet_has_no_gradient() -> None:
    flat = TetMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), [[0, 1, 2, 3]])
    with pytest.raises(ModelError, match="tet 0 is flat"):
        _ = flat.gradients


def test_the_boundary_of_a_cube_points_outward_even_from_inverted_tets() -> None:
    mesh = cube()
    a, b, c = (mesh.X[mesh.boundary[:, k]] for k in range(3))
    outward = (a + b + c) / 3 - 0.5
    assert mesh.boundary.shape == (12, 3)
    assert (np.einsum("ki,ki->k", np.cross(b - a, c - a), outward) > 0).all()


def test_a_boundary_face_belongs_to_its_tet() -> None:
    mesh = cube()
    owners = mesh.T[mesh.boundary_tets]
    assert all(np.isin(f, t).all() for f, t in zip(mesh.boundary, owners, strict=True))


def test_a_regular_tet_has_dihedral_angles_of_arccos_a_third() -> None:
    quality = TetMesh(REGULAR, np.array([[0, 1, 2, 3]])).quality()
    assert quality.min_dihedral == pytest.approx([70.528779], abs=1e-6)
    assert quality.max_dihedral == pytest.approx([70.528779], abs=1e-6)


def test_a_regular_tet_has_radius_ratio_one() -> None:
    mesh = TetMesh(REGULAR, np.array([[0, 1, 2, 3]])).oriented()
    assert mesh.quality().radius_ratio == pytest.approx([1])


def test_the_radius_ratio_of_the_corner_of_a_cube_is_the_closed_form() -> None:
    """r = 1 / (3 + sqrt 3) and R = sqrt(3) / 2 for the tet of three unit axes."""
    quality = TetMesh(UNIT, np.array([[0, 1, 2, 3]])).quality()
    assert quality.radius_ratio == pytest.approx([3 / (3 + 3**0.5) / (3**0.5 / 2)])


def test_a_flat_tet_has_quality_zero() -> None:
    flat = TetMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), [[0, 1, 2, 3]])
    assert flat.quality().radius_ratio == pytest.approx([0])


def test_an_inverted_tet_has_negative_quality() -> None:
    assert TetMesh(UNIT, np.array([[0, 2, 1, 3]])).quality().radius_ratio[0] < 0


def test_a_submesh_keeps_its_tets_and_names_its_vertices() -> None:
    mesh = cube()
    part, kept = mesh.submesh(np.array([2]))
    assert (kept[part.T] == mesh.T[[2]]).all()
    assert (mesh.X[kept] == part.X).all()


def test_two_separate_cubes_are_two_components() -> None:
    one = cube()
    both = TetMesh(np.vstack([one.X, one.X + 5]), np.vstack([one.T, one.T + 8]))
    assert both.components.tolist() == [0] * 6 + [1] * 6


def test_a_vertex_of_no_tet_is_unused() -> None:
    assert TetMesh(np.vstack([UNIT, [[9, 9, 9]]]), [[0, 1, 2, 3]]).unused.tolist() == [4]


def test_an_empty_mesh_has_an_empty_boundary() -> None:
    assert TetMesh(np.zeros((0, 3)), np.zeros((0, 4), int)).boundary.shape == (0, 3)


def test_a_vertex_out_of_range_is_named() -> None:
    assert refusal(UNIT, [[0, 1, 2, 9]]) == "tet 0 names vertex 9, but there are 4 vertices"


def test_a_negative_vertex_is_named() -> None:
    assert refusal(UNIT, [[0, 1, 2, -1]]) == "tet 0 names vertex -1, but there are 4 vertices"


def test_a_tet_that_repeats_a_vertex_is_named() -> None:
    assert refusal(UNIT, [[0, 1, 2, 3], [3, 0, 1, 3]]) == "tet 1 repeats vertex 3"


def test_a_duplicate_tet_is_named_whatever_its_order() -> None:
    twice = np.vstack([cube().T, cube().T[[1]][:, ::-1]])
    assert refusal(cube().X, twice) == "tets 1 and 6 have the same four vertices"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vertex_that_is_not_finite_is_named(bad: float) -> None:
    X = UNIT.copy()
    X[2, 1] = bad
    assert refusal(X, [[0, 1, 2, 3]]) == "vertex 2 has a coordinate that is not finite"


def test_flat_vertices_are_refused_with_their_shape() -> None:
    expected = "the table of vertex coordinates has shape (4, 2), not (n, 3)"
    assert refusal(UNIT[:, :2], [[0, 1, 2, 3]]) == expected


def test_vertices_that_are_not_numbers_are_refused() -> None:
    assert "must be three numbers" in refusal([["a", "b", "c"]], [[0, 1, 2, 3]])


def test_triangles_are_refused_as_tets() -> None:
    assert refusal(UNIT, [[0, 1, 2]]) == "the table of tets has shape (1, 3), not (m, 4)"


def test_tets_of_fractions_are_refused() -> None:
    expected = "the table of tets holds float64 values, not whole numbers"
    assert refusal(UNIT, [[0.0, 1, 2, 3]]) == expected
