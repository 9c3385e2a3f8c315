"""The surface of a level set in even triangles."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("igl", reason="level sets are contoured by libigl")

from vastus.geometry.indices import counts
from vastus.geometry.lattice.level_set import LevelSet, sampled
from vastus.geometry.lattice.remeshing import aspects, even_surface, on_level
from vastus.geometry.section import self_intersections
from vastus.numerics.types import Floats


@pytest.fixture(scope="module")
def fingers() -> LevelSet:
    """Two fingers of 16 mm, 1.3 mm or a cell apart, that come out of a palm."""
    ends = [([0, 0, 0.01], [0, 0, 0.03]), ([0.0173, 0, 0.01], [0.0173, 0, 0.03]),
            ([0, 0, 0], [0.0173, 0, 0])]  # fmt: skip

    def field(X: Floats) -> Floats:
        gaps = []
        for a, b in ends:
            axis = np.subtract(b, a)
            t = np.clip((X - a) @ axis / (axis @ axis), 0.0, 1.0)
            gaps.append(np.linalg.norm(X - a - t[:, None] * axis, axis=1) - 0.008)
        return np.min(gaps, axis=0)

    low, high = np.array([-0.012, -0.012, -0.012]), np.array([0.03, 0.012, 0.042])
    return sampled(field, low, high, 0.0013).smoothed(1.0).whole()


def test_marching_cubes_are_made_even(fingers: LevelSet) -> None:
    raw, even = fingers.surface(), even_surface(fingers)
    assert aspects(raw.X, raw.faces).max() > 50
    assert aspects(even.X, even.faces).max() < 4


def test_an_even_surface_is_closed_and_does_not_cross_itself(fingers: LevelSet) -> None:
    even = even_surface(fingers)
    assert even.closed
    assert (counts(np.sort(even.runs, axis=1)) == 2).all()
    assert not len(self_intersections(even))
    # The faces of a body without holes: n vertices have 2 n - 4.
    assert even.n_faces == 2 * even.n_vertices - 4


def test_an_even_surface_stays_where_the_level_is(fingers: LevelSet) -> None:
    raw, even = fingers.surface(), even_surface(fingers)
    assert even.volume == pytest.approx(raw.volume, rel=5e-3)
    middle = even.X[even.faces].mean(axis=1)
    assert np.abs(fingers.at(even.X)).max() < 0.01 * fingers.cell
    assert np.abs(fingers.at(middle)).max() < 0.2 * fingers.cell


def test_points_go_to_the_level_along_its_gradient() -> None:
    ball = sampled(
        lambda X: np.linalg.norm(X, axis=1) - 1.0, np.full(3, -1.4), np.full(3, 1.4), 0.1
    )
    X = np.random.default_rng(0).normal(size=(50, 3))
    X *= np.linspace(0.95, 1.05, 50)[:, None] / np.linalg.norm(X, axis=1, keepdims=True)
    moved = on_level(ball, X)
    assert np.linalg.norm(moved, axis=1) == pytest.approx(np.ones(50), abs=3e-3)
    assert np.abs(np.cross(moved, X)).max() < 0.01
