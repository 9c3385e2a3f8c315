"""Cables: balance of forces, work and energy, spools, slack, and friction after Capstan."""

from __future__ import annotations

import numpy as np
import pytest

import vastus
from builders import PASSIVE, WEIGHTLESS, box, carve, solid
from vastus import Cable, Dynamic, Model, Newton, Pin, QuasiNewton
from vastus.energies.actuators.cable_friction import CableFriction
from vastus.energies.actuators.cables import Line
from vastus.energies.elastic import TissueEnergy
from vastus.modelling.actuators import anchored
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import Frame, State, rest
from vastus.timeloop import simulate


def finger(**given) -> Model:
    """A soft bar along x, held at its foot, with a cable through its upper half."""
    mesh = box((8, 2, 2), (0.08, 0.02, 0.02))
    foot = Pin("foot", np.flatnonzero(mesh.X[:, 0] == 0))
    through = [[x, 0.01, 0.017] for x in (0.0, 0.022, 0.041, 0.079)]
    cable = Cable("flexor", *anchored(mesh, through), **given)
    return solid(mesh, PASSIVE, pins=(foot,), cables=(cable,))


def drawn(model: Model, keys: dict[str, object], fps: int = 1, solver=None) -> list[Frame]:
    told = vastus.keyframes(model, **keys, seconds=1.0, fps=fps)  # type: ignore[arg-type]
    return list(simulate(model, solver or Newton(), told))


def stored(model: Model, state: State) -> float:
    """The elastic energy [J] of the tissue."""
    problem = Problem(model, Reduction())
    (tissue,) = (e for e in problem.energies if isinstance(e, TissueEnergy))
    return tissue.value(Configuration(problem, state.x, state.poses))


def column(found: list[Frame], name: str) -> np.ndarray:
    return np.array([frame.outputs[name] for frame in found])


def pulls(model: Model, state: State) -> np.ndarray:
    """(n, 3) what cables and their friction pull vertices with [N] in a step from a state."""
    problem = Problem(model, Reduction())
    q = Configuration(problem, state.x, state.poses)
    forces = problem.no_forces(q)
    for energy in (problem.cables, CableFriction(problem.cables, state.x)):
        energy.add_forces(q, forces)
    return -forces.nodes


def test_the_pull_at_the_ends_is_the_tension_along_the_line() -> None:
    model = finger(tension=3.0)
    state = drawn(model, {})[-1].state
    found, line = pulls(model, state), Line(model.cables[0], state.x)
    ends = [np.unique(model.cables[0].points[k]) for k in (0, -1)]
    np.testing.assert_allclose(found[ends[0]].sum(axis=0), 3.0 * line.directions[0], atol=1e-12)
    np.testing.assert_allclose(found[ends[1]].sum(axis=0), -3.0 * line.directions[-1], atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.cross(state.x, found).sum(axis=0), 0.0, atol=1e-12)


def test_the_work_of_the_tension_is_what_the_tissue_stores() -> None:
    """-Integral of T dL = change of elastic energy along a path of equilibria, to 1e-6.

    By Simpson's rule over the frames: T dL = d(T L) - L dT, and the tensions are evenly spaced.
    """
    model = finger()
    found = drawn(model, {"tensions": {"flexor": [(0, 0), (1, 4.0)]}}, 16)
    T, L = (column(found, f"flexor_{what}") for what in ("tension_N", "length_m"))
    np.testing.assert_allclose(T, np.linspace(0, 4, 17), atol=1e-12)
    simpson = np.array([1, *[4, 2] * 7, 4, 1]) / 3
    work = (T[1] - T[0]) * (simpson @ L) - T[-1] * L[-1]
    assert L[-1] < 0.95 * L[0]
    energy = stored(model, found[-1].state) - stored(model, found[0].state)
    assert work == pytest.approx(energy, rel=1e-6)


