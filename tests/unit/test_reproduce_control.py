"""The experiments of the paper on control of volumetric muscles, and what they are made of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.bellies.law import MotorUnit
from vastus.bellies.shapes import Loft, diamond, tube
from vastus.bodies import Body, juggler
from vastus.bodies.paths import Poses
from vastus.errors import ModelError
from vastus.juggling.result import Caught, Result, Thrown
from vastus.juggling.style import usual_style
from vastus.reproduce.control import (
    EXPERIMENTS,
    fig3,
    fig5,
    fig6,
    fig7,
    fig10,
    fig12,
    fig13,
    paper,
    projective,
    pushes,
)
from vastus.reproduce.control.arm import ExaminedArm, examined_arm, helpers
from vastus.reproduce.control.published_law import Moduli, PublishedBelly
from vastus.reproduce.control.wires import pins, slopes, torques, wire
from vastus.reproduce.experiment import Agreement, Setting
from vastus.reproduce.papers import CONTROL
from vastus.reproduce.records import _setting

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

LITTLE = Path(__file__).parents[2] / "examples" / "little_arm.xml"
ARM26 = Path(__file__).parents[3] / "shared" / "data" / "mjcf_arm26" / "arm26_cvt3.xml"
UNIT = MotorUnit("biceps", 3e5 * 0.036**2, 0.24)


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


@pytest.fixture(scope="module")
def arm() -> ExaminedArm:
    return examined_arm(None)


def test_every_figure_that_is_promised_is_registered() -> None:
    names = ["fig3", "projective", "fig5", "fig6", "fig7", "fig9", "pushes", "fig10", "fig11",
             "fig12", "fig13", "timing"]  # fmt: skip
    assert [e.name for e in CONTROL.chosen([])] == names
    takes = [e.name for e in EXPERIMENTS.values() if e.takes_arm]
    assert takes == ["fig10", "fig11", "fig12", "fig13"]
    assert sum(e.minutes[0] for e in EXPERIMENTS.values()) < 9


def test_a_finding_of_one_arm_is_none_of_another(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("<mujoco/>", encoding="utf-8")
    own, other = (_setting(EXPERIMENTS["fig10"], Setting(arm=each)) for each in (None, path))
    assert own != other
    assert other["arm"] == "arm.xml"
    assert _setting(EXPERIMENTS["fig3"], Setting(arm=path)) == {"full": False, "mesh": None}


def test_way_points_pull_as_the_length_of_the_path_changes(body: Body) -> None:
    """sum J^T f = -T dL/dq, with paths around bones and through points."""
    q = body.home + 0.2 * np.sin(np.arange(len(body.home)))
    at = Poses(body).at(q)
    arms = np.array([torques(body, at.data, k, 2.0) for k in range(len(body.units))])
    np.testing.assert_allclose(arms, 2.0 * at.arms, atol=1e-13)
    dofs = np.arange(body.model.nv)
    np.testing.assert_allclose(arms, -2.0 * slopes(body, q, dofs), atol=1e-8)
    wrapped = [not wire(body, at.data, k).straight.all() for k in range(len(body.units))]
    assert any(wrapped)


def test_a_belly_is_pinned_to_sites_of_its_own_path(body: Body) -> None:
    names = [body.model.site(int(site)).name for site in pins(body).ravel()]
    owners = [name.rpartition(".")[0] for name in names]
    assert owners == [name for name in body.names for _ in range(2)]


def test_only_bellies_that_are_pinned_do_work_in_a_closed_motion(body: Body) -> None:
    dofs = np.array(body.arms[0].dofs)
    sliding, pinned = fig3.closed(body, dofs, 200)
    smooth = sliding.jumps < fig3.JUMP
    assert smooth.mean() > 0.9
    assert np.abs(sliding.work[smooth]).max() < 1e-3
    assert np.abs(pinned.work).max() > 0.1


def test_fig3_agrees_only_if_nothing_comes_from_nothing() -> None:
    loop = fig3.Loop(np.ones((4, 2)), np.ones((4, 2)), np.array([1e-7, 0.0]), np.zeros(2))
    bad = replace(loop, work=np.array([0.3, 0.0]))
    found = fig3.Transfer(2, 0.05, 1e-16, 1e-9, loop, bad)
    assert fig3.agreement(found) is Agreement.YES
    assert "+0.300 J out of nothing" in fig3.sentence(found)
    assert fig3.agreement(replace(found, sliding=bad)) is Agreement.PARTLY


def published(moduli: Moduli, *states: tuple[float, float]) -> PublishedBelly:
    return PublishedBelly(diamond(UNIT, width=0.036), moduli, states or [(1.05, 0.5)])


def test_the_published_iteration_ends_at_an_equilibrium() -> None:
    """L x = J d(x) leaves no force at free vertices, and the pull is that of Newton's method."""
    law = published(Moduli(5e6, 5e6, 1e7), (0.9, 0.3), (1.1, 1.0))
    x, pulls = law.iterated(law.begun(), 120)
    assert law.left(x).max() < 1e-9
    np.testing.assert_allclose(pulls[-1], law.force(law.balanced(law.begun())), rtol=1e-7)
    np.testing.assert_allclose(pulls[0], law.force(law.begun()), rtol=1e-10)
    assert np.abs(pulls[10] / pulls[-1] - 1).max() < 0.01


