"""Explicit motion: what it keeps, where it is stable, and vibrations against modes and decays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import diags
from scipy.sparse.linalg import eigsh

from builders import WEIGHTLESS, box, pair, solid
from vastus.energies.energy import Stiffness
from vastus.energies.inertia import Masses
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.model import Model
from vastus.modelling.shapes import torus
from vastus.numerics.types import Floats
from vastus.parts import Drive, Pin
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit, ExplicitStepper
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.problem import Problem, Reduction
from vastus.state import State, rest
from vastus.timeloop import simulate


def ring(tets: int = 2000) -> Model:
    return torus(tets, young=1e5).with_(gravity=WEIGHTLESS)


def spun(model: Model, bent: float = 0.1) -> State:
    """A torus that spins by 20 rad/s, flies by 1 m/s and is bent."""
    state, X = rest(model, velocity=(1.0, 0.0, 0.5)), model.mesh.X
    x = X + bent * np.column_stack([0 * X[:, 0], 0 * X[:, 0], X[:, 0] ** 2 / 0.05])
    return replace(state, x=x, v=state.v + np.cross([0.0, 5.0, 20.0], x))


def moved(stepper: ExplicitStepper, state: State, seconds: float) -> list[State]:
    """The state and those after each step of a motion without loads."""
    states = [stepper.begin(state)]
    for time in np.linspace(0, seconds, round(seconds / stepper.dt) + 1)[1:]:
        states.append(stepper.step(states[-1], Inputs.rest(stepper.problem.model, time))[0])
    return states


class Account:
    """Energy [J], momentum [N s] and angular momentum [N m s] of states of one model."""

    def __init__(self, stepper: ExplicitStepper) -> None:
        self._elastic, self._masses = stepper.problem.elastic, stepper.masses

    def energy(self, state: State) -> float:
        F = self._elastic.deformation(state.x)
        kinetic = self._masses.energy(state.v, np.zeros((0, 3, 4)))
        return float(self._elastic.energy(F, np.zeros(len(F))).sum()) + kinetic

    def kept(self, a: State, b: State) -> tuple[float, float]:
        """The changes of momentum and of angular momentum, each relative."""
        m = self._masses.tissue
        P = [m @ s.v for s in (a, b)]
        L = [m @ np.cross(s.x, s.v) for s in (a, b)]
        return _change(*P), _change(*L)


def _change(a: Floats, b: Floats) -> float:
    return float(np.linalg.norm(b - a) / np.linalg.norm(a))


def test_a_torus_in_flight_keeps_energy_and_momenta() -> None:
    """Velocity Verlet at 0.9 of the stable step."""
    model = ring()
    stepper = Explicit().prepare(model)
    states, account = moved(stepper, spun(model, 0.01), 0.15), Account(stepper)
    energies = np.array([account.energy(s) for s in states])
    assert np.abs(energies / energies[0] - 1).max() < 1e-4
    assert max(account.kept(states[0], states[-1])) < 1e-13


def test_the_energy_of_a_strong_vibration_swings_with_the_square_of_the_step() -> None:
    model, swings = ring(1000), []
    for courant in (0.9, 0.45):
        stepper = Explicit(courant=courant).prepare(model)
        states, account = moved(stepper, spun(model), 0.08), Account(stepper)
        energies = np.array([account.energy(s) for s in states])
        swings.append(float(np.abs(energies[-1] / energies[0] - 1)))
    assert swings[0] < 0.02
    assert swings[0] / swings[1] == pytest.approx(4, rel=0.3)


@pytest.mark.parametrize("seconds", [1e-3, 1e-2])
def test_viscosity_takes_energy_and_no_momentum_however_strong(seconds: float) -> None:
    """At the elastic step: explicit damping would need one of a hundredth."""
    model = ring(1000)
    stepper = Explicit(viscosity=seconds).prepare(model)
    states, account = moved(stepper, spun(model), 5 * stepper.dt), Account(stepper)
    energies = np.array([account.energy(s) for s in states])
    assert (np.diff(energies) < 0).all()
    assert energies[-1] < 0.99 * energies[0]
    assert max(account.kept(states[0], states[-1])) < 1e-12


def test_drag_slows_a_body_exponentially() -> None:
    model = ring(1000)
    stepper = Explicit(drag=5.0).prepare(model)
    end = moved(stepper, rest(model, velocity=(1.0, 0.0, 0.0)), 0.1)[-1]
    assert end.v[:, 0] == pytest.approx(np.exp(-0.5), rel=1e-6)


def clamped() -> Model:
    mesh = box((12, 3, 2), (0.12, 0.03, 0.02))
    wall = Pin("wall", np.flatnonzero(mesh.X[:, 0] == 0.0))
    return solid(mesh, (NeoHookean(1e5, 0.3),), gravity=WEIGHTLESS, pins=(wall,))


def modes(model: Model, count: int, *, slow: bool = True) -> tuple[Floats, list[Floats]]:
    """(count,) lowest or highest frequencies [rad/s] of a model at rest, and their modes (n, 3)."""
    problem = Problem(model, Reduction())
    elastic, scatter, free = problem.elastic, problem.scatter, problem.unknowns.free
    F = elastic.deformation(model.mesh.X)
    blocks = scatter.blocks(elastic.tangent(F, np.zeros(len(F))), elastic.B, elastic.volumes)
    stiffness = Stiffness(np.zeros((0, 9, 9)))
    stiffness.add(scatter.row, scatter.column, blocks)
    K = stiffness.matrix(model.mesh.X.size)
    assert K is not None
    K = K[free][:, free]
    M = diags(np.repeat(Masses.of(model).tissue, 3)[free])
    values, vectors = eigsh(K, count, M, **({"sigma": 0.0} if slow else {"which": "LM"}))
    found = []
    for vector in vectors.T:
        mode = np.zeros(model.mesh.X.size)
        mode[free] = vector
        found.append(mode.reshape(-1, 3))
    return np.sqrt(values), found


def frequency(times: Floats, values: Floats) -> float:
    """[rad/s] by the first and last passage through zero."""
    after = np.flatnonzero(values[1:] * values[:-1] < 0)
    crossed = times[after] - values[after] * np.diff(times)[after] / np.diff(values)[after]
    return float(np.pi * (len(crossed) - 1) / (crossed[-1] - crossed[0]))


def vibration(model: Model, mode: Floats, omega: float, solver: Explicit) -> tuple[Floats, Floats]:
    """Times [s] and how far a small vibration is along its mode."""
    stepper = solver.prepare(model)
    weights = stepper.masses.tissue[:, None] * mode
    size = 1e-4 / np.abs(mode).max()
    state = replace(rest(model), x=model.mesh.X + size * mode)
    state = stepper.begin(state)
    times = np.linspace(0, 1.1 * 2 * np.pi / omega, 23)
    along = [float((weights * (state.x - model.mesh.X)).sum())]
    for time in times[1:]:
        state = stepper.step(state, Inputs.rest(model, time))[0]
        along.append(float((weights * (state.x - model.mesh.X)).sum()))
    return times, np.array(along)


def test_the_stable_step_is_that_of_the_fastest_mode() -> None:
    for model in (clamped(), ring(1000)):
        right = 2 / modes(model, 1, slow=False)[0][0]
        assert 0.98 * right < Explicit().prepare(model).stable < 1.0001 * right


def test_a_bar_vibrates_at_the_frequencies_of_its_modes() -> None:
    """The first three, against the generalised eigenproblem of the same stiffness and masses."""
    model = clamped()
    for omega, mode in zip(*modes(model, 3), strict=True):
        times, along = vibration(model, mode, omega, Explicit())
        assert frequency(times, along) == pytest.approx(omega, rel=0.01)


@pytest.mark.parametrize("name", ["explicit", "dynamic"])
def test_a_vibration_decays_as_its_viscosity_says(name: str) -> None:
    """Along a bar without Poisson's effect C = 2 eta K/E: exp(-zeta omega t), eta = tau E/2."""
    mesh = box((16, 1, 1), (0.16, 0.01, 0.01))
    pins = (
        Pin("wall", np.flatnonzero(mesh.X[:, 0] == 0.0)),
        Pin("guide", np.arange(mesh.n_vertices), (False, True, True)),
    )
    model = solid(mesh, (NeoHookean(1e5, 0.0),), gravity=WEIGHTLESS, pins=pins)
    ((omega,), (mode,)) = modes(model, 1)
    tau = 0.1 / omega  # C = tau K, so that zeta = tau omega/2
    period = 2 * np.pi / (omega * np.sqrt(1 - 0.05**2))
    solver = {
        "explicit": Explicit(viscosity=tau),
        "dynamic": Dynamic(Scheme.NEWMARK, period / 100, viscosity=tau),
    }[name]
    stepper = solver.prepare(model)
    state = replace(rest(model), x=model.mesh.X + 1e-5 / np.abs(mode).max() * mode)
    inputs = [Inputs.rest(model, time) for time in (0.0, period)]
    frames = list(simulate(model, solver, inputs, start=state, measured=False))
    weights = stepper.masses.tissue[:, None] * mode
    begun, ended = (float((weights * (f.state.x - mesh.X)).sum()) for f in frames)
    assert ended / begun == pytest.approx(np.exp(-0.05 * omega * period), rel=0.02)


