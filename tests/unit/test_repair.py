"""Sound surfaces are spoilt in every usual way; a repair gives them back, or says why not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vastus.errors import ModelError
from vastus.files.meshes import read_surface
from vastus.geometry.section import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.repair import repair, smallest_cover

trimesh = pytest.importorskip("trimesh")

ARM = Path(__file__).parents[3] / "shared" / "data" / "arm_bp3d"


def of(raw: trimesh.Trimesh) -> Surface:
    return Surface(raw.vertices, raw.faces)


BALL = of(trimesh.creation.icosphere(subdivisions=3, radius=0.05))
CAPSULE = of(trimesh.creation.capsule(height=0.2, radius=0.03, count=[24, 24]))
sound = pytest.mark.parametrize("body", [BALL, CAPSULE], ids=["ball", "capsule"])


def moved(body: Surface, by: list[float], scale: float = 1.0) -> Surface:
    return Surface(scale * body.X + by, body.faces)


def together(*bodies: Surface) -> Surface:
    starts = np.cumsum([0, *(body.n_vertices for body in bodies[:-1])])
    faces = [body.faces + start for body, start in zip(bodies, starts, strict=True)]
    return Surface(np.vstack([body.X for body in bodies]), np.vstack(faces))


def without(body: Surface, *faces: int) -> Surface:
    return Surface(body.X, np.delete(body.faces, faces, axis=0))


def turned(body: Surface, faces: np.ndarray) -> Surface:
    spoilt = body.faces.copy()
    spoilt[faces] = spoilt[faces, ::-1]
    return Surface(body.X, spoilt)


def around(body: Surface, vertex: int) -> list[int]:
    return np.flatnonzero((body.faces == vertex).any(axis=1)).tolist()


def refusal(surface: Surface) -> str:
    with pytest.raises(ModelError) as caught:
        repair(surface)
    return str(caught.value)


@sound
def test_a_sound_surface_comes_back_itself(body: Surface) -> None:
    found = repair(body)
    assert found.surface is body
    assert found.done == ()
    assert found.crossing == 0


@pytest.mark.skipif(not ARM.is_dir(), reason="the surfaces of an arm are not on this machine")
def test_the_surfaces_of_an_arm_are_sound() -> None:
    for part in json.loads((ARM / "parts.json").read_text()):
        surface = read_surface(ARM / part["file"])
        found = repair(surface)
        assert (found.surface is surface, found.done, found.crossing) == (True, (), 0)


@sound
def test_a_missing_face_is_put_back(body: Surface) -> None:
    found = repair(without(body, 7))
    assert found.done == ("filled 1 hole (3 edges)",)
    assert found.surface.closed
    assert found.surface.volume == pytest.approx(body.volume, rel=1e-12)


def test_holes_are_filled_by_flat_covers() -> None:
    gone = around(BALL, 0) + around(BALL, 9)
    found = repair(without(BALL, *gone))
    edges = len(gone)
    assert found.done[:1] == ("dropped 2 vertices of no face",)
    assert found.done[1].startswith(f"filled 2 holes ({edges} edges")
    assert found.surface.closed
    assert 0.99 * BALL.volume < found.surface.volume < BALL.volume


def test_half_a_ball_is_closed_by_a_disc() -> None:
    upper = np.flatnonzero((BALL.X[BALL.faces][:, :, 2] >= -1e-9).all(axis=1))
    found = repair(BALL.keeping(upper))
    rim = BALL.keeping(upper).boundary_edges
    assert len(found.done) == 1
    assert re.fullmatch(rf"filled 1 hole \({len(rim)} edges, 3[3-6] % of area\)", found.done[0])
    assert found.surface.volume == pytest.approx(BALL.volume / 2, rel=0.02)
    assert found.crossing == 0


def test_two_holes_that_touch_at_a_vertex_are_filled() -> None:
    ring = around(BALL, 20)
    found = repair(without(BALL, ring[0], ring[3]))
    assert found.surface.closed
    assert found.surface.volume == pytest.approx(BALL.volume, rel=1e-12)


def test_the_cover_of_a_bent_loop_does_not_cut_through_the_body() -> None:
    """A horseshoe of open edges: a fan from its middle would leave the plane's inside."""
    flat = np.array([[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]])
    X = np.column_stack([flat, np.zeros(8)])
    cover = smallest_cover(X, np.arange(8), set())
    assert cover is not None
    assert Surface(X, cover).areas.sum() == pytest.approx(7)


