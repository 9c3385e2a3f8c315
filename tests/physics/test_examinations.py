"""Examinations of arms before and after disorders, against statics and against known findings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.bellies.shapes import Loft, tube
from vastus.bodies import Body, Unit, read_body
from vastus.bodies.paths import Poses
from vastus.control.disorders import (
    Atrophy,
    Contracture,
    Disorder,
    Hypertrophy,
    Insertion,
    Paralysis,
    Patient,
    Weakness,
)
from vastus.control.disorders.comparison import compare
from vastus.control.disorders.examination import Examination, Weight
from vastus.control.disorders.paralysis import remaining

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

LITTLE = Path(__file__).parents[2] / "examples" / "little_arm.xml"
ARM26 = Path(__file__).parents[3] / "shared" / "data" / "mjcf_arm26" / "arm26_cvt3.xml"
ELBOW, BICEPS = "r_elbow_flex", ("BIClong", "BICshort")
FLEXORS = (*BICEPS, "BRA")
TO_HUMERUS = Insertion(muscles=BICEPS, bone="r_humerus", position=(0.0228, -0.22, -0.0063))
IN_HAND = (0.0, -0.33, 0.0)  # [m] where a fist is, in the frame of the forearm


@pytest.fixture(scope="module")
def little() -> Body:
    """The small arm of the examples; its lower part weighs about 80 g."""
    return read_body(LITTLE, hands={"arm": "lower"})


@pytest.fixture(scope="module")
def arm26() -> Body:
    """An arm of two hinges and six muscles, whose paths wrap."""
    if not ARM26.exists():
        pytest.skip(f"there is no {ARM26}")
    return read_body(ARM26, hands={"right": "r_ulna_radius_hand"})


def bent(body: Body, *disorders: Disorder, gravity: bool = True) -> Examination:
    """The examination at an elbow of 90 degrees, or of 60 of the little arm."""
    pose = np.radians([60.0] if body.model.nq == 1 else [0.0, 90.0])
    return Examination(Patient.of(body, disorders), pose, gravity=gravity)


def test_torques_at_rest_are_those_of_mujoco(little: Body) -> None:
    """With the pulls of muscles as applied forces the acceleration is M^-1 of what is told."""
    mujoco = pytest.importorskip("mujoco")
    q = np.array([0.7])
    told = Examination(Patient.of(little)).station(q)
    d = little.data(q)
    assert told.weight == pytest.approx(-d.qfrc_bias)
    pull = LineLaw(little.units).forces(d.ten_length, np.zeros(2), np.zeros(2)).force
    d.qfrc_applied[:] = told.arms.T @ pull
    mujoco.mj_forward(little.model, d)
    ahead = np.zeros(1)
    mujoco.mj_rne(little.model, d, 1, ahead)  # the torque that its acceleration and weight take
    assert ahead + told.weight == pytest.approx(told.relaxed, rel=1e-9)


def test_a_weight_is_held_by_its_lever(little: Body) -> None:
    """arm F a = m g x + the forearm's weight, x the level distance of the weight from the joint."""
    e = bent(little)
    s = e.station()
    level = 0.2 * np.sin(np.radians(60.0))
    held = e.holding(["elbow"], Weight(0.5, "arm", (0.0, 0.0, -0.2)))
    torque = 0.5 * 9.81 * level - s.relaxed[0]
    assert held.activations == pytest.approx([torque / s.active[0, 0], 0.0], abs=1e-6)
    assert abs(held.missing["elbow"]) < 1e-5
    more = e.holding(["elbow"], Weight(50.0, "arm", (0.0, 0.0, -0.2)))
    assert more.activations[0] == pytest.approx(1.0, abs=1e-6)
    missing = 50 * 9.81 * level - s.relaxed[0] - s.active[0, 0]
    assert more.missing["elbow"] == pytest.approx(missing, rel=1e-6)


def test_strength_of_the_little_arm(little: Body) -> None:
    """The flexor is short at 60 degrees, and so has no passive force: all follows the fibres."""
    whole = bent(little).strength("elbow")
    unit, s = little.unit("flexor"), bent(little).station()
    assert whole[0] == pytest.approx(s.active[0, 0])
    for disorder, factor in (
        (Atrophy(muscles="flexor", area=0.5), 0.5),
        (Atrophy(muscles="flexor", width=0.5), 0.25),
        (Hypertrophy(muscles="flexor", area=1.5), 1.5),
        (Weakness(muscles="flexor", force=0.2), 0.2),
    ):
        found = bent(little, disorder).strength("elbow")
        assert found == pytest.approx((factor * whole[0], whole[1]))
    stretch = (s.active[0, 0] / s.arms[0, 0]) / unit.force  # the bell of length, by its value
    shorter = bent(little, Contracture(muscles="flexor", length=0.9)).strength("elbow")
    l = 1.0 - 0.45 * np.sqrt(-np.log(stretch))
    assert shorter[0] / whole[0] == pytest.approx(np.exp(-(((l / 0.9 - 1) / 0.45) ** 2)) / stretch)


