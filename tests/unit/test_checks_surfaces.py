"""What looks wrong in surfaces, one finding a test: the part, the place and the remedy."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from vastus.checks import Finding, Severity
from vastus.checks.surface_layout import surface_findings
from vastus.checks.surface_overlaps import overlaps
from vastus.errors import MissingExtra
from vastus.files.meshes import read_surface
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.repair_faces import place
from vastus.parts import Tissue

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("igl", reason="libigl is not installed")

ARM = Path(__file__).parents[3] / "shared" / "data" / "arm_bp3d"


def of(raw: trimesh.Trimesh, by: tuple[float, float, float] = (0, 0, 0)) -> Surface:
    return Surface(raw.vertices + by, raw.faces)


def ball(radius: float, x: float, y: float, z: float, *, fineness: int = 2) -> Surface:
    return of(trimesh.creation.icosphere(subdivisions=fineness, radius=radius), (x, y, z))


# A muscle of 20 cm along z between two bones, each 1 mm away.
MUSCLE = of(trimesh.creation.capsule(height=0.14, radius=0.03, count=[20, 20]), (0, 0, 0.03))
PARTS = {
    "belly": Surface(MUSCLE.X - [0, 0, MUSCLE.X[:, 2].min()], MUSCLE.faces),
    "base": ball(0.04, 0, 0, -0.041),
    "tip": ball(0.04, 0, 0, 0.241),
}
TISSUES = {"belly": Tissue.MUSCLE, "base": Tissue.BONE, "tip": Tissue.BONE}


def moved(part: Surface, x: float) -> Surface:
    return Surface(part.X + np.array([x, 0, 0]), part.faces)


def looked(
    changed: Mapping[str, Surface], tissues: Mapping[str, Tissue] | None = None
) -> list[Finding]:
    return surface_findings(PARTS | changed, TISSUES | (tissues or {}))


def only(changed: Mapping[str, Surface], tissues: Mapping[str, Tissue] | None = None) -> Finding:
    findings = looked(changed, tissues)
    assert len(findings) == 1, [str(f) for f in findings]
    assert findings[0].at is not None
    assert place(np.array(findings[0].at)) in findings[0].sentence
    return findings[0]


def test_sound_parts_have_no_findings() -> None:
    assert looked({}) == []


def test_open_edges_are_counted_and_placed() -> None:
    base = PARTS["base"]
    found = only({"base": Surface(base.X, base.faces[1:])})
    assert found.where == "part 'base'"
    assert "is not watertight: 3 open edges around 1 hole, the longest near [" in found.sentence
    assert found.at == pytest.approx(base.X[base.faces[0]].mean(axis=0))


def test_crossing_faces_are_counted_and_placed() -> None:
    X = PARTS["base"].X.copy()
    X[0] = [0, 0, -0.041] - 1.4 * (X[0] - [0, 0, -0.041])
    found = only({"base": Surface(X, PARTS["base"].faces)})
    assert found.severity is Severity.WARNING
    assert "that cross others, the first near [" in found.sentence


def test_a_part_inside_out_is_a_warning() -> None:
    found = only({"base": Surface(PARTS["base"].X, PARTS["base"].faces[:, ::-1])})
    assert found.sentence.endswith("m is inside out")


def test_faces_that_disagree_are_counted_by_their_edges() -> None:
    faces = PARTS["tip"].faces.copy()
    faces[4] = faces[4, ::-1]
    found = only({"tip": Surface(PARTS["tip"].X, faces)})
    assert "disagree about which side is outside, at 3 edges, the first near [" in found.sentence


def test_debris_is_a_warning() -> None:
    base, crumb = PARTS["base"], ball(0.001, 0.06, 0, -0.04)
    both = Surface(np.vstack([base.X, crumb.X]), np.vstack([base.faces, crumb.faces + len(base.X)]))
    found = only({"base": both})
    assert "has 1 small piece apart from the rest" in found.sentence
    assert "the largest near [0.06, " in found.sentence


def test_two_bodies_in_one_part_are_an_error() -> None:
    base, twin = PARTS["base"], ball(0.03, 0.1, 0, -0.04)
    both = Surface(np.vstack([base.X, twin.X]), np.vstack([base.faces, twin.faces + len(base.X)]))
    found = looked({"base": both})[0]
    assert found.severity is Severity.ERROR
    assert found.where == "part 'base'"
    assert "2 separate pieces" in found.sentence
    assert found.at == pytest.approx(both.X.mean(axis=0))


def test_a_flat_part_is_an_error() -> None:
    found = looked({"base": Surface(PARTS["base"].X * [1, 1, 0], PARTS["base"].faces)})[0]
    assert found.severity is Severity.ERROR
    assert "is flat" in found.sentence


def test_two_balls_overlap_by_a_lens() -> None:
    """V = pi (4 r + d) (2 r - d)^2 / 12, for two radii r at a distance d."""
    r, d = 0.05, 0.07
    (found,) = overlaps({name: ball(r, x, 0, 0, fineness=4) for name, x in (("a", 0), ("b", d))})
    lens = np.pi * (4 * r + d) * (2 * r - d) ** 2 / 12
    assert found.volume == pytest.approx(lens, rel=0.05)
    assert found.of_smaller == pytest.approx(lens / (4 / 3 * np.pi * r**3), rel=0.05)
    assert found.place == pytest.approx([d / 2, 0, 0], abs=3e-3)


def test_a_thin_overlap_of_large_faces_is_found() -> None:
    box = trimesh.creation.box(extents=[0.1, 0.1, 0.1])
    (found,) = overlaps({"a": of(box), "b": of(box, (0.099, 0.01, 0.02))})
    assert found.volume == pytest.approx(0.001 * 0.09 * 0.08, rel=0.05)


def test_an_overlap_is_the_same_at_every_call() -> None:
    parts = {"a": ball(0.05, 0, 0, 0), "b": ball(0.04, 0.06, 0.01, 0)}
    assert overlaps(parts)[0].volume == overlaps(parts)[0].volume


def test_parts_that_touch_nowhere_have_no_overlap() -> None:
    assert overlaps(PARTS) == []


def test_muscles_that_overlap_are_told_by_volume_and_share() -> None:
    other = moved(PARTS["belly"], 0.055)
    tip, base = (ball(0.2, 0.0275, 0, z, fineness=3) for z in (0.402, -0.202))
    found = only({"side": other, "tip": tip, "base": base}, {"side": Tissue.MUSCLE})
    assert found.where == "part 'side'"
    assert "overlaps part 'belly' by " in found.sentence
    assert " cm3 (" in found.sentence
    assert " % of the smaller) near [0.02" in found.sentence


def test_bones_that_overlap_a_little_are_told() -> None:
    found = only({"other": ball(0.04, 0, 0.078, -0.041)}, {"other": Tissue.BONE})
    assert "overlaps part 'base', which is bone too, by " in found.sentence


def test_tissue_around_other_parts_may_hold_them() -> None:
    assert looked({"skin": ball(0.3, 0, 0, 0.1)}, {"skin": Tissue.PASSIVE}) == []


def test_the_same_part_twice_is_an_error() -> None:
    found = only({"copy": PARTS["belly"]}, {"copy": Tissue.MUSCLE})
    assert found.severity is Severity.ERROR
    assert found.where == "part 'copy'"
    assert "is almost the same as part 'belly'" in found.sentence


def test_a_part_in_other_units_is_told() -> None:
    found = looked({"tip": Surface(PARTS["tip"].X * 1000, PARTS["tip"].faces)})
    sentences = [str(f) for f in found if f.where == "part 'tip'"]
    assert any("times as large as the others; check the 'units'" in s for s in sentences)


def test_a_part_far_away_is_told() -> None:
    found = looked({"rib": ball(0.04, 0.5, 0, 0)}, {"rib": Tissue.BONE})
    assert [f.where for f in found] == ["part 'rib'"]
    assert "is 0.42 m away from all others" in found[0].sentence
    assert "near [0.46, " in found[0].sentence


def test_a_muscle_that_ends_in_nothing_is_told() -> None:
    found = only({"tip": ball(0.04, 0, 0, 0.255)})
    assert found.where == "part 'belly'"
    assert "comes within 5 mm of 1 other part ('base') only" in found.sentence


def test_without_libigl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "igl", None)
    with pytest.raises(MissingExtra, match=r"pip install 'vastus\[mesh\]'"):
        looked({})


def test_a_lone_part_is_compared_with_nothing() -> None:
    assert surface_findings({"base": PARTS["base"]}, {"base": Tissue.BONE}) == []


@pytest.mark.skipif(not ARM.is_dir(), reason="the surfaces of an arm are not on this machine")
def test_overlaps_of_an_arm_are_those_listed_with_it() -> None:
    """The list is an estimate too, up to 16 % off the exact volumes of these parts."""
    parts = {
        part["name"]: read_surface(ARM / part["file"])
        for part in json.loads((ARM / "parts.json").read_text())
        if "triceps" in part["name"] or "ulna" in part["name"] or "scapula" in part["name"]
    }
    metres = {name: Surface(part.X / 1000, part.faces) for name, part in parts.items()}
    found = {frozenset(o.names): o.volume * 1e6 for o in overlaps(metres)}
    listed = {
        frozenset(row[:2]): row[2] for row in json.loads((ARM / "overlaps_cm3.json").read_text())
    }
    large = {names: cm3 for names, cm3 in listed.items() if cm3 > 0.1 and names <= set(parts)}
    assert len(large) == 6
    for names, cm3 in large.items():
        assert found[names] == pytest.approx(cm3, rel=0.2)
