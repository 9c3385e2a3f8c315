"""Meshes repaired: each kind of damage done to a box and made good again."""

from __future__ import annotations

import numpy as np
import pytest

from builders import box, carve
from vastus.checks import check
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import facing, walls
from vastus.model import Model
from vastus.modelling.labelled.repair_mesh import Repair, Repaired, directed, repair
from vastus.modelling.labelled.repair_tets import Star, smallest_angles

CELLS, SIZE = (8, 4, 4), (0.16, 0.08, 0.08)
BONES = np.array([0, -1, 1])  # labels 0 and 2 are bones, 1 is soft


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    return box(CELLS, SIZE)


@pytest.fixture(scope="module")
def labels(mesh: TetMesh) -> np.ndarray:
    return np.searchsorted([0.04, 0.12], mesh.centroids[:, 0])


def inner(mesh: TetMesh) -> np.ndarray:
    return np.setdiff1d(np.arange(mesh.n_vertices), mesh.boundary)


def moved(mesh: TetMesh, vertex: int, step: list[float]) -> TetMesh:
    X = mesh.X.copy()
    X[vertex] += step
    return TetMesh(X, mesh.T)


def wound(mesh: TetMesh, tets: list[int]) -> TetMesh:
    T = mesh.T.copy()
    T[tets] = T[tets][:, [1, 0, 2, 3]]
    return TetMesh(mesh.X, T)


def sound(out: Repaired) -> None:
    """What every repaired mesh must be."""
    assert (out.mesh.volumes > 0).all()
    assert (out.labels >= 0).all()
    assert not len(out.mesh.unused)
    assert len(out.labels) == len(out.tets) == out.mesh.n_tets
    assert len(out.vertices) == out.mesh.n_vertices


def test_a_good_mesh_stays_as_it_is(mesh: TetMesh, labels: np.ndarray) -> None:
    out = repair(mesh, labels, body=BONES)
    assert out.done == {}
    assert out.mesh is mesh
    np.testing.assert_array_equal(out.labels, labels)


@pytest.mark.parametrize("body", [None, BONES])
@pytest.mark.parametrize("tets", [[5], [5, 77, 78, 400], list(range(768))])
def test_tets_wound_the_other_way_are_turned(
    tets: list[int], body: np.ndarray | None, mesh: TetMesh, labels: np.ndarray
) -> None:
    out = repair(wound(mesh, tets), labels, body=body)
    sound(out)
    assert out.done == {Repair.TURNED: len(tets)}
    np.testing.assert_array_equal(out.mesh.X, mesh.X)
    assert out.mesh.volumes.sum() == pytest.approx(np.prod(SIZE))


def test_a_shared_face_is_outward_of_both_tets(mesh: TetMesh) -> None:
    assert facing(mesh, walls(mesh)).all()
    turned = wound(mesh, [100])
    between = walls(turned)
    np.testing.assert_array_equal(facing(turned, between), ~(between.tets == 100).any(axis=1))


def test_a_folded_vertex_is_lifted_and_no_other_is_moved(mesh: TetMesh, labels: np.ndarray) -> None:
    vertex = int(inner(mesh)[np.argmin(np.abs(mesh.X[inner(mesh), 0] - 0.08))])
    broken = moved(mesh, vertex, [0.03, 0.002, 0.001])
    folded = int((broken.volumes <= 0).sum())
    out = repair(broken, labels, body=BONES)
    sound(out)
    assert out.done[Repair.LIFTED] == folded > 2
    others = np.delete(np.arange(mesh.n_vertices), vertex)
    np.testing.assert_array_equal(out.mesh.X[others], mesh.X[others])
    assert 0.01 < out.shift(broken.X) < 0.03


def test_many_folds_at_once_are_lifted(mesh: TetMesh, labels: np.ndarray) -> None:
    X = mesh.X.copy()
    X[inner(mesh)] += np.random.default_rng(0).uniform(-0.009, 0.009, (len(inner(mesh)), 3))
    broken = TetMesh(X, mesh.T)
    assert 0.01 < (broken.volumes <= 0).mean() < 0.05
    out = repair(broken, np.zeros_like(labels))
    sound(out)
    assert out.mesh.volumes.sum() == pytest.approx(np.prod(SIZE), rel=0.05)


def flat_cap() -> TetMesh:
    """Two tets under a square, and a flat one that covers it."""
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.4, 0.4, 1]])
    return TetMesh(X, np.array([[0, 1, 2, 4], [1, 3, 2, 4], [0, 2, 1, 3]]))


