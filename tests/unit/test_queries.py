"""Point queries against closed forms of the unit cube, at random points and on its edges."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.queries import inside, locate, nearest_on_surface, nearest_vertex
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import TetMesh

SCATTERED = np.random.default_rng(1).uniform(-0.3, 1.3, (3000, 3))
IN_CUBE = ((SCATTERED >= 0) & (SCATTERED <= 1)).all(axis=1)


def grid(k: int) -> TetMesh:
    """The unit cube as 6 k^3 tets."""
    axis = np.arange(k + 1)
    cells = np.stack(np.meshgrid(*3 * [axis], indexing="ij"), -1).reshape(-1, 3)
    step = np.array([(k + 1) ** 2, k + 1, 1])
    lower = cells[(cells < k).all(axis=1)] @ step
    paths = np.array([np.cumsum([0, *step[list(p)]]) for p in permutations(range(3))])
    return TetMesh(cells / k, (lower[:, None, None] + paths).reshape(-1, 4)).oriented()


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    return grid(6)


@pytest.fixture(scope="module")
def surface(mesh: TetMesh) -> Surface:
    return boundary_surface(mesh)[0]


def test_exactly_the_points_in_the_cube_are_in_a_tet(mesh: TetMesh) -> None:
    assert ((locate(mesh, SCATTERED).tets >= 0) == IN_CUBE).all()


def test_the_weights_of_a_located_point_give_back_the_point(mesh: TetMesh) -> None:
    found = locate(mesh, SCATTERED[IN_CUBE])
    back = np.einsum("ka,kai->ki", found.weights, mesh.X[mesh.T[found.tets]])
    assert back == pytest.approx(SCATTERED[IN_CUBE], abs=1e-14)


def test_the_weights_of_a_located_point_are_positive_and_sum_to_one(mesh: TetMesh) -> None:
    weights = locate(mesh, SCATTERED[IN_CUBE]).weights
    assert weights.min() > -1e-9
    assert weights.sum(axis=1) == pytest.approx(1)


def test_every_vertex_is_found_in_a_tet_of_its_own(mesh: TetMesh) -> None:
    found = locate(mesh, mesh.X)
    assert (mesh.T[found.tets] == np.arange(mesh.n_vertices)[:, None]).any(axis=1).all()


def test_a_point_outside_has_no_tet_and_no_weights(mesh: TetMesh) -> None:
    found = locate(mesh, [[2.0, 0, 0]])
    assert found.tets.tolist() == [-1]
    assert not found.weights.any()


def test_a_point_just_outside_is_found_with_a_larger_tolerance(mesh: TetMesh) -> None:
    assert locate(mesh, [[0.52, 0.51, 1.001]], tolerance=0.01).tets[0] >= 0


def test_no_points_are_located_nowhere(mesh: TetMesh) -> None:
    assert locate(mesh, np.zeros((0, 3))).weights.shape == (0, 4)


def test_a_mesh_without_tets_holds_no_point() -> None:
    with pytest.raises(ModelError, match="no tets"):
        locate(TetMesh(np.zeros((1, 3)), np.zeros((0, 4), int)), [[0.0, 0, 0]])


def test_a_point_that_is_not_finite_is_named(mesh: TetMesh) -> None:
    with pytest.raises(ModelError, match="point 1 has a coordinate that is not finite"):
        locate(mesh, [[0, 0, 0], [0, np.nan, 0]])


def test_the_nearest_vertex_is_the_nearest(mesh: TetMesh) -> None:
    vertex, distance = nearest_vertex(mesh.X, SCATTERED[:50])
    every = np.linalg.norm(SCATTERED[:50, None] - mesh.X, axis=2)
    assert distance == pytest.approx(every.min(axis=1))
    assert (vertex == every.argmin(axis=1)).all()


def test_the_distance_to_a_cube_is_the_closed_form(surface: Surface) -> None:
    outside = np.linalg.norm(SCATTERED - SCATTERED.clip(0, 1), axis=1)
    within = np.minimum(SCATTERED, 1 - SCATTERED).min(axis=1)
    expected = np.where(IN_CUBE, within, outside)
    assert nearest_on_surface(surface, SCATTERED).distances == pytest.approx(expected, abs=1e-14)


def test_the_nearest_place_is_in_its_face_at_its_weights(surface: Surface) -> None:
    near = nearest_on_surface(surface, SCATTERED)
    place = np.einsum("ka,kai->ki", near.weights, surface.X[surface.faces[near.faces]])
    assert near.points == pytest.approx(place)
    assert near.weights.min() >= 0


def test_the_nearest_place_of_a_face_without_area_is_on_its_edge() -> None:
    needle = Surface(np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]), np.array([[0, 1, 2]]))
    assert nearest_on_surface(needle, [[1.5, 1, 0]]).points == pytest.approx(
        np.array([[1.5, 0, 0]])
    )


def test_an_unused_vertex_is_not_a_place_of_the_surface() -> None:
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 5]])
    near = nearest_on_surface(Surface(X, np.array([[0, 1, 2]])), [[0.2, 0.2, 5]])
    assert near.distances == pytest.approx([5])


def test_a_surface_without_faces_is_near_to_nothing() -> None:
    with pytest.raises(ModelError, match="no vertices"):
        nearest_on_surface(Surface(np.zeros((0, 3)), np.zeros((0, 3), int)), [[0.0, 0, 0]])


def test_exactly_the_points_in_the_cube_are_inside(surface: Surface) -> None:
    assert (inside(surface, SCATTERED) == IN_CUBE).all()


def test_points_in_line_with_vertices_and_edges_are_inside(surface: Surface) -> None:
    assert inside(surface, grid(6).X[(np.abs(grid(6).X - 0.5) < 0.49).all(axis=1)]).all()


def test_inside_does_not_depend_on_the_side_that_normals_point_to(surface: Surface) -> None:
    turned = Surface(surface.X, surface.faces[:, ::-1])
    assert (inside(turned, SCATTERED) == IN_CUBE).all()


def test_the_hollow_of_a_shell_is_outside(surface: Surface) -> None:
    hollow = 0.25 + surface.X / 2
    shell = Surface(
        np.vstack([surface.X, hollow]),
        np.vstack([surface.faces, surface.faces[:, ::-1] + surface.n_vertices]),
    )
    assert inside(shell, [[0.5, 0.5, 0.5], [0.1, 0.5, 0.5]]).tolist() == [False, True]


def test_an_open_surface_has_no_inside(surface: Surface) -> None:
    with pytest.raises(ModelError, match=r"not closed \(3 boundary edges\)"):
        inside(Surface(surface.X, surface.faces[1:]), [[0.5, 0.5, 0.5]])
