"""Surfaces rolled out flat: there and back."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bodies.bones import ARM_BONES, surface_of
from vastus.geometry.surface import Surface
from vastus.geometry.unrolled import Unrolled


def tube(radius: float = 0.02, length: float = 0.3, around: int = 48, bow: float = 0.0) -> Surface:
    """A tube along z whose middle bows towards x by so much [m]."""
    heights = np.linspace(-length / 2, length / 2, 61)
    angles = 2 * np.pi * np.arange(around) / around
    X = np.empty((len(heights), around, 3))
    X[..., 0] = radius * np.cos(angles) + bow * np.cos(np.pi * heights / length)[:, None]
    X[..., 1], X[..., 2] = radius * np.sin(angles), heights[:, None]
    ring, next_one = np.arange(around), (np.arange(around) + 1) % around
    faces = []
    for first in around * np.arange(len(heights) - 1):
        low, high = first, first + around
        faces += [np.column_stack([low + ring, low + next_one, high + ring]),
                  np.column_stack([low + next_one, high + next_one, high + ring])]  # fmt: skip
    return Surface(X.reshape(-1, 3), np.concatenate(faces))


def test_a_tube_becomes_a_rectangle() -> None:
    map_ = Unrolled.of(tube())
    assert map_.length == pytest.approx(0.3)
    assert map_.girth == pytest.approx(2 * np.pi * 0.02, rel=5e-3)
    assert map_.axes @ map_.axes.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(map_.axes) == pytest.approx(1.0)
    radii = map_.radii(np.radians([-90, 0, 35]), np.array([0.05, 0.15, 0.25]))
    assert radii == pytest.approx(0.02 * np.ones((3, 3)), rel=5e-3)


def test_seen_from_outside_the_angle_grows_to_the_right() -> None:
    map_ = Unrolled.of(tube())
    first, second = (map_.point(angle, 0.1) for angle in (0.0, 0.3))
    assert first is not None
    assert second is not None
    outward, up = map_.axes[0], map_.axes[2]
    assert (second - first) @ np.cross(up, outward) > 0.004


@pytest.mark.parametrize("bow", [0.0, 0.05])
def test_points_of_a_tube_come_back(bow: float) -> None:
    surface = tube(bow=bow)
    map_ = Unrolled.of(surface)
    middles = surface.X[surface.faces].mean(axis=1)
    inner = np.abs(middles[:, 2]) < 0.14
    for point in middles[inner][::97]:
        angle, height = map_.place(point)
        assert map_.point(angle, height) == pytest.approx(point, abs=1e-12)


@pytest.mark.parametrize("name", ["humerus", "ulna", "radius"])
def test_places_on_the_map_of_a_bone_come_back(name: str) -> None:
    surface = surface_of(next(bone for bone in ARM_BONES if bone.name == name))
    map_ = Unrolled.of(surface)
    for angle in np.radians([-170.0, -60.0, 20.0, 130.0]):
        for share in (0.1, 0.45, 0.8):
            point = map_.point(angle, share * map_.length)
            assert point is not None
            back = map_.place(point)
            assert back == pytest.approx((angle, share * map_.length), abs=1e-9)


def test_beyond_the_ends_there_is_nothing() -> None:
    map_ = Unrolled.of(tube())
    assert map_.point(0.0, -0.01) is None
    assert map_.point(0.0, 0.31) is None