def test_the_exact_derivative_is_that_of_differences_and_that_of_the_paper_is_not() -> None:
    moduli, h = Moduli(5e6, 5e6, 1e7), 1e-4
    law = published(moduli)
    x = law.balanced(law.iterated(law.begun(), 60)[0])
    exact, short = law.derivatives(x)
    ends = [published(moduli, (1.05, 0.5 + s * h)) for s in (1, -1)]
    forces = [each.force(each.balanced(x)) for each in ends]
    assert (forces[0] - forces[1]) / (2 * h) == pytest.approx(exact, rel=1e-6)
    assert abs(short / exact - 1)[0] > 0.1


def test_an_error_is_below_a_bound_only_if_it_stays_there() -> None:
    errors = np.array([[0.5, 0.5], [0.001, 0.5], [0.02, 0.5], [0.005, 0.5], [0.0, 0.5]])
    made = projective.Course(errors, np.zeros(2), 0.0)
    assert made.until(0.01).tolist() == [3.0, np.inf]
    assert made.ends == 1


def test_projective_dynamics_agrees_in_part() -> None:
    good, bad = (np.full((20, 9), e) * np.array([1.0] * 15 + [0.0] * 5)[:, None]
                 for e in (0.001, 0.3))  # fmt: skip
    course = projective.Course(good, np.zeros(9), 1e-9)
    found = dict.fromkeys(projective.CASES, course)
    assert projective.agreement(found) is Agreement.YES
    soft = {**found, projective.SOFT: replace(course, errors=bad)}
    assert projective.agreement(soft) is Agreement.PARTLY
    assert "+30.0 to +30.0 %" in projective.sentence(soft)


def test_a_fine_surface_follows_tets_exactly_where_they_turn_and_shear() -> None:
    """Barycentric weights repeat every linear map, also outside the tets."""
    units = (MotorUnit("a", 300.0, 0.12), MotorUnit("b", 300.0, 0.13))
    belly = tube(units, width=0.04, loft=fig5.LOFT)
    surface = fig5.fine_surface(belly, 30, 36)
    assert surface.closed
    assert surface.volume == pytest.approx(belly.mesh.volumes.sum(), rel=0.05)
    made = fig5.embed(belly.mesh, surface)
    assert 0 < (made.outside > 0).mean() < 0.6
    A = np.array([[0.9, 0.1, 0.0], [0.0, 1.1, 0.2], [0.0, 0.0, 1.0]])
    moved = made.followed(belly.mesh, belly.mesh.X @ A.T)
    np.testing.assert_allclose(moved.X, surface.X @ A.T, atol=1e-12)


def test_fig6_wants_hills_curves_and_more_force_in_lengthening() -> None:
    stretch = np.linspace(0.6, 1.4, 21)
    bell = np.exp(-(((stretch - 1) / 0.45) ** 2))
    still = fig6.Still(stretch, bell, bell, np.zeros(21))
    assert still.best == pytest.approx(1.0)

    def loop(rate: float, gain: float, off: float = 0.0) -> fig6.Loop:
        t = np.linspace(0.0, 1.0 / rate, 81)
        s = 1 + 0.25 * np.sin(2 * np.pi * rate * t)
        line = 1.0 + gain * np.cos(2 * np.pi * rate * t)
        return fig6.Loop(rate, t, s, line + off, line)

    slow, fast = loop(0.5, 0.1), loop(2.0, 0.3)
    assert fast.ends == pytest.approx((1.3, 0.7), abs=0.01)
    assert fig6.agreement(still, slow, fast) is Agreement.YES
    assert fig6.agreement(still, slow, loop(2.0, 0.3, 0.05)) is Agreement.PARTLY
    assert fig6.agreement(still, fast, slow) is Agreement.PARTLY


