"""Bones to look at: closed, mirrored, where muscles are, and the courses of paths over them."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bodies.bones import ARM_BONES, TRUNK_BONES, Bone, reflected, surface_of
from vastus.bodies.bones.nets import cone, ellipsoid, melted, netted
from vastus.bodies.bones.solids import knob, sheet, swept
from vastus.bodies.muscles import MUSCLES, Point

BONES = TRUNK_BONES + ARM_BONES
FAR = 21.0  # [mm] the back of the deltoid begins along the whole spine of the scapula


@pytest.mark.parametrize("bone", BONES, ids=lambda bone: bone.name)
def test_a_bone_is_closed_and_faces_outwards(bone: Bone) -> None:
    surface = surface_of(bone)
    assert not len(surface.boundary_edges)
    assert surface.volume > 0
    assert np.abs(surface.X).max() < 0.4  # metres
    assert reflected(surface).volume == pytest.approx(surface.volume)


def test_the_volume_of_a_sweep_is_that_of_a_cylinder() -> None:
    bar = swept([(0, 0, 0, 5, 5), (0, 0, 100, 5, 5)], domes=(0.01, 0.01), around=60)
    assert bar.volume == pytest.approx(np.pi * 25 * 100, rel=5e-3)


def test_the_volume_of_a_knob_and_of_a_net_are_those_of_an_ellipsoid() -> None:
    whole = 4 / 3 * np.pi * 20 * 12 * 15
    assert knob((3, 4, 5), (20, 12, 15), around=60).volume == pytest.approx(whole, rel=1e-2)
    net = netted(ellipsoid((3, 4, 5), (20, 12, 15)), (-25, -25, -25), (30, 30, 30), 1.5)
    assert net.volume == pytest.approx(whole, rel=2e-2)
    assert not len(net.boundary_edges)


def test_holes_are_cut_out_of_a_net() -> None:
    block, rod = ellipsoid((0, 0, 0), (20, 20, 20)), cone((0, 0, -40), 8.0, (0, 0, 40), 8.0)
    ring = netted(melted([block], [rod], 0.5), (-25, -25, -25), (25, 25, 25), 1.0)
    # A ball with a drilled hole keeps the volume of a ball of the hole's height.
    assert ring.volume == pytest.approx(4 / 3 * np.pi * (20**2 - 8**2) ** 1.5, rel=2e-2)


def test_the_volume_of_a_sheet_is_area_times_thickness() -> None:
    grid = [[(x, y, 0) for x in (0, 10, 20)] for y in (0, 10, 20, 30)]
    assert sheet(grid, 4.0).volume == pytest.approx(20 * 30 * 4.0)


def test_muscles_end_near_bones() -> None:
    """Origins and insertions lie within 21 mm of a vertex of a bone of their segment."""
    of: dict[str, list[np.ndarray]] = {}
    for bone in BONES:
        for segment in {bone.segment, "torso" if bone.segment == "girdle" else bone.segment}:
            of.setdefault(segment, []).append(1e3 * surface_of(bone).X)
    of["torso"].append(1e3 * surface_of(TRUNK_BONES[-1]).X - [0, 0, 450])
    for muscle in MUSCLES:
        for point in (muscle.path[0], muscle.path[-1]):
            assert isinstance(point, Point)
            X = np.concatenate(of[point.segment])
            gap = np.linalg.norm(X - 1e3 * np.array(point.place), axis=1).min()
            assert gap < FAR, f"{muscle.name} is {gap:.0f} mm from {point.segment}"


def test_courses_have_the_lengths_of_paths() -> None:
    pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
    from vastus.bodies import juggler
    from vastus.bodies.appearance import bone_surfaces, course

    body = juggler()
    data = body.data()
    for unit in range(len(body.units)):
        line = course(body, data, unit)
        length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
        assert length == pytest.approx(data.ten_length[unit], rel=1e-4)
    seen = bone_surfaces(body)
    assert len(seen) == len(TRUNK_BONES) + 2 * len(ARM_BONES)
    right, left = (next(s for s in seen if s.name == f"{p}_hand_bone").placed(data) for p in "rl")
    np.testing.assert_allclose(left.X.mean(axis=0), right.X.mean(axis=0) * [1, -1, 1], atol=1e-6)
    assert right.X[:, 0].mean() > 0.25  # held out in front
