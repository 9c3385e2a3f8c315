"""The steps from surfaces to a model, on a block of tets in which boxes are the parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import walls
from vastus.modelling.shapes.simple import box
from vastus.modelling.surfaces.body_parts import Ends, Part
from vastus.modelling.surfaces.ends import way_along
from vastus.modelling.surfaces.mesher import NOWHERE, label, without_spikes, without_strays
from vastus.modelling.surfaces.pipeline import (
    Joined,
    Plan,
    fleshed,
    in_tendon,
    joined,
    tendon_fractions,
)
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


def bone(name: str, low: list[float], high: list[float]) -> Part:
    return Part(name, brick(low, high), Tissue.BONE)


def muscle(name: str, low: list[float], high: list[float], **ends: object) -> Part:
    return Part(name, brick(low, high), Tissue.MUSCLE, name, Ends(**ends))  # type: ignore[arg-type]


FIRST = bone("first", [0, -3, -2], [4, 3, 2])
LAST = bone("last", [20, -3, -2], [24, 3, 2])
BELLY = muscle("belly", [3, -3, -2], [21, 0, 2])  # overlaps both bones by a cell
SIDE = muscle("side", [4, 0, -2], [20, 3, 2])
ALL = [FIRST, LAST, BELLY, SIDE]


def made(parts: list[Part], plan: Plan = PLAN, mesh: TetMesh = BLOCK) -> Joined:
    return joined(mesh, label(mesh, parts), parts, plan)


def shared(body: Joined, one: int, two: int) -> int:
    """How many vertices two parts share."""
    T = body.body.mesh.T
    return len(np.intersect1d(T[body.labels == one], T[body.labels == two]))


def test_tets_belong_to_the_part_around_them_and_bone_comes_first() -> None:
    labels = label(BLOCK, ALL)
    x, y, _ = BLOCK.centroids.T / CELL
    expected = np.select([x < 4, x > 20, y < 0], [0, 1, 2], 3)
    np.testing.assert_array_equal(labels, expected)


def test_of_two_muscles_the_deeper_one_has_the_place() -> None:
    thick = muscle("thick", [4, -3, -2], [20, 2, 2])
    labels = label(BLOCK, [FIRST, LAST, thick, muscle("thin", [4, 1, -2], [20, 3, 2])])
    x, y, z = BLOCK.centroids.T / CELL
    middle = (abs(z) < 0.5) & (abs(x - 12) < 6)
    assert (labels[middle & (y > 1) & (y < 1.4)] == 2).all()
    assert (labels[middle & (y > 1.6)] == 3).all()


def test_a_part_that_others_cover_is_refused() -> None:
    hidden = muscle("hidden", [1, -2, -1], [3, 2, 1])
    with pytest.raises(ModelError, match="part 'hidden' has no tets"):
        label(BLOCK, [*ALL, hidden])


def test_stray_tets_go_to_the_neighbour_they_share_most_area_with() -> None:
    labels = label(BLOCK, ALL)
    broken = labels.copy()
    island = np.abs(BLOCK.centroids / CELL - [12.5, -1.5, 0.5]).max(axis=1) < 0.5
    broken[island] = 0
    np.testing.assert_array_equal(without_strays(broken, walls(BLOCK)), labels)


def test_tets_that_stick_out_of_bones_go_to_what_is_around_them() -> None:
    labels, between = label(BLOCK, ALL), walls(BLOCK)
    beside = between.tets[np.sort(labels[between.tets], axis=1).tolist().index([0, 2])]
    spiky = labels.copy()
    spiky[beside] = 0  # one of them is of the bone already
    assert (spiky != labels).sum() == 1
    np.testing.assert_array_equal(without_spikes(spiky, between, [0, 1]), labels)
    np.testing.assert_array_equal(without_spikes(spiky, between, [1]), spiky)


def test_the_outside_may_be_in_pieces() -> None:
    labels = np.full(BLOCK.n_tets, NOWHERE)
    labels[np.abs(BLOCK.centroids[:, 0] / CELL - 12) < 2] = 0
    np.testing.assert_array_equal(without_strays(labels, walls(BLOCK)), labels)


def test_the_way_along_a_block_runs_from_end_to_end() -> None:
    way = way_along(BLOCK, np.arange(BLOCK.n_tets))
    straight = np.linalg.norm([0.12, 0.03, 0.02])
    assert straight <= way.length < 1.3 * straight  # edges take no short cuts
    assert abs(np.corrcoef(BLOCK.X[:, 0], way.s)[0, 1]) > 0.95
    assert (way.s.min(), way.s.max()) == pytest.approx((0.0, 1.0))
    np.testing.assert_allclose(way.reversed().s, 1 - way.s)


def test_both_ends_of_a_muscle_are_proposed_on_the_bones_there() -> None:
    body = made(ALL)
    found = [(a.part, a.end, a.to, a.given) for a in body.attachments]
    ends = ((End.ORIGIN, 0), (End.INSERTION, 1))
    assert found == [(part, end, to, False) for part in (2, 3) for end, to in ends]


def test_the_origin_is_the_upper_end_unless_the_author_says() -> None:
    turned = made(ALL, replace(PLAN, up=(1.0, 0.0, 0.0)))
    assert [a.to for a in turned.attachments] == [1, 0, 1, 0]
    said = replace(BELLY, ends=Ends(origin=("last",), insertion=("first",)))
    body = made([FIRST, LAST, said, SIDE])
    assert [(a.to, a.given) for a in body.attachments][:2] == [(1, True), (0, True)]
    x = body.body.mesh.X[:, 0]
    mine = np.unique(body.body.mesh.T[body.labels == 2])
    assert np.corrcoef(x[mine], body.ways[2].s[mine])[0, 1] < -0.95


def test_an_unknown_part_is_named_with_those_that_exist() -> None:
    wrong = replace(BELLY, ends=Ends(origin=("frist",)))
    with pytest.raises(ModelError, match="no part 'frist'; parts: first, last, side"):
        made([FIRST, LAST, wrong, SIDE])


def test_a_muscle_without_a_bone_at_its_end_is_attached_to_the_muscle_there() -> None:
    short = muscle("short", [10, 0, -2], [20, 3, 2])
    body = made([FIRST, LAST, BELLY, short])
    found = {(a.end, a.to) for a in body.attachments if a.part == 3}
    assert found == {(End.ORIGIN, 2), (End.INSERTION, 1)}


def test_a_muscle_with_nothing_at_its_end_is_refused_with_the_place() -> None:
    loose = muscle("loose", [10, -3, -2], [20, 3, 2])
    with pytest.raises(ModelError, match=r"'loose' is attached to nothing .*'first', is 30 mm"):
        made([FIRST, LAST, loose])


def test_bones_share_no_vertex_with_each_other_or_with_passing_muscle() -> None:
    beside = bone("beside", [8, -3, -2], [16, 0, 0])
    over = muscle("over", [4, -3, -2], [20, 3, 2])
    body = made([FIRST, LAST, over, beside])
    assert shared(body, 2, 0) > 10
    assert shared(body, 2, 1) > 10
    assert shared(body, 2, 3) == 0
    assert shared(body, 0, 1) == 0


def test_a_muscle_on_two_bones_that_touch_does_not_tie_them() -> None:
    upper, lower = bone("upper", [0, -3, -2], [4, 0, 2]), bone("lower", [0, 0, -2], [4, 3, 2])
    over = muscle("over", [4, -3, -2], [20, 3, 2], origin=("upper", "lower"), caps=(0.5, 0.5))
    body = made([upper, lower, LAST, over])
    assert shared(body, 0, 1) == 0
    assert min(shared(body, 3, 0), shared(body, 3, 1)) > 10


def test_neighbours_are_fused_or_separate_with_coincident_vertices() -> None:
    fused, apart = made(ALL), made(ALL, replace(PLAN, fused=False, clearance=0.0))
    assert shared(fused, 2, 3) > 50
    # The bones glue both; nothing else does.
    T, owner = apart.body.mesh.T, apart.labels
    bony = np.unique(T[owner < 2])
    both = np.intersect1d(T[owner == 2], T[owner == 3])
    assert np.isin(both, bony).all()
    assert len(np.unique(apart.body.mesh.X, axis=0)) == BLOCK.n_vertices
    assert apart.body.mesh.n_vertices > fused.body.mesh.n_vertices


def test_neighbours_that_are_separate_have_a_clearance() -> None:
    """Both give way by half of it, unless they hold on to a bone, and no tet is flattened."""
    close, apart = (made(ALL, replace(PLAN, fused=False, clearance=c)) for c in (0.0, 1e-3))
    moved = np.linalg.norm(apart.body.mesh.X - close.body.mesh.X, axis=1)
    T, owner = apart.body.mesh.T, apart.labels
    bony = np.unique(T[owner < 2])
    assert (moved[bony] == 0).all()
    assert np.median(moved[moved > 0]) == pytest.approx(5e-4, rel=1e-6)
    assert (apart.body.mesh.volumes >= 0.3 * close.body.mesh.volumes).all()
    lost = 1 - apart.body.mesh.volumes.sum() / close.body.mesh.volumes.sum()
    assert 0 < lost < 0.05
    np.testing.assert_array_equal(apart.volumes, close.body.mesh.volumes)


def test_fascia_does_not_fuse_muscles_of_two_compartments() -> None:
    front, back = replace(BELLY, compartment="front"), replace(SIDE, compartment="back")
    body = made([FIRST, LAST, front, back])
    bony = np.unique(body.body.mesh.T[body.labels < 2])
    T = body.body.mesh.T
    assert np.isin(np.intersect1d(T[body.labels == 2], T[body.labels == 3]), bony).all()


def test_heads_of_one_muscle_stay_together_even_if_neighbours_are_separate() -> None:
    heads = [replace(p, muscle="both") for p in (BELLY, SIDE)]
    body = made([FIRST, LAST, *heads], replace(PLAN, fused=False))
    assert shared(body, 2, 3) > 50


def test_passive_tissue_holds_on_to_everything() -> None:
    fat = Part("fat", brick([4, 0, -2], [20, 3, 2]), Tissue.PASSIVE)
    body = made([FIRST, LAST, BELLY, fat])
    assert min(shared(body, 3, other) for other in (0, 1, 2)) > 10


def test_a_gap_at_an_attachment_is_filled_with_the_muscle() -> None:
    near = muscle("near", [5, -3, -2], [19, 3, 2], caps=(0.45, 0.45))
    fine = box((48, 12, 8), (0.12, 0.03, 0.02))
    parts = [FIRST, LAST, near]
    before = label(fine, parts)
    assert (before == NOWHERE).any()
    body = made(parts, replace(PLAN, gap=0.0051), fine)
    assert (shared(body, 2, 0), shared(body, 2, 1)) == (117, 117)
    assert len(body.labels) == fine.n_tets


def test_a_muscle_may_bridge_a_gap_of_its_own() -> None:
    fine = box((48, 12, 8), (0.12, 0.03, 0.02))
    near = muscle("near", [5, -3, -2], [19, 3, 2], caps=(0.45, 0.45), gap=0.0051)
    body = made([FIRST, LAST, near], mesh=fine)
    assert (shared(body, 2, 0), shared(body, 2, 1)) == (117, 117)
    shy = replace(near, ends=replace(near.ends, gap=0.0))
    with pytest.raises(ModelError, match="'near' is attached to nothing"):
        made([FIRST, LAST, shy], replace(PLAN, gap=0.0051), fine)


def test_a_gap_too_wide_is_refused() -> None:
    far = muscle("far", [6, -3, -2], [19, 3, 2])
    with pytest.raises(ModelError, match="'far' is attached to nothing"):
        made([FIRST, LAST, far])


def test_fibres_of_a_straight_muscle_run_from_origin_to_insertion() -> None:
    # Its ends are blunt, so its caps must reach across them.
    blunt = [replace(p, ends=Ends(caps=(0.45, 0.45))) for p in (BELLY, SIDE)]
    parts = [FIRST, LAST, *blunt]
    body = made(parts)
    flesh = fleshed(body, parts)
    fibre = flesh.fibre[body.labels >= 2]
    np.testing.assert_allclose(fibre, np.tile([1.0, 0, 0], (len(fibre), 1)), atol=1e-6)
    assert not flesh.fibre[body.labels < 2].any()


def test_tendon_is_where_a_muscle_is_thin() -> None:
    areas = np.array([1, 1, 2, 6, 10, 10, 8, 4, 2.9, 1.0])
    assert tendon_fractions(areas) == pytest.approx((0.3, 0.2))
    assert tendon_fractions(np.ones(10)) == pytest.approx((0.03, 0.03))
    s = np.array([0.0, 0.29, 0.31, 0.79, 0.81])
    np.testing.assert_array_equal(in_tendon(s, (0.3, 0.2)), [True, True, False, False, True])


def test_the_author_says_how_much_is_tendon() -> None:
    said = replace(BELLY, ends=Ends(tendons=(0.5, 0.0)))
    parts = [FIRST, LAST, said, SIDE]
    body = made(parts)
    flesh = fleshed(body, parts)
    mine = body.labels == 2
    share = body.body.mesh.volumes[mine & flesh.tendon].sum() / body.body.mesh.volumes[mine].sum()
    assert share == pytest.approx(0.5, abs=0.06)


def test_a_tendon_with_a_surface_of_its_own_carries_its_muscle_to_the_bone() -> None:
    sinew = Part("sinew", brick([16, -3, -2], [20, 3, 2]), Tissue.TENDON, "belly")
    belly = muscle("belly", [4, -3, -2], [16, 3, 2], caps=(0.45, 0.45))
    parts = [FIRST, LAST, belly, sinew]
    body = made(parts)
    flesh = fleshed(body, parts)
    np.testing.assert_array_equal(flesh.tendon, body.given == 3)
    assert [a.to for a in body.attachments] == [0, 1]
    assert shared(body, 2, 1) > 10
    np.testing.assert_allclose(flesh.fibre[body.given == 3][:, 0], 1.0, atol=1e-6)
    with pytest.raises(ModelError, match="tendon 'sinew' touches no part of muscle 'other'"):
        made([FIRST, LAST, belly, replace(sinew, muscle="other")])


def test_a_gap_between_a_tendon_and_its_bone_is_filled_with_tendon() -> None:
    fine = box((48, 12, 8), (0.12, 0.03, 0.02))
    sinew = Part("sinew", brick([16, -3, -2], [19, 3, 2]), Tissue.TENDON, "belly")
    belly = muscle("belly", [4, -3, -2], [16, 3, 2], caps=(0.45, 0.45))
    parts = [FIRST, LAST, belly, sinew]
    body = made(parts, replace(PLAN, gap=0.0051), fine)
    assert shared(body, 2, 1) > 50
    x = body.body.mesh.centroids[:, 0] / CELL
    np.testing.assert_array_equal(body.given == 3, (x > 16) & (x < 20))