def test_flights_join_throws_with_the_catches_that_follow() -> None:
    up = np.array([0.0, 0.0, 2.0])
    result = Result(
        throws=[Thrown(1.0, 0, 3, "right", up, 0.0), Thrown(1.3, 1, 2, "left", up, 0.0)],
        events=[Caught(0.5, 0, "right", 0.0, True), Caught(1.48, 0, "left", 0.0, True)],
    )
    (flight,) = fig7.flights(result)
    assert (flight.hand, flight.caught_by, flight.came) == ("right", "left", 1.48)
    made = fig7.Diagram("3", usual_style((3,)), result, (flight,))
    assert made.crossed
    assert made.late == pytest.approx(0.0, abs=1e-9)
    assert not replace(made, flights=(replace(flight, caught_by="right"),)).crossed


def test_pushes_agree_if_the_trunk_bears_what_the_hand_does_not() -> None:
    fine, lost = Result(), Result(events=[Caught(1.0, 0, "right", 0.3, False)])
    trials = [pushes.Trial("trunk", 300.0, "back", fine), pushes.Trial("hand", 150.0, "back", lost)]
    assert pushes.agreement(trials, fine) is Agreement.YES
    assert pushes.agreement(trials, lost) is Agreement.PARTLY


def test_ten_kilograms_are_lifted_by_thicker_muscles_with_less(arm: ExaminedArm) -> None:
    found = {
        name: fig10.lifted(arm, paper.HEAVY, each) for name, each in fig10.changes(arm).items()
    }
    assert fig10.agreement(arm, found) is Agreement.YES
    healthy, thin = found[fig10.HEALTHY], found[fig10.THIN]
    names = [name for name, _, _ in helpers(arm, healthy.activations, thin.activations)]
    assert names
    assert not set(names) & {arm.short(name) for name in arm.flexors}
    weaker = {**found, fig10.THICK: thin}
    assert fig10.agreement(arm, weaker) is Agreement.PARTLY


def test_an_operation_makes_the_biceps_a_muscle_of_one_joint(arm: ExaminedArm) -> None:
    found = {name: fig13.examined(arm, each) for name, each in fig13.changes(arm).items()}
    assert fig13.agreement(found) is Agreement.YES
    operated = found[fig13.OPERATED]
    assert operated.arm == pytest.approx(0.0, abs=1e-9)
    assert operated.elsewhere > 0.01
    assert fig13.agreement({**found, fig13.OPERATED: found[fig13.SICK]}) is Agreement.PARTLY


def test_paralysis_agrees_if_every_pattern_takes_force_away(arm: ExaminedArm) -> None:
    left = [fig12.Left(p, part, 1.0 - part) for p in fig12.PATTERNS for part in (0.25, 0.5)]
    lifts = [fig10.Lift(100.0, np.array([0.1]), 0.0), fig10.Lift(60.0, np.array([0.4]), 0.0)]
    assert fig12.agreement(left, lifts) is Agreement.YES
    assert fig12.agreement(left, lifts[::-1]) is Agreement.PARTLY


def test_an_arm_of_a_file_needs_an_elbow_and_its_muscles() -> None:
    with pytest.raises(ModelError, match="no muscle with 'bic' in its name; it has: flexor"):
        examined_arm(LITTLE)


def test_arm26_is_examined_in_place_of_the_built_in_arm() -> None:
    if not ARM26.exists():
        pytest.skip(f"there is no {ARM26}")
    arm = examined_arm(ARM26)
    assert arm.point == pytest.approx((0.0, -0.33, 0.0), abs=0.001)
    lift = fig10.lifted(arm, paper.HEAVY, [])
    assert lift.strength == pytest.approx(56.4, rel=0.01)
    assert fig10.levels(arm, lift) == pytest.approx([0.72, 0.46, 0.64], abs=0.01)
    found = {name: fig13.examined(arm, each) for name, each in fig13.changes(arm).items()}
    assert fig13.agreement(found) is Agreement.YES
    assert found[fig13.OPERATED].strength == pytest.approx(19.8, rel=0.01)


def test_lofts_have_the_section_that_the_fine_surface_is_made_for() -> None:
    assert Loft(slabs=10, around=12, rings=2) == fig5.LOFT
