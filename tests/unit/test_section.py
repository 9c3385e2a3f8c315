"""A plane through a mesh leaves the right area and volume, and a ray meets the right face."""

from __future__ import annotations

import numpy as np
import pytest

from vastus import shapes
from vastus.geometry.queries import first_hit
from vastus.geometry.section import clipped, section
from vastus.geometry.surface import Surface, boundary_surface


def _areas(corners: np.ndarray) -> np.ndarray:
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2


@pytest.mark.parametrize("normal", [(1, 0, 0), (0.3, -0.5, 0.8), (0, 0, -1)])
def test_the_kept_faces_and_the_section_enclose_the_kept_volume(normal: tuple[float, ...]) -> None:
    """The divergence theorem: closed surfaces have no net area, and enclose what is kept."""
    mesh = shapes.fusiform(tets=1500).mesh
    n = np.array(normal) / np.linalg.norm(normal)
    d = (mesh.X - mesh.X.mean(axis=0)) @ n + 0.0031
    whole, rest = clipped(mesh.boundary, d)
    face = section(mesh.T, d)
    flat = face.at(mesh.X)
    turned = _areas(flat) @ n < 0
    flat[turned] = flat[turned, ::-1]
    corners = np.concatenate([mesh.X[mesh.boundary[whole]], rest.at(mesh.X), flat])
    assert np.abs(_areas(corners).sum(axis=0)).max() < 1e-12
    volume = np.einsum("ki,ki->", corners[:, 0], _areas(corners)) / 3
    assert 0 < volume < mesh.volumes.sum()
    other = section(mesh.T, -d)
    assert np.abs(_areas(other.at(mesh.X)) @ n).sum() == pytest.approx(
        np.abs(_areas(flat) @ n).sum()
    )


def test_nothing_and_everything() -> None:
    mesh = shapes.bar(tets=1000).mesh
    for shift, kept in ((-10.0, True), (10.0, False)):
        d = np.full(mesh.n_vertices, shift)
        whole, rest = clipped(mesh.boundary, d)
        assert whole.all() == kept
        assert not len(rest.source)
        assert not len(section(mesh.T, d).source)


def test_values_are_interpolated_linearly() -> None:
    mesh = shapes.bar(tets=1000).mesh
    d = mesh.X[:, 0] - mesh.X[:, 0].mean() - 0.0007
    cut = section(mesh.T, d)
    assert np.abs(cut.at(d)).max() < 1e-15
    assert np.allclose(cut.at(mesh.X)[..., 0], mesh.X[:, 0].mean() + 0.0007)


def test_a_ray_meets_the_nearest_outer_face() -> None:
    surface, _ = boundary_surface(shapes.bar(tets=1000).mesh)
    middle = surface.X.mean(axis=0)
    found = first_hit(
        middle + np.array([0, 0, 5.0]), np.array([1e-4, 2e-4, -1.0]), surface.X, surface.faces
    )
    assert found is not None
    face, distance = found
    assert surface.normals[face] @ [0, 0, 1] > 0.9
    assert 5.0 - distance == pytest.approx(surface.X[:, 2].max() - middle[2], abs=1e-9)


def test_a_ray_from_inside_or_beside_meets_nothing() -> None:
    surface, _ = boundary_surface(shapes.bar(tets=1000).mesh)
    middle = surface.X.mean(axis=0)
    for origin in (middle, middle + np.array([0, 5.0, 0])):
        assert first_hit(origin, np.array([0.0, 0.01, 1.0]), surface.X, surface.faces) is None


def test_no_faces_are_never_met() -> None:
    none = Surface(np.zeros((0, 3)), np.zeros((0, 3), int))
    assert first_hit(np.zeros(3), np.ones(3), none.X, none.faces) is None