def test_a_contracture_bends_a_relaxed_elbow_and_an_operation_frees_it(little: Body) -> None:
    sick = Contracture(muscles="flexor", length=0.6)
    away = Insertion(muscles="flexor", bone="upper", position=(0.012, 0.0, -0.25))
    angles = [bent(little, *each).rest("elbow") for each in ((), (sick,), (sick, away))]
    assert angles[1] > angles[0] + np.radians(5)
    assert abs(angles[2]) <= abs(angles[0]) + np.radians(1)
    e = bent(little, sick)
    assert abs(e.station(np.array([angles[1]])).relaxed[0]) < 1e-8
    assert bent(little, sick, away).strength("elbow")[0] == 0.0


def test_a_relaxed_joint_falls_to_its_limit_or_to_its_balance(little: Body) -> None:
    """A forearm without muscles' tension hangs; one whose extensor is tight leans on its limit."""
    slack = Patient.of(_with_slack(little, flexor=0.1, extensor=0.1))
    assert Examination(slack, np.array([1.0])).rest("elbow") == pytest.approx(0.0, abs=1e-3)
    tight = Patient.of(_with_slack(little, flexor=0.1, extensor=-0.1))
    assert Examination(tight, np.array([1.0])).rest("elbow") == pytest.approx(np.radians(-10))


def _with_slack(body: Body, **more: float) -> Body:
    def longer(unit: Unit) -> Unit:
        return replace(unit, slack=unit.slack + more[unit.name])

    return replace(body, units=tuple(longer(unit) for unit in body.units))


def test_ranges_end_where_the_torque_is_used_up(little: Body) -> None:
    e = bent(little, Contracture(muscles="flexor", length=0.6))
    low, high = e.passive_range("elbow", torque=0.5)
    assert np.radians(-10) < low < e.rest("elbow") < high
    assert e.station(np.array([low])).relaxed[0] == pytest.approx(0.5, abs=0.01)
    wide = e.passive_range("elbow", torque=500.0)
    assert wide == pytest.approx(np.radians([-10.0, 100.0]))
    least, most = e.active_range("elbow")
    assert least <= e.rest("elbow") <= most


def test_findings_stand_side_by_side(little: Body) -> None:
    patient = Patient.of(little, [Weakness(muscles="flexor", force=0.5)])
    pose = np.radians([60.0])
    found = compare(patient, ["elbow"], pose=pose, weight=Weight(0.5, "arm", (0, 0, -0.2)))
    strength, held = (
        found.finding(*names)
        for names in (("strength raising", "elbow"), ("holding 0.5 kg", "flexor"))
    )
    assert strength.after == pytest.approx(0.5 * strength.before)
    assert held.after == pytest.approx(2.0 * held.before, rel=1e-5)
    curves = found.curves["elbow"]
    k = int(np.argmin(np.abs(curves["angle_deg"] - 60.0)))
    assert curves["raising_after_Nm"][k] == pytest.approx(strength.after, rel=0.02)
    assert (curves["flexor_arm_before_mm"] == curves["flexor_arm_after_mm"]).all()


def left_of(part: float, **more: object) -> float:
    """The share of force that is left at rest length, of a belly that tapers to 0.4."""
    belly = tube(MotorUnit("m", 380.0, 0.24), width=0.036, loft=Loft(taper=0.4))
    sick = Paralysis.model_validate({"muscles": "m", "part": part, **more})
    return float(remaining(sick.belly(belly), belly, np.ones(1))[0])


@pytest.mark.slow
@pytest.mark.parametrize(("part", "across"), [(0.125, 0.99), (0.25, 0.97), (0.5, 0.82)])
def test_force_left_by_paralysis(part: float, across: float) -> None:
    """A sector leaves 1 - part; a band is in series, scattered cells are something between."""
    sector, band = (left_of(part, pattern=pattern) for pattern in ("sector", "band"))
    assert sector == pytest.approx(1.0 - part, abs=0.004)
    assert band == pytest.approx(across, rel=0.05)
    for seed in range(2):
        assert sector < left_of(part, pattern="random", seed=seed) < band


