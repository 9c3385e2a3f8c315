"""Attachments that an author paints, on a block of tets in which boxes are the parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.checks.short_ends import short_ends
from vastus.errors import ModelError
from vastus.geometry.surface import Surface, boundary_surface
from vastus.modelling.shapes.simple import box
from vastus.modelling.surfaces.body_parts import Decided, Ends, Part, Spot, beyond, covered
from vastus.modelling.surfaces.mesher import label
from vastus.modelling.surfaces.pipeline import Joined, Plan, fleshed, joined, shared_vertices
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.scene.fibres import End

CELL = 0.005
BLOCK = box((24, 6, 4), (0.12, 0.03, 0.02))
PLAN = Plan(gap=0.003, up=(-1.0, 0.0, 0.0))


def brick(low: list[float], high: list[float]) -> Surface:
    """The closed surface of a box between two corners [cells]; y and z are centred."""
    size = CELL * (np.array(high) - low)
    surface = boundary_surface(box((1, 1, 1), tuple(size.tolist())))[0]
    return Surface(surface.X - surface.X.min(axis=0) + CELL * np.array(low), surface.faces)


def spot(x: float, y: float, z: float, radius: float = 1.6) -> Spot:
    """A spot of the brush; all in cells."""
    return Spot((x * CELL, y * CELL, z * CELL), radius * CELL)


FIRST = Part("first", brick([0, -3, -2], [4, 3, 2]), Tissue.BONE)
LAST = Part("last", brick([20, -3, -2], [24, 3, 2]), Tissue.BONE)
LONG = Part("long", brick([4, -3, -2], [20, -1, 2]), Tissue.BONE)  # all along beneath the muscle


def muscle(**ends: object) -> Part:
    surface = brick([4, -1, -2], [20, 3, 2])
    return Part("over", surface, Tissue.MUSCLE, "over", Ends(**ends))  # type: ignore[arg-type]


def made(over: Part) -> tuple[Joined, list[Part]]:
    parts = [FIRST, LAST, LONG, over]
    return joined(BLOCK, label(BLOCK, parts), parts, PLAN), parts


def held(body: Joined, end: End) -> Floats:
    """(k, 3) the vertices by which the attachments of an end hold [cells]."""
    mesh, mine = body.body.mesh, [a for a in body.attachments if a.end is end]
    found = [shared_vertices(mesh, body.labels, body.ways[a.part], a) for a in mine]
    return mesh.X[np.concatenate(found)] / CELL


def test_paint_covers_what_is_within_a_ball() -> None:
    spots = (spot(0, 0, 0, 1), spot(4, 0, 0, 2))
    points = CELL * np.array([[0.9, 0, 0], [1.5, 0, 0], [2.1, 0, 0], [8, 0, 0]])
    np.testing.assert_array_equal(covered(spots, points), [True, False, True, False])
    assert beyond(spots, points)[3] == pytest.approx(2 * CELL)


def test_a_painted_attachment_holds_there_and_nowhere_else() -> None:
    painted = (spot(8, -1, 0), spot(10, -1, 0))
    body, _ = made(muscle(origin=("long",), origin_at=painted))
    origin = body.attachments[0]
    assert (origin.to, origin.given, origin.painted) == (2, True, painted)
    X = held(body, End.ORIGIN)
    assert len(X) > 6
    assert X[:, 1] == pytest.approx(-1.0)
    assert beyond(painted, X * CELL).max() < CELL  # within a tet of the paint
    assert 6 <= X[:, 0].min() < 8 < 10 < X[:, 0].max() <= 12
    # Beyond the paint, muscle and bone have vertices of their own.
    T = body.body.mesh.T
    both = np.intersect1d(T[body.labels == 3], T[body.labels == 2])
    assert len(both) == len(X)


def test_the_other_end_keeps_its_cap() -> None:
    body, _ = made(muscle(origin_at=(spot(8, -1, 0),), caps=(None, 0.3)))
    assert [bool(a.painted) for a in body.attachments] == [True, False]
    assert body.attachments[1].cap == 0.3
    assert held(body, End.INSERTION)[:, 0] == pytest.approx(20.0)


def test_the_bone_beneath_the_paint_is_proposed() -> None:
    body, _ = made(muscle(origin_at=(spot(9, -1, 0),)))
    assert [(a.to, a.given) for a in body.attachments] == [(2, False), (1, False)]
    body, _ = made(muscle(origin_at=(spot(4, 1, 0),)))
    assert [a.to for a in body.attachments] == [0, 1]


def test_paint_says_which_end_is_the_origin() -> None:
    body, _ = made(muscle(origin_at=(spot(20, 1, 0),)))
    assert [a.to for a in body.attachments] == [1, 0]
    body, _ = made(muscle(insertion_at=(spot(4, 1, 0),)))
    assert [a.to for a in body.attachments] == [1, 0]


def test_paint_where_nothing_touches_is_refused_with_the_distance() -> None:
    with pytest.raises(
        ModelError, match=r"'over' does not touch 'long' within its 'origin_at'.*mm"
    ):
        made(muscle(origin=("long",), origin_at=(spot(8, 3, 0, 1.1),)))
    with pytest.raises(ModelError, match=r"'over' does not touch 'long' within its 'origin_at'"):
        made(muscle(origin_at=(spot(8, 3, 0, 1.1),)))


def test_paint_beside_the_muscle_is_refused_with_the_distance() -> None:
    with pytest.raises(ModelError, match=r"'over' has no vertex within its 'insertion_at'.* 20 mm"):
        made(muscle(insertion_at=(spot(12, 8, 0, 1),)))


def test_paint_spreads_over_all_parts_that_are_named() -> None:
    painted = (spot(4, 1, 0, 2.5), spot(8, -1, 0))
    body, _ = made(muscle(origin=("first", "long"), origin_at=painted))
    assert [a.to for a in body.attachments] == [0, 2, 1]
    X = held(body, End.ORIGIN)
    assert {4.0, 8.0} <= set(X[:, 0].round(6).tolist())


def tilt(over: Part) -> float:
    """The mean angle [deg] between the fibres of the belly and x, in its middle."""
    body, parts = made(over)
    flesh = fleshed(body, parts)
    x = body.body.mesh.centroids[:, 0] / CELL
    middle = (body.labels == 3) & (np.abs(x - 12) < 4)
    return float(np.degrees(np.arccos(np.clip(flesh.fibre[middle, 0], -1, 1))).mean())


def test_fibres_begin_near_the_end_though_the_attachment_is_broad() -> None:
    broad = muscle(origin=("long",), caps=(0.9, 0.45))
    near = replace(broad, ends=replace(broad.ends, fibre_caps=(0.15, 0.45)))
    assert tilt(near) < 0.5 * tilt(broad)


def test_fibres_of_a_painted_attachment_begin_near_the_end() -> None:
    painted = tuple(spot(x, -1, z) for x in range(4, 18) for z in (-1, 1))
    broad = muscle(origin=("long",), origin_at=painted, fibre_caps=(1.0, 0.45))
    usual = replace(broad, ends=replace(broad.ends, fibre_caps=(None, 0.45)))
    assert tilt(usual) < 0.5 * tilt(broad)


def test_what_was_decided_before_meshing_holds_whatever_the_mesh_says() -> None:
    ends = Decided((("long",), ("last",)), ((0.02, 0.005, 0.0), (0.1, 0.005, 0.0)))
    body, _ = made(muscle(decided=ends))
    assert [(a.to, a.given) for a in body.attachments] == [(2, False), (1, False)]
    turned = Decided((ends.parts[1], ends.parts[0]), (ends.tips[1], ends.tips[0]))
    body, _ = made(muscle(decided=turned))
    assert [a.to for a in body.attachments] == [1, 2]
    assert body.ways[3].s[np.isfinite(body.ways[3].s)].max() == pytest.approx(1.0)


def test_a_mesh_that_ends_short_of_its_surface_is_told_of_with_the_distance() -> None:
    ends = Decided((("first",), ("last",)), ((0.02, 0.005, 0.0), (0.13, 0.005, 0.0)))
    body, parts = made(muscle(decided=ends))
    assert body.short[3] == pytest.approx((0.0, 0.03), abs=1e-9)
    (finding,) = short_ends(parts, body)
    assert finding.where == "muscle 'over'"
    assert "ends 30 mm short of its surface at its insertion" in finding.sentence