def test_a_flat_tet_on_the_surface_is_lifted() -> None:
    assert flat_cap().volumes[2] == 0
    out = repair(flat_cap(), np.zeros(3, int))
    sound(out)
    assert out.done == {Repair.LIFTED: 1}


def test_a_flat_tet_that_cannot_be_lifted_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastus.modelling.labelled.repair_tets.FAR", 0.0)
    out = repair(flat_cap(), np.zeros(3, int))
    sound(out)
    assert out.done == {Repair.REMOVED: 1}
    assert out.tets.tolist() == [0, 1]


def test_a_mesh_that_is_folded_over_as_a_whole_is_not_pulled_straight(mesh: TetMesh) -> None:
    X = mesh.X.copy()
    X[:, 0] = 0.08 - np.abs(X[:, 0] - 0.08)
    out = repair(TetMesh(X, mesh.T), np.zeros(mesh.n_tets, int))
    assert out.folded > 0


def test_no_place_around_is_better_than_the_best_of_a_star() -> None:
    mesh = box((2, 2, 2), (2.0, 2.0, 2.0))
    middle = int(np.flatnonzero((mesh.X == 1).all(axis=1))[0])
    X = mesh.X.copy()
    X[middle] += [0.4, -0.3, 0.2]
    star = Star.of(X, mesh.T[(middle == mesh.T).any(axis=1)], middle)
    step, height = star.best()
    assert (star.heights + star.slopes @ step).min() == pytest.approx(height)
    tried = np.random.default_rng(0).uniform(-1, 1, (10_000, 3)) * star.reach
    assert (star.heights + tried @ star.slopes.T).min(axis=1).max() <= height
    assert (star.heights + star.slopes @ ([1, 1, 1] - X[middle])).min() <= height + 1e-12
    least = star.least(step, 0.5 * height)
    assert (star.heights + star.slopes @ least).min() == pytest.approx(0.5 * height)


@pytest.mark.parametrize("share", [0.01, 0.04])
def test_tets_of_no_region_take_that_of_their_neighbours(
    share: float, mesh: TetMesh, labels: np.ndarray
) -> None:
    bare = labels.copy()
    count = int(share * len(labels))
    bare[np.random.default_rng(1).choice(len(labels), count, replace=False)] = -1
    out = repair(mesh, bare, body=BONES)
    assert out.done == {Repair.LABELLED: count}
    assert (out.labels != labels).sum() <= 0.1 * count


def test_a_tet_of_no_region_takes_the_label_with_most_area() -> None:
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [-1, 0, 0], [0, -1, 0]])
    T = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 3, 5], [0, 1, 3, 6]])
    out = repair(TetMesh(X, T).oriented(), np.array([-1, 0, 1, 1]))
    assert out.labels[0] == 1  # two faces of area 1/2 against one of 0.87


def test_stray_tets_go_to_the_region_around(mesh: TetMesh, labels: np.ndarray) -> None:
    strayed = labels.copy()
    middle = np.argmin(np.linalg.norm(mesh.centroids - [0.08, 0.04, 0.04], axis=1))
    strayed[middle] = 0
    out = repair(mesh, strayed, body=BONES)
    assert out.done == {Repair.GATHERED: 1}
    np.testing.assert_array_equal(out.labels, labels)


def test_a_bone_in_several_large_pieces_is_left_alone(mesh: TetMesh) -> None:
    ends = (np.abs(mesh.centroids[:, 0] - 0.08) > 0.06).astype(int)
    assert repair(mesh, ends, body=np.array([-1, 0])).done == {}


def hung(mesh: TetMesh, corners: list[int], tip: list[list[float]]) -> TetMesh:
    """The mesh with one more tet, at some of its vertices and some of its own."""
    own = mesh.n_vertices + np.arange(len(tip))
    T = np.vstack([mesh.T, np.append(corners, own)])
    return TetMesh(np.vstack([mesh.X, tip]), T).oriented()


def test_a_tet_that_hangs_by_a_vertex_or_an_edge_is_cut(mesh: TetMesh, labels: np.ndarray) -> None:
    top = np.flatnonzero(np.isclose(mesh.X[:, [0, 2]], [0.08, 0.08]).all(axis=1)).tolist()
    above = [[0.08, 0.04, 0.10], [0.10, 0.04, 0.10], [0.08, 0.06, 0.11]]
    for corners, tip in ((top[:1], above), (top[:2], above[:2])):
        out = repair(hung(mesh, corners, tip), np.append(labels, 1), body=BONES)
        sound(out)
        assert out.done == {Repair.CUT: 1, Repair.DROPPED: len(tip)}
        np.testing.assert_array_equal(out.tets, np.arange(mesh.n_tets))