def test_a_run_that_goes_on_from_a_state_is_the_run_that_was_not_interrupted() -> None:
    """To the last bit, with damping, gravity that sets in, and pins that move."""
    model = clamped()
    inputs = [
        replace(
            Inputs.rest(model, time),
            gravity=np.array([0.0, 0.0, -9.81 * min(1.0, 50 * time)]),
            shifts=np.array([[0.0, 0.0, 0.1 * time]]),
        )
        for time in np.linspace(0, 0.04, 5)
    ]
    solver = Explicit(viscosity=1e-3, drag=1.0)
    whole = list(simulate(model, solver, inputs, measured=False))
    for index in (1, 3):
        there = whole[index].state
        stored = replace(there, memory={k: v.copy() for k, v in there.memory.items()})
        rest_of_it = list(
            simulate(model, solver, inputs, start=stored, first=index + 1, measured=False)
        )
        assert np.array_equal(rest_of_it[-1].state.x, whole[-1].state.x)
        assert np.array_equal(rest_of_it[-1].state.v, whole[-1].state.v)


def test_it_moves_as_implicit_steps_do() -> None:
    """A bar that begins to fall, pinned at one end: against short steps of `Dynamic`."""
    model = clamped().with_(gravity=np.array([0.0, 0.0, -9.81]))
    inputs = [Inputs.rest(model, time) for time in (0.0, 0.03)]
    solvers = (Explicit(), Dynamic(Scheme.NEWMARK, 5e-4))
    ends = [list(simulate(model, s, inputs, measured=False))[-1].state for s in solvers]
    fallen = np.abs(ends[0].x - model.mesh.X).max()
    assert fallen > 1e-3
    assert np.abs(ends[1].x - ends[0].x).max() < 0.01 * fallen


def test_what_it_cannot_move_is_refused_in_one_sentence() -> None:
    with pytest.raises(ModelError, match="bone 'B' is free, and explicit motion moves soft"):
        Explicit().prepare(pair())
    held = pair()
    held = held.with_(bones=tuple(replace(bone, drive=Drive.PINNED) for bone in held.bones))
    slow = held.with_(muscles=tuple(replace(m, activation_rise=0.01) for m in held.muscles))
    with pytest.raises(ModelError, match="muscle 'm' has a force-velocity curve or activation"):
        Explicit().prepare(slow)
    with pytest.raises(ModelError, match="no form 'foo'; forms: piola, cauchy"):
        Explicit(form="foo")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="courant is 1; it must be between 0 and 1"):
        Explicit(courant=1.0)
