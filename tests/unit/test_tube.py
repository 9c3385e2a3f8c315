"""Discs, tubes and their meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.shapes.assembly import TubePart, meshed
from vastus.modelling.shapes.elbow import Forked, glued
from vastus.modelling.shapes.tube import (
    Bump,
    Disc,
    Tube,
    even,
    frames,
    half,
    outlined,
    prism_tets,
    rimmed,
    ringed,
    sweep,
)
from vastus.numerics.types import Floats


def triangle_areas(disc: Disc) -> Floats:
    a, b = (disc.points[disc.triangles[:, k]] - disc.points[disc.triangles[:, 0]] for k in (1, 2))
    return (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2


def straight(length: float = 1.0, radius: float = 0.1, **options: Any) -> Tube:
    return Tube(np.array([[0.0, 0, 0], [0, 0, length]]), np.full((2, 1), radius), **options)


@pytest.mark.parametrize("rings", [1, 2, 3, 5, 9])
def test_an_even_disc_has_6_n_squared_triangles_that_fill_a_polygon(rings: int) -> None:
    disc = even(rings)
    assert len(disc.triangles) == 6 * rings**2
    assert triangle_areas(disc).min() > 0
    rim = 6 * rings
    assert triangle_areas(disc).sum() == pytest.approx(rim / 2 * np.sin(2 * np.pi / rim))


@pytest.mark.parametrize("rings", [1, 2, 3, 4, 8])
def test_a_rimmed_disc_has_its_nodes_on_the_rim(rings: int) -> None:
    disc = rimmed(rings)
    assert triangle_areas(disc).min() > 0
    on_rim = np.isclose(np.linalg.norm(disc.points, axis=1), 1).sum()
    assert on_rim == 2 + 4 * rings


def test_rings_of_any_counts_are_triangulated_without_gaps() -> None:
    disc = ringed([5, 7, 12], [0.3, 0.6, 1.0])
    assert triangle_areas(disc).min() > 0
    assert triangle_areas(disc).sum() == pytest.approx(6 * np.sin(2 * np.pi / 12))


@pytest.mark.parametrize("rings", [1, 2, 3])
def test_two_halves_make_an_even_disc(rings: int) -> None:
    halves = [half(even(rings), sign) for sign in (1, -1)]
    assert sum(len(disc.triangles) for disc, _ in halves) == 6 * rings**2
    shared = np.intersect1d(halves[0][1], halves[1][1])
    assert len(shared) == 2 * rings + 1


def test_an_outlined_disc_touches_the_sides_of_its_polygon() -> None:
    sides = np.array([[0.0, 1.0], [90.0, 2.0], [180.0, 3.0], [270.0, 2.0]])
    rim = outlined(even(6), sides).points[-36:]
    assert rim[0] == pytest.approx([1, 0])
    assert rim[18] == pytest.approx([-3, 0])


def test_a_swept_cylinder_has_the_volume_of_its_polygon() -> None:
    tube, disc = straight(), even(3)
    solid = sweep(tube, disc, [7])
    mesh = TetMesh(solid.X, solid.T)
    assert mesh.volumes.min() > 0
    assert mesh.volumes.sum() == pytest.approx(0.01 * triangle_areas(disc).sum())


def test_prisms_are_split_so_that_neighbours_agree() -> None:
    solid = sweep(straight(), even(3), [4])
    mesh = TetMesh(solid.X, solid.T)
    sides, caps = 2 * 18 * 4, 2 * 54
    assert len(mesh.boundary) == sides + caps


def test_prism_tets_are_positive_whatever_the_order_of_the_triangle() -> None:
    X = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    for order in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        rank = np.argsort(order)
        both = np.concatenate([X[order], X[order] + [0, 0, 1]])
        T = prism_tets(rank[None], 3)
        assert TetMesh(both, T).volumes == pytest.approx(np.full(3, 1 / 6))


def test_frames_of_a_planar_line_keep_the_normal_of_its_plane() -> None:
    angle = np.linspace(0, 2, 40)
    points = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    tangents = np.column_stack([-np.sin(angle), np.cos(angle), 0 * angle])
    axes = frames(points, tangents, (0.0, 0.0, 1.0))
    assert np.abs(axes[:, 0] - [0, 0, 1]).max() < 1e-12
    assert np.abs(axes @ axes.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12


def test_a_station_lies_on_every_cut() -> None:
    line = np.column_stack([np.zeros((4, 2)), [0.0, 0.3, 0.5, 1.0]])
    tube = Tube(line, np.full((4, 1), 0.1), cuts=(1, 2))
    u = tube.stations([3, 2, 4])
    assert u[[0, 3, 5, 9]] == pytest.approx([0.0, 0.3, 0.5, 1.0])
    solid = sweep(tube, even(1), [3, 2, 4])
    assert np.bincount(solid.segment).tolist() == [54, 36, 72]


def test_rounded_ends_shrink_to_half_the_radius() -> None:
    tube = straight(rounded=(0.1, 0.1))
    assert tube.widths(np.array([0.0, 0.5, 1.0])) == pytest.approx(
        np.array([[0.05] * 2, [0.1] * 2, [0.05] * 2])
    )


def test_a_bump_moves_its_centre_by_its_push() -> None:
    moved = Bump((1.0, 0, 0), (0.0, 0.2, 0), 0.1).moved(np.array([[1.0, 0, 0], [5.0, 0, 0]]))
    assert moved == pytest.approx(np.array([[1.0, 0.2, 0], [5.0, 0, 0]]))


def test_a_line_starts_in_its_heading() -> None:
    line = np.array([[0.0, 0, 0], [0.1, 0, 1], [0, 0, 2]])
    tube = Tube(line, np.full((3, 1), 0.1), heading=(0.0, 0.0, 1.0))
    assert tube.curve(0.0, 1) == pytest.approx([0, 0, 1])


def forked() -> Forked:
    down = np.column_stack([np.zeros((4, 2)), [0.0, 0.1, 0.2, 0.4]])
    shift = 4 / (3 * np.pi) * 0.05
    heads = [
        np.array(
            [[0.0, s * shift, 0.4], [0, s * 0.06, 0.5], [0, s * 0.07, 0.6], [0, s * 0.07, 0.7]]
        )
        for s in (1, -1)
    ]
    radii = np.array([[0.02], [0.02], [0.05], [0.05]])
    first, second = (Tube(h, radii[::-1], cuts=(1, 2)) for h in heads)
    return Forked(Tube(down, radii, cuts=(1, 2)), (first, second))


def test_a_forked_muscle_is_one_closed_piece_with_three_ends() -> None:
    solid = glued(meshed(forked().parts(), 3000))
    mesh = TetMesh(solid.X, solid.T)
    assert mesh.volumes.min() > 0
    assert mesh.components.max() == 0
    assert len(mesh.unused) == 0
    assert [round(float(mesh.X[e, 2].mean()), 3) for e in solid.ends] == [0.0, 0.7, 0.7]
    edges = np.sort(mesh.boundary[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}
    assert set(solid.segment) == set(range(9))


@pytest.mark.parametrize("tets", [2_000, 7_000, 30_000])
def test_parts_are_meshed_with_about_the_requested_tets(tets: int) -> None:
    parts = [TubePart(straight(0.3, 0.02)), TubePart(straight(0.2, 0.01), rimmed, slab=2.0)]
    made = sum(len(solid.T) for solid in meshed(parts, tets))
    assert made == pytest.approx(tets, rel=0.1)


def test_an_impossible_number_of_tets_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot build a shape of 10 tets"):
        meshed([TubePart(straight())], 10)
