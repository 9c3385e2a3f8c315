"""Depths and directions of vertices inside other bodies, after Heidelberger et al. (2004)."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.geometry.consistent_depth import Intrusion, intrusion
from vastus.geometry.penetration import Body, Presence
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.shapes.simple import box
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

BLOCK = box((4, 4, 4), (0.04, 0.04, 0.04))
SLAB = box((2, 16, 16), (0.01, 0.16, 0.16))  # thin along x


def intruded(
    one: Floats, other: Floats, *, pushed: tuple[int, ...] = (), held: bool = False
) -> Intrusion:
    """The block with its vertices at `one` in the slab with its vertices at `other` [m]."""
    x = np.concatenate([one, other])
    carried = np.zeros(len(x), bool)
    mesh = TetMesh(x, np.concatenate([BLOCK.T, SLAB.T + BLOCK.n_vertices]))
    nothing = carried.copy()
    carried[: BLOCK.n_vertices] = held
    block = Body("block", BLOCK.T, BLOCK.boundary, nothing)
    slab = Body("slab", SLAB.T + BLOCK.n_vertices, SLAB.boundary + BLOCK.n_vertices, carried)
    wanted = np.zeros(len(x), bool)
    wanted[list(pushed)] = True
    return intrusion(Presence(block, mesh.X), Presence(slab, mesh.X), wanted)


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.3, -0.5, 0.2)])
def test_a_flat_side_in_a_slab_goes_back_by_its_depth(turn: tuple[float, float, float]) -> None:
    """Whatever way the two are turned together."""
    R = exp_map(np.array(turn))
    one = (BLOCK.X + np.array([0.007, 0.0, 0.0])) @ R.T
    found = intruded(one, SLAB.X @ R.T)
    front = np.flatnonzero(BLOCK.X[:, 0] == 0.0)
    assert set(found.vertices) == set(front)
    np.testing.assert_allclose(found.depth, 0.003, rtol=1e-6)
    np.testing.assert_allclose(found.out, np.tile(R[:, 0], (len(front), 1)), atol=1e-6)


def test_what_is_past_the_middle_still_goes_back_where_it_came_from() -> None:
    """8 mm deep in a slab of 10 mm, the nearest face is the wrong one, 2 mm ahead."""
    found = intruded(BLOCK.X + np.array([0.002, 0.0, 0.0]), SLAB.X)
    np.testing.assert_allclose(found.depth, 0.008, rtol=1e-6)
    np.testing.assert_allclose(found.out[:, 0], 1.0, atol=1e-6)


def test_depths_go_inward_from_the_border() -> None:
    """A tilted side: each vertex as deep as the plane above it says, though few edges cross it."""
    tilt = exp_map(np.array([0.0, 0.0, 0.1]))
    one = BLOCK.X @ tilt.T + np.array([0.006, 0.0, 0.0])
    found = intruded(one, SLAB.X)
    assert 10 < len(found.vertices) < len(np.unique(BLOCK.boundary))
    np.testing.assert_allclose(found.depth, 0.01 - one[found.vertices, 0], atol=1e-6)


def test_places_that_push_back_are_those_of_the_vertices() -> None:
    """So force and its reaction have no moment."""
    found = intruded(BLOCK.X + np.array([0.0071, 0.0013, 0.0007]), SLAB.X)
    x = np.concatenate([BLOCK.X + np.array([0.0071, 0.0013, 0.0007]), SLAB.X])
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0)
    held = np.einsum("ka,kai->ki", found.shares, x[found.hosts])
    np.testing.assert_allclose(held, x[found.vertices], atol=1e-12)
    assert (found.hosts >= BLOCK.n_vertices).all()


def test_a_pushed_vertex_that_has_left_is_as_far_away_as_the_nearest_face() -> None:
    first = int(np.flatnonzero(BLOCK.X[:, 0] == 0.0)[0])
    found = intruded(BLOCK.X + np.array([0.0125, 0.0, 0.0]), SLAB.X, pushed=(first,))
    assert found.vertices.tolist() == [first]
    assert found.depth[0] == pytest.approx(-0.0025)
    assert found.out[0, 0] == pytest.approx(1.0, abs=1e-6)
    assert not len(intruded(BLOCK.X + np.array([0.0125, 0.0, 0.0]), SLAB.X).vertices)


def test_what_a_body_holds_is_not_inside_it() -> None:
    assert not len(intruded(BLOCK.X + np.array([0.007, 0.0, 0.0]), SLAB.X, held=True).vertices)


def test_a_body_that_is_inside_as_a_whole_goes_to_the_nearest_face() -> None:
    small = 0.1 * BLOCK.X + np.array([0.005, 0.0, 0.0])
    found = intruded(small, SLAB.X)
    assert len(found.vertices) == len(np.unique(BLOCK.boundary))
    nearest = np.minimum(small[found.vertices, 0], 0.01 - small[found.vertices, 0])
    np.testing.assert_allclose(found.depth, nearest, atol=1e-9)