def test_a_very_long_rim_gets_a_vertex_in_its_middle() -> None:
    tube = trimesh.creation.cylinder(radius=0.02, height=0.004, sections=510)
    sides = np.abs(tube.face_normals[:, 2]) < 0.5
    found = repair(of(tube).keeping(sides))
    assert found.done[0].startswith("filled 2 holes (1020 edges, ")
    assert found.surface.volume == pytest.approx(tube.volume, rel=1e-9)


@sound
def test_turned_faces_are_turned_back(body: Surface) -> None:
    some = np.random.default_rng(1).choice(body.n_faces, 31, replace=False)
    found = repair(turned(body, some))
    assert found.done == ("turned 31 faces",)
    assert (np.sort(found.surface.faces) == np.sort(body.faces)).all()
    assert found.surface.volume == pytest.approx(body.volume)


@sound
def test_a_surface_inside_out_is_turned(body: Surface) -> None:
    found = repair(Surface(body.X, body.faces[:, ::-1]))
    assert found.done == (f"turned {body.n_faces} faces",)
    assert found.surface.volume == pytest.approx(body.volume)


def test_an_open_surface_inside_out_is_turned_and_filled() -> None:
    spoilt = without(Surface(CAPSULE.X, CAPSULE.faces[:, ::-1]), 3, 50)
    found = repair(spoilt)
    assert found.done == (f"turned {spoilt.n_faces} faces", "filled 2 holes (6 edges)")
    assert found.surface.volume == pytest.approx(CAPSULE.volume)


def test_repeated_faces_go() -> None:
    spoilt = np.vstack([CAPSULE.faces, CAPSULE.faces[5:8], CAPSULE.faces[:2, ::-1]])
    found = repair(Surface(CAPSULE.X, spoilt))
    assert found.done == ("removed 5 repeated faces",)
    assert (found.surface.faces == CAPSULE.faces).all()


def test_a_surface_that_is_there_twice_is_one() -> None:
    found = repair(together(BALL, BALL))
    assert found.done == (
        f"joined {BALL.n_vertices} vertices",
        f"removed {BALL.n_faces} repeated faces",
    )
    assert found.surface.volume == pytest.approx(BALL.volume)


def test_loose_triangles_are_joined_to_a_surface() -> None:
    """As in an STL whose corners were rounded apart."""
    noise = np.random.default_rng(2).uniform(-1, 1, (3 * BALL.n_faces, 3))
    X = BALL.X[BALL.faces].reshape(-1, 3) + 1e-8 * noise
    found = repair(Surface(X, np.arange(len(X)).reshape(-1, 3)))
    assert found.done == (f"joined {len(X) - BALL.n_vertices} vertices",)
    assert found.surface.closed
    assert found.surface.n_vertices == BALL.n_vertices


def test_faces_that_name_a_vertex_twice_go() -> None:
    spoilt = np.vstack([BALL.faces, [[3, 3, 8], [4, 4, 4]]])
    found = repair(Surface(BALL.X, spoilt))
    assert found.done == ("removed 2 faces without area",)
    assert (found.surface.faces == BALL.faces).all()


def test_a_face_whose_corners_lie_on_a_line_goes() -> None:
    """An edge with a vertex on it for one neighbour only, the gap covered by a flat face."""
    a, b, c = BALL.faces[0]
    middle = BALL.n_vertices
    X = np.vstack([BALL.X, (BALL.X[a] + BALL.X[b]) / 2])
    faces = np.vstack([BALL.faces[1:], [[a, middle, c], [middle, b, c], [a, b, middle]]])
    found = repair(Surface(X, faces))
    assert found.done == ("removed 1 face without area",)
    assert found.surface.closed
    assert found.surface.areas.min() > BALL.areas.min() / 3
    assert found.surface.volume == pytest.approx(BALL.volume, rel=1e-12)


def test_a_slit_along_an_edge_is_closed_without_flat_faces() -> None:
    a, b, c = BALL.faces[0]
    X = np.vstack([BALL.X, (BALL.X[a] + BALL.X[b]) / 2])
    faces = np.vstack([BALL.faces[1:], [[a, len(X) - 1, c], [len(X) - 1, b, c]]])
    found = repair(Surface(X, faces))
    assert found.surface.closed
    assert found.surface.areas.min() > BALL.areas.min() / 3


def test_debris_is_dropped() -> None:
    crumbs = [moved(BALL, [0.2, 0.01 * k, 0], 0.01) for k in range(3)]
    found = repair(together(*crumbs, BALL))
    assert found.done == ("dropped 3 small pieces (0.03 % of area)",)
    assert found.surface.n_faces == BALL.n_faces


