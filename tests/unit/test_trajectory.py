"""Curves through a motion: derivatives, the filter, and motions of few samples."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.control.trajectory import Trajectory
from vastus.errors import ModelError

TIMES = np.linspace(0.0, 2.0, 201)


def test_a_curve_has_the_derivatives_of_what_was_sampled() -> None:
    w = 2 * np.pi * 0.8
    curve = Trajectory.through(TIMES, np.sin(w * TIMES)[:, None])
    inner = np.linspace(0.5, 1.5, 37)
    assert curve.at(inner)[:, 0] == pytest.approx(np.sin(w * inner), abs=1e-9)
    assert curve.at(inner, 1)[:, 0] == pytest.approx(w * np.cos(w * inner), abs=1e-6)
    assert curve.at(inner, 2)[:, 0] == pytest.approx(-w * w * np.sin(w * inner), abs=1e-4)


def test_the_filter_keeps_the_slow_and_takes_away_the_fast_without_delay() -> None:
    """A filter of third order run both ways has the gain 1 / (1 + (f / fc)^6)."""
    inner = (TIMES > 0.5) & (TIMES < 1.5)
    for frequency in (1.0, 6.0, 12.0):
        wave = np.cos(2 * np.pi * frequency * (TIMES - 1.0))
        found = Trajectory.through(TIMES, wave[:, None], cutoff=6.0).at(TIMES)[:, 0]
        gain = 1.0 / (1.0 + np.tan(np.pi * frequency / 100) ** 6 / np.tan(np.pi * 6 / 100) ** 6)
        assert found[inner] == pytest.approx(gain * wave[inner], abs=3e-3)


@pytest.mark.parametrize("count", [2, 3, 5, 6])
def test_few_samples_are_met(count: int) -> None:
    times, values = np.arange(count, dtype=float), np.arange(count)[:, None] ** 2.0
    curve = Trajectory.through(times, values)
    assert curve.at(times) == pytest.approx(values, abs=1e-9)
    assert np.isfinite(curve.at(times, 2)).all()


@pytest.mark.parametrize(
    ("times", "cutoff", "said"),
    [
        (TIMES**2, 6.0, "samples are evenly spaced"),
        (TIMES, 60.0, "60 Hz is not between 0 and 50 Hz"),
    ],
)
def test_what_cannot_be_filtered_is_told(times: np.ndarray, cutoff: float, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        Trajectory.through(times, times[:, None], cutoff)
