"""Where a path of states leads: weights of what came before, and runs that follow them."""

from __future__ import annotations

import numpy as np
import pytest

from vastus import shapes
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.parts import Contact
from vastus.schedules import from_arrays, ramp
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import Newton, length
from vastus.solvers.prediction import Path, drivers, lagrange, predicted
from vastus.solvers.problem import Equilibrium
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest
from vastus.timeloop import simulate


def path(*driven: tuple[float, ...]) -> Path:
    """States without vertices that were driven so, newest first."""
    return Path((), (), tuple(np.array(numbers) for numbers in driven))


@pytest.fixture(scope="module")
def elbow() -> Model:
    return shapes.elbow(tets=1000)


def test_a_parabola_is_continued_exactly() -> None:
    places = [0.0, -0.7, -2.0]
    values = [3.0 - 2.0 * t + 5.0 * t**2 for t in places]
    assert lagrange(places) @ values == pytest.approx(3.0 - 2.0 + 5.0, rel=1e-14)


def test_states_of_an_even_way_count_by_three_three_and_one() -> None:
    even = path((0.2, 1.0), (0.1, 1.0), (0.0, 1.0))
    assert even.weights(np.array([0.3, 1.0])) == pytest.approx([3.0, -3.0, 1.0])


def test_what_is_driven_back_is_found_where_it_was() -> None:
    weights = path((0.2,), (0.1,), (0.0,)).weights(np.array([0.1]))
    assert weights == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("target", "what"), [((0.2, 0.0), "stops"), ((0.2, 0.1), "turns"), ((0.9, 0.0), "jumps")]
)
def test_nothing_is_told_of_drivers_that_stop_turn_or_jump(
    target: tuple[float, float], what: str
) -> None:
    weights = path((0.2, 0.0), (0.14, 0.0), (0.1, 0.0)).weights(np.array(target))
    assert len(weights) == 1, what


def test_a_state_that_would_count_too_much_is_left_out() -> None:
    weights = path((0.20,), (0.19,), (0.17,)).weights(np.array([0.26]))
    assert len(weights) == 2
    assert np.abs(weights).max() <= 10.0


def test_drivers_are_all_that_acts(elbow: Model) -> None:
    inputs = Inputs.rest(elbow)
    heavy = Inputs(0.0, inputs.excitation, inputs.poses, gravity=np.array([0.0, 0.0, -20.0]))
    assert not np.array_equal(drivers_of(elbow, inputs), drivers_of(elbow, heavy))


def drivers_of(model: Model, inputs: Inputs) -> np.ndarray:
    return drivers(QuasiNewton().prepare(model).problem, inputs)


def test_a_prediction_is_nearer_than_the_state_before(elbow: Model) -> None:
    stepper, state = QuasiNewton(1e-5).prepare(elbow), rest(elbow)
    *before, last = ramp(elbow, seconds=1.0, fps=25, biceps=1.0)[1:20]
    for inputs in before:
        state, _ = stepper.step(state, inputs)
    problem = stepper.problem
    ahead = predicted(Equilibrium(problem, last), Path.to(problem, state), state, last)
    assert ahead is not None
    after, _ = stepper.step(state, last)
    assert apart(ahead.x, after.x) < 0.05 * apart(state.x, after.x)


# Activations that rise, stop, fall back, jump, and change the muscle that is told.
LEVELS = [0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.3, 0.2, 0.8, 0.85, 0.9, 0.9, 0.5]
OTHERS = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.4]


def test_every_frame_is_as_close_as_stated_when_drivers_stop_return_and_jump(elbow: Model) -> None:
    times = np.arange(len(LEVELS)) / 25
    told = {"biceps": np.array(LEVELS), "triceps": np.array(OTHERS)}
    schedule = from_arrays(elbow, times, told)
    stepper, exact = QuasiNewton().prepare(elbow), Newton().prepare(elbow)
    state: State = rest(elbow)
    for inputs in schedule:
        state, report = stepper.step(state, inputs)
        truth, _ = exact.step(state, Inputs.of(state))
        assert report.converged
        assert apart(state.x, truth.x) <= 1e-3 * length(elbow)


def test_most_frames_of_a_smooth_motion_need_few_iterations(elbow: Model) -> None:
    stepper, state, iterations = QuasiNewton().prepare(elbow), rest(elbow), []
    for inputs in ramp(elbow, seconds=1.0, fps=25, biceps=1.0)[1:]:
        state, report = stepper.step(state, inputs)
        iterations.append(report.iterations)
    assert np.median(iterations[12:]) <= 4


def test_factors_in_single_precision_lead_as_far_as_those_in_double(elbow: Model) -> None:
    inputs, counts, ends = ramp(elbow, seconds=1.0, fps=25, biceps=1.0)[1:10], [], []
    for single in (True, False):
        stepper, state = QuasiNewton().prepare(elbow), rest(elbow)
        stepper._hessian = Hessian(stepper.problem, stepper.effort, single=single)
        reports = []
        for frame in inputs:
            state, report = stepper.step(state, frame)
            reports.append(report)
        counts.append([report.iterations for report in reports])
        ends.append(state.x)
    assert max(abs(a - b) for a, b in zip(*counts, strict=True)) <= 1
    assert apart(*ends) < 1e-5 * length(elbow)


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """The largest distance of a vertex [m]."""
    return float(np.linalg.norm(a - b, axis=1).max())


def test_frames_with_barriers_are_as_near_as_asked_without_being_polished() -> None:
    model = shapes.elbow(tets=1000).with_(contact=Contact())
    inputs = ramp(model, seconds=1.0, fps=25, biceps=1.0)[:12]
    exact, default = (list(simulate(model, s, inputs)) for s in (Newton(), QuasiNewton(1e-3)))
    for a, b in zip(exact, default, strict=True):
        assert apart(a.state.x, b.state.x) < 1e-3 * length(model)
    steps = [sum(frame.report.iterations for frame in each[6:]) for each in (exact, default)]
    assert steps[1] <= 0.75 * steps[0]
