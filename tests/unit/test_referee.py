"""The referee measures what it says, from the state it says, and survives its own failures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from builders import PASSIVE, box, hinge, pair, solid
from vastus import Newton, QuasiNewton, Referee, simulate
from vastus.cli.options import FrameChoice
from vastus.errors import FileError, ModelError, SolveError
from vastus.export.export import write
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.minimise import Moment
from vastus.numerics.rotation import exp_map
from vastus.parts import Pin
from vastus.referee import Distance, Verdict, distance
from vastus.results.frame_rows import read_verdicts, write_verdicts
from vastus.results.result import read_result
from vastus.schedules import ramp
from vastus.skeleton.joints import Ball
from vastus.state import Frame, Report, State, rest
from vastus.timeloop import Stepper, Warm

MODEL = pair(hinge())
BALL = pair(Ball("AB", ("A", "B"), np.array([0.12, 0.015, -0.03])))
INPUTS = ramp(MODEL, m=1.0, fps=2)


def frame_at(model: Model, state: State) -> Frame:
    """A frame that was solved in a second."""
    report = Report(True, 1, 0.0, 1.0, 0.0, seconds=1.0)
    return Frame(0, state, report, Outputs(model).of(state))


def turned(model: Model, axis: list[float], deg: float) -> State:
    """The model at rest but for the pose of its bone B, turned about an axis."""
    state = rest(model)
    poses = state.poses.copy()
    poses[1, :, :3] = exp_map(np.radians(deg) * np.array(axis))
    return replace(state, poses=poses)


@dataclass(frozen=True)
class Fake(Stepper):
    """A solver that notes what it is asked, and moves nothing; each step takes 3 s by its word."""

    needs: int = 1  # iterations of each step
    asked: list[tuple[State, Inputs]] = field(default_factory=list)
    error: Exception | None = None

    def prepare(self, model: Model) -> Fake:
        return self

    def step(self, state: State, inputs: Inputs, watch=None) -> tuple[State, Report]:
        self.asked.append((state, inputs))
        if self.error:
            raise self.error
        for iteration in range(self.needs + 1):
            if watch:
                watch(Moment(iteration, 0.0, 1.0, lambda: None))
        moved = replace(state, time=inputs.time, activation=inputs.excitation)
        return moved, Report(True, self.needs, 0.0, 1.0, 0.0, seconds=3.0)


def test_a_frame_is_no_distance_from_itself() -> None:
    frame = frame_at(MODEL, rest(MODEL))
    found = distance(MODEL, frame, frame)
    assert (found.largest, found.mean, found.angle_deg, found.force_N) == (0.0, 0.0, 0.0, 0.0)


def test_vertex_distances_are_fractions_of_the_length() -> None:
    """One of n vertices moved by (3, 0, 4) mm in a model of 24 cm."""
    state, x = rest(MODEL), MODEL.mesh.X.copy()
    x[5] += [0.003, 0.0, 0.004]
    truth = frame_at(MODEL, state)
    found = distance(MODEL, replace(truth, state=replace(state, x=x)), truth)
    assert found.largest == pytest.approx(0.005 / 0.24)
    assert found.mean == pytest.approx(0.005 / 0.24 / MODEL.mesh.n_vertices)


def test_a_hinge_differs_by_its_angles_and_a_ball_also_by_its_axis() -> None:
    y, z = [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    one, other = (frame_at(MODEL, turned(MODEL, y, deg)) for deg in (170.0, -175.0))
    found = distance(MODEL, one, other)
    assert (found.joint, found.angle_deg) == ("AB", pytest.approx(15.0))
    one, other = (frame_at(BALL, turned(BALL, axis, 90.0)) for axis in (y, z))
    assert one.outputs["AB_angle_deg"] == pytest.approx(other.outputs["AB_angle_deg"])
    assert distance(BALL, one, other).angle_deg == pytest.approx(120.0)


def test_the_worst_muscle_is_named_and_weighed_by_the_largest_force() -> None:
    truth = frame_at(MODEL, rest(MODEL))
    pulling = replace(truth, outputs={**truth.outputs, "m_force_N": -8.0})
    weaker = replace(truth, outputs={**truth.outputs, "m_force_N": -6.0})
    found = distance(MODEL, weaker, pulling)
    assert (found.muscle, found.force_N, found.strongest_N) == ("m", 2.0, 8.0)
    assert found.force_share == 0.25


def test_a_model_without_joints_has_none_named() -> None:
    model = pair()
    frame = frame_at(model, rest(model))
    assert distance(model, frame, frame).joint == ""


def test_newton_agrees_with_itself_and_quasi_newton_to_its_accuracy() -> None:
    for solver, bound in ((Newton(), 1e-12), (QuasiNewton(1e-3), 1e-3)):
        verdicts = list(Referee(MODEL).judge_all(simulate(MODEL, solver, INPUTS)))
        assert [v.frame for v in verdicts] == [0, 1, 2]
        for verdict in verdicts:
            assert verdict.distance is not None
            assert verdict.distance.mean <= verdict.distance.largest < bound
            assert verdict.ratio is not None
            assert verdict.ratio > 0


def test_a_crude_answer_is_seen_to_be_far() -> None:
    crude = frame_at(
        MODEL, replace(rest(MODEL), time=INPUTS[-1].time, activation=INPUTS[-1].excitation)
    )
    found = Referee(MODEL).judge(rest(MODEL), crude).distance
    assert found is not None
    assert found.largest > 0.01
    assert found.force_N > 1.0


def test_the_referee_starts_from_the_frame_before() -> None:
    frames, fake = list(simulate(MODEL, Fake(), INPUTS)), Fake()
    (verdict,) = Referee(MODEL, fake).judge_all(frames, at=[2])
    assert (verdict.frame, verdict.ratio) == (2, 1.0)
    assert {id(state) for state, _ in fake.asked} == {id(frames[1].state)}
    assert {inputs.time for _, inputs in fake.asked} == {1.0}
    start, fake = rest(MODEL), Fake()
    list(Referee(MODEL, fake).judge_all(frames[:1], start=start))
    assert fake.asked[-1][0] is start


def test_another_equilibrium_is_far_from_the_start_and_none_from_itself() -> None:
    """A clamped bar shortened by a fifth buckles either way; the start decides which."""
    mesh = box((12, 2, 2), (0.2, 0.02, 0.02))
    left, right = (np.flatnonzero(mesh.X[:, 0] == x) for x in (0.0, mesh.X[:, 0].max()))
    pins = (Pin("left", left), Pin("right", right, shift=(-0.04, 0.0, 0.0)))
    model = solid(mesh, PASSIVE, pins=pins)

    def bowed(height: float) -> State:
        raised = height * np.sin(np.pi * mesh.X[:, 0] / 0.2) ** 2
        flat = rest(model)
        return replace(flat, x=flat.x + np.outer(raised, [0.0, 0.0, 1.0]))

    state, report = Newton().prepare(model).step(bowed(-0.04), Inputs.rest(model))
    frame, referee = Frame(0, state, report), Referee(model)
    found = [referee.judge(before, frame).distance for before in (bowed(0.04), frame.state)]
    assert [d and d.largest for d in found] == [pytest.approx(0.46, abs=0.05), 0.0]


def test_a_frame_that_never_came_is_an_error() -> None:
    verdicts = Referee(MODEL, Fake()).judge_all(simulate(MODEL, Fake(), INPUTS), at=[1, 7])
    assert next(verdicts).frame == 1
    with pytest.raises(ModelError, match="there was no frame 7 to judge"):
        next(verdicts)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SolveError("no equilibrium at 1 s"), "no equilibrium at 1 s"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_a_referee_that_fails_says_so(error: Exception, sentence: str) -> None:
    frame = frame_at(MODEL, rest(MODEL))
    verdict = Referee(MODEL, Fake(error=error)).judge(rest(MODEL), frame)
    assert verdict == Verdict(0, 0.0, 1.0, sentence=sentence)
    assert verdict.ratio is None


def test_the_first_step_is_tried_before_it_is_timed() -> None:
    fake = Fake()
    list(simulate(MODEL, Warm(fake), INPUTS))
    assert [inputs.time for _, inputs in fake.asked] == [0.0, 0.0, 0.5, 1.0]


def test_a_step_with_nothing_to_do_warms_nothing() -> None:
    fake = Fake(needs=0)
    list(simulate(MODEL, Warm(fake), INPUTS))
    assert [inputs.time for _, inputs in fake.asked] == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]


def test_a_trial_may_stop_early_and_changes_no_answer() -> None:
    seen: list[int] = []
    little = INPUTS[0].towards(INPUTS[-1], 0.1)
    warm = Warm(Newton(), iterations=1).prepare(MODEL)
    state, _ = warm.step(rest(MODEL), little, lambda at: seen.append(at.iteration))
    plain, report = Newton().prepare(MODEL).step(rest(MODEL), little)
    assert seen == [0, 1, *range(report.iterations + 1)]
    np.testing.assert_allclose(state.x, plain.x, atol=1e-12)


def test_verdicts_are_read_back_with_the_settings_they_belong_to(tmp_path: Path) -> None:
    path = tmp_path / "referee.json"
    assert read_verdicts(path) == ()
    far = Distance(0.1, 0.01, 2.0, "AB", 1 / 3, "m", 10.0)
    verdicts = (Verdict(0, 0.0, None, 2.0, far), Verdict(3, 0.3, 1.0, sentence="no"))
    write_verdicts(path, Newton(), verdicts)
    assert read_verdicts(path) == read_verdicts(path, Newton()) == verdicts
    assert read_verdicts(path, Newton(tolerance=1e-9)) == ()
    assert '"tolerance": 1e-08' in path.read_text()
    path.write_text(path.read_text()[:-20])
    with pytest.raises(FileError, match=r"referee\.json' are damaged"):
        read_verdicts(path)


def test_a_stored_frame_is_replayed_bit_by_bit(tmp_path: Path) -> None:
    frames = list(simulate(MODEL, Newton(), INPUTS))
    write(tmp_path / "out", MODEL, frames)
    result = read_result(tmp_path / "out")
    for frame in frames:
        back = result.replay(frame.index)
        np.testing.assert_array_equal(back.state.x, frame.state.x)
        np.testing.assert_array_equal(back.state.poses, frame.state.poses)
        assert back.report.seconds == frame.report.seconds
        told = {name: back.outputs[name] for name in frame.outputs}
        np.testing.assert_equal(told, dict(frame.outputs))


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("all", [0, 1, 2, 3, 4]),
        ("last", [4]),
        ("every:2", [0, 2, 4]),
        ("every:9", [0]),
        ("3,1,3", [1, 3]),
        ("004", [4]),
    ],
)
def test_frames_are_chosen_by_a_word(text: str, frames: list[int]) -> None:
    assert FrameChoice(text).among(5) == frames


@pytest.mark.parametrize(
    "text", ["", "first", "every:0", "every:", "1,,2", "-1", "1.5", "٣", "1 ,2"]
)
def test_other_words_choose_nothing(text: str) -> None:
    with pytest.raises(ModelError, match=f"--referee '{text}' names no frames; give all, last"):
        FrameChoice(text)


def test_a_frame_beyond_the_last_is_refused() -> None:
    with pytest.raises(ModelError, match="names frame 5, but the scene has 5 frames: 0 to 4"):
        FrameChoice("0,5").among(5)
