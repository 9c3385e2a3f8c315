"""Tendons that stretch: one force with their bellies, its slopes, and the limit of a rigid one."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.control.tendons import OnElasticTendons
from vastus.materials.fibres.curves import Exponential
from vastus.materials.fibres.published import Kind, published

COUNT = 60
TENDONS = [0.02, 0.15, 0.25]
UNITS = [MotorUnit(f"m{k}", 300.0, 0.1, slack=TENDONS[k % 3]) for k in range(COUNT)]
BELLIES = LineLaw([MotorUnit(unit.name, unit.force, unit.optimal) for unit in UNITS])
SLACK = np.array([unit.slack for unit in UNITS])


def states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    stretch, speed = rng.uniform(0.7, 1.4, COUNT), rng.uniform(-0.6, 0.6, COUNT)
    return SLACK + 0.1 * stretch, speed, rng.uniform(0.02, 1.0, COUNT)


@pytest.mark.parametrize("name", published(Kind.TENDON))
def test_belly_and_tendon_pull_alike(name: str) -> None:
    curve = published(Kind.TENDON)[name].curve
    law = OnElasticTendons(BELLIES, UNITS, curve)
    at = states()
    pull = law.forces(*at)
    tendon = law._tendon / SLACK
    assert pull.force == pytest.approx([300 * curve.force(float(x)) for x in tendon], abs=3e-3)
    belly = BELLIES.forces(at[0] - law._tendon, at[1], at[2]).force
    assert pull.force == pytest.approx(belly, abs=1e-7)
    assert tendon.max() > 1.01, "no tendon would stretch"


def test_slopes_are_those_of_finite_differences() -> None:
    law, at, h = OnElasticTendons(BELLIES, UNITS), states(), 1e-6
    pull = law.forces(*at)
    for k, slope in enumerate((pull.by_length, pull.by_speed, pull.by_activation)):
        ends = [
            law.forces(*(x + s * h * (j == k) for j, x in enumerate(at))).force for s in (1, -1)
        ]
        np.testing.assert_allclose(
            slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-6, atol=1e-6 * np.abs(slope).max()
        )


def test_a_stiff_tendon_is_a_rigid_one() -> None:
    rigid, at = LineLaw(UNITS).forces(*states()), states()
    off = []
    for strain in (0.05, 0.005, 0.0005):
        stiff = Exponential(1.0 / np.expm1(3.0), 3.0 / strain, 1.0 + strain)
        off.append(np.abs(OnElasticTendons(BELLIES, UNITS, stiff).forces(*at).force - rigid.force))
    assert off[2].max() < 2.0 < 10.0 < off[0].max()
    assert (off[1].mean() / off[0].mean(), off[2].mean() / off[1].mean()) < (0.2, 0.2)


def test_a_path_shorter_than_its_tendon_is_slack_and_no_tendon_is_a_rigid_one() -> None:
    units = [MotorUnit("short", 300.0, 0.1, slack=0.2), MotorUnit("bare", 300.0, 0.1)]
    law = OnElasticTendons(BELLIES_OF_TWO, units)
    pull = law.forces(np.array([0.19, 0.1]), np.zeros(2), np.ones(2))
    assert pull.force == pytest.approx([0.0, 300.0])
    assert pull.by_activation == pytest.approx([0.0, 300.0])


BELLIES_OF_TWO = LineLaw([MotorUnit("short", 300.0, 0.1), MotorUnit("bare", 300.0, 0.1)])


def test_a_copy_begins_where_it_was_and_goes_its_own_way() -> None:
    law, at = OnElasticTendons(BELLIES, UNITS), states()
    law.forces(*at)
    other, before = law.copy(), law._tendon
    other.forces(at[0] + 0.01, at[1], at[2])
    assert law._tendon is before
    assert other._tendon is not before
