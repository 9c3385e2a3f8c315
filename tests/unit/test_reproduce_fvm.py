"""The experiments of the finite-volume muscle paper: registry, pages, and what they are made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.modelling.shapes.simple import box
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting
from vastus.reproduce.fvm import EXPERIMENTS, fig5, fig7, paper, upper_arm
from vastus.reproduce.papers import EMU, FVM, PAPERS
from vastus.reproduce.records import on_disk, perform


def test_every_paper_has_a_page_and_experiments_that_take_minutes() -> None:
    assert list(PAPERS) == ["emu", "fvm"]
    assert list(EXPERIMENTS) == ["fig5", "fig7"]
    for each in PAPERS.values():
        assert all(0 < quick <= full for quick, full in (e.minutes for e in each.chosen([])))
        assert any(e.takes_mesh for e in each.chosen([])) == bool(each.body)
    assert sum(e.minutes[0] for e in EXPERIMENTS.values()) < 8


def found(setting: Setting) -> Finding:
    made, (axes,) = style.figure(1)
    axes.plot([1, 2], [3, 4])
    film = Film([np.full((32, 48, 3), shade, np.uint8) for shade in (0, 120, 240)], 3.0)
    return Finding(Agreement.YES, "One is one.", (), made, "A line.", film=film)


def test_a_folder_tells_the_papers_apart_and_the_page_shows_films(tmp_path: Path) -> None:
    """Both papers have a Fig. 4."""
    one = Experiment("fig4", "Fig. 4", "Nothing.", found, (0.1, 0.1))
    list(perform(tmp_path, FVM, [one], Setting(), lambda text: None))
    assert [r.name for r in on_disk(tmp_path, EMU)] == []
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert FVM.title in text
    assert (tmp_path / "fig4.mp4").read_bytes()[4:8] == b"ftyp"


def test_the_printed_stress_is_that_of_the_laws_and_of_no_others() -> None:
    """A law whose fibres are a tenth stiffer is off by more than rounding."""
    assert fig5.printed_off(20) < 1e-10
    F = np.array([[1.2, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.0]])
    usual = paper.cauchy_stress(F, fig5.ALONG, 0.5)
    stiffer = paper.cauchy_stress(F, fig5.ALONG, 0.5, replace(paper.MUSCLE, fibres=3.3e5))
    assert np.abs(stiffer - usual).max() > 1e-3 * np.abs(usual).max()


def test_the_printed_stress_of_a_uniaxial_stretch_is_the_closed_form() -> None:
    """sigma_1 - sigma_2 = 2 (A + B/l)(l^2 - 1/l) + l f(l), and 2 K ln J / J is the mean."""
    c, stretch = paper.MUSCLE, 1.2
    F = np.diag([stretch, stretch**-0.5, stretch**-0.5])
    sigma = paper.cauchy_stress(F, fig5.ALONG, 1.0)
    matrix = 2 * (c.A + c.B / stretch) * (stretch**2 - 1 / stretch)
    fibre = stretch * (c.strength * (1 - 4 * 0.2**2) + c.fibres * 0.05 * np.expm1(6.6 * 0.2))
    assert sigma[0, 0] - sigma[1, 1] == pytest.approx(matrix + fibre, rel=1e-12)
    swollen = paper.cauchy_stress(1.01 * F, fig5.ALONG, 1.0)
    J = 1.01**3
    assert np.trace(swollen) / 3 == pytest.approx(2 * c.K * np.log(J) / J, rel=1e-9)


def curves(**changes: object) -> fig5.Curves:
    x = np.round(np.arange(0.30, 1.80001, 0.01), 6)
    active = np.clip(1.0 - 4.0 * (x - 1.0) ** 2, 0.0, None)
    passive = np.where(x > 1.0, 0.05 * np.expm1(6.6 * (x - 1.0)), 0.0)
    made = fig5.Curves(x, active, passive, 0.5 * active + passive, 1e-12)
    return replace(made, **changes)


def test_fig5_agrees_only_with_curves_as_the_paper_describes_them() -> None:
    good, x = curves(), curves().stretch
    stiff, bent = 100 * good.passive, np.maximum(x - 1.0, 0.0) ** 2
    assert fig5.agreement(good, stiff) is Agreement.YES
    for worse in (
        curves(off=1e-3),
        curves(active=np.roll(good.active, 3)),
        curves(half=good.active),
        curves(passive=bent, half=0.5 * good.active + bent),
    ):
        assert fig5.agreement(worse, stiff) is Agreement.PARTLY
    assert fig5.agreement(good, 0.5 * good.passive) is Agreement.PARTLY
    assert "at a stretch of 1.00" in fig5.sentence(good, stiff)


def head(name: str, tendons: float, section: float) -> fig7.Head:
    rising = np.linspace(0.0, 1.0, 3)
    return fig7.Head(
        name,
        1.0 - 0.03 * rising,
        1.0 + tendons * rising,
        1.0 + section * rising,
        1.0 - 0.02 * rising,
        200.0 * rising,
    )


def test_fig7_agrees_if_every_tendon_stretches_and_every_belly_bulges() -> None:
    heads = [head("one", 0.02, 0.05), head("two", 0.03, 0.08)]
    assert fig7.agreement(heads) is Agreement.YES
    said = fig7.sentence(heads)
    assert "longer by 2.0 to 3.0 %" in said
    assert "most in the two head, which pulls with 200 N" in said
    assert fig7.agreement([*heads, head("three", -0.01, 0.05)]) is Agreement.PARTLY


def test_a_plane_cuts_a_box_in_its_cross_section() -> None:
    mesh = box((4, 3, 2), (0.3, 0.06, 0.04))
    along = mesh.X[:, 0] - mesh.X[:, 0].min()
    for place in (0.01, 0.111, 0.2):
        area = upper_arm.section_area(mesh.T, mesh.X, along - place)
        assert area == pytest.approx(0.06 * 0.04, rel=1e-9)
    assert abs(upper_arm.longest(mesh)[0]) > 0.9999
