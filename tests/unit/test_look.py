"""The surface of a region: whole, and what a plane leaves of it."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.app.look import Plane, RegionSurface, cut_surface, whole_surface
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.pictures.field_values import TetValues, VertexValues
from vastus.pictures.skin import Skin, region_skins

BELLY = 2  # the region from 2 to 6 cm


@pytest.fixture(scope="module")
def skin(bar_model: Model) -> Skin:
    return region_skins(bar_model, split=True)["belly"]


@pytest.fixture(scope="module")
def tets(bar_model: Model) -> Ints:
    return np.flatnonzero(bar_model.region == BELLY)


def volume(drawn: RegionSurface) -> float:
    """What a closed surface encloses, from the divergence theorem [m^3]."""
    a, b, c = (drawn.points[drawn.faces[:, k]] for k in range(3))
    return float(np.einsum("ki,ki->", a, np.cross(b, c)) / 6)


def cut_at(
    model: Model, skin: Skin, tets: Ints, x: float, along: float = 1.0
) -> RegionSurface | None:
    values = TetValues(np.arange(model.mesh.n_tets, dtype=float))
    plane = Plane(np.array([x, 0.0, 0.0]), np.array([along, 0.0, 0.0]))
    return cut_surface(skin, tets, model.mesh.T, model.mesh.X, values, plane)


def test_the_whole_surface_is_closed_and_its_values_lie_between_those_of_its_tets(
    bar_model: Model, skin: Skin, tets: Ints
) -> None:
    values = TetValues(np.arange(bar_model.mesh.n_tets, dtype=float))
    drawn = whole_surface(skin, bar_model.mesh.X, values)
    assert volume(drawn) == pytest.approx(0.04 * 0.02 * 0.02)
    assert set(drawn.tets) <= set(tets)
    assert tets.min() <= drawn.values.min() <= drawn.values.max() <= tets.max()
    np.testing.assert_allclose(np.linalg.norm(drawn.normals, axis=1), 1.0)


@pytest.mark.parametrize(("x", "left"), [(0.03, 0.25), (0.0333, 0.3325), (0.055, 0.875)])
def test_a_cut_is_closed_again_on_either_side(
    bar_model: Model, skin: Skin, tets: Ints, x: float, left: float
) -> None:
    whole_volume = 0.04 * 0.02 * 0.02
    for along, share in ((1.0, left), (-1.0, 1 - left)):
        drawn = cut_at(bar_model, skin, tets, x, along)
        assert drawn is not None
        assert volume(drawn) == pytest.approx(share * whole_volume)
        assert set(drawn.tets) <= set(tets)
        assert (along * (drawn.points[:, 0] - x) <= 1e-12).all()
        sizes = (len(drawn.points), len(drawn.normals), len(drawn.values))
        assert len(set(sizes)) == 1
        assert drawn.faces.max() == sizes[0] - 1


def test_a_plane_before_the_region_leaves_nothing(bar_model: Model, skin: Skin, tets: Ints) -> None:
    assert cut_at(bar_model, skin, tets, 0.01) is None


def test_a_plane_behind_the_region_leaves_all(bar_model: Model, skin: Skin, tets: Ints) -> None:
    drawn = cut_at(bar_model, skin, tets, 0.07)
    assert drawn is not None
    assert volume(drawn) == pytest.approx(0.04 * 0.02 * 0.02)


def test_values_of_vertices_are_those_of_the_points_also_on_the_face_of_a_cut(
    bar_model: Model, skin: Skin, tets: Ints
) -> None:
    """A linear function is itself at every point that is drawn."""
    slope = np.array([3.0, -2.0, 5.0])
    X, values = bar_model.mesh.X, VertexValues(bar_model.mesh.X @ slope)
    plane = Plane(np.array([0.0333, 0.0, 0.0]), np.array([1.0, 0.2, 0.1]))
    cut = cut_surface(skin, tets, bar_model.mesh.T, X, values, plane)
    assert cut is not None
    for drawn in (whole_surface(skin, X, values), cut):
        np.testing.assert_allclose(drawn.values, drawn.points @ slope, atol=1e-12)
