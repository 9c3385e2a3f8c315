"""The equilibrium that a path leads to: bars pressed and stretched in one jump, and what drives."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import vastus
from builders import inputs_of
from vastus import Model, shapes
from vastus.inputs import Inputs, as_in
from vastus.materials import StableNeoHookean
from vastus.numerics.minimise import Moment, Outcome
from vastus.parts import Load, Pin
from vastus.schedules import keyframes
from vastus.solvers.branch import Doubt, Leap, doubt
from vastus.solvers.newton import NewtonStepper
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.quasi_newton import QuasiNewtonStepper
from vastus.state import State, rest
from vastus.timeloop import Solver, simulate

SOLVERS: dict[str, Solver] = {"quasi-Newton": vastus.QuasiNewton(), "Newton": vastus.Newton()}
ALL = (True, True, True)


def bar(stretch: float, *, planes: bool = False, axes: tuple[bool, bool, bool] = ALL) -> Model:
    """A bar of 1,200 tets without weight, whose end is moved; with symmetry planes or clamps."""
    plain = shapes.bar(tets=1200, materials=shapes.Materials.early())
    plain = plain.with_(gravity=np.zeros(3))
    X = plain.mesh.X
    low, high = X.min(axis=0), X.max(axis=0)
    ends = [np.flatnonzero(np.isclose(X[:, 0], x)) for x in (low[0], high[0])]
    shift = ((stretch - 1.0) * (high - low)[0], 0.0, 0.0)
    pins = [Pin("clamp", ends[0], axes), Pin("end", ends[1], axes, shift)]
    if planes:
        for axis, name in ((1, "y"), (2, "z")):
            side = np.flatnonzero(np.isclose(X[:, axis], low[axis]))
            pins.append(Pin(name, side, tuple(i == axis for i in range(3))))
    return plain.with_(pins=tuple(pins))


def homogeneous(law: StableNeoHookean, stretch: float) -> float:
    """The energy density [Pa] of a bar stretched along x and free across."""
    mu, lam, a = law.parameters()

    def density(across: float) -> float:
        I, J = stretch**2 + 2 * across**2, stretch * across**2
        volume = lam * ((J - a) ** 2 - (1 - a) ** 2)
        return 0.5 * (mu * (I - 3 - np.log((I + 1) / 4)) + volume)

    def slope(across: float) -> float:
        return density(across * (1 + 1e-6)) - density(across * (1 - 1e-6))

    return density(brentq(slope, 0.5, 2.0, xtol=1e-12))


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("stretch", [0.6, 0.7, 0.8, 0.9, 1.5, 2.0])
def test_a_bar_in_symmetry_planes_has_the_homogeneous_energy(kind: str, stretch: float) -> None:
    model = bar(stretch, planes=True, axes=(True, False, False))
    _, report = SOLVERS[kind].prepare(model).step(rest(model), Inputs.rest(model))
    law = model.regions[0].laws[0]
    assert isinstance(law, StableNeoHookean)
    wanted = homogeneous(law, stretch) * model.mesh.volumes.sum()
    assert report.energy == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(
    ("stretch", "axes"),
    [
        pytest.param(0.7, ALL, id="clamped-0.7"),
        pytest.param(0.9, ALL, id="clamped-0.9"),
        pytest.param(0.9, (True, False, False), id="roller-0.9"),
        pytest.param(0.7, (True, False, False), id="roller-0.7", marks=pytest.mark.slow),
    ],
)
def test_one_jump_ends_where_small_steps_do(stretch: float, axes: tuple[bool, bool, bool]) -> None:
    """A bar clamped at one end and pressed; on rollers it buckles beyond a tenth."""
    model = bar(stretch, axes=axes)
    held = replace(model.pins[0], axes=ALL)
    model = model.with_(pins=(held, model.pins[1]))
    there = model.pins[1].shift
    slow = keyframes(model, pins={"end": [(0, (0, 0, 0)), (1, there)]}, seconds=1, fps=20)
    *_, small = simulate(model, vastus.Newton(), slow, measured=False)
    for solver in SOLVERS.values():
        _, report = solver.prepare(model).step(rest(model), Inputs.rest(model))
        assert report.energy == pytest.approx(small.report.energy, rel=1e-3)


def test_a_state_whose_energy_nobody_paid_is_doubted() -> None:
    """The same end, with energy added, taken away, or with a tet turned inside out."""
    model = bar(0.9)
    state, report = vastus.Newton().prepare(model).step(rest(model), Inputs.rest(model))
    problem = Problem(model, Reduction())
    before = problem.configure(rest(model).x, state.poses)
    now, ahead = Inputs.of(rest(model)), Inputs.rest(model).whole(as_in(model))

    def said(x: np.ndarray, energy: float) -> str:
        q = problem.configure(x, state.poses)
        g = Equilibrium(problem, ahead).gradient(q)
        outcome: Outcome[Configuration] = Outcome(
            q, energy, g, report.load, 0.0, (0.0,), True, "converged"
        )
        found = doubt(before, now, outcome, ahead)
        return found.sentence if found else ""

    assert said(state.x, report.energy) == ""
    assert "another equilibrium" in said(state.x, 1.2 * report.energy)
    assert "fell by" in said(state.x, -0.5 * report.energy)
    turned = state.x.copy()
    tet = model.mesh.T[model.soft[7]]
    turned[tet[0]] = 2 * turned[tet[1:]].mean(axis=0) - turned[tet[0]]
    assert "inverted" in said(turned, report.energy)


def test_a_step_that_is_too_long_is_ended_before_it_has_converged() -> None:
    """Two iterates in a row beyond a tenth of strain; not where a prediction told the way."""
    model = bar(1.5)
    problem, start = Problem(model, Reduction()), rest(model)
    before, now = problem.configure(start.x, start.poses), Inputs.of(start)

    def leaps(*strains: float) -> list[bool]:
        leap = Leap(before, now, None)
        places = [problem.configure(start.x * [1 + e, 1, 1], start.poses) for e in strains]
        moments = [Moment(i, 1.0, 0.1, partial(lambda q: q, q)) for i, q in enumerate(places)]
        ended = [leap(moment) is True for moment in moments]
        assert (leap.doubt is not None) == any(ended)
        if leap.doubt:
            e = strains[ended.index(True)]
            assert leap.doubt.shorter == pytest.approx(min(0.5, 0.1 / (e + e * e / 2)))
        return ended

    assert leaps(0.0, 0.2, 0.05, 0.2, 0.3) == [False, False, False, False, True]
    assert leaps(0.0, 0.05, 0.06, 0.07) == [False] * 4
    assert leaps(0.3, 0.31, 0.3, 0.31) == [False] * 4  # the first is where a path led


def test_a_step_in_parts_wastes_little_on_the_first_trial() -> None:
    """That ends early; the last part ends where it should."""
    model = bar(1.5)
    stepper = vastus.QuasiNewton().prepare(model)
    attempts: list[list[Moment]] = []

    def watch(moment: Moment) -> None:
        if moment.iteration == 0:
            attempts.append([])
        attempts[-1].append(moment)

    _, report = stepper.step(rest(model), Inputs.rest(model), watch)
    assert report.substeps > 3
    first, *_, last = attempts
    assert min(moment.residual for moment in first) > first[-1].target  # ended early
    assert last[-1].residual <= last[-1].target


def test_a_last_part_that_was_stretched_is_not_tried_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A part that would leave next to nothing takes that along, until it is found too long."""
    model, tried = bar(1.01), list[float]()

    def wary(
        before: object, now: Inputs, outcome: object, ahead: Inputs, *, energy: bool
    ) -> Doubt | None:
        tried.append(ahead.time - now.time)
        assert len(tried) < 99
        far = now.time > 0.49
        most = 1.0 / 64.0 if far else 0.2492
        if tried[-1] <= 1.0001 * most:
            return None
        return Doubt("", bearable=True, patience=1.0 / 64.0 if far else 0.1, shorter=0.2492)

    monkeypatch.setattr("vastus.solvers.stepping.doubt", wary)
    vastus.Newton().prepare(model).step(rest(model), Inputs.rest(model, time=1.0))
    steps = np.array(tried)
    assert ((steps > 1.0 / 64.0) & (steps < 1.1 / 64.0)).sum() == 1  # stretched, and refused
    assert steps[-1] < 0.1 / 64.0


