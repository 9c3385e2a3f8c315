"""Spheres and axes fitted to points of known shapes, with strays among them."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.fit import fit_axis, fit_sphere
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

TURN = exp_map(np.array([0.7, -0.4, 0.9]))
CENTRE = np.array([0.3, -1.2, 0.8])


def cap(radius: float, count: int = 200, half_angle: float = 1.0) -> tuple[Floats, Floats]:
    """Points and outward normals of a spherical cap about CENTRE."""
    i = np.arange(count)
    z = 1 - (1 - np.cos(half_angle)) * (i + 0.5) / count
    flat = np.sqrt(1 - z**2)
    N = np.column_stack([flat * np.cos(2.4 * i), flat * np.sin(2.4 * i), z]) @ TURN.T
    return CENTRE + radius * N, N


def groove(radius: float, arc: float = 2.5) -> tuple[Floats, Floats]:
    """Points and outward normals of a spool r = radius (1 + 0.3 s^2) about TURN's third axis."""
    s, angle = (g.ravel() for g in np.meshgrid(np.linspace(-1, 1, 13), np.linspace(0, arc, 17)))
    r, slope = 1 + 0.3 * s**2, 0.6 * s
    out = np.column_stack([np.cos(angle), np.sin(angle), np.zeros_like(s)])
    N = out - slope[:, None] * [0, 0, 1]
    N /= np.linalg.norm(N, axis=1, keepdims=True)
    X = r[:, None] * out + s[:, None] * [0, 0, 1]
    return CENTRE + radius * X @ TURN.T, N @ TURN.T


def strays(X: Floats, N: Floats, count: int) -> tuple[Floats, Floats]:
    """The same with random points and normals behind them."""
    random = np.random.default_rng(3)
    normals = random.normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    box = random.uniform(X.min(axis=0), X.max(axis=0), size=(count, 3))
    return np.vstack([X, box]), np.vstack([N, normals])


def off_axis(point: Floats) -> float:
    return float(np.linalg.norm(np.cross(point - CENTRE, TURN[:, 2])))


@pytest.mark.parametrize("radius", [1e-4, 0.02, 30.0])
def test_a_sphere_of_any_size_is_found_exactly(radius: float) -> None:
    sphere = fit_sphere(*cap(radius))
    assert sphere is not None
    assert sphere.centre == pytest.approx(CENTRE, abs=1e-9 * max(radius, 1))
    assert sphere.radius == pytest.approx(radius, rel=1e-6)
    assert sphere.share == 1


def test_a_sphere_is_found_among_as_many_strays() -> None:
    sphere = fit_sphere(*strays(*cap(0.02), 200))
    assert sphere is not None
    assert np.linalg.norm(sphere.centre - CENTRE) < 2e-4
    assert sphere.inliers[:200].all()
    assert sphere.inliers[200:].mean() < 0.05


def test_the_residual_of_a_noisy_sphere_is_the_noise() -> None:
    X, N = cap(0.02, 2000)
    noisy = X + 1e-4 * np.random.default_rng(0).normal(size=(2000, 1)) * N
    sphere = fit_sphere(noisy, N)
    assert sphere is not None
    assert sphere.rms == pytest.approx(1e-4, rel=0.05)
    assert np.linalg.norm(sphere.centre - CENTRE) < 5e-5


def test_a_hollow_is_not_a_sphere() -> None:
    X, N = cap(0.02)
    assert fit_sphere(X, -N) is None


def test_points_of_a_plane_are_not_a_sphere() -> None:
    X = np.random.default_rng(0).random((50, 3)) * [1, 1, 0]
    assert fit_sphere(X, np.tile([0.0, 0.0, 1.0], (50, 1))) is None


@pytest.mark.parametrize("radius", [1e-4, 0.01, 30.0])
def test_the_axis_of_a_grooved_spool_of_any_size_is_found_exactly(radius: float) -> None:
    axis = fit_axis(*groove(radius))
    assert axis is not None
    assert abs(axis.direction @ TURN[:, 2]) == pytest.approx(1, abs=1e-9)
    assert off_axis(axis.point) < 1e-6 * radius
    assert axis.share == 1
    assert axis.arc == pytest.approx(2.5)


def test_the_axis_is_found_among_a_third_of_strays() -> None:
    axis = fit_axis(*strays(*groove(0.01), 110))
    assert axis is not None
    assert abs(axis.direction @ TURN[:, 2]) > np.cos(np.radians(3))
    assert off_axis(axis.point) < 5e-4
    assert axis.inliers[:221].mean() > 0.95


def test_the_residual_of_an_axis_is_the_distance_by_which_normals_miss_it() -> None:
    X, N = groove(0.01)
    side = np.cross(N, TURN[:, 2])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    axis = fit_axis(X + 2e-4 * np.where(np.arange(len(X)) % 2, 1, -1)[:, None] * side, N)
    assert axis is not None
    assert axis.rms == pytest.approx(2e-4, rel=0.02)


def test_the_axis_of_a_hollow_is_not_found() -> None:
    X, N = groove(0.01)
    axis = fit_axis(X, -N)
    assert axis is None or axis.share < 0.5


def test_a_fit_gives_the_same_twice() -> None:
    one, two = (fit_axis(*strays(*groove(0.01), 110)) for _ in range(2))
    assert one is not None
    assert two is not None
    assert (one.direction == two.direction).all()


@pytest.mark.parametrize("fit", [fit_sphere, fit_axis])
def test_too_few_points_are_counted(fit) -> None:
    with pytest.raises(ModelError, match="there are 4 points and 4 normals"):
        fit(np.eye(4, 3), np.eye(4, 3))