def test_two_bodies_in_a_file_are_refused() -> None:
    sentence = refusal(together(BALL, moved(BALL, [0.2, 0, 0], 0.8)))
    assert sentence.startswith("the surface has 2 separate pieces; the second, near [0.2, ")
    assert "64% of the largest's area" in sentence


def test_loose_triangles_too_far_apart_to_be_joined_are_refused() -> None:
    shrunk = 0.9 * BALL.X[BALL.faces] + 0.1 * BALL.X[BALL.faces].mean(axis=1, keepdims=True)
    X = shrunk.reshape(-1, 3)
    sentence = refusal(Surface(X, np.arange(len(X)).reshape(-1, 3)))
    assert sentence.startswith(f"the surface has {BALL.n_faces} separate pieces of similar size")


def test_two_bodies_that_overlap_are_refused() -> None:
    assert "2 separate pieces" in refusal(together(BALL, moved(BALL, [0.05, 0, 0])))


def test_a_hollow_body_keeps_its_cavity() -> None:
    hole = moved(Surface(BALL.X, BALL.faces[:, ::-1]), [0, 0, 0], 0.5)
    found = repair(together(BALL, hole))
    assert found.done == ()
    assert found.surface.volume == pytest.approx(BALL.volume * 7 / 8)


def test_an_inner_shell_becomes_a_cavity() -> None:
    found = repair(together(moved(BALL, [0, 0, 0], 0.5), BALL))
    assert found.done == (f"turned {BALL.n_faces} faces",)
    assert found.surface.volume == pytest.approx(BALL.volume * 7 / 8)


def test_a_fin_and_a_wall_inside_go() -> None:
    """A disc across the capsule, along edges of its middle, and one face that sticks out."""
    rim = np.flatnonzero(np.abs(CAPSULE.X[:, 2] - CAPSULE.X[:, 2].max() + 0.03) < 1e-9)
    ring = rim[np.argsort(np.arctan2(CAPSULE.X[rim, 1], CAPSULE.X[rim, 0]))]
    n = CAPSULE.n_vertices
    disc = np.stack([ring, np.roll(ring, -1), np.full(len(ring), n)], axis=1)
    assert {tuple(sorted(edge)) for edge in disc[:, :2]} <= set(map(tuple, CAPSULE.edges))
    X = np.vstack([CAPSULE.X, [CAPSULE.X[ring].mean(axis=0), [0.08, 0, 0.08]]])
    faces = np.vstack([CAPSULE.faces, disc, [[*CAPSULE.faces[0, :2], n + 1]]])
    found = repair(Surface(X, faces))
    assert found.done == (f"removed {len(ring) + 1} faces of inner walls",)
    assert found.surface.volume == pytest.approx(CAPSULE.volume)


def test_vertices_of_no_face_go() -> None:
    found = repair(Surface(np.vstack([[[9.0, 9, 9]], BALL.X]), BALL.faces + 1))
    assert found.done == ("dropped 1 vertex of no face",)
    assert (found.surface.X == BALL.X).all()


def test_faces_that_cross_are_counted_and_kept() -> None:
    X = BALL.X.copy()
    X[0] *= -1.5  # through the opposite side
    found = repair(Surface(X, BALL.faces))
    assert found.done == ()
    assert found.crossing > 6


def test_everything_at_once() -> None:
    spoilt = turned(without(CAPSULE, 11, 40), np.arange(100, 120))
    loose = Surface(
        np.vstack([spoilt.X[spoilt.faces].reshape(-1, 3), [[5.0, 5, 5]]]),
        np.arange(3 * spoilt.n_faces).reshape(-1, 3)[:, ::-1],
    )
    found = repair(together(loose, moved(BALL, [0.2, 0, 0], 0.05)))
    assert found.surface.closed
    assert found.surface.volume == pytest.approx(CAPSULE.volume, rel=1e-9)
    assert [said.split()[0] for said in found.done] == [
        *("dropped", "joined", "dropped", "turned", "filled")
    ]


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.sets(st.integers(0, 1279), max_size=40), st.sets(st.integers(0, 1239), max_size=200))
def test_what_was_repaired_needs_no_repair(holes: set[int], flips: set[int]) -> None:
    first = repair(turned(without(BALL, *holes), np.array(sorted(flips), int)))
    assert first.surface.closed
    assert first.surface.volume == pytest.approx(BALL.volume, rel=0.02)
    assert repair(first.surface).done == ()


