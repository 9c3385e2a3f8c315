"""Thin ends of muscles: the envelope that spares them, and what is said where one does not."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from limb import bone, tube
from vastus.checks import Finding, Severity
from vastus.checks.before_build import ends
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.decisions import courses
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.widths import (
    LOST,
    NARROWEST,
    SPARED,
    fitting_envelope,
    usual_envelope,
    widths,
    with_envelope,
)
from vastus.parts import Tissue

pytest.importorskip("igl", reason="libigl is not installed")
PLAN = Plan()


def thin(width: float) -> Surface:
    """A muscle of 0.2 m whose lower 45 % are a tendon of this width [m]."""
    t = np.linspace(0, 1, 41)
    belly = 0.008 * np.sin(np.pi * np.clip((t - 0.45) / 0.55, 0, 1))
    radii = np.where(t < 0.45, width / 2, width / 2 + belly)
    radii[[0, -1]] = 0
    x = 0.0115 + 0.012 * np.sin(np.pi * t) ** 2
    return tube(np.stack([x, 0 * t, 0.04 + 0.2 * t], axis=1), radii)


def parts(width: float) -> list[Part]:
    return [
        Part("upper", bone(0.15, 0.28), Tissue.BONE),
        Part("lower", bone(0.0, 0.13), Tissue.BONE),
        Part("flexor", thin(width), Tissue.MUSCLE, "flexor"),
    ]


def found(width: float, envelope: float | None) -> list[Finding]:
    limb = parts(width)
    course = courses(limb, PLAN)
    plan = with_envelope(replace(PLAN, envelope=envelope), limb, course)
    return ends(limb, course, plan)


def test_the_width_of_a_tendon_is_that_of_its_tube() -> None:
    limb = parts(0.003)
    across = widths(limb[2].surface, courses(limb, PLAN)[2].way)
    assert across[16:22] == pytest.approx(0.003, rel=0.05)
    assert across.max() == pytest.approx(0.019, rel=0.06)


def test_the_envelope_fits_the_thinnest_end_unless_the_author_gives_one() -> None:
    thick, slim, hair = (parts(width) for width in (0.003, 0.0008, 0.00002))
    usual = usual_envelope(thick)
    assert fitting_envelope(thick, courses(thick, PLAN)) == usual
    assert with_envelope(PLAN, thick, courses(thick, PLAN)).envelope is None
    narrow = with_envelope(PLAN, slim, courses(slim, PLAN)).envelope
    assert narrow is not None
    assert narrow == pytest.approx(0.0008 / SPARED, rel=0.1)
    given = with_envelope(replace(PLAN, envelope=0.002), slim, courses(slim, PLAN))
    assert given.envelope == 0.002
    assert fitting_envelope(hair, courses(hair, PLAN)) == pytest.approx(NARROWEST * usual, rel=1e-3)


def test_an_end_that_the_mesher_loses_is_an_error_before_it_is_meshed() -> None:
    (finding,) = found(0.003, 0.002)
    assert finding.severity is Severity.ERROR
    assert finding.where == "muscle 'flexor'"
    assert "is lost at its insertion" in finding.sentence
    lost = re.search(r"over the last ([\d.]+) mm", finding.sentence)
    assert lost is not None
    assert float(lost[1]) == pytest.approx(90, abs=12)  # what the mesher lost was 87 mm
    assert "'envelope' of 0.0007 m" in finding.remedy


def test_an_end_that_may_suffer_is_a_warning_and_one_that_is_spared_is_no_finding() -> None:
    (finding,) = found(0.003, 0.003 / LOST * 0.9)
    assert finding.severity is Severity.WARNING
    assert "may be lost in part at its insertion" in finding.sentence
    assert found(0.003, 0.003 / SPARED) == []
    assert found(0.003, None) == []
    assert found(0.0008, None) == []  # its envelope is narrower
