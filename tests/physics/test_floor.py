"""A floor: nothing passes it, what lies on it has its weight, and what falls on it bounces."""

from __future__ import annotations

import numpy as np
import pytest

from builders import box, pair, solid
from vastus.contact.floor import FloorContact
from vastus.energies.energy import Forces
from vastus.energies.inertia import Masses
from vastus.errors import SolveError
from vastus.files.model_file import load_model, save_model
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.model import Model
from vastus.modelling.shapes import torus
from vastus.numerics.minimise import largest_part
from vastus.parts import Floor
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import State, rest
from vastus.timeloop import Solver, simulate


def test_a_block_at_rest_on_a_floor_presses_with_its_weight() -> None:
    """Statics: the sum of the floor's pushes against gravity, and no vertex below."""
    mesh = box((3, 3, 2), (0.03, 0.03, 0.02))
    gravity = np.array([0.0, 0.0, -9.81])
    model = solid(mesh, (NeoHookean(2e4, 0.3),), gravity=gravity)
    model = model.with_(floor=Floor(point=(0.0, 0.0, -5e-4)))
    state, _ = Newton(1e-10).prepare(model).step(rest(model), Inputs.rest(model))
    problem = Problem(model, Reduction())
    floor = next(e for e in problem.energies if isinstance(e, FloorContact))
    assert floor.heights(state.x).min() > 0
    none = np.zeros((0, 3))
    total = Forces(np.zeros_like(state.x), none, np.zeros((0, 3, 3)), none, np.zeros(0))
    floor.add_forces(Configuration(problem, state.x, state.poses), total)
    weight = 1060.0 * 0.03 * 0.03 * 0.02 * 9.81
    assert -total.nodes.sum(axis=0)[2] == pytest.approx(weight, rel=1e-6)


def test_a_step_that_bends_is_cut_short_of_the_floor_and_not_to_nothing() -> None:
    """A turning bone's vertices sink more in a part of a step than that part of what all does."""
    model = solid(box((1, 1, 1), (0.03, 0.03, 0.03)), (NeoHookean(2e4, 0.3),))
    floor = FloorContact(model, Floor(point=(0.0, 0.0, -1e-3)))
    q = Configuration(Problem(model, Reduction()), model.mesh.X, rest(model).poses)

    def sunk(part: float) -> float:
        return 1e-3 * part * (1 + 3 * (1 - part))

    def allowed(part: float) -> float:
        return floor.longest(q, np.tile([0.0, 0.0, -sunk(part)], (len(q.x), 1)))

    assert 0.85e-3 < sunk(largest_part(allowed)) < 1e-3


def dropped(height: float = 0.05, tets: int = 1000) -> Model:
    """A torus above a floor, tilted so that one side lands first."""
    return torus(tets, height=height, tilt=20.0).with_(floor=Floor())


class Fall:
    """The motion of a torus that falls on a floor."""

    def __init__(self, model: Model, solver: Solver, seconds: float, count: int) -> None:
        inputs = [Inputs.rest(model, t) for t in np.linspace(0, seconds, count + 1)]
        start = rest(model, velocity=(0.0, 0.0, -0.8))
        frames = list(simulate(model, solver, inputs, start=start, measured=False))
        self.states = [frame.state for frame in frames]
        problem = Problem(model, Reduction())
        floor = next(e for e in problem.energies if isinstance(e, FloorContact))
        objective = Equilibrium(problem, Inputs.rest(model))
        masses = Masses.of(model)
        self.lowest = min(float(floor.heights(s.x).min()) for s in self.states)
        self.gap = floor.gap
        m = masses.tissue / masses.tissue.sum()
        self.heights = np.array([float(m @ s.x[:, 2]) for s in self.states])
        above = 9.81 * float(masses.tissue @ model.mesh.X[:, 2])  # [J] of the start over the floor
        energies = [self._energy(problem, objective, masses, s) for s in self.states]
        self.energies = np.array(energies) + above

    @staticmethod
    def _energy(problem, objective, masses, state: State) -> float:  # type: ignore[no-untyped-def]
        q = Configuration(problem, state.x, state.poses)
        return objective.value(q) + masses.energy(state.v, np.zeros((0, 3, 4)))

    @property
    def rebound(self) -> float:
        """The first maximum of the height [m] after the first minimum."""
        low = int(np.flatnonzero(np.diff(self.heights) > 0)[0])
        return float(self.heights[low:].max())


SHORT = {"explicit": Explicit(), "dynamic": Dynamic(step=2e-3)}


@pytest.mark.parametrize("name", SHORT)
def test_a_torus_bounces_and_never_gains_energy(name: str) -> None:
    model = dropped(0.04)
    fall = Fall(model, SHORT[name], 0.06, 30)
    assert 0 < fall.lowest < fall.gap
    assert fall.energies.max() < 1.001 * fall.energies[0]
    assert fall.heights[-1] > fall.heights.min() + 2e-3


@pytest.mark.slow
def test_the_rebound_of_a_torus_converges_with_the_step() -> None:
    """Implicit steps of 2, 1 and 0.5 ms come nearer to explicit ones."""
    model = dropped(0.05)
    right = Fall(model, Explicit(), 0.14, 140)
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        fall = Fall(model, Dynamic(step=step), 0.14, 70)
        assert fall.lowest > 0
        assert fall.energies.max() < fall.energies[0] * (1 + 1e-3)
        errors.append(abs(fall.rebound - right.rebound))
    assert errors[0] > errors[1] > errors[2]


def test_a_free_bone_falls_on_a_floor_too() -> None:
    model = pair().with_(floor=Floor(point=(0.0, 0.0, -0.01)))
    inputs = [Inputs.rest(model, t) for t in (0.0, 0.1)]
    end = list(simulate(model, Dynamic(step=5e-3), inputs, measured=False))[-1].state
    bone = model.bone_of_vertex == model.bone("B")
    assert -0.01 < end.x[bone, 2].min() < -0.008


def test_what_lies_below_a_floor_is_named() -> None:
    model = dropped(0.0)
    for solver in (Newton(), Dynamic(), Explicit()):
        with pytest.raises(SolveError, match=r"'torus' lies .* mm below the floor"):
            list(simulate(model, solver, [Inputs.rest(model, 1e-3)], measured=False))


def test_a_floor_is_kept_in_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    floor = Floor((0.0, 0.1, 0.2), (0.0, 1.0, 1.0), gap=2e-3)
    save_model(tmp_path / "model.npz", pair().with_(floor=floor))
    assert load_model(tmp_path / "model.npz").floor == floor