def test_a_spool_pulls_with_its_stiffness_and_a_slack_cable_with_nothing() -> None:
    model = finger(stiffness=2e3)
    keys = {"shortenings": {"flexor": [(0, -0.002), (0.5, 0.0), (1, 0.004)]}}
    found = drawn(model, keys, 4)
    T, L = (column(found, f"flexor_{what}") for what in ("tension_N", "length_m"))
    s = [frame.inputs.shortenings[0] for frame in found]
    np.testing.assert_allclose(T, np.maximum(0, 2e3 * (L - L[0] + s)), atol=1e-9)
    assert T[1] == 0.0
    assert T[-1] > 0.5
    # The same tension, held, has the same equilibrium.
    held = drawn(finger(), {"tensions": {"flexor": [(0, 0), (1, float(T[-1]))]}}, 4)[-1].state
    np.testing.assert_allclose(held.x, found[-1].state.x, atol=1e-8)


@pytest.mark.parametrize("drive", ["tension", "spool"])
def test_solvers_agree(drive: str) -> None:
    model = finger(stiffness=2e3) if drive == "spool" else finger()
    given = {"flexor": [(0, 0), (1, 0.004 if drive == "spool" else 3.0)]}
    keys = {"shortenings" if drive == "spool" else "tensions": given}
    exact, near = (drawn(model, keys, 2, s)[-1].state.x for s in (Newton(), QuasiNewton()))
    assert np.abs(exact - near).max() < 1e-3 * 0.08


def round_a_quarter(friction: float, **given) -> Model:
    """A cable round a quarter circle in a pinned bone, to the far end of a soft bar."""
    mesh = box((6, 2, 4), (0.06, 0.02, 0.04))
    labels = np.where(mesh.centroids[:, 0] < 0.03, "A", "m")
    turn = np.linspace(np.pi, 1.5 * np.pi, 9)
    arc = np.column_stack([0.02 + 0.01 * np.cos(turn), 0 * turn + 0.01, 0.02 + 0.01 * np.sin(turn)])
    through = [[0.01, 0.01, 0.035], *arc, [0.055, 0.01, 0.01]]
    model = carve(mesh, labels, gravity=WEIGHTLESS)
    points, weights = anchored(model.mesh, through)
    return model.with_(cables=(Cable("rope", points, weights, friction=friction, **given),))


def test_friction_leaves_of_the_tension_what_capstan_says() -> None:
    """T_0/T_end = exp(mu theta) round a quarter circle, where theta = pi/2."""
    model = round_a_quarter(0.3, tension=5.0)
    expected = 5.0 * np.exp(-0.3 * np.pi / 2)
    state = rest(model)
    end = np.unique(model.cables[0].points[-1])
    np.testing.assert_allclose(pulls(model, state)[end].sum(axis=0), [-expected, 0, 0], atol=1e-9)
    assert Line(model.cables[0], state.x).shares[-1] == pytest.approx(np.exp(-0.15 * np.pi))
    np.testing.assert_allclose(pulls(model, state).sum(axis=0), 0.0, atol=1e-12)


def test_behind_a_bend_with_friction_tissue_feels_a_weaker_cable() -> None:
    """As one without friction that has the tension left at its end; bends lag by one of 8 steps."""
    keys = {"tensions": {"rope": [(0, 0), (1, 5.0)]}}
    rough = drawn(round_a_quarter(0.3), keys, 8)
    left = float(rough[-1].outputs["rope_end_tension_N"])
    assert left == pytest.approx(5.0 * np.exp(-0.15 * np.pi), rel=2e-2)
    smooth = drawn(round_a_quarter(0.0), {"tensions": {"rope": [(0, 0), (1, left)]}}, 8)[-1]
    moved = np.abs(smooth.state.x - smooth.model.mesh.X).max()
    assert np.abs(rough[-1].state.x - smooth.state.x).max() < 2e-3 * moved


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_sudden_pull_keeps_the_account_of_energy(friction: float) -> None:
    model = finger(friction=friction)
    told = vastus.keyframes(
        model, tensions={"flexor": [(0.0, 2.0), (1.0, 2.0)]}, seconds=0.004, fps=250
    )
    found = list(simulate(model, Dynamic(scheme="newmark", step=2e-4), told))
    first, last = (Line(model.cables[0], x).length for x in (model.mesh.X, found[-1].state.x))
    outputs = found[-1].outputs
    assert outputs["energy_kinetic_J"] > 1e-4
    assert outputs["energy_loads_J"] == pytest.approx(2.0 * (first - last), rel=1e-6)
    assert (outputs["energy_friction_J"] > 0) == (friction > 0)
    assert outputs["energy_balance_error"] < 1e-3
