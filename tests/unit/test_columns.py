"""Points of a grid inside closed surfaces, against rays in a direction of no meaning."""

from __future__ import annotations

import numpy as np
import pytest

from limb import ball, bone, together, turned
from vastus.geometry.columns import inside_grid
from vastus.geometry.queries import inside
from vastus.geometry.surface import Surface

SHAPES = {
    "a rod": bone(0.0, 0.1),
    "a rod inside out": turned(bone(0.0, 0.1)),
    "a hollow ball": together(ball(0.03, 0, 0, 0), turned(ball(0.02, 0, 0, 0))),
    "balls that cross": together(ball(0.03, 0, 0, 0), ball(0.03, 0.02, 0, 0)),
}
GRIDS = {
    "around it": ([-0.05, -0.05, -0.05], [0.11, 0.12, 0.17], [13, 17, 23]),
    "through it": ([-0.01, 0.0, 0.005], [0.03, 0.021, 0.03], [31, 8, 9]),
    "a sheet": ([-0.02, -0.02, 0.01], [0.04, 0.04, 1e-12], [20, 30, 1]),
    "beside it": ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1], [3, 3, 3]),
}


def middles(low: np.ndarray, side: np.ndarray, shape: np.ndarray) -> np.ndarray:
    return low + side * (np.indices(shape).reshape(3, -1).T + 0.5)


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("name", SHAPES)
def test_a_grid_is_inside_where_its_points_are(name: str, grid: str) -> None:
    surface, (low, size, shape) = SHAPES[name], map(np.array, GRIDS[grid])
    found = inside_grid(surface, low, size / shape, shape)
    assert found.shape == tuple(shape)
    points = middles(low, size / shape, shape)
    np.testing.assert_array_equal(found.ravel(), inside(surface, points))
    assert found.any() == (grid != "beside it")


@pytest.mark.parametrize("axis", range(3))
def test_columns_through_edges_and_corners_count_once(axis: int) -> None:
    """An octahedron whose corners and edges all lie on columns of the grid."""
    corners = np.vstack([np.eye(3), -np.eye(3)])
    faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    shape = np.array([8, 8, 8])
    shape[axis] += 1  # the columns go along this axis, and its points are off the surface
    side = np.full(3, 0.25)
    low = np.full(3, -0.25 * 3.5)
    low[axis] -= 0.1
    found = inside_grid(Surface(corners, np.array(faces)), low, side, shape)
    beyond = np.abs(middles(low, side, shape)).sum(axis=1).reshape(shape) - 1.0
    clear = np.abs(beyond) > 1e-9
    np.testing.assert_array_equal(found[clear], beyond[clear] < 0)
    assert clear.mean() > 0.8
    assert found.any()
