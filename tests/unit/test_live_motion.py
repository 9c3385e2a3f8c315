"""Live motion in time: it goes on by itself, is pulled, let go and stopped."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from vastus.actuators import Cable, Cavity
from vastus.app.live import mover as moving
from vastus.app.live.messages import Answer, Message, Question, Trouble
from vastus.app.live.mover import Mover, in_time
from vastus.app.live.panel import LivePanel
from vastus.app.live.pull import Grip, Pull, taken, usual_stiffness
from vastus.app.live.solver import live_solver, live_solver_of
from vastus.energies.energy import Forces, Stiffness
from vastus.inputs import Inputs
from vastus.measure.fields import VELOCITY
from vastus.model import Model
from vastus.modelling.shapes import torus
from vastus.results.playback import Snapshot
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.state import rest
from visited import Visited

STEP = 0.01  # [s]


class Motion:
    """A model that moves under questions, and what it has told."""

    def __init__(self, model: Model) -> None:
        self.model, self.told = model, list[Message]()
        solver = Dynamic(step=STEP, viscosity=0.02, tolerance=1e-6)
        self._mover = Mover(model, solver, lambda: True, self.told.append)
        self.middle = taken(model, model.mesh.X, "belly", model.mesh.X.mean(axis=0))

    def go(self, steps: int, pull: Pull | None = None, *, since: int = 0) -> Answer:
        for _ in range(steps):
            question = Question(max(since, 1), Inputs.rest(self.model), since, pull=pull)
            assert self._mover.answer(question)
        assert isinstance(self.told[-1], Answer)
        return self.told[-1]

    def stop(self) -> bool:
        return self._mover.answer(Question(9, Inputs.rest(self.model), 0, running=False))


@pytest.fixture
def motion(bar_model: Model, monkeypatch: pytest.MonkeyPatch) -> Motion:
    monkeypatch.setattr(moving.time, "sleep", lambda _: None)
    return Motion(bar_model)


def test_time_goes_on_until_it_is_stopped(motion: Motion) -> None:
    first, second = motion.go(1), motion.go(2)
    assert (first.state.time, second.state.time) == pytest.approx((STEP, 3 * STEP))
    assert second.pace is not None
    assert second.pace > 0
    assert np.abs(second.point_fields[VELOCITY]).max() > 0.01, "it falls"
    count = len(motion.told)
    assert not motion.stop()
    assert len(motion.told) == count
    assert motion.go(1).state.time == pytest.approx(4 * STEP)
    assert motion.go(1, since=5).state.time == pytest.approx(STEP), "from rest once more"


def test_what_is_pulled_comes_near_and_falls_back_when_it_is_let_go(motion: Motion) -> None:
    def height(answer: Answer) -> float:
        return float(answer.state.x[motion.middle].mean(axis=0)[2])

    model = motion.model
    place = model.mesh.X[motion.middle].mean(axis=0)
    pull = Pull(motion.middle, place + np.array([0, 0, 0.02]), 5 * usual_stiffness(model))
    up = motion.go(25, pull)
    assert height(up) > place[2] + 0.005
    after = motion.go(1)
    assert after.point_fields[VELOCITY][motion.middle].mean(axis=0)[2] < 0
    assert height(motion.go(25)) < place[2] + 0.1 * (height(up) - place[2])


def test_a_pull_has_the_derivatives_of_its_energy(bar_model: Model) -> None:
    grip, h = Grip(), 1e-6
    vertices = np.array([3, 8, 12])
    grip.hold(Pull(vertices, np.array([0.1, -0.2, 0.3]), 40.0))

    class At:
        def __init__(self, x: np.ndarray) -> None:
            self.x, self.poses, self.model = x, rest(bar_model).poses, bar_model

    def force(x: np.ndarray) -> np.ndarray:
        forces = Forces(np.zeros_like(x), *(np.zeros(0) for _ in range(4)))
        grip.add_forces(At(x), forces)  # type: ignore[arg-type]
        return forces.nodes

    x, way = bar_model.mesh.X, np.random.default_rng(1).normal(size=bar_model.mesh.X.shape)
    ahead, behind = (grip.value(At(x + s * h * way)) for s in (1, -1))  # type: ignore[arg-type]
    assert (ahead - behind) / (2 * h) == pytest.approx(np.sum(force(x) * way), rel=1e-7)
    stiffness = Stiffness(np.zeros((0, 9, 9)))
    grip.add_stiffness(At(x), stiffness)  # type: ignore[arg-type]
    found = sum(c * u * np.sum(u * way) for u, c in stiffness.columns)
    np.testing.assert_allclose(found, force(x + way) - force(x), atol=1e-10)
    grip.hold(None)
    assert grip.value(At(x)) == 0.0  # type: ignore[arg-type]
    assert not force(x).any()


def test_a_motion_is_never_faster_than_the_clock(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(moving.time, "sleep", slept.append)
    monkeypatch.setattr(moving.time, "perf_counter", lambda: 5.0)  # steps that take no time
    Motion(bar_model).go(3)
    assert slept == pytest.approx([STEP, STEP])


def test_a_slow_page_shows_the_newest_state_alone(motion: Motion) -> None:
    motion.go(3)
    shown: list[Snapshot] = []
    with Visited() as page:
        panel = LivePanel(page, motion.model, lambda moment, _: shown.append(moment), Dynamic())
        trouble = Trouble(3, "it stands still")
        panel._solver = SimpleNamespace(  # type: ignore[assignment]
            answers=lambda: [*motion.told[:2], trouble, motion.told[2]]
        )
        panel._collect()
        assert page.told == ["it stands still"]
        assert "0.03 s" in panel._status.content
        assert "of real time" in panel._status.content
    assert len(shown) == 1
    np.testing.assert_array_equal(shown[0].x, motion.go(0).state.x)


def test_cables_and_cavities_are_asked_for_as_their_numbers_say(bar_model: Model) -> None:
    ends = bar_model.mesh.X[:, 0].argsort()[[0, -1]]
    cable = Cable("string", ends, tension=0.5)
    cavity = Cavity("hollow", bar_model.mesh.boundary)
    model, asked = bar_model.with_(cables=(cable,), cavities=(cavity,)), list[Inputs]()
    with Visited() as page:
        panel = LivePanel(page, model, lambda *_: None)
        panel._solver = SimpleNamespace(  # type: ignore[assignment]
            ask=lambda inputs, **_: asked.append(inputs), reset=lambda: None
        )
        panel._pressures[0].value, panel._tensions[0].value = 300.0, 2.0
        panel._ask()
        panel._relaxed()
        panel._ask()
    found = [
        (np.asarray(i.pressures).tolist(), np.asarray(i.tensions).tolist())
        for i in (asked[0], asked[-1])
    ]
    assert found == [([300.0], [2.0]), ([0.0], [0.5])]


def test_the_live_solver_is_the_motion_of_the_scene() -> None:
    solver = Dynamic(step=2e-3, drag=1.0)
    live = live_solver_of(solver)
    assert in_time(live)
    assert live == replace(solver, tolerance=1e-5)
    assert live_solver_of(live_solver()) == live_solver()
    assert not in_time(live_solver())


def test_explicit_motion_goes_on_live_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A torus in free fall: g t^2/2."""
    monkeypatch.setattr(moving.time, "sleep", lambda _: None)
    model, told = torus(tets=1000), list[Message]()
    solver = live_solver_of(Explicit())
    assert isinstance(solver, Explicit)
    assert in_time(solver)
    mover = Mover(model, solver, lambda: True, told.append)
    for _ in range(3):
        assert mover.answer(Question(1, Inputs.rest(model), 0))
    assert isinstance(told[-1], Answer)
    time, fallen = told[-1].state.time, (told[-1].state.x - model.mesh.X)[:, 2]
    assert fallen == pytest.approx(-0.5 * 9.81 * time**2, rel=1e-6)
