"""Patches of tets: connected, of one region, and of about eight tets."""

from __future__ import annotations

import numpy as np
import pytest

from builders import box
from vastus import shapes
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.geometry.topology import patches


def connected(T: np.ndarray) -> bool:
    """Whether these tets can be reached from one another through faces."""
    faces = [{tuple(sorted(tet[face].tolist())) for face in FACES} for tet in T]
    reached = faces.pop()
    while near := [f for f in faces if f & reached]:
        faces = [f for f in faces if not f & reached]
        reached = reached.union(*near)
    return not faces


@pytest.mark.parametrize("tets", [2_000, 12_000])
def test_patches_are_connected_and_of_one_region(tets: int) -> None:
    model = shapes.elbow(tets)
    T, region = model.mesh.T[model.soft], model.region[model.soft]
    patch = patches(T, region)
    for p in range(patch.max() + 1):
        assert len(set(region[patch == p].tolist())) == 1
        assert connected(T[patch == p])


def test_patches_hold_about_eight_tets() -> None:
    sizes = np.bincount(patches(box((6, 6, 6), (1.0, 1.0, 1.0)).T, np.zeros(1296, int)))
    assert sizes.min() >= 4
    assert sizes.max() <= 16
    assert 6 < sizes.mean() < 9


def test_a_lonely_tet_is_a_patch_of_its_own() -> None:
    mesh = TetMesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]]))
    assert patches(mesh.T, np.zeros(1, int)).tolist() == [0]


def test_few_tets_of_a_region_stay_together() -> None:
    """Six tets stand around the diagonal of a cell: two neighbours, and the other four."""
    region = np.array([0, 0, 0, 1, 0, 1])
    patch = patches(box((1, 1, 1), (1.0, 1.0, 1.0)).T, region)
    assert patch.tolist() == region.tolist()


def test_the_order_of_the_corners_does_not_matter() -> None:
    T = box((3, 3, 3), (1.0, 1.0, 1.0)).T
    region = np.zeros(len(T), int)
    np.testing.assert_array_equal(patches(T, region), patches(T[:, [1, 2, 0, 3]], region))
