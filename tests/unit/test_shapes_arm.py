"""The anatomical arm: sound surfaces, adult volumes, and muscles that end on their bones."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from vastus.errors import MissingExtra, ModelError
from vastus.geometry.queries import inside, nearest_on_surface
from vastus.geometry.section import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.shapes.arm import (
    ATTACHMENTS,
    BODIES,
    MOST_FLEXION,
    MUSCLES,
    REST_FLEXION,
    SHOULDER_CENTRE,
    _bone_at_rest,
    _drawn,
    arm_surfaces,
    bone_fields,
    bone_surface,
    muscle_surface,
)
from vastus.modelling.shapes.right_arm import ELBOW_AXIS, ELBOW_CENTRE
from vastus.modelling.shapes.strands import posed, thickened
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats

pytest.importorskip("igl", reason="the extra 'mesh' is not installed")

BONES = ("scapula", "clavicle", "humerus", "ulna", "radius", "hand")
PARTS = (*BONES, *MUSCLES)
JOINTS = (
    ("scapula", "clavicle"),
    ("scapula", "humerus"),
    ("humerus", "ulna"),
    ("humerus", "radius"),
    ("ulna", "radius"),
    ("radius", "hand"),
)
VOLUMES = {  # [cm^3]
    ("biceps long", "biceps short"): (145, 370),
    ("triceps long", "triceps lateral", "triceps medial"): (370, 620),
    ("brachialis",): (60, 150),
    ("deltoid",): (320, 440),
    ("coracobrachialis",): (15, 50),
    ("brachioradialis",): (35, 100),
}


@pytest.fixture(scope="module")
def parts() -> dict[str, Surface]:
    return arm_surfaces()


def test_every_bone_and_muscle_is_there(parts: dict[str, Surface]) -> None:
    assert tuple(parts) == PARTS
    assert tuple(bone for body in BODIES.values() for bone in body) == BONES


@pytest.mark.parametrize("name", PARTS)
def test_a_surface_is_closed_outward_and_without_handles(
    parts: dict[str, Surface], name: str
) -> None:
    surface = parts[name]
    assert surface.closed
    assert surface.volume > 0
    assert surface.n_vertices - len(surface.edges) + surface.n_faces == 2
    assert 1500 <= surface.n_faces <= 4000


@pytest.mark.parametrize("name", PARTS)
def test_no_surface_crosses_itself(parts: dict[str, Surface], name: str) -> None:
    assert not len(self_intersections(parts[name]))


@pytest.mark.parametrize(("names", "bounds"), VOLUMES.items())
def test_muscles_have_the_volume_of_an_adult(
    parts: dict[str, Surface], names: tuple[str, ...], bounds: tuple[float, float]
) -> None:
    low, high = bounds
    assert low < 1e6 * sum(parts[name].volume for name in names) < high


@pytest.mark.parametrize(("bone", "length"), [("humerus", 0.32), ("ulna", 0.27), ("radius", 0.24)])
def test_bones_have_the_length_of_an_adult(
    parts: dict[str, Surface], bone: str, length: float
) -> None:
    X = parts[bone].X - parts[bone].X.mean(axis=0)
    longest = np.linalg.svd(X, full_matrices=False)[2][0]
    assert np.ptp(X @ longest) == pytest.approx(length, rel=0.05)


@pytest.mark.parametrize(("first", "second"), JOINTS)
def test_bones_of_a_joint_leave_a_gap(parts: dict[str, Surface], first: str, second: str) -> None:
    gap = nearest_on_surface(parts[first], parts[second].X).distances.min()
    assert 1.5e-3 < gap < 2.5e-3
    assert not inside(parts[first], parts[second].X).any()


@pytest.mark.parametrize("name", MUSCLES)
def test_muscles_hardly_enter_other_parts(parts: dict[str, Surface], name: str) -> None:
    points = _filled(parts[name], 4e-3)
    for other in PARTS:
        if other != name:
            limit = 0.01 if other in BONES else 0.03
            assert _held(parts[other], points) < limit * len(points), other


@pytest.mark.parametrize("name", MUSCLES)
def test_each_strand_ends_on_its_bones(parts: dict[str, Surface], name: str) -> None:
    muscle = posed(MUSCLES[name], exp_map(np.array([REST_FLEXION, 0.0, 0.0])))
    for strand in muscle.strands:
        for bones, row in zip(ATTACHMENTS[name], strand.rows[[0, -1]], strict=True):
            near = np.linalg.norm(parts[name].X - row[:3] / 1000, axis=1) < 0.008
            assert near.any()
            gaps = [_gap(parts[bone], parts[name].X[near]) for bone in bones]
            assert min(gaps) < 0.002


@pytest.mark.parametrize("name", MUSCLES)
def test_each_bone_of_an_attachment_is_touched(parts: dict[str, Surface], name: str) -> None:
    for bones in ATTACHMENTS[name]:
        for bone in bones:
            assert _gap(parts[bone], parts[name].X) == 0


def test_the_biceps_passes_the_humerus_without_touching_it(parts: dict[str, Surface]) -> None:
    for head in ("biceps long", "biceps short"):
        assert _gap(parts["humerus"], parts[head].X) > 0.0001


def test_flexion_turns_the_forearm_about_the_elbow(parts: dict[str, Surface]) -> None:
    turn = exp_map(np.radians(15) * ELBOW_AXIS)
    for bone in BONES:
        moved = bone_surface(bone, REST_FLEXION + np.radians(15)).X
        rest = parts[bone].X
        turned = (rest - ELBOW_CENTRE) @ turn.T + ELBOW_CENTRE
        assert moved == pytest.approx(turned if bone in BODIES["forearm"] else rest, abs=1e-12)


@pytest.mark.parametrize("flexion", [0.0, MOST_FLEXION])
def test_the_biceps_reaches_the_radius_at_both_limits_of_flexion(flexion: float) -> None:
    biceps, radius = (
        muscle_surface("biceps short", flexion),
        bone_surface("radius", flexion),
    )
    assert _gap(radius, biceps.X) < 0.0005
    points = _filled(biceps, 4e-3)
    assert _held(radius, points) < 0.01 * len(points)


def test_a_flexion_beyond_the_limits_is_refused() -> None:
    with pytest.raises(ModelError, match="from 0 to 45 degrees, not 90"):
        bone_surface("ulna", np.radians(90))


def test_the_shoulder_is_the_centre_of_the_head(parts: dict[str, Surface]) -> None:
    X = parts["humerus"].X
    cap = X[(X[:, 2] > SHOULDER_CENTRE[2]) & (X[:, 0] < SHOULDER_CENTRE[0])]
    radii = np.linalg.norm(cap - SHOULDER_CENTRE, axis=1)
    assert radii == pytest.approx(0.0235, abs=0.0003)


def test_surfaces_are_the_same_to_the_last_bit_on_every_run(parts: dict[str, Surface]) -> None:
    for cached in (_bone_at_rest, _drawn, bone_fields):
        cached.cache_clear()
    again = {"radius": bone_surface("radius"), "brachialis": muscle_surface("brachialis")}
    for name, surface in again.items():
        assert surface.X.tobytes() == parts[name].X.tobytes()
        assert surface.faces.tobytes() == parts[name].faces.tobytes()


def test_an_unknown_part_is_named() -> None:
    with pytest.raises(ModelError, match="no bone 'femur'; bones: scapula, clavicle"):
        bone_surface("femur")
    with pytest.raises(ModelError, match="no muscle 'biceps'; muscles: biceps long"):
        muscle_surface("biceps")


def test_without_libigl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igl", None)
    with pytest.raises(MissingExtra, match=r"vastus\[mesh\]"):
        muscle_surface("coracobrachialis")


def _filled(surface: Surface, step: float) -> Floats:
    """The points of a lattice that are inside."""
    low, high = surface.X.min(axis=0), surface.X.max(axis=0)
    axes = [np.arange(a, b, step) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return points[inside(surface, points)]


def _held(surface: Surface, points: Floats) -> int:
    low, high = surface.X.min(axis=0), surface.X.max(axis=0)
    near = points[((low < points) & (points < high)).all(axis=1)]
    return int(inside(surface, near).sum()) if len(near) else 0


def _gap(surface: Surface, points: Floats) -> float:
    """The least distance of points outside from the surface [m], zero if any is inside."""
    if inside(surface, points).any():
        return 0.0
    return float(nearest_on_surface(surface, points).distances.min())


def test_a_thickened_muscle_has_wider_tendons_and_the_same_belly_and_path() -> None:
    thin, thick = MUSCLES["biceps long"], thickened(MUSCLES["biceps long"], 4.5)
    before, after = (posed(m, np.eye(3)).strands[0].rows for m in (thin, thick))
    np.testing.assert_array_equal(after[:, :3], before[:, :3])
    np.testing.assert_array_equal(after[:, 3:], np.maximum(before[:, 3:], 4.5))
    assert (before[:, 3:] < 4.5).any()
    assert (before[:, 3:] > 4.5).any()
