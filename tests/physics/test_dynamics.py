"""Motion in time: periods, conservation and decay against closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ellipk

from builders import WEIGHTLESS, box, solid
from vastus.energies.inertia import Masses
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh, together
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import Bone, Drive, Pin, Region, Tissue
from vastus.skeleton.joints import Hinge
from vastus.skeleton.passive import Passive
from vastus.solvers.motion.dynamic import Dynamic, DynamicStepper
from vastus.solvers.motion.integrators import Scheme
from vastus.solvers.newton import Newton
from vastus.state import State, rest
from vastus.timeloop import simulate

LENGTH, WIDTH, START = 0.3, 0.04, np.radians(30.0)  # of a bar [m], and where it is let go [rad]
GRAVITY = 9.81


def pendulum() -> Model:
    """A rigid bar that hangs from a pinned post by a hinge along y, 30 degrees aside."""
    bar = box((6, 2, 2), (LENGTH, WIDTH, WIDTH))
    across = bar.X - np.array([0.0, WIDTH / 2, WIDTH / 2])
    hanging = np.column_stack([across[:, 2], across[:, 1], -across[:, 0]])
    post = box((1, 1, 1), (0.02, 0.02, 0.02))
    mesh = together(
        TetMesh(hanging @ exp_map(np.array([0.0, START, 0.0])).T, bar.T),
        TetMesh(post.X + np.array([-0.01, -0.01, 0.05]), post.T),
    ).oriented()
    return Model(
        mesh,
        np.repeat([0, 1], [bar.n_tets, post.n_tets]),
        (Region("bar", Tissue.BONE), Region("post", Tissue.BONE)),
        np.zeros((mesh.n_tets, 3)),
        bones=(Bone("bar", ("bar",)), Bone("post", ("post",), Drive.PINNED)),
        joints=(Hinge("hinge", ("post", "bar"), np.zeros(3), np.array([0.0, 1.0, 0.0])),),
        gravity=np.array([0.0, 0.0, -GRAVITY]),
    )


def moved(stepper: DynamicStepper, state: State, step: float, count: int) -> list[State]:
    """The state and those after so many steps [s]."""
    states = [stepper.begin(state)]
    for k in range(count):
        at = Inputs.rest(stepper.problem.model, time=(k + 1) * step)
        states.append(stepper.step(states[-1], at)[0])
    return states


def period(scheme: str, step: float) -> float:
    """The period [s] by the times at which the bar passes its lowest place."""
    model = pendulum()
    states = moved(
        Dynamic(Scheme(scheme), step).prepare(model), rest(model), step, round(1.2 / step)
    )
    angles = np.array([np.arctan2(s.poses[0, 0, 2], s.poses[0, 0, 0]) for s in states]) + START
    times = np.array([s.time for s in states])
    after = np.flatnonzero(angles[1:] * angles[:-1] < 0)
    crossed = times[after] - angles[after] * step / (angles[after + 1] - angles[after])
    return 2 * float(np.diff(crossed).mean())


@pytest.mark.slow  # the quick ones know the inertia of a bone, and how a damper slows its turn
@pytest.mark.parametrize(("scheme", "error"), [("bdf2", 2e-4), ("newmark", 5e-5)])
def test_a_pendulum_has_its_period(scheme: str, error: float) -> None:
    """T = 2 T0/pi K(sin^2 (theta/2)), T0 = 2 pi sqrt(I / (m g l)); errors fall with the square."""
    inertia = LENGTH**2 / 3 + WIDTH**2 / 12
    small = 2 * np.pi * np.sqrt(inertia / (GRAVITY * LENGTH / 2))
    right = small * 2 / np.pi * ellipk(np.sin(START / 2) ** 2)
    errors = [period(scheme, step) / right - 1 for step in (5e-3, 2.5e-3)]
    assert abs(errors[1]) < error
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.3)


def test_the_inertia_of_a_bone_is_that_of_its_solid() -> None:
    """tr A' S A'^T / 2 = m (l^2/3 + w^2/12) w^2/2 for a bar that turns about its end."""
    model = pendulum()
    masses = Masses.of(model)
    density = model.regions[0].density
    mass = density * LENGTH * WIDTH**2
    spin = np.zeros((2, 3, 4))
    spin[0, :, :3] = np.cross([0.0, 1.0, 0.0], np.eye(3)).T
    energy = masses.energy(np.zeros_like(model.mesh.X), spin)
    assert energy == pytest.approx(0.5 * mass * (LENGTH**2 / 3 + WIDTH**2 / 12), rel=1e-12)


def ring() -> Model:
    """A weightless soft torus, of square section."""
    bar = box((24, 2, 2), (2 * np.pi, 0.02, 0.02))
    turn, out = bar.X[:, 0], 0.05 + bar.X[:, 1]
    X = np.column_stack([out * np.cos(turn), out * np.sin(turn), bar.X[:, 2]])
    same = np.unique(X.round(9), axis=0, return_index=True, return_inverse=True)
    mesh = TetMesh(X[same[1]], same[2].reshape(-1)[bar.T]).oriented()
    return solid(mesh, (NeoHookean(1e5, 0.4),), gravity=WEIGHTLESS)


def spun(model: Model, bent: float = 0.1) -> State:
    """A ring that spins by 20 rad/s, flies by 1 m/s and is a little bent."""
    state, X = rest(model, velocity=(1.0, 0.0, 0.5)), model.mesh.X
    x = X + bent * np.column_stack([0 * X[:, 0], 0 * X[:, 0], X[:, 0] ** 2 / 0.05])
    return replace(state, x=x, v=state.v + np.cross([0.0, 5.0, 20.0], x))


class Account:
    """Energy [J], momentum [N s] and angular momentum [N m s] of states of one model."""

    def __init__(self, stepper: DynamicStepper) -> None:
        self._problem, self._masses = stepper.problem, stepper.masses
        self._count = 3 * stepper.problem.model.mesh.n_vertices

    def energy(self, state: State) -> float:
        F = self._problem.elastic.deformation(state.x)
        elastic = self._problem.elastic.energy(F, np.zeros(len(F))).sum()
        return float(elastic) + self._masses.energy(state.v, np.zeros((0, 3, 4)))

    def momentum(self, state: State) -> Floats:
        return np.asarray(self._masses.tissue @ state.v)

    def turning(self, state: State) -> Floats:
        return np.asarray(self._masses.tissue @ np.cross(state.x, state.v))


@pytest.mark.parametrize(
    ("scheme", "turning"), [("bdf2", 0.02), ("newmark", 0.01), ("midpoint", 1e-10), ("euler", 0.3)]
)
def test_a_ring_in_flight_keeps_its_momentum(scheme: str, turning: float) -> None:
    """Forces inside cancel; midpoint keeps angular momentum, bdf2 and euler never gain energy."""
    model = ring()
    stepper = Dynamic(Scheme(scheme), 2e-3, tolerance=1e-10).prepare(model)
    states, account = moved(stepper, spun(model), 2e-3, 20), Account(stepper)
    first, last = states[0], states[-1]
    size = np.linalg.norm(account.momentum(first))
    assert np.linalg.norm(account.momentum(last) - account.momentum(first)) < 1e-11 * size
    size = np.linalg.norm(account.turning(first))
    assert np.linalg.norm(account.turning(last) - account.turning(first)) < turning * size
    energies = np.array([account.energy(s) for s in states])
    assert energies.max() < 1.02 * energies[0]
    if scheme in ("bdf2", "euler"):
        assert energies.max() == energies[0]


def test_viscosity_takes_energy_and_no_angular_momentum() -> None:
    model = ring()
    lost = {}
    for seconds in (0.0, 5e-3):
        scheme = Scheme.MIDPOINT
        stepper = Dynamic(scheme, 1e-3, viscosity=seconds, tolerance=1e-11).prepare(model)
        states, account = moved(stepper, spun(model), 1e-3, 20), Account(stepper)
        begun, ended = account.turning(states[0]), account.turning(states[-1])
        assert np.linalg.norm(ended - begun) < 1e-10 * np.linalg.norm(begun)
        lost[seconds] = 1 - account.energy(states[-1]) / account.energy(states[0])
    assert lost[5e-3] > lost[0.0] + 0.01


def test_rayleigh_damping_takes_angular_momentum_and_says_so() -> None:
    """A ring that spins by 20 rad/s loses more than a tenth in 40 ms at 0.1 ms times K."""
    model = ring()
    with pytest.warns(UserWarning, match="takes angular momentum from what turns"):
        stepper = Dynamic(Scheme.MIDPOINT, 2e-3, rayleigh=1e-4).prepare(model)
    states, account = moved(stepper, spun(model), 2e-3, 20), Account(stepper)
    begun, ended = account.turning(states[0]), account.turning(states[-1])
    assert np.linalg.norm(ended - begun) > 0.05 * np.linalg.norm(begun)
    momenta = account.momentum(states[0]), account.momentum(states[-1])
    assert np.linalg.norm(momenta[1] - momenta[0]) < 1e-8 * np.linalg.norm(momenta[0])


@pytest.mark.filterwarnings("ignore:rayleigh")
def test_a_vibration_decays_by_rayleigh_damping() -> None:
    """exp(-beta omega^2 t/2), as the small strains of a bar held across its length do."""
    mesh = box((10, 1, 1), (0.1, 0.01, 0.01))
    pins = (
        Pin("wall", np.flatnonzero(mesh.X[:, 0] == 0.0)),
        Pin("guide", np.arange(mesh.n_vertices), (False, True, True)),
    )
    model = solid(mesh, (NeoHookean(1e5, 0.0),), gravity=WEIGHTLESS, pins=pins)
    ends = {}
    for name in ("viscosity", "rayleigh"):
        solver = Dynamic(Scheme.NEWMARK, 5e-4, **{name: 1e-3})  # type: ignore[arg-type]
        along = 1e-6 * np.sin(np.pi * mesh.X[:, :1] / 0.2)
        start = replace(rest(model), x=mesh.X + along * np.array([1.0, 0.0, 0.0]))
        ends[name] = moved(solver.prepare(model), start, 5e-4, 40)[-1].x - mesh.X
    size = np.abs(ends["viscosity"]).max()
    assert np.abs(ends["viscosity"] - ends["rayleigh"]).max() < 1e-3 * size


def test_drag_slows_a_body_exponentially() -> None:
    """v = v0 exp(-t/tau), without forces."""
    model = ring()
    stepper = Dynamic(Scheme.BDF2, 2e-3, drag=5.0).prepare(model)
    state = moved(stepper, rest(model, velocity=(1.0, 0.0, 0.0)), 2e-3, 50)[-1]
    assert state.v[:, 0] == pytest.approx(np.exp(-0.5), rel=2e-3)


def test_a_held_bar_vibrates_as_long_as_its_wave_takes() -> None:
    """A slender bar clamped at one end, without Poisson's effect: T = 4 l sqrt(rho / E)."""
    mesh = box((40, 1, 1), (0.4, 0.02, 0.02))
    model = solid(
        mesh,
        (NeoHookean(1e5, 0.0),),
        gravity=WEIGHTLESS,
        pins=(
            Pin("wall", np.flatnonzero(mesh.X[:, 0] == mesh.X[:, 0].min())),
            Pin("guide", np.arange(mesh.n_vertices), (False, True, True)),
        ),
    )
    density = model.regions[0].density
    right = 4 * 0.4 * np.sqrt(density / 1e5)
    s = (mesh.X[:, 0] - mesh.X[:, 0].min()) / 0.4
    start = replace(rest(model), v=np.column_stack([1e-3 * np.sin(np.pi * s / 2), 0 * s, 0 * s]))
    step = right / 400
    stepper = Dynamic(Scheme.NEWMARK, step).prepare(model)
    end = int(np.argmax(s))
    x = np.array([state.x[end, 0] for state in moved(stepper, start, step, 420)]) - mesh.X[end, 0]
    back = np.flatnonzero((x[1:] >= 0) & (x[:-1] < 0))[-1]
    assert step * (back + 1) == pytest.approx(right, rel=0.01)