@pytest.mark.slow
def test_a_belly_without_a_living_cell_does_not_contract() -> None:
    assert left_of(1.0, pattern="random") == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_paralysis_weakens_the_arm_by_where_it_is(little: Body) -> None:
    """A band must be taut to pass tension on: of a short muscle it takes more than a sector."""
    patients = [
        Patient.of(little, [Paralysis(muscles="flexor", pattern=pattern, part=0.25)])
        for pattern in ("sector", "band")
    ]
    shares, stretches = [], []
    for angle in (0.0, 60.0):
        q = np.radians([angle])
        whole = Examination(Patient.of(little), q).strength("elbow")[0]
        shares.append([Examination(each, q).strength("elbow")[0] / whole for each in patients])
        stretches.append(Poses(little).at(q).stretches[0])
    (sector, band), (sector_short, band_short) = shares
    assert stretches == pytest.approx([0.93, 0.57], abs=0.01)
    assert (sector, sector_short) == pytest.approx((0.75, 0.75), rel=0.01)
    assert sector < band < 1.0
    assert band_short < sector_short


def test_healthy_arm26(arm26: Body) -> None:
    e = bent(arm26)
    assert e.strength(ELBOW)[0] == pytest.approx(56.4, rel=0.002)
    assert np.degrees(e.rest(ELBOW)) == pytest.approx(13.0, rel=0.01)
    held = e.holding([ELBOW], Weight(10.0, "right", IN_HAND))
    assert held.activations == pytest.approx([0, 0, 0, 0.72, 0.46, 0.64], abs=0.006)


@pytest.mark.parametrize(
    ("disorder", "strength", "activations", "missing"),
    [
        (Atrophy(muscles=FLEXORS, area=0.5), 28.2, (1.0, 1.0, 1.0), 7.3),
        (Atrophy(muscles=FLEXORS, width=0.5), 14.1, (1.0, 1.0, 1.0), 21.4),
        (Hypertrophy(muscles=FLEXORS, area=1.5), 84.7, (0.48, 0.31, 0.43), 0.0),
    ],
    ids=str,
)
def test_size_and_ten_kilograms_in_arm26(
    arm26: Body, disorder: Disorder, strength: float, activations: tuple[float, ...], missing: float
) -> None:
    e = bent(arm26, disorder)
    assert e.strength(ELBOW)[0] == pytest.approx(strength, rel=0.005)
    held = e.holding([ELBOW], Weight(10.0, "right", IN_HAND))
    assert held.activations[3:] == pytest.approx(activations, abs=0.006)
    assert held.missing[ELBOW] == pytest.approx(missing, abs=0.05)


@pytest.mark.parametrize(
    ("left", "brachialis", "strength"),
    [(1.0, 0.35, 56.4), (0.5, 0.68, 38.1), (0.2, 0.91, 27.1), (0.05, 0.97, 21.6)],
)
def test_weak_biceps_in_arm26(arm26: Body, left: float, brachialis: float, strength: float) -> None:
    e = bent(arm26, Weakness(muscles=BICEPS, force=left))
    held = e.holding([ELBOW], Weight(5.0, "right", IN_HAND))
    assert held.activations[5] == pytest.approx(brachialis, abs=0.006)
    assert e.strength(ELBOW)[0] == pytest.approx(strength, rel=0.005)


@pytest.mark.parametrize(
    ("length", "angle", "strength"), [(0.9, 18.7, 63.5), (0.8, 37.3, 69.3), (0.7, 66.3, 70.1)]
)
def test_contracture_of_arm26(arm26: Body, length: float, angle: float, strength: float) -> None:
    e = bent(arm26, Contracture(muscles=BICEPS, length=length))
    assert np.degrees(e.rest(ELBOW)) == pytest.approx(angle, abs=0.1)
    assert e.strength(ELBOW)[0] == pytest.approx(strength, rel=0.005)


def test_an_operation_on_arm26_and_its_side_effect(arm26: Body) -> None:
    sick = Contracture(muscles=BICEPS, length=0.7)
    before, after = bent(arm26, sick), bent(arm26, sick, TO_HUMERUS)
    assert np.degrees(after.rest(ELBOW)) == pytest.approx(12.9, abs=0.1)
    assert after.strength(ELBOW)[0] == pytest.approx(19.8, rel=0.005)
    old, new = before.station().arms, after.station().arms
    assert new[3:5, 1] == pytest.approx([0.0, 0.0])
    assert new[3:5, 0] == pytest.approx(old[3:5, 0], abs=1e-3)
    assert np.delete(new, (3, 4), axis=0) == pytest.approx(np.delete(old, (3, 4), axis=0))
