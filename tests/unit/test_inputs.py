"""Inputs over time: ramps, key frames and arrays."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import pair, row
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Muscle
from vastus.numerics.rotation import exp_map
from vastus.parts import Drive
from vastus.schedules import from_arrays, keyframes, ramp
from vastus.state import Frame, Report, rest

MODEL = pair()
DRIVEN = MODEL.with_(bones=(MODEL.bones[0], replace(MODEL.bones[1], drive=Drive.SCRIPTED)))


def pose(angle: float, x: float) -> np.ndarray:
    return np.column_stack([exp_map(np.array([0.0, angle, 0.0])), [x, 0.0, 0.0]])


MIRROR = np.diag([1.0, 1.0, -1.0, 0.0])[:3]


def scripted(end: object) -> object:
    """A script from rest to some pose."""
    return keyframes(DRIVEN, poses={"B": [(0.0, np.eye(3, 4)), (1.0, end)]}, seconds=1.0)


def test_the_state_at_rest_is_the_mesh_with_bones_in_place() -> None:
    state = rest(MODEL)
    np.testing.assert_array_equal(state.x, MODEL.mesh.X)
    np.testing.assert_array_equal(state.poses, np.tile(np.eye(3, 4), (2, 1, 1)))
    state.x[:] = 0.0
    assert MODEL.mesh.X.any()


def test_a_ramp_rises_evenly_from_start_to_peak() -> None:
    inputs = ramp(MODEL, m=0.8, seconds=2.0, fps=5, start=0.2)
    np.testing.assert_allclose([i.time for i in inputs], np.linspace(0, 2, 11))
    np.testing.assert_allclose([i.excitation[0] for i in inputs], np.linspace(0.2, 0.8, 11))


def test_muscles_that_are_not_named_stay_at_rest() -> None:
    model = row()
    last = ramp(model, n=1.0)[-1]
    np.testing.assert_array_equal(last.excitation, [0.0, 1.0])


@given(
    st.lists(st.floats(0.05, 1.0), min_size=2, max_size=6),
    st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=6, max_size=6),
)
@settings(deadline=None)  # the first loads what interpolates
def test_key_frames_are_met_without_overshoot(gaps: list[float], levels: list[float]) -> None:
    times = np.cumsum(gaps)
    keys = list(zip(times.tolist(), levels, strict=False))
    inputs = keyframes(MODEL, {"m": keys}, seconds=float(times[-1]), fps=37)
    found = np.array([i.excitation[0] for i in inputs])
    at = np.array([i.time for i in inputs])
    assert found[0] == levels[0]
    assert found[-1] == pytest.approx(keys[-1][1], abs=1e-12)
    for (t0, a0), (t1, a1) in itertools.pairwise(keys):
        part = found[(at >= t0) & (at <= t1)]
        assert (part >= min(a0, a1) - 1e-12).all()
        assert (part <= max(a0, a1) + 1e-12).all()
        assert (np.diff(part) * np.sign(a1 - a0) >= -1e-12).all()


def test_the_ends_are_held() -> None:
    inputs = keyframes(MODEL, {"m": [(1.0, 0.2), (2.0, 0.9)]}, seconds=3.0, fps=1)
    np.testing.assert_allclose([i.excitation[0] for i in inputs], [0.2, 0.2, 0.9, 0.9])


def test_scripted_bones_keep_their_centre_between_key_frames() -> None:
    centre = np.array([0.0, 0.0, 0.3])

    def turned(angle: float) -> np.ndarray:
        R = exp_map(np.array([0.0, angle, 0.0]))
        return np.column_stack([R, centre - R @ centre])

    keys = {"B": [(0.0, turned(0.0)), (1.0, turned(np.pi / 2))]}
    inputs = keyframes(DRIVEN, poses=keys, seconds=1.0, fps=4)
    np.testing.assert_allclose(inputs[1].poses[1], turned(np.pi / 8), atol=1e-14)
    np.testing.assert_array_equal(inputs[1].poses[0], np.eye(3, 4))
    half = inputs[0].towards(inputs[-1], 0.5)
    np.testing.assert_allclose(half.poses[1] @ [*centre, 1.0], centre, atol=1e-14)


def test_arrays_are_taken_as_they_are() -> None:
    times, levels = np.array([0.0, 0.1, 0.5]), np.array([0.0, 0.7, 0.3])
    poses = np.stack([pose(a, 0.0) for a in levels])
    inputs = from_arrays(DRIVEN, times, {"m": levels}, poses={"B": poses})
    assert [i.time for i in inputs] == times.tolist()
    np.testing.assert_array_equal([i.excitation[0] for i in inputs], levels)
    np.testing.assert_array_equal([i.poses[1] for i in inputs], poses)


def test_inputs_between_two_others_are_interpolated() -> None:
    first, second = Inputs.rest(MODEL), ramp(MODEL, m=1.0)[-1]
    between = first.towards(second, 0.25)
    assert between.time == pytest.approx(0.25)
    np.testing.assert_allclose(between.excitation, [0.25])


def test_no_time_is_one_frame() -> None:
    assert len(ramp(MODEL, seconds=0.0)) == 1


def test_lists_are_as_good_as_arrays() -> None:
    poses = [np.eye(3, 4).tolist(), pose(0.1, 0.0).tolist()]
    inputs = from_arrays(DRIVEN, [0.0, 1.0], {"m": [0, 1]}, poses={"B": poses})  # type: ignore[arg-type, dict-item]
    np.testing.assert_array_equal(inputs[1].poses[1], poses[1])


def test_a_raw_muscle_takes_any_activation() -> None:
    raw = MODEL.with_(muscles=(Muscle.raw("m"),))
    assert ramp(raw, m=2e5)[-1].excitation[0] == 2e5


def test_a_frame_knows_its_time() -> None:
    report = Report(True, 1, 0.0, 1.0, 0.0)
    assert Frame(0, rest(MODEL), report).time == 0.0


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ramp(MODEL, bicep=1.0), "no muscle 'bicep'; muscles: m"),
        (lambda: ramp(MODEL, m=1.5), "activation 1.5 of muscle 'm' is not between 0 and 1"),
        (lambda: ramp(MODEL, m=-0.5), "activation -0.5 of muscle 'm' is not between 0 and 1"),
        (lambda: ramp(MODEL, m=np.nan), "activation nan of muscle 'm' is not between 0 and 1"),
        (lambda: ramp(MODEL, m=1.0, start=-1.0), "activation -1 of muscle 'm' is not between"),
        (lambda: ramp(MODEL, m=1.0, seconds=0.04), "0.04 s at 10.0 frames a second are no step"),
        (lambda: ramp(MODEL, m=1.0, fps=np.inf), "cannot make frames for 1.0 s at inf frames"),
        (
            lambda: keyframes(MODEL, {"m": [(0.0, 0.0), (np.nan, 1.0)]}, seconds=1.0),
            "the key frames of 'm' need at least two increasing times",
        ),
        (
            lambda: keyframes(MODEL, {"m": [(0.0, 0.0, 1.0), (1.0, 1.0, 1.0)]}, seconds=1.0),  # type: ignore[list-item]
            "the key frames of 'm' must be pairs of a time and a number",
        ),
        (lambda: scripted(np.eye(4)), r"a pose of bone 'B' has shape \(4, 4\), not \(3, 4\)"),
        (lambda: scripted(pose(0, np.nan)), "a pose of bone 'B' is not finite"),
        (lambda: scripted(2 * pose(0, 0)), "a pose of bone 'B' is not a rigid motion"),
        (lambda: scripted(MIRROR), "a pose of bone 'B' is not a rigid motion"),
        (lambda: scripted("up"), "a pose of bone 'B' must be numbers"),
        (
            lambda: from_arrays(DRIVEN, np.zeros(2), {}, poses={"B": np.ones((2, 3, 4))}),
            "a pose of bone 'B' is not a rigid motion",
        ),
        (
            lambda: from_arrays(MODEL, np.array([0.0, np.inf]), {}),
            "the times of the inputs must be finite",
        ),
        (lambda: ramp(MODEL, m=1.0, seconds=-1.0), "cannot make frames for -1.0 s at 10.0 frames"),
        (lambda: ramp(MODEL, m=1.0, fps=0.0), "cannot make frames for 1.0 s at 0.0 frames"),
        (
            lambda: keyframes(MODEL, {"m": [(0.0, 0.0)]}, seconds=1.0),
            "the key frames of 'm' need at least two increasing times",
        ),
        (
            lambda: keyframes(MODEL, {"m": [(1.0, 0.0), (1.0, 1.0)]}, seconds=1.0),
            "the key frames of 'm' need at least two increasing times",
        ),
        (
            lambda: keyframes(DRIVEN, poses={"B": [(0.0, pose(0, 0))]}, seconds=1.0),
            "the key frames of 'B' need at least two increasing times",
        ),
        (
            lambda: from_arrays(MODEL, np.zeros(2), {"m": np.array([0.0, np.nan])}),
            "activation nan of muscle 'm' is not between 0 and 1",
        ),
        (
            lambda: from_arrays(MODEL, np.zeros(2), {"m": np.zeros(3)}),
            "'m' has 3 values for 2 times",
        ),
        (
            lambda: from_arrays(DRIVEN, np.zeros(2), {}, poses={"A": np.zeros((2, 3, 4))}),
            "no scripted bone 'A'; scripted bones: B",
        ),
        (
            lambda: from_arrays(DRIVEN, np.zeros(2), {}, poses={"C": np.zeros((2, 3, 4))}),
            "no bone 'C'; bones: A, B",
        ),
        (
            lambda: from_arrays(DRIVEN, np.zeros(2), {}, poses={"B": np.zeros((1, 3, 4))}),
            "'B' has 1 values for 2 times",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_could(make, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        make()


def test_a_schedule_drives_at_any_time() -> None:
    inputs = ramp(MODEL, m=1.0, fps=2)
    assert inputs.inputs(0.5) is inputs[1]
    assert inputs.inputs(0.25).excitation[0] == pytest.approx(0.25)
    assert inputs.inputs(-1.0) is inputs[0]
    assert inputs.inputs(9.0) is inputs[-1]


def test_torques_and_loads_are_named_and_checked() -> None:
    with pytest.raises(ModelError, match="no joint 'knee'"):
        keyframes(MODEL, torques={"knee": [(0, 0), (1, 1)]}, seconds=1)
    with pytest.raises(ModelError, match="no load 'bag'"):
        keyframes(MODEL, loads={"bag": [(0, (0, 0, 0)), (1, (0, 0, 1))]}, seconds=1)
