"""Cavities under pressure: closed forms, work and energy, gas, bones, motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import vastus
from builders import WEIGHTLESS, box, carve
from hollows import ball, hollow_box
from vastus import Cavity, Dynamic, Model, Newton, QuasiNewton
from vastus.energies.actuators.cavities import Cavities, enclosed
from vastus.energies.elastic import TissueEnergy
from vastus.materials import NeoHookean
from vastus.skeleton.joints import Slider
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import Frame, State
from vastus.timeloop import simulate

YOUNG, POISSON, RADII = 1e5, 0.3, (0.01, 0.02)


def frames(model: Model, pressure: float, count: int = 1, solver=None, **given) -> list[Frame]:
    """The frames of a ramp of the pressure of the only cavity."""
    keys = {model.cavities[0].name: [(0.0, 0.0), (1.0, pressure)]}
    told = vastus.keyframes(model, pressures=keys, seconds=1.0, fps=count, **given)
    return list(simulate(model, solver or Newton(), told))


def stored(model: Model, state: State) -> float:
    """The elastic energy [J] of the tissue."""
    problem = Problem(model, Reduction())
    (tissue,) = (e for e in problem.energies if isinstance(e, TissueEnergy))
    return tissue.value(Configuration(problem, state.x, state.poses))


def column(found: list[Frame], name: str) -> np.ndarray:
    return np.array([frame.outputs[name] for frame in found])


def volume(model: Model, state: State) -> float:
    return enclosed(state.x, model.cavities[0].faces)


def grown(n: int, layers: int) -> float:
    """The growth of a thick sphere's cavity over Lame's, less 1.

    u(r) = p a^3/(E (b^3 - a^3)) [(1 - 2 nu) r + (1 + nu) b^3/(2 r^2)].
    """
    (a, b), p = RADII, 1e-4 * YOUNG
    model = ball(n, layers, (NeoHookean(YOUNG, POISSON),), RADII)
    state = frames(model, p)[-1].state
    u = (
        p
        * a**3
        / (b**3 - a**3)
        / YOUNG
        * ((1 - 2 * POISSON) * a + (1 + POISSON) * b / 2 * (b / a) ** 2)
    )
    exact = (1 + u / a) ** 3 - 1
    return (volume(model, state) / volume(model, vastus.state.rest(model)) - 1) / exact - 1


def test_a_thick_sphere_grows_as_lame_says_when_the_mesh_is_refined() -> None:
    """Second order: halving all edges takes three quarters of the error; 1 % extrapolated."""
    coarse, fine = grown(4, 3), grown(8, 6)
    assert -0.13 < coarse < fine < 0
    assert 3.2 < coarse / fine < 4.2
    assert abs((4 * fine - coarse) / 3) < 0.01


@pytest.mark.slow
def test_a_fine_thick_sphere_grows_as_lame_says() -> None:
    """Within 1 % on 73,728 tets: 12 layers, and edges of the octahedron cut in 16."""
    assert abs(grown(16, 12)) < 0.01


def test_the_work_of_the_pressure_is_what_the_tissue_stores() -> None:
    """Integral of p dV = change of elastic energy along a path of equilibria, to 1e-6.

    By Simpson's rule over the frames: p dV = d(p V) - V dp, and the pressures are evenly spaced.
    """
    model = hollow_box()
    found = frames(model, 3e4, 16)
    p, V = (column(found, what) for what in ("chamber_pressure_Pa", "chamber_volume_m3"))
    np.testing.assert_allclose(p, np.linspace(0, 3e4, 17), atol=1e-9)
    simpson = np.array([1, *[4, 2] * 7, 4, 1]) / 3
    work = p[-1] * V[-1] - (p[1] - p[0]) * (simpson @ V)
    energy = stored(model, found[-1].state) - stored(model, found[0].state)
    assert V[-1] > 1.25 * V[0]
    assert work == pytest.approx(energy, rel=1e-6)


def test_sealed_gas_keeps_the_product_of_pressure_and_volume() -> None:
    """Boyle: (p + p0) V is constant while a plate presses the box, and the tissue feels p."""
    model = hollow_box()
    (cavity,) = model.cavities
    sealed = replace(cavity, gas=True, pressure=3e3)
    top = np.flatnonzero(model.mesh.X[:, 2] == model.mesh.X[:, 2].max())
    pressed = model.with_(cavities=(sealed,), pins=(*model.pins, vastus.Pin("plate", top)))
    way = {"plate": [(0, [0, 0, 0]), (1, [0, 0, -0.006])]}
    found = list(simulate(pressed, Newton(), vastus.keyframes(pressed, pins=way, seconds=1, fps=4)))
    p, V = (column(found, what) for what in ("chamber_pressure_Pa", "chamber_volume_m3"))
    amount = (sealed.ambient + 3e3) * enclosed(model.mesh.X, sealed.faces)
    np.testing.assert_allclose((p + sealed.ambient) * V, amount, rtol=1e-12)
    assert p[-1] > p[0] + 5e3
    held = pressed.with_(cavities=(replace(cavity, pressure=float(p[-1])),))
    told = vastus.keyframes(held, pins=way, seconds=1, fps=4)
    again = list(simulate(held, Newton(), told))[-1].state
    np.testing.assert_allclose(again.x, found[-1].state.x, atol=1e-8)


def test_solvers_agree() -> None:
    model = hollow_box()
    exact, near = (frames(model, 4e3, 2, s)[-1].state.x for s in (Newton(), QuasiNewton()))
    assert np.abs(exact - near).max() < 1e-3 * np.ptp(model.mesh.X, axis=0).max()


def test_where_the_model_lies_does_not_matter() -> None:
    """The volume is taken about a point in its midst: 100 m away it has the same derivatives."""
    model = hollow_box()
    (faces, x) = model.cavities[0].faces, model.mesh.X
    assert enclosed(x + 100.0, faces) == pytest.approx(enclosed(x, faces), rel=1e-9)


def piston(pressure: float) -> tuple[Model, float]:
    """A bone on a slider that closes a hollow with soft walls; its area [m^2]."""
    mesh = box((3, 3, 4), (0.03, 0.03, 0.04))
    c = mesh.centroids
    inner = (np.abs(c[:, :2] - 0.015) < 0.005).all(axis=1) & (c[:, 2] > 0.01) & (c[:, 2] < 0.03)
    labels = np.where(c[:, 2] < 0.01, "A", np.where(c[:, 2] > 0.03, "B", "m"))
    labels[inner] = ""
    guide = Slider("guide", ("A", "B"), np.array([0.015, 0.015, 0.035]), np.array([0.0, 0.0, 1.0]))
    model = carve(mesh, labels, gravity=WEIGHTLESS, joints=(guide,))
    boundary = model.mesh.boundary
    walls = boundary[
        (np.abs(model.mesh.X[boundary] - [0.015, 0.015, 0.02]) < [0.0051, 0.0051, 0.0101]).all(
            axis=(1, 2)
        )
    ]
    return model.with_(cavities=(Cavity("bore", walls, pressure),)), 0.01**2


def test_a_bone_feels_the_pressure_on_its_face() -> None:
    """At rest, where the walls push sideways only, its push is the pressure times its area."""
    model, area = piston(5e3)
    problem, at_rest = Problem(model, Reduction()), vastus.state.rest(model)
    q = Configuration(problem, at_rest.x, at_rest.poses)
    forces = problem.no_forces(q)
    (cavities,) = (e for e in problem.energies if isinstance(e, Cavities))
    cavities.add_forces(q, forces)
    push = -forces.nodes[model.bone_of_vertex == model.bone("B")].sum(axis=0)
    np.testing.assert_allclose(push[2], 5e3 * area, rtol=1e-12)
    pushed = frames(model, 5e3)[-1]
    assert pushed.outputs["guide_shift_m"] > 1e-5


def shaken(scheme: str, step: float) -> Frame:
    """Where a hollow box is 2 ms after a pressure has set in at once."""
    model = hollow_box()
    sudden = {"chamber": [(0.0, 3e3), (1.0, 3e3)]}
    told = vastus.keyframes(model, pressures=sudden, seconds=0.002, fps=500)
    return list(simulate(model, Dynamic(scheme=scheme, step=step), told))[-1]


def test_a_step_of_pressure_keeps_the_account_of_energy() -> None:
    """Kinetic and stored energy are the work p (V - V0), to 1e-5 with Newmark's steps."""
    last = shaken("newmark", 2e-4).outputs
    model = hollow_box()
    work = 3e3 * (last["chamber_volume_m3"] - volume(model, vastus.state.rest(model)))
    assert last["energy_kinetic_J"] > 0.1 * work
    assert last["energy_loads_J"] == pytest.approx(work, rel=1e-6)
    assert last["energy_balance_error"] < 1e-5


def test_what_steps_lose_of_a_pressures_work_is_of_second_order() -> None:
    long, short = (shaken("midpoint", step).outputs["energy_lost_J"] for step in (2e-4, 1e-4))
    assert long / short == pytest.approx(4.0, rel=0.1)
