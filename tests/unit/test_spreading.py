"""Distances spread over a grid, from nodes and from triangles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from vastus.geometry.lattice.level_set import without_holes
from vastus.geometry.lattice.nearness import distances_beside
from vastus.geometry.lattice.spreading import _envelope, _valley, spread
from vastus.geometry.queries import nearest_on_triangles


@pytest.mark.parametrize("shape", [(13, 17, 23), (1, 5, 9), (30, 1, 1)])
@pytest.mark.parametrize("part", [0.0, 0.02, 0.5])
def test_distances_from_nodes_are_exact(shape: tuple[int, int, int], part: float) -> None:
    rng = np.random.default_rng(3)
    seeds = rng.random(shape) < part
    seeds.flat[rng.integers(seeds.size)] = True
    far = 0.5 * ndimage.distance_transform_edt(~seeds)
    assert spread(seeds, np.zeros(shape, np.float32), 0.5) == pytest.approx(far, abs=1e-6)


def test_values_of_the_nearest_node_are_added() -> None:
    seeds = np.zeros((9, 9, 9), bool)
    seeds[1, 1, 1] = seeds[7, 7, 7] = True
    values = np.full(seeds.shape, np.nan, np.float32)
    values[1, 1, 1], values[7, 7, 7] = 0.25, -0.5
    found = spread(seeds, values, 2.0)
    assert found[1, 1, 3] == pytest.approx(4.25)
    assert found[7, 5, 7] == pytest.approx(3.5)
    assert np.isfinite(found).all()


def test_borders_are_not_read_where_no_parabola_is() -> None:
    border = np.full(3, -np.inf)  # what memory may hold
    count = _envelope(np.full(3, -1.0), np.zeros(3, np.int64), border)
    assert (count, _valley(border, count, 0, 2)) == (0, 0)


def test_distances_beside_triangles_are_exact_within_reach() -> None:
    rng = np.random.default_rng(0)
    triangles = rng.uniform(-0.2, 1.2, (6, 3, 3))
    corner, cell, shape, reach = np.full(3, -0.1), 0.05, (25, 24, 23), 2.0
    nodes = corner + cell * np.argwhere(np.ones(shape, bool))
    gaps = []
    for triangle in triangles:
        corners = np.broadcast_to(triangle, (len(nodes), 3, 3))
        weights = nearest_on_triangles(corners, nodes)
        gaps.append(np.linalg.norm(weights @ triangle - nodes, axis=1))
    exact = np.minimum(np.min(gaps, axis=0), reach * cell).reshape(shape)
    found = distances_beside(triangles, corner, cell, shape, reach)
    assert found == pytest.approx(exact, abs=1e-6)
    assert (exact < reach * cell).any()


def test_holes_are_what_the_border_does_not_reach() -> None:
    inside = np.random.default_rng(1).random((12, 13, 14)) < 0.7
    assert np.array_equal(without_holes(inside), ndimage.binary_fill_holes(inside))