def test_the_midpoint_refuses_free_bones() -> None:
    with pytest.raises(ModelError, match="does not keep free bones rigid"):
        Dynamic(Scheme.MIDPOINT).prepare(pendulum())


def test_an_equilibrium_stays_where_it_is_when_motion_starts_from_it() -> None:
    """Whatever time it was reached at: the schedule of the motion has its own."""
    mesh = box((6, 2, 2), (0.06, 0.02, 0.02))
    wall = Pin("wall", np.flatnonzero(mesh.X[:, 0] == mesh.X[:, 0].min()))
    model = solid(mesh, (NeoHookean(1e5, 0.4),), pins=(wall,))
    still = replace(Newton(1e-11).prepare(model).step(rest(model), Inputs.rest(model))[0], time=7.0)
    inputs = [Inputs.rest(model, time) for time in (0.0, 0.01, 0.02)]
    frames = list(simulate(model, Dynamic(step=5e-3), inputs, start=still, measured=False))
    assert [frame.time for frame in frames] == [0.0, 0.01, 0.02]
    assert np.abs(frames[-1].state.x - still.x).max() < 1e-8
    assert np.abs(frames[-1].state.v).max() < 1e-6


def test_an_unknown_scheme_is_named() -> None:
    with pytest.raises(ModelError, match="no scheme 'foo'; schemes: bdf2, euler"):
        Dynamic(scheme="foo")  # type: ignore[arg-type]


