"""The time loop, with a solver that only counts, and with Newton."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

from builders import hinge, pair
from vastus import simulate
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment
from vastus.schedules import ramp
from vastus.solvers.newton import Newton
from vastus.state import Report, State, rest
from vastus.timeloop import Stepper

MODEL = pair(hinge())


@dataclass(frozen=True)
class Counting(Stepper):
    """A solver that raises every vertex by a metre at each step, and fails at one time."""

    fails_at: float = np.inf

    def prepare(self, model: Model) -> Counting:
        return self

    def step(self, state: State, inputs: Inputs, watch=None) -> tuple[State, Report]:
        if inputs.time >= self.fails_at:
            raise SolveError("the count is lost", state)
        if watch:
            watch(Moment(0, 2.0, 1.0, lambda: None))
        report = Report(True, 1, 0.0, 1.0, 0.0, projected=2, seconds=0.5)
        moved = replace(state, time=inputs.time, x=state.x + 1.0, activation=inputs.excitation)
        return moved, report


def test_each_frame_starts_from_the_one_before() -> None:
    inputs = ramp(MODEL, m=1.0, fps=3)
    frames = list(simulate(MODEL, Counting(), inputs))
    assert [f.index for f in frames] == [0, 1, 2, 3]
    assert [f.time for f in frames] == [i.time for i in inputs]
    raised = [f.state.x[0, 0] - MODEL.mesh.X[0, 0] for f in frames]
    np.testing.assert_allclose(raised, [1.0, 2.0, 3.0, 4.0])


def test_frames_are_made_only_when_asked_for() -> None:
    run = simulate(MODEL, Counting(fails_at=0.5), ramp(MODEL, m=1.0, fps=2))
    assert next(run).index == 0


def test_a_run_goes_on_from_a_given_state() -> None:
    inputs = ramp(MODEL, m=1.0, fps=3)
    start = replace(rest(MODEL), time=inputs[1].time, x=MODEL.mesh.X + 10.0)
    frames = list(simulate(MODEL, Counting(), inputs, start=start, first=2))
    assert [f.index for f in frames] == [2, 3]
    np.testing.assert_allclose(frames[0].state.x, MODEL.mesh.X + 11.0)


def test_a_failure_names_its_frame_and_keeps_the_state() -> None:
    run = simulate(MODEL, Counting(fails_at=0.6), ramp(MODEL, m=1.0, fps=3))
    frames = [next(run), next(run)]
    with pytest.raises(SolveError, match="frame 2 of 4: the count is lost") as caught:
        next(run)
    assert caught.value.state is frames[-1].state


def test_the_watcher_hears_step_and_residual() -> None:
    seen = []
    list(simulate(MODEL, Counting(), ramp(MODEL, m=1.0, fps=1), watch=seen.append))
    assert [(p.step, p.steps, p.iteration, p.residual, p.target) for p in seen] == [
        (0, 2, 0, 2.0, 1.0),
        (1, 2, 0, 2.0, 1.0),
    ]


def test_newton_s_frames_carry_outputs_and_a_report() -> None:
    frames = list(simulate(MODEL, Newton(), ramp(MODEL, m=0.5, fps=2)))
    assert all(f.report.converged for f in frames)
    assert all(f.report.residual <= 1e-8 * f.report.load for f in frames)
    assert all(len(f.report.history) >= 1 for f in frames)
    angles = [f.outputs["AB_angle_deg"] for f in frames]
    assert abs(angles[-1] - angles[0]) > 1.0
    assert max(f.outputs["AB_gap_m"] for f in frames) < 1e-12


def test_a_resumed_run_ends_where_the_whole_one_does() -> None:
    inputs = ramp(MODEL, m=0.5, fps=3)
    whole = list(simulate(MODEL, Newton(), inputs))
    rest_of = list(simulate(MODEL, Newton(), inputs, start=whole[1].state, first=2))
    for first, second in zip(whole[2:], rest_of, strict=True):
        np.testing.assert_allclose(first.state.x, second.state.x, atol=1e-13)


class Feedback:
    """Excites the muscle by how far the first vertex has been raised."""

    def inputs(self, time: float, state: State) -> Inputs:
        level = np.array([0.1 * (state.x[0, 0] - MODEL.mesh.X[0, 0])])
        return Inputs(time, level, state.poses)


def test_a_controller_sees_the_state() -> None:
    frames = list(simulate(MODEL, Counting(), Feedback(), times=[0.0, 0.5, 1.0]))
    np.testing.assert_allclose([f.state.activation[0] for f in frames], [0.0, 0.1, 0.2])
    assert frames[-1].inputs is not None
    assert frames[-1].inputs.excitation[0] == pytest.approx(0.2)


def test_a_stepper_with_a_step_of_its_own_makes_several_between_frames() -> None:
    class Fine(Counting):
        dt = 0.25

    frames = list(simulate(MODEL, Fine(), ramp(MODEL, m=1.0, fps=1), measured=False))
    assert [f.time for f in frames] == [0.0, 1.0]
    np.testing.assert_allclose(frames[-1].state.x, MODEL.mesh.X + 4.0)
    assert frames[0].report.iterations == 0
    assert frames[0].outputs == {}
    whole = frames[1].report  # of all four steps
    assert (whole.iterations, whole.substeps, whole.projected, whole.seconds) == (4, 4, 8, 2.0)


def test_observers_add_to_the_outputs() -> None:
    class Height:
        def of(self, state: State) -> dict[str, float]:
            return {"height_m": float(state.x[:, 2].max())}

    frame = next(simulate(MODEL, Counting(), ramp(MODEL, m=1.0, fps=1), observers=[Height()]))
    assert frame.outputs["height_m"] == pytest.approx(MODEL.mesh.X[:, 2].max() + 1.0)
    assert "m_activation" in frame.outputs


def test_a_watch_that_has_enough_ends_the_simulation() -> None:
    run = simulate(MODEL, Newton(), ramp(MODEL, m=0.5, fps=2), watch=lambda at: at.step == 1)
    assert [f.index for f in run] == [0]


@pytest.mark.parametrize(
    ("solver", "controller", "sentence"),
    [
        (Newton, [], "Newton is a kind of solver; give one: Newton()"),
        ("newton", [], "a str is no solver; give one such as vastus.QuasiNewton()"),
        (Newton(), 3.0, "a float drives no model; give inputs such as vastus.ramp"),
        (Newton(), Feedback(), "a Feedback has no times of its own; give times="),
    ],
    ids=["class", "text", "number", "no times"],
)
def test_a_call_that_cannot_be_meant_is_told(
    solver: object, controller: object, sentence: str
) -> None:
    with pytest.raises(ModelError, match=re.escape(sentence)):
        simulate(MODEL, solver, controller)  # type: ignore[arg-type]
