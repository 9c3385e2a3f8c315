"""What a build would make of a muscle, foreseen on surfaces of a few vertices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from limb import bone, moved, muscle, tube
from vastus.checks import Finding, Severity
from vastus.checks.before_build import ends
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.body_parts import Ends, Part, Spot
from vastus.modelling.surfaces.decisions import courses, decided
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.preview import preview
from vastus.modelling.surfaces.widths import sections
from vastus.parts import Tissue
from vastus.scene.fibres import End

pytest.importorskip("igl", reason="libigl is not installed")

PLAN = Plan(gap=0.003, envelope=0.002)
UPPER = Part("upper", bone(0.15, 0.28), Tissue.BONE)
LOWER = Part("lower", bone(0.0, 0.13), Tissue.BONE)


def flexor(**ends: object) -> Part:
    said = Ends(**ends)  # type: ignore[arg-type]
    return Part("flexor", muscle(), Tissue.MUSCLE, "flexor", said)


def parts(**ends: object) -> list[Part]:
    return [UPPER, LOWER, flexor(**ends)]


def spindle(length: float = 0.2) -> Surface:
    """Along z, of radius 2 mm in the lower three tenths and 10 mm above."""
    z = np.linspace(0, length, 61)
    radii = np.where(z < 0.3 * length, 0.002, 0.01)
    radii[[0, -1]] = 0.0
    return tube(np.stack([0 * z + 0.03, 0 * z, z], axis=1), radii, around=16)


def test_both_ends_are_foreseen_on_the_bones_there() -> None:
    seen = preview(parts(), 2, PLAN)
    assert (seen.origin, seen.insertion, seen.error) == (("upper",), ("lower",), None)
    z = flexor().surface.X[:, 2]
    assert np.corrcoef(z, seen.s)[0, 1] < -0.99  # 0 at the origin, which is the upper end
    assert 0 <= seen.s.min() < seen.s.max() <= 1
    assert z[seen.held[End.ORIGIN]].min() > 0.2
    assert z[seen.held[End.INSERTION]].max() < 0.08
    assert min(len(held) for held in seen.held.values()) > 3


def test_names_and_caps_decide_as_in_a_build() -> None:
    seen = preview(parts(origin=("lower",), caps=(0.5, 0.05)), 2, PLAN)
    assert (seen.origin, seen.insertion) == (("lower",), ("upper",))
    usual = preview(parts(origin=("lower",)), 2, PLAN)
    assert len(seen.held[End.ORIGIN]) >= len(usual.held[End.ORIGIN])
    assert len(seen.held[End.INSERTION]) < len(usual.held[End.INSERTION])


def test_paint_decides_where_an_end_holds() -> None:
    painted = Spot((0.011, 0.0, 0.24), 0.008)
    seen = preview(parts(origin_at=(painted,)), 2, PLAN)
    X = flexor().surface.X[seen.held[End.ORIGIN]]
    assert len(X)
    assert np.linalg.norm(X - painted.centre, axis=1).max() <= painted.radius
    assert seen.origin == ("upper",)


def test_what_would_be_refused_is_an_error_of_that_end() -> None:
    seen = preview(parts(origin_at=(Spot((0.0, 0.2, 0.2), 0.01),)), 2, PLAN)
    assert seen.error is not None
    assert "has no vertex within its 'origin_at'" in seen.error
    assert (seen.origin, seen.insertion) == ((), ("lower",))
    assert not len(seen.held[End.ORIGIN])
    wrong = preview(parts(origin=("uper",)), 2, PLAN)
    assert "no part 'uper'; parts: upper, lower" in str(wrong.error)


def test_a_muscle_may_end_on_another() -> None:
    low = Part("low", muscle(low=0.01, high=0.14), Tissue.MUSCLE, "low")
    seen = preview([UPPER, LOWER, flexor(), low], 3, PLAN)
    assert (seen.origin, seen.insertion) == (("flexor",), ("lower",))


def test_a_line_around_a_tube_surrounds_its_cross_section() -> None:
    """The area of a regular polygon of n corners is `n r^2 sin(2 pi / n) / 2`."""
    surface = spindle()
    areas = sections(surface, surface.X[:, 2] / 0.2)
    polygon = 16 / 2 * np.sin(2 * np.pi / 16)
    assert areas[3] == pytest.approx(polygon * 0.002**2, rel=0.02)
    assert areas[15] == pytest.approx(polygon * 0.01**2, rel=0.02)


def test_thin_stretches_are_foreseen_as_tendon() -> None:
    alone = Part("m", spindle(), Tissue.MUSCLE, "m")
    seen = preview([UPPER, LOWER, alone], 2, PLAN)
    thin, thick = End.INSERTION.of(seen.fractions), End.ORIGIN.of(seen.fractions)
    assert thin == pytest.approx(0.3, abs=0.05)
    assert thick < 0.1
    z = alone.surface.X[:, 2]
    assert seen.tendon()[z < 0.04].all()
    assert not seen.tendon()[(z > 0.08) & (z < 0.15)].any()
    assert seen.tendon((0.0, 0.0)).sum() == 0
    said = replace(alone, ends=Ends(tendons=(0.2, 0.1)))
    assert preview([UPPER, LOWER, said], 2, PLAN).fractions == (0.2, 0.1)


def test_a_tendon_with_a_surface_of_its_own_prolongs_its_muscle() -> None:
    short = Part("flexor", muscle(low=0.1), Tissue.MUSCLE, "flexor")
    z = np.linspace(0.02, 0.12, 30)
    radii = np.full(30, 0.004)
    radii[[0, -1]] = 0.0
    sinew = tube(np.stack([0 * z + 0.013, 0 * z, z], axis=1), radii)
    both = [UPPER, LOWER, short, Part("sinew", sinew, Tissue.TENDON, "flexor")]
    seen = preview(both, 2, PLAN)
    assert seen.insertion == ("lower",)
    assert len(seen.s) == short.surface.n_vertices
    assert seen.s.max() < 0.75
    assert End.INSERTION.of(seen.fractions) == pytest.approx(0.45, abs=0.1)


def found(parts: list[Part]) -> list[Finding]:
    return ends(parts, courses(parts, PLAN), PLAN)


def test_an_end_that_touches_nothing_is_an_error_with_its_place() -> None:
    loose = replace(flexor(), surface=muscle(low=0.04, high=0.14))
    far = [Part("upper", bone(0.18, 0.28), Tissue.BONE), LOWER, loose]
    (finding,) = found(far)
    assert finding.severity is Severity.ERROR
    assert finding.where == "muscle 'flexor'"
    assert "is attached to nothing at its end" in finding.sentence
    assert finding.at == pytest.approx((0.011, 0.0, 0.14), abs=0.01)
    with pytest.raises(ModelError, match="is attached to nothing at its end"):
        decided(far, courses(far, PLAN))
    named = replace(loose, ends=Ends(origin=("upper",)))
    (finding,) = found([far[0], LOWER, named])
    assert finding.severity is Severity.ERROR
    assert "does not reach 'upper', which is" in finding.sentence
    assert found(parts()) == []


def test_an_end_between_two_bones_is_offered_both() -> None:
    """The tip lies in one bone and touches another on its way, as the biceps does the humerus."""
    beside = Part("beside", moved(bone(0.232, 0.28, 0.006), 0.019, 0, 0), Tissue.BONE)
    both = [UPPER, LOWER, beside, flexor()]
    seen = preview(both, 3, PLAN)
    assert seen.origin == ("upper",)
    (finding,) = found(both)
    assert finding.severity is Severity.WARNING
    assert "touches 'beside' at its origin besides 'upper'" in finding.sentence
    assert "'origin: upper' or 'origin: beside' in 'surfaces.parts.flexor'" in finding.remedy
    assert found([UPPER, LOWER, beside, flexor(origin=("beside",))]) == []
    fixed = decided(both, courses(both, PLAN))[3].ends.decided
    assert fixed is not None
    assert fixed.parts == (seen.origin, seen.insertion)
    assert fixed.tips[0][2] > 0.22
