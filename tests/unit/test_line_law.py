"""The law of a line muscle against its closed form, its slopes and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.errors import ModelError

UNIT = MotorUnit("m", 300.0, 0.1, slack=0.2)
LAW = LineLaw([UNIT])


def force(stretch: float, speed: float = 0.0, activation: float = 1.0) -> float:
    """[N] at a stretch and a speed in optimal lengths a second."""
    length = np.array([0.2 + 0.1 * stretch])
    return float(LAW.forces(length, np.array([0.1 * speed]), np.array([activation])).force[0])


def test_the_greatest_force_is_at_the_optimal_length() -> None:
    assert force(1.0) == pytest.approx(300.0)
    assert force(1.45, activation=1.0) - force(1.45, activation=0.0) == pytest.approx(300.0 / np.e)


def test_the_passive_force_is_the_greatest_force_at_its_strain() -> None:
    assert force(1.6, activation=0.0) == pytest.approx(300.0)
    assert force(0.9, activation=0.0) == 0.0


def test_hill_speeds() -> None:
    assert force(1.0, -10.0) == pytest.approx(0.0, abs=1e-9)
    assert force(1.0, -15.0) == pytest.approx(0.0, abs=1e-9)
    assert force(1.0, -5.0) == pytest.approx(300.0 * 0.5 / 3.0)  # (1 - v) / (1 + v / .25) at .5
    assert force(1.0, 1e6) == pytest.approx(1.4 * 300.0, rel=1e-4)


def test_slopes_are_those_of_the_force() -> None:
    rng = np.random.default_rng(0)
    n, h = 200, 1e-6
    law = LineLaw([UNIT] * n)
    l, v, a = rng.uniform(0.25, 0.35, n), rng.uniform(-1.2, 1.0, n), rng.uniform(0, 1, n)
    kinks = np.minimum(np.abs(l - 0.3), np.minimum(np.abs(v), np.abs(v + 1.0))) < 1e-3
    pull = law.forces(l, v, a)
    slopes = (pull.by_activation, pull.by_length, pull.by_speed)
    for slope, (dl, dv, da) in zip(slopes, [(0, 0, h), (h, 0, 0), (0, h, 0)], strict=True):
        up, down = (law.forces(l + s * dl, v + s * dv, a + s * da).force for s in (1, -1))
        seen = (up - down) / (2 * h)
        np.testing.assert_allclose(slope[~kinks], seen[~kinks], rtol=1e-6, atol=1e-4)


def test_the_slope_over_speed_is_continuous_at_rest() -> None:
    sides = LineLaw([UNIT] * 2)
    pull = sides.forces(np.full(2, 0.3), np.array([-1e-12, 1e-12]), np.ones(2))
    assert pull.by_speed[0] == pytest.approx(pull.by_speed[1], rel=1e-6)
    assert pull.by_speed[0] == pytest.approx(5.0 * 300.0 / (0.1 * 10.0), rel=1e-6)


def test_a_unit_without_force_is_refused() -> None:
    with pytest.raises(ModelError, match="unit 'm' has force 0; it must be above zero"):
        MotorUnit("m", 0.0, 1.0)
