"""A lattice located, cut, coarsened, and its hanging nodes."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.lattice.bcc import NEIGHBOURS, corners, locate
from vastus.geometry.lattice.coarsening import Coarse, coarsen
from vastus.geometry.lattice.cutting import Cut, cut
from vastus.geometry.lattice.level_set import LevelSet, sampled
from vastus.geometry.lattice.raster import fill
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

SPACING = 0.007


def fingers(gap: float) -> LevelSet:
    """Two fingers of 16 mm along z, so far apart."""

    def field(X: Floats) -> Floats:
        z = np.clip(X[:, 2], 0.0, 0.04)
        middle = [np.stack([0 * z + x, 0 * z, z], axis=1) for x in (0.0013, 0.0173 + gap)]
        return np.min([np.linalg.norm(X - m, axis=1) for m in middle], axis=0) - 0.008

    low, high = np.array([-0.015, -0.015, -0.015]), np.array([0.045, 0.015, 0.055])
    return sampled(field, low, high, 0.0005)


@pytest.fixture(scope="module")
def ball() -> Cut:
    low = np.full(3, -0.06)
    return cut(sampled(lambda X: np.linalg.norm(X, axis=1) - 0.05, low, -low, 0.0025), SPACING)


def test_a_point_is_in_the_tet_that_it_is_located_in() -> None:
    points = np.random.default_rng(0).normal(size=(500, 3))
    tets = corners(*locate(points)) / 2.0
    M = np.concatenate([np.swapaxes(tets, 1, 2), np.ones((500, 1, 4))], axis=1)
    weights = np.linalg.solve(M, np.append(points, np.ones((500, 1)), axis=1)[..., None])
    assert weights.min() > -1e-12
    assert np.linalg.det(tets[:, 1:] - tets[:, :1]) == pytest.approx(np.full(500, 0.5))


def test_tets_beyond_a_face_share_three_corners() -> None:
    cell, kind = np.zeros((12, 3), np.int64), np.arange(12)
    for face in range(4):
        other = corners(NEIGHBOURS[:, face, :3], NEIGHBOURS[:, face, 3])
        same = (corners(cell, kind)[:, :, None] == other[:, None]).all(axis=-1)
        assert (same.sum(axis=(1, 2)) == 3).all()


@pytest.mark.parametrize("gap", [0.006, 0.001])
def test_two_fingers_closer_than_a_tet_stay_two(gap: float) -> None:
    lattice = cut(fingers(gap), SPACING)
    assert np.unique(lattice.piece).tolist() == [0, 1]
    of_node = [set(lattice.nodes[lattice.piece == p].ravel()) for p in (0, 1)]
    assert not of_node[0] & of_node[1]


def test_points_of_a_finger_are_embedded_in_its_own_copies() -> None:
    lattice = cut(fingers(0.001), SPACING)
    z = np.linspace(0.0, 0.04, 30)
    inner = [np.stack([0 * z + x, 0 * z, z], axis=1) for x in (0.0013 + 0.0075, 0.0183 - 0.0075)]
    pieces = [np.unique(lattice.piece[lattice.embed(points)]) for points in inner]
    assert [len(p) for p in pieces] == [1, 1]
    assert pieces[0] != pieces[1]


@pytest.mark.parametrize("levels", [1, 2])
def test_hanging_nodes_follow_linear_fields(ball: Cut, levels: int) -> None:
    coarse = coarsen(ball, levels)
    assert coarse.hanging > 0
    A = np.random.default_rng(1).normal(size=(3, 3))
    assert np.abs(coarse.P @ (free_places(coarse) @ A) - coarse.X @ A).max() < 1e-15
    assert np.abs(coarse.P.sum(axis=1) - 1).max() < 1e-15


def test_coarsening_keeps_the_volume_and_every_copy(ball: Cut) -> None:
    fine, coarse = coarsen(ball, 0), coarsen(ball, 2)
    assert volumes(coarse).min() > 0
    assert volumes(coarse).sum() == pytest.approx(volumes(fine).sum(), rel=1e-12)
    assert (coarse.tet_of_copy >= 0).all()
    assert len(fine.T) > 4 * len(coarse.T)


def test_a_convex_body_has_no_copies(ball: Cut) -> None:
    assert ball.alone.all()
    held = np.count_nonzero(ball.owner >= 0) * ball.voxel**3
    assert held == pytest.approx(4 / 3 * np.pi * 0.05**3, rel=0.01)


def test_nothing_inside_cannot_be_cut() -> None:
    empty = LevelSet(np.zeros(3), 0.01, np.ones((4, 4, 4), np.float32))
    with pytest.raises(ModelError, match="nothing inside"):
        cut(empty, SPACING)


def test_a_box_is_filled_even_with_a_hole_in_it() -> None:
    box = unit_box()
    whole = fill(box, np.full(3, -0.45), 0.1, (20, 20, 20))
    assert whole.sum() == 1000
    holed = fill(box.keeping(np.arange(1, 12)), np.full(3, -0.45), 0.1, (20, 20, 20))
    assert holed.sum() == 1000


def unit_box() -> Surface:
    X = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return Surface(X, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


def volumes(coarse: Coarse) -> Floats:
    edges = coarse.X[coarse.T[:, 1:]] - coarse.X[coarse.T[:, :1]]
    return np.asarray(np.linalg.det(edges) / 6)


def free_places(coarse: Coarse) -> Floats:
    own = np.flatnonzero(np.diff(coarse.P.indptr) == 1)
    out = np.empty((coarse.P.shape[1], 3))
    out[coarse.P.indices[coarse.P.indptr[own]]] = coarse.X[own]
    return out