def test_the_stronger_method_takes_over_for_one_part_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Newton's method has led past a doubt, the default goes on."""
    model = bar(1.01)
    doubts = [Doubt("", shorter=0.25), Doubt("", patience=0.25)]

    def wary(*_: object, energy: bool) -> Doubt | None:
        return doubts.pop(0) if doubts else None

    monkeypatch.setattr("vastus.solvers.stepping.doubt", wary)
    sought = list[str]()
    for kind in (QuasiNewtonStepper, NewtonStepper):

        def spied(
            self: QuasiNewtonStepper, *args: object, kind: type = kind, solve: Any = kind.solve
        ) -> object:
            sought.append(kind.__name__)
            return solve(self, *args)

        monkeypatch.setattr(kind, "solve", spied)
    vastus.QuasiNewton().prepare(model).step(rest(model), Inputs.rest(model, time=1.0))
    own, other = "QuasiNewtonStepper", "NewtonStepper"
    assert sought[:4] == [own, own, other, own]
    assert sought.count(other) == 1


def test_pins_loads_and_gravity_are_driven_in_time() -> None:
    """Each half way at half time, and the last frame as if the model had them."""
    model = bar(1.0)
    held = model.pins[0]
    tip = model.pins[1].vertices
    load = Load("tip", tip, np.full(len(tip), 1 / len(tip)), np.array([0.0, 0.0, 1.0]))
    free = model.with_(pins=(held,), loads=(load,))
    down = (0.0, 0.0, -9.81)
    driven = keyframes(
        free,
        loads={"tip": [(0, (0, 0, 0)), (1, (0, 0, 0.5))]},
        gravity=[(0, (0, 0, 0)), (1, down)],
        seconds=1,
        fps=2,
    )
    assert driven[1].loads is not None
    np.testing.assert_allclose(driven[1].loads, [[0, 0, 0.25]])
    *_, last = simulate(free, vastus.Newton(), driven, measured=False)
    own = free.with_(
        gravity=np.array(down), loads=(replace(load, force=np.array([0.0, 0.0, 0.5])),)
    )
    state, _ = vastus.Newton().prepare(own).step(rest(own), Inputs.rest(own))
    np.testing.assert_allclose(last.state.x, state.x, atol=1e-8)
    pressed = keyframes(model, pins={"end": [(0, (0, 0, 0)), (1, (-0.01, 0, 0))]}, seconds=1)
    *_, frame = simulate(model, vastus.QuasiNewton(), pressed, measured=False)
    moved = (frame.state.x - model.mesh.X)[tip]
    np.testing.assert_allclose(moved, np.tile([-0.01, 0, 0], (len(tip), 1)), atol=1e-15)


def test_a_bar_is_stretched_to_twice_its_length_by_both() -> None:
    """One pin in one jump."""
    model = bar(2.0)
    reached: list[State] = []
    for solver in SOLVERS.values():
        reached.append(solver.prepare(model).step(rest(model), inputs_of(model))[0])
    assert np.abs(reached[0].x - reached[1].x).max() <= 1e-3 * 0.2