def test_three_vertices_are_no_body() -> None:
    triangle = Surface(np.eye(3), np.array([[0, 1, 2]]))
    assert refusal(triangle) == "the surface has 1 usable face; a closed one has at least 4"


def test_one_face_four_times_is_no_body() -> None:
    assert refusal(Surface(np.eye(3), np.array([[0, 1, 2]] * 4))).startswith("the surface is flat")


def test_two_vertices_are_no_body() -> None:
    assert "flat" in refusal(Surface(np.eye(3)[:2], np.array([[0, 1, 1]] * 5)))


def test_a_flat_sheet_is_refused() -> None:
    flat = Surface(BALL.X * [1, 1, 0], BALL.faces)
    assert refusal(flat) == "the surface is flat (0.1 x 0.1 x 0); a body has three dimensions"


def test_a_bent_sheet_covered_on_both_sides_has_no_volume() -> None:
    upper = BALL.keeping(np.flatnonzero((BALL.X[BALL.faces][:, :, 2] >= -1e-9).all(axis=1)))
    lower = Surface(upper.X * (1 - 1e-4), upper.faces[:, ::-1])
    rim = upper.boundary_edges
    n = upper.n_vertices
    band = np.vstack([np.c_[rim[:, ::-1], rim[:, 0] + n], np.c_[rim + n, rim[:, 1]]])
    spoilt = together(upper, lower)
    found = Surface(spoilt.X, np.vstack([spoilt.faces, band]))
    assert found.closed
    assert refusal(found).startswith("the surface encloses no volume")


def test_a_surface_with_one_side_is_refused() -> None:
    turn = np.linspace(0, 2 * np.pi, 41)[:-1]
    width = np.array([-0.01, 0.01])[:, None]
    radius = 0.05 + width * np.cos(turn / 2)
    X = np.stack([radius * np.cos(turn), radius * np.sin(turn), width * np.sin(turn / 2)], axis=2)
    left, right = np.arange(40), np.arange(40, 80)
    after = np.roll(left, -1), np.roll(right, -1)
    after[0][-1], after[1][-1] = 40, 0
    faces = [np.c_[left, after[0], right], np.c_[after[0], after[1], right]]
    assert "has only one side" in refusal(Surface(X.reshape(-1, 3), np.vstack(faces)))


def test_coordinates_that_are_no_numbers_are_refused() -> None:
    X = BALL.X.copy()
    X[5, 0] = np.nan
    with pytest.raises(ModelError, match="vertex 5 has a coordinate that is not finite"):
        repair(Surface(X, BALL.faces))


def test_the_size_of_the_units_does_not_matter() -> None:
    spoilt = turned(without(BALL, 3), np.array([8, 9]))
    assert repair(moved(spoilt, [0, 0, 0], 1000)).done == repair(spoilt).done


def test_crossing_faces_are_those_along_the_seam() -> None:
    cube = trimesh.creation.box(extents=[1, 1, 1])
    pair = together(of(cube), moved(of(cube), [0.5, 0.4, 0.3]))
    found = self_intersections(pair)
    assert set(found) & set(range(12))
    assert set(found) & set(range(12, 24))
    middles = pair.X[pair.faces[found]].mean(axis=1)
    assert (np.abs(middles - 0.25) < 1).all()


def test_bodies_that_only_touch_do_not_cross() -> None:
    cube = of(trimesh.creation.box(extents=[1, 1, 1]))
    assert not len(self_intersections(together(cube, moved(cube, [1, 0, 0]))))
    assert not len(self_intersections(together(cube, moved(cube, [0.3, 0.2, 1]))))


def test_crossings_of_faces_agree_with_those_of_pairs_one_by_one() -> None:
    igl = pytest.importorskip("igl")
    pair = together(BALL, moved(BALL, [0.0431, 0.0217, 0.0113], 0.9))
    tri = pair.X[pair.faces]
    ours = set(self_intersections(pair).tolist())
    theirs: set[int] = set()
    for f in range(BALL.n_faces):
        near = np.linalg.norm(tri[BALL.n_faces :].mean(axis=1) - tri[f].mean(axis=0), axis=1) < 0.02
        for g in BALL.n_faces + np.flatnonzero(near):
            corners = [c[None] for c in (*tri[f], *tri[g])]
            if igl.tri_tri_overlap_test_3d(*corners):
                theirs |= {f, int(g)}
    assert ours == theirs