def swung(model: Model, times: Floats, angles: Floats) -> Iterator[State]:
    """The states of a pendulum whose hinge is driven to angles (k,) [rad] at times (k,) [s]."""
    stepper = Dynamic(step=float(times[0])).prepare(model)
    state = stepper.begin(rest(model))
    for time, angle in zip(times.tolist(), angles.tolist(), strict=True):
        inputs = replace(Inputs.rest(model, time), joints=np.array([angle]))
        state = stepper.step(state, inputs)[0]
        yield state


@pytest.mark.parametrize("damping", [0.0, 0.03])
def test_the_reaction_of_a_driven_pendulum_has_its_inertia(damping: float) -> None:
    """M = I q'' + c q' + m g l sin(30 deg + q), for q = -a (1 - cos w t)."""
    model = pendulum()
    joint = replace(model.joints[0], passive=(Passive(damping=damping),))
    model = model.with_(joints=(joint,))
    mass = model.regions[0].density * LENGTH * WIDTH**2
    inertia = mass * (LENGTH**2 / 3 + WIDTH**2 / 12)
    times, w, a = 2e-3 * np.arange(1, 61), 25.0, 0.4
    angles = -a * (1 - np.cos(w * times))
    found = [float(s.memory["reactions"][0]) for s in swung(model, times, angles)]
    heavy = mass * GRAVITY * LENGTH / 2 * np.sin(START + angles)
    right = heavy - a * w * (inertia * w * np.cos(w * times) + damping * np.sin(w * times))
    # The turn enlarges the angle by which the bar hangs aside, which gravity would lessen.
    error = np.abs(np.array(found) - right)[5:]
    assert error.max() < 5e-3 * np.abs(right).max()
    assert np.abs(right - heavy).max() > 2 * np.abs(heavy).max()


def test_a_damper_in_a_hinge_slows_it_exponentially() -> None:
    """Without weight: w = w0 exp(-c t/I)."""
    model = pendulum().with_(gravity=np.zeros(3))
    model = model.with_(joints=(replace(model.joints[0], passive=(Passive(damping=0.5),)),))
    mass = model.regions[0].density * LENGTH * WIDTH**2
    inertia = mass * (LENGTH**2 / 3 + WIDTH**2 / 12)
    start, spin = rest(model), np.array([0.0, 3.0, 0.0])
    centre = Dynamic().prepare(model).problem.skeleton.centre[0]
    start.twists[0] = np.concatenate([spin, np.cross(spin, centre)])
    start.v[:] = np.where((model.bone_of_vertex == 0)[:, None], np.cross(spin, start.x), 0.0)
    last = moved(Dynamic(step=2e-3).prepare(model), start, 2e-3, 40)[-1]
    assert last.twists[0, 1] == pytest.approx(3.0 * np.exp(-0.5 * 0.08 / inertia), rel=2e-3)
