"""Volumes of B-splines: their derivatives, inverse and fit."""

from itertools import product

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.bspline.fit import Lattice, fitted, folded
from vastus.geometry.bspline.inverse import locate
from vastus.geometry.bspline.loft import lofted
from vastus.geometry.bspline.solid import BSplineSolid, even_knots

RNG = np.random.default_rng(3)


def bent(u: np.ndarray) -> np.ndarray:
    """A horn of 0.2 m: wide in the middle, and bent by 1.5 rad."""
    x, y, z = 2 * u[:, 0] - 1, 2 * u[:, 1] - 1, 1.5 * u[:, 2]
    r = 0.02 * (0.5 + np.sin(np.pi * u[:, 2]))
    return np.column_stack([(0.13 + r * x) * np.cos(z), (0.13 + r * x) * np.sin(z), 1.4 * r * y])


@pytest.fixture(scope="module")
def horn() -> BSplineSolid:
    u = np.random.default_rng(0).random((4000, 3))
    return fitted(bent(u), u, np.ones(len(u)), Lattice(smoothing=1e-8))


def within(solid: BSplineSolid, count: int) -> np.ndarray:
    return solid.low + RNG.random((count, 3)) * (solid.high - solid.low)


def test_the_jacobian_is_the_derivative_of_the_place(horn: BSplineSolid) -> None:
    u, h = RNG.uniform(0.05, 0.95, (50, 3)), 1e-6
    for c, e in enumerate(h * np.eye(3)):
        slope = (horn.value(u + e) - horn.value(u - e)) / (2 * h)
        assert horn.jacobian(u)[:, :, c] == pytest.approx(slope, abs=1e-8)


def test_a_fit_is_near_its_points_and_not_folded(horn: BSplineSolid) -> None:
    u = RNG.random((500, 3))
    assert np.abs(horn.value(u) - bent(u)).max() < 1e-4
    assert folded(horn, u, np.ones(len(u))) == 0


def test_a_folded_map_is_seen() -> None:
    """x = 6u - 15u^2 + 10u^3 falls where 1 - 5u + 5u^2 < 0: over sqrt(0.2) of the range."""
    knots = (even_knots(4, 3, 0, 1),) * 3
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 4)] * 3, indexing="ij"), axis=-1)
    grid[..., 0] = np.array([0.0, 2.0, -1.0, 1.0])[:, None, None]
    solid = BSplineSolid(grid, knots, (3, 3, 3))
    u = solid.grid((1001, 2, 2)).reshape(-1, 3)
    assert folded(solid, u, np.ones(len(u))) == pytest.approx(np.sqrt(0.2), abs=2e-3)


@pytest.mark.parametrize("degree", [1, 2, 4])
def test_solids_of_any_degree_have_affine_maps_exactly(degree: int) -> None:
    A = np.array([[0.3, 0.1, 0.0], [0.0, 0.2, 0.1], [0.1, 0.0, 0.4]])
    u = RNG.random((800, 3))
    solid = fitted(u @ A.T, u, np.ones(len(u)), Lattice((5, 6, 7), degree))
    at = within(solid, 200)
    assert solid.value(at) == pytest.approx(at @ A.T, abs=1e-9)
    assert locate(solid, at @ A.T).u == pytest.approx(at, abs=1e-9)


def test_ten_thousand_points_are_found(horn: BSplineSolid) -> None:
    u = within(horn, 10_000)
    found = locate(horn, horn.value(u))
    assert found.inside.all()
    assert found.distance.max() < 1e-12
    assert np.abs(found.u - u).max() < 1e-9


def test_points_outside_get_the_nearest_place(horn: BSplineSolid) -> None:
    u = within(horn, 300)
    u[np.arange(300), RNG.integers(0, 3, 300)] = RNG.choice([-0.1, 1.1], 300)
    J = horn.jacobian(u)
    side = np.where(u <= -0.1 + 1e-9, -1.0, 0.0) + np.where(u >= 1.1 - 1e-9, 1.0, 0.0)
    # The normal of a side is the gradient of its parameter: a row of the inverse of J.
    out = np.einsum("nc,nci->ni", side, np.linalg.inv(J))
    x = horn.value(u) + 2e-3 * out / np.linalg.norm(out, axis=1)[:, None]
    found = locate(horn, x)
    assert not found.inside.any()
    assert (found.distance <= 2e-3 * (1 + 1e-4)).all()
    assert np.median(found.distance) == pytest.approx(2e-3, rel=1e-3)
    assert np.linalg.norm(horn.value(found.u) - x, axis=1) == pytest.approx(found.distance)


def test_a_point_far_away_is_nearer_to_no_sample(horn: BSplineSolid) -> None:
    x = np.array([[0.5, 0.5, 0.5], [-1.0, 0.0, 0.0]])
    found = locate(horn, x)
    grid = horn.value(horn.grid((30, 30, 30)).reshape(-1, 3))
    brute = np.linalg.norm(grid[None] - x[:, None], axis=2).min(axis=1)
    assert (found.distance <= brute * (1 + 1e-9)).all()
    assert not found.inside.any()


def test_curves_of_different_lengths_and_ways_give_their_parameters() -> None:
    """Straight lines along one direction: u, v and w are then an affine map of space."""
    rng = np.random.default_rng(1)
    d = np.array([0.6, 0.0, 0.8])
    curves = []
    for _ in range(60):
        start, length = rng.uniform(-0.05, 0.05, 3), rng.uniform(0.02, 0.05)
        line = start + np.linspace(0, length, 7)[:, None] * d
        curves.append(line[::-1] if len(curves) % 3 == 0 else line)
    points, u = lofted(curves)
    A = np.column_stack([points, np.ones(len(points))])
    assert A @ np.linalg.lstsq(A, u)[0] == pytest.approx(u, abs=2e-3)
    assert u.min() == 0
    assert u.max() == 1


def test_what_is_no_solid_is_refused() -> None:
    knots = (even_knots(4, 3, 0, 1),) * 3
    with pytest.raises(ModelError, match=r"shape \(4, 4, 4\)"):
        BSplineSolid(np.zeros((4, 4, 4)), knots, (3, 3, 3))
    with pytest.raises(ModelError, match="8 knots in u; 5 control points of degree 3 need 9"):
        BSplineSolid(np.zeros((5, 4, 4, 3)), knots, (3, 3, 3))
    with pytest.raises(ModelError, match="must be finite and rise"):
        BSplineSolid(np.zeros((4, 4, 4, 3)), (knots[0][::-1], *knots[1:]), (3, 3, 3))
    with pytest.raises(ModelError, match="degree 3 needs at least 4"):
        Lattice((3, 6, 6))
    with pytest.raises(ModelError, match="3 curves were given; a solid needs at least 4"):
        lofted([np.eye(3)] * 3)
    flat = [np.array([[x, 0, 0], [x, 0, 1.0]]) for x in range(5)]
    with pytest.raises(ModelError, match="lie in one surface"):
        lofted(flat)
    corners = [np.array([[x, y, 0], [x, y, 0.0]]) for x, y in product(range(2), range(2))]
    with pytest.raises(ModelError, match="has no length"):
        lofted(corners)