def test_bones_that_share_vertices_are_parted(mesh: TetMesh) -> None:
    halves = (mesh.centroids[:, 0] > 0.08).astype(int)
    out = repair(mesh, halves, body=np.array([0, 1]))
    sound(out)
    assert out.done == {Repair.PARTED: 25}
    one, two = (np.unique(out.mesh.T[out.labels == i]) for i in (0, 1))
    assert not len(np.intersect1d(one, two))
    np.testing.assert_array_equal(out.mesh.X, mesh.X[out.vertices])


def test_slivers_inside_a_region_are_smoothed(mesh: TetMesh) -> None:
    vertex = int(inner(mesh)[20])
    flat = moved(mesh, vertex, [0.0195, 0.0, 0.0])
    before = smallest_angles(flat.X, flat.T)
    out = repair(flat, np.zeros(mesh.n_tets, int))
    assert out.done[Repair.SMOOTHED] == (before < 5).sum() > 0
    assert smallest_angles(out.mesh.X, out.mesh.T).min() > 15


def test_slivers_of_bone_and_on_surfaces_stay(mesh: TetMesh) -> None:
    flat = moved(mesh, int(inner(mesh)[20]), [0.0195, 0.0, 0.0])
    assert repair(flat, np.zeros(mesh.n_tets, int), body=np.array([0])).done == {}
    corner = int(np.flatnonzero((mesh.X == 0).all(axis=1))[0])
    sharp = moved(mesh, corner, [0.0196, 0.0196, 0.0])
    out = repair(sharp, np.zeros(mesh.n_tets, int))
    np.testing.assert_array_equal(out.mesh.X[corner], sharp.X[corner])


def test_vertices_of_no_tet_are_dropped(mesh: TetMesh, labels: np.ndarray) -> None:
    loose = TetMesh(np.vstack([np.zeros((2, 3)), mesh.X]), mesh.T + 2)
    out = repair(loose, labels)
    assert out.done == {Repair.DROPPED: 2}
    np.testing.assert_array_equal(out.vertices, 2 + np.arange(mesh.n_vertices))


def test_missing_directions_come_from_neighbours(mesh: TetMesh, labels: np.ndarray) -> None:
    tets = np.flatnonzero(labels == 1)
    whole = mesh.centroids * [1.0, 3.0, 0.0] + [0.1, 0.0, 0.0]
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    holed = whole.copy()
    gaps = np.random.default_rng(2).choice(tets, 60, replace=False)
    holed[gaps[:30]], holed[gaps[30:]] = 0.0, np.nan
    filled, count = directed(mesh, holed, tets)
    assert count == 60
    np.testing.assert_allclose(np.linalg.norm(filled[tets], axis=1), 1.0)
    assert np.einsum("ki,ki->k", filled[gaps], whole[gaps]).min() > np.cos(np.radians(10))
    kept = np.setdiff1d(tets, gaps)
    np.testing.assert_array_equal(filled[kept], whole[kept])


def test_directions_that_are_all_missing_stay_missing(mesh: TetMesh) -> None:
    nothing = np.zeros((mesh.n_tets, 3))
    assert directed(mesh, nothing, np.arange(mesh.n_tets))[1] == 0


def test_hanging_tets_are_found_with_count_and_place(bar_model: Model) -> None:
    n = bar_model.mesh.n_vertices
    X = np.vstack([bar_model.mesh.X, [[0.04, 0.0, 0.03], [0.05, 0.0, 0.03], [0.04, 0.01, 0.04]]])
    top = int(np.flatnonzero(np.isclose(bar_model.mesh.X, [0.04, 0.0, 0.02]).all(axis=1))[0])
    mesh = TetMesh(X, np.vstack([bar_model.mesh.T, [top, n, n + 1, n + 2]])).oriented()
    model = bar_model.with_(
        mesh=mesh,
        region=np.append(bar_model.region, 2),
        fibre=np.vstack([bar_model.fibre, [1.0, 0.0, 0.0]]),
    )
    found = [f for f in check(model) if "hanging" in f.sentence]
    assert [f.where for f in found] == ["region 'belly'"]
    assert "has 1 tets hanging" in found[0].sentence
    assert "[0.0425, 0.0025, 0.03] m" in found[0].sentence


def test_soft_tets_that_tie_bones_together_are_found() -> None:
    thin = box((3, 1, 1), (0.09, 0.03, 0.03))
    labels = np.array(["A", "m", "B"])[np.searchsorted([0.03, 0.06], thin.centroids[:, 0])]
    (found,) = [f for f in check(carve(thin, labels)) if "all their vertices on bones" in str(f)]
    assert "6 soft tets" in found.sentence
    assert "'A' and 'B'" in found.sentence
