"""The experiments of the finite-volume muscle paper: registry, pages, and what they are made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.modelling.shapes import elbow
from vastus.modelling.shapes.arm import SHOULDER_CENTRE
from vastus.modelling.shapes.simple import box
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting
from vastus.reproduce.fvm import EXPERIMENTS, count, fig4, fig5, fig6, fig7, fig8, paper, upper_arm
from vastus.reproduce.fvm.operations import Tets
from vastus.reproduce.fvm.posture import Held, Lines, bone_poses, placed
from vastus.reproduce.papers import EMU, FVM, PAPERS
from vastus.reproduce.records import on_disk, perform
from vastus.state import rest


def test_every_paper_has_a_page_and_experiments_that_take_minutes() -> None:
    assert list(PAPERS) == ["emu", "fvm", "control", "upper-body"]
    assert list(EXPERIMENTS) == ["fig4", "count", "fig5", "fig6", "fig7", "fig8"]
    for each in PAPERS.values():
        assert all(0 < quick <= full for quick, full in (e.minutes for e in each.chosen([])))
        assert any(e.takes_mesh for e in each.chosen([])) == bool(each.body)
        assert any(e.takes_arm for e in each.chosen([])) == bool(each.arm)
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


def fall(name: str, kept: float, rebound: float, steps: int = 100) -> fig4.Fall:
    height = np.array([0.1, 0.02, 0.02 + rebound])
    return fig4.Fall(name, (), height, np.array([1.0, kept, kept]), 1e-3, steps, 2.0)


def falls(explicit: float = 0.999, damped: int = 110) -> dict[str, fig4.Fall]:
    made = (
        fall(fig4.EXPLICIT, explicit, 0.03),
        fall(fig4.STRONG, 0.1, 0.005, damped),
        fall(fig4.EULER, 0.05, 0.01),
        fall(fig4.BDF2, 0.5, 0.02),
    )
    return {each.name: each for each in made}


def test_fig4_agrees_if_only_implicit_steps_eat_energy_and_damping_shortens_none() -> None:
    assert fig4.agreement(falls()) is Agreement.YES
    assert fig4.agreement(falls(explicit=1.1)) is Agreement.PARTLY
    assert fig4.agreement(falls(damped=1000)) is Agreement.PARTLY
    said = fig4.sentence(falls())
    assert "the centre rises by 30 mm" in said
    assert "shortens no step: 110 instead of 100" in said


def test_the_forms_cost_what_the_paper_says_and_give_the_same_forces() -> None:
    tets = Tets.of(50)
    ways = [tets.cited(), tets.piola(), tets.cauchy()]
    assert count.agreement(ways) is Agreement.YES
    assert [way.times for way in ways] == [288, 54, 54]
    worse = [ways[0], replace(ways[1], times=81), ways[2]]
    assert count.agreement(worse) is Agreement.PARTLY


def test_the_forearm_stays_on_the_humerus_in_every_pose() -> None:
    """Both images of the elbow's centre agree, and the shoulder's centre stays."""
    poses = bone_poses(0.7, 1.1)
    elbow_at = [pose[:, 3] for pose in poses.values()]  # the centre is the origin at rest
    np.testing.assert_allclose(*elbow_at, atol=1e-15)
    upper = poses["humerus"]
    np.testing.assert_allclose(upper[:, :3] @ SHOULDER_CENTRE + upper[:, 3], SHOULDER_CENTRE)
    turned = poses["forearm"][:, :3]
    assert np.arctan2(turned[2, 1], turned[1, 1]) == pytest.approx(0.7 + 1.1)


def test_lines_balance_the_weight_of_the_forearm() -> None:
    """tau = m g times the lever, and an arm is what a line shortens by with the angle."""
    model = elbow(1_500)
    lines, angle = Lines(model), 0.4
    held = lines.hold(0.0, angle)
    assert lines.strengths @ (held.arms * held.activations) == pytest.approx(held.torque)
    assert abs(held.reserve) < 1e-6
    ahead, behind = (lines.hold(0.0, angle + step).ends for step in (1e-5, -1e-5))
    lengths = [np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) for ends in (ahead, behind)]
    np.testing.assert_allclose(held.arms, (lengths[1] - lengths[0]) / 2e-5, rtol=1e-5)
    upside = Lines(model.with_(gravity=-model.gravity)).hold(0.0, angle)
    assert upside.torque == pytest.approx(-held.torque)
    assert (upside.activations > 0).tolist() == (held.activations == 0).tolist()


def test_fig6_agrees_if_each_pose_is_held_by_one_side() -> None:
    model = elbow(1_500)
    muscles = [replace(model.muscles[0], name="biceps"), *model.muscles[1:]]
    state, none = placed(model, 0.0, 0.2), np.zeros((2, 2, 3))

    def held(*levels: float, reserve: float = 0.0) -> Held:
        return Held(state, np.array(levels), np.array([0.03, -0.02]), none, 2.0, reserve)

    assert [m.name for m in muscles] == [m.name for m in model.muscles]
    right = [held(0.2, 0.0), held(0.4, 0.0), held(0.0, 0.5)]
    assert fig6.agreement(model, right) is Agreement.YES
    assert fig6.agreement(model, [*right[:2], held(0.1, 0.5)]) is Agreement.PARTLY
    assert fig6.agreement(model, [*right[:2], held(0.0, 1.0, reserve=-3.0)]) is Agreement.PARTLY
    assert "needs +2.00 N m, given by the biceps" in fig6.sentence(model, right)


def test_the_swing_starts_and_stops_smoothly() -> None:
    t = np.array([0.0, 1e-4, fig8.STOP - 1e-4, fig8.STOP, 2 * fig8.STOP])
    part = fig8.progress(t)
    np.testing.assert_allclose(part, [0.0, 0.0, 1.0, 1.0, 1.0], atol=1e-8)
    middle = fig8.progress(np.array([fig8.STOP / 2]))
    assert middle == pytest.approx(0.5)


def test_bellies_are_seen_from_the_humerus() -> None:
    """Whatever turns with the humerus is not displaced."""
    model = elbow(1_500)
    still = rest(model)
    pose = bone_poses(0.5, 0.0)["humerus"]
    poses = still.poses.copy()
    poses[model.bone("humerus")] = pose
    turned = replace(still, x=still.x @ pose[:, :3].T + pose[:, 3], poses=poses)
    np.testing.assert_allclose(fig8.middles(model, turned), fig8.middles(model, still), atol=1e-14)


def test_fig8_agrees_if_bellies_stay_behind_and_go_beyond() -> None:
    t = np.linspace(0.0, 0.4, 41)
    none = np.zeros((41, 5))
    ahead = np.where(t < fig8.BRAKE, -0.004, 0.006)[:, None] + none
    found = fig8.Swing(t, ahead, np.abs(ahead), none + 0.3, 6.0)
    assert fig8.agreement(found) is Agreement.YES
    assert fig8.agreement(replace(found, ahead=np.abs(ahead))) is Agreement.PARTLY
    said = fig8.sentence(found)
    assert "by up to 4.0 mm" in said
    assert "goes beyond its own by 6.0 mm, most at 0.10 s" in said
