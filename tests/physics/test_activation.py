"""Activation that follows excitation in time: the closed form of its linear equation."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from builders import inputs_of, pair, solve
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials.fibres.activation import Activation
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.integrators import Scheme
from vastus.state import State, rest

FORM = Activation(rise=0.012, fall=0.05)


def followed(times: np.ndarray, levels: np.ndarray, start: float) -> float:
    """The activation at the end of excitations (k,) at times (k,) [s]."""
    a = start
    for (t0, e0), (t1, e1) in pairwise(zip(times.tolist(), levels.tolist(), strict=True)):
        a = FORM.after(a, e0, e1, t1 - t0)
    return a


@pytest.mark.parametrize(("start", "level", "tau"), [(0.1, 0.9, 0.012), (0.8, 0.3, 0.05)])
def test_activation_comes_near_a_constant_excitation_exponentially(
    start: float, level: float, tau: float
) -> None:
    """a = e + (a0 - e) exp(-t/tau), with the time of the way that it goes."""
    right = level + (start - level) * np.exp(-0.02 / tau)
    assert FORM.after(start, level, level, 0.02) == pytest.approx(right, rel=1e-14)
    assert FORM.after(start, level, level, 100.0) == pytest.approx(level, rel=1e-14)
    assert FORM.after(level, level, level, 0.02) == level


def test_activation_lags_behind_a_ramp() -> None:
    """a = k (t - tau (1 - exp(-t/tau))) for e = k t."""
    right = 3.0 * (0.03 - 0.012 * (1 - np.exp(-0.03 / 0.012)))
    assert FORM.after(0.0, 0.0, 0.09, 0.03) == pytest.approx(right, rel=1e-14)


@pytest.mark.parametrize("count", [2, 5, 40])
def test_steps_do_not_matter(count: int) -> None:
    """Also where excitation falls below activation on the way, and the other time counts."""
    times = np.linspace(0.0, 0.06, 2)
    short = np.linspace(0.0, 0.06, count)
    for start, levels in ((0.2, (0.9, 0.1)), (0.9, (0.1, 0.8)), (0.0, (0.0, 1.0))):
        ends = np.array(levels)
        there = np.interp(short, times, ends)
        whole = followed(times, ends, start)
        assert followed(short, there, start) == pytest.approx(whole, abs=1e-14)


def slow_pair() -> Model:
    model = pair(gravity=np.zeros(3))
    given = {"activation_rise": FORM.rise, "activation_fall": FORM.fall}
    return model.with_(muscles=tuple(replace(m, **given) for m in model.muscles))


def moved(model: Model, scheme: Scheme, step: float, level: float = 0.5) -> State:
    """The state after 20 ms of an excitation that is there at once."""
    stepper = Dynamic(scheme, step).prepare(model)
    state = stepper.begin(rest(model))
    for k in range(round(0.02 / step)):
        told = replace(Inputs.rest(model, (k + 1) * step), excitation=np.array([level]))
        state = stepper.step(state, told)[0]
    return state


@pytest.mark.parametrize("scheme", ["bdf2", "newmark"])
def test_a_muscle_in_motion_has_the_activation_of_the_closed_form(scheme: str) -> None:
    model = slow_pair()
    right = 0.5 * (1 - np.exp(-0.02 / FORM.rise))
    for step in (5e-3, 1e-2):
        state = moved(model, Scheme(scheme), step)
        row = Outputs(model).of(state)
        assert row["m_activation"] == pytest.approx(right, rel=1e-13)
        assert row["m_excitation"] == 0.5
    # The stress in the tissue is that of the activation.
    strength = model.muscles[0].strength
    now = Outputs(model).of(replace(state, activation=np.array([right])))
    assert row["m_active_N"] == pytest.approx(now["m_active_N"], rel=1e-9)
    assert 0 < row["m_active_N"] < 0.5 * strength * 0.03**2


def test_without_times_nothing_is_told_apart() -> None:
    model = pair(gravity=np.zeros(3))
    state = moved(model, Scheme.BDF2, 1e-2)
    assert state.activation.tolist() == [0.5]
    assert "excitation" not in state.memory
    assert "m_excitation" not in Outputs(model).of(state)


def test_statics_is_activated_at_once() -> None:
    model = slow_pair()
    state, _ = solve(model, m=0.3)
    assert state.activation.tolist() == inputs_of(model, m=0.3).excitation.tolist() == [0.3]


def test_times_must_be_above_zero() -> None:
    model = pair()
    with pytest.raises(ModelError, match="muscle 'm' has activation_fall 0; it must be finite"):
        model.with_(muscles=(replace(model.muscles[0], activation_fall=0),))
