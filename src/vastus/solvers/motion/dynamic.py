"""Motion in time: each step minimises the energy with inertia and damping among its terms."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from vastus.energies.energy import Energy
from vastus.energies.force_velocity import ForceVelocity, Over, paces
from vastus.energies.inertia import Flight, Inertia, Masses
from vastus.energies.joints import JointDamping, dampers
from vastus.energies.rayleigh import Rayleigh
from vastus.energies.viscosity import Viscosity, green, viscosities
from vastus.errors import ModelError, SolveError, known
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.skeleton.bones import image
from vastus.solvers.hessian import Hessian
from vastus.solvers.motion.energy_account import ENERGY, Bookkeeper, Way
from vastus.solvers.motion.integrators import (
    INTEGRATORS,
    Aim,
    Euler,
    Integrator,
    Past,
    Scheme,
    flat,
)
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.solvers.stepping import worst_place
from vastus.state import EXCITATION, RATE, Report, State

SMALLEST = 1.0 / 64.0  # part of a step that is still halved
PARTS = (1.0, 0.5, 0.0)  # of the way that everything would go on, from which a step may start
ONSET = 1e-2  # of a step, in which the acceleration is found that a scheme begins with
ACCELERATION, BEFORE = "motion_acceleration", "motion_before"
RATE_BEFORE, STEP_BEFORE = "motion_rate_before", "motion_step"


@dataclass(frozen=True)
class Dynamic:
    """Implicit dynamics of any model, by Newton's method.

    `step` [s] is the longest that is made; a frame is divided into equal ones. `viscosity` [s],
    times the shear modulus of each tissue, slows changes of shape and no rotation; `drag` [1/s]
    slows everything. `rayleigh` [s], times the stiffness at rest, is for comparison with codes that
    damp so: it takes angular momentum from what turns. A step has converged when the out-of-balance
    forces are below `tolerance` times those that balance, inertia among them.
    """

    scheme: Scheme = Scheme.BDF2
    step: float = 5e-3
    viscosity: float = 0.0
    drag: float = 0.0
    rayleigh: float = 0.0
    tolerance: float = 1e-8
    max_iterations: int = 100
    reduction: Reduction = Reduction()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        if self.scheme not in list(Scheme):
            raise known("scheme", self.scheme, Scheme)
        for name in ("step", "tolerance"):
            value = getattr(self, name)
            require(0 < value < np.inf, f"{name} is {value:g}; it must be finite and above 0")
        for name in ("viscosity", "drag", "rayleigh"):
            value = getattr(self, name)
            require(0 <= value < np.inf, f"{name} is {value:g}; it must be finite and not negative")
        if self.reduction.bones.young or self.reduction.joint_stiffness is not None:
            raise ModelError("motion in time needs rigid bones with exact joints")

    def prepare(self, model: Model) -> DynamicStepper:
        """Analyse the model once."""
        if self.rayleigh:
            warnings.warn(
                f"rayleigh is {self.rayleigh:g}: damping by the stiffness at rest takes angular "
                "momentum from what turns; viscosity does not",
                stacklevel=2,
            )
        return DynamicStepper(self, Problem(model, self.reduction))


@dataclass(frozen=True, eq=False)
class Solved:
    """The minimum that a step came to, and what was minimised."""

    outcome: Outcome[Configuration]
    objective: NewtonObjective


class DynamicStepper:
    """Dynamics prepared for one model; all that it remembers is in the state."""

    def __init__(self, settings: Dynamic, problem: Problem) -> None:
        self.problem, self.dt = problem, settings.step
        self.masses = Masses.of(problem.model)
        self.settings, self.hessian = settings, Hessian(problem)
        self._scheme = INTEGRATORS[Scheme(settings.scheme)]
        self.eta = viscosities(problem.model, settings.viscosity)
        self._rule = Rule(settings.tolerance, settings.max_iterations)
        self._books = Bookkeeper(problem, self.masses, self.eta, settings.drag)
        self._damped = bool(dampers(problem.model).any())
        muscles = enumerate(problem.model.muscles)
        self._delays = {i: muscle.delay for i, muscle in muscles if muscle.delay}
        if self._scheme.stage < 1 and len(problem.skeleton.free):
            raise ModelError("the midpoint scheme does not keep free bones rigid; take bdf2")

    def begin(self, state: State) -> State:
        """The state with the rates of its bones' poses, as their twists say, and its account."""
        if RATE in state.memory and ENERGY in state.memory:
            return state
        rates = pose_rates(state, self.problem.skeleton.centre)
        opened = {RATE: flat(state.v, rates), ENERGY: self._books.opened(state, rates).values}
        return replace(state, memory={**opened, **state.memory})

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs.time`; where one step fails, two of half the length are made."""
        began, effort = time.perf_counter(), self.hessian.effort
        effort.iterations, effort.projected, effort.share = 0, 0, 1.0
        if objection := self.problem.objection(state):
            raise SolveError(f"no motion from {state.time:.4g} s: {objection}", state)
        usual, done, share, substeps = self.problem.usual, 0.0, 1.0, 0
        first, whole = Inputs.of(state).whole(usual), inputs.whole(usual)
        if self._delays:
            # What a state that is no motion's was told is not known: the same, all along.
            told = state.memory.get(EXCITATION, whole.excitation)
            first = replace(first, excitation=told)
            state = replace(state, memory={**state.memory, EXCITATION: told})
        if self._scheme.accelerated and ACCELERATION not in state.memory:
            state = self._accelerated(state, replace(whole, excitation=state.activation))
        while done < 1.0:
            share = min(share, 1.0 - done)
            ahead = first.towards(whole, done + share) if done + share < 1.0 else whole
            solved, failure = self._attempt(state, self._activated(state, ahead), watch)
            if solved is None:
                if share <= SMALLEST:
                    raise SolveError(f"no motion to {ahead.time:.4g} s: {failure}", state)
                share /= 2
                continue
            outcome = solved.outcome
            if outcome.stopped:
                break
            done, substeps = done + share, substeps + 1
            state = self._arrived(state, solved, ahead if done < 1.0 else inputs)
        return state, Report(
            converged=outcome.converged,
            iterations=effort.iterations,
            residual=outcome.history[-1],
            load=outcome.load,
            energy=outcome.value,
            substeps=substeps,
            projected=effort.projected,
            seconds=time.perf_counter() - began,
            history=outcome.history,
            sentence=outcome.sentence + inverted(outcome.point),
        )

    def _activated(self, state: State, inputs: Inputs) -> Inputs:
        """The inputs with the activations that muscles have by then, in place of excitations."""
        if not self._delays:
            return inputs
        levels, seconds = inputs.excitation.copy(), inputs.time - state.time
        for muscle, delay in self._delays.items():
            levels[muscle] = delay.after(
                float(state.activation[muscle]),
                float(state.excitation[muscle]),
                float(inputs.excitation[muscle]),
                seconds,
            )
        return replace(inputs, excitation=levels)

    def _attempt(
        self, state: State, ahead: Inputs, watch: Watch | None
    ) -> tuple[Solved | None, str]:
        """A step from a state to some inputs, and why it failed if it did."""
        try:
            solved = self._solve(self._scheme, state, ahead, watch)
        except SolveError as error:
            return None, str(error)
        outcome = solved.outcome
        if outcome.converged or outcome.stopped:
            return solved, ""
        return None, f"{outcome.sentence}; {worst_place(outcome)}"

    def _solve(
        self, scheme: Integrator, state: State, ahead: Inputs, watch: Watch | None
    ) -> Solved:
        h = ahead.time - state.time
        if scheme.stage < 1.0:
            ahead = Inputs.of(state).whole(self.problem.usual).towards(ahead, scheme.stage)
        objective = self._objective(scheme, state, ahead, h)
        start = self._start(objective, state, ahead, scheme.stage * h)
        with lone_blas():
            return Solved(minimise(objective, start, self._rule, watch), objective)

    def _objective(
        self, scheme: Integrator, state: State, ahead: Inputs, h: float
    ) -> NewtonObjective:
        aim = scheme.aim(self._past(state), h)
        own = (*self._terms(aim, state), *self._fibres(aim, state, scheme.stage * h))
        further = (*own, *self.problem.during(state))
        return NewtonObjective(self.problem, ahead, self.hessian, further)

    def objective(self, state: State, ahead: Inputs) -> NewtonObjective:
        """What a whole step from a state to some inputs minimises."""
        return self._objective(self._scheme, state, ahead, ahead.time - state.time)

    def before(self, state: State) -> Floats | None:
        """(n, 3) the vertices [m] one step before a state, if that is known."""
        return self._split(state.memory[BEFORE])[0] if BEFORE in state.memory else None

    def aim(self, state: State, h: float) -> Aim:
        """What a step of h [s] from a state aims at."""
        return self._scheme.aim(self._past(state), h)

    def _start(
        self, objective: NewtonObjective, state: State, ahead: Inputs, seconds: float
    ) -> Configuration:
        """Where everything would be if it went on as it moves, or a part of that: the best of them.

        Tissue that stayed behind while bones are driven on would be torn: from there Newton's
        method takes three times as many iterations. What went on into a body that it is about to
        touch would be deep in it, and needs as many to come out again.
        """
        old = Configuration(self.problem, state.x, state.poses)
        gone = (self._gone_on(state, part * seconds) for part in PARTS)
        starts = [self.problem.driven(moved, ahead) for moved in gone]
        free = [start for start in starts if objective.allowed(old, start.x - state.x) == 1.0]
        return min(free or starts[-1:], key=lambda q: np.nan_to_num(objective.value(q), nan=np.inf))

    def _gone_on(self, state: State, seconds: float) -> State:
        """The state after so many seconds in which nothing changes its velocity."""
        poses = state.poses.copy()
        for bone in self.problem.skeleton.free:
            w, v = np.split(state.twists[bone], 2)
            centre = self.problem.skeleton.centre[bone]
            turned = exp_map(seconds * w) @ poses[bone, :, :3]
            place = image(poses[bone], centre) + seconds * v
            poses[bone] = np.column_stack([turned, place - turned @ centre])
        return replace(state, x=state.x + seconds * state.v, poses=poses)

    def _accelerated(self, state: State, inputs: Inputs) -> State:
        """The state with the acceleration that it has, found in a very short step."""
        h, scheme = ONSET * self.dt, Euler()
        moved = replace(inputs, time=state.time + h, poses=state.poses)
        q = self._solve(scheme, state, moved, None).outcome.point
        aim = scheme.aim(self._past(state), h)
        acceleration = aim.scale * (flat(q.x, q.poses) - aim.target)
        return replace(state, memory={**state.memory, ACCELERATION: acceleration})

    def _terms(self, aim: Aim, state: State) -> Iterator[Energy]:
        """Inertia, and what dampens."""
        yield self._inertia(aim.scale, aim.target)
        if self.settings.drag:
            yield self._inertia(self.settings.drag * aim.slope, aim.zero)
        if self._damped:
            coordinates, (now, then) = self.problem.coordinates, aim.strain_weights
            zero = now * coordinates.values(state.poses)
            if then:
                zero = zero + then * coordinates.values(self._split(state.memory[BEFORE])[1])
            yield JointDamping(self.problem.model, aim.strain_slope, zero)
        if self.settings.rayleigh:
            elastic, beta = self.problem.elastic, self.settings.rayleigh
            F = elastic.deformation(self._split(aim.zero)[0])
            yield Rayleigh(elastic, self.problem.scatter, beta, aim.slope, F)
        if self.settings.viscosity:
            elastic, (now, then) = self.problem.elastic, aim.strain_weights
            strain = now * green(elastic.deformation(state.x))
            if then:
                before = self._split(state.memory[BEFORE])[0]
                strain = strain + then * green(elastic.deformation(before))
            yield Viscosity(elastic, self.problem.scatter, self.eta, strain, aim.strain_slope)

    def _fibres(self, aim: Aim, state: State, ahead: float) -> Iterator[Energy]:
        """What the velocity of fibres does, for a step whose minimum lies `ahead` [s]."""
        if not any(head.velocity for head in self.problem.bellies.heads):
            return
        over = Over(aim.strain_slope, aim.strain_weights, ahead)
        F, rate = (self.problem.elastic.deformation(u) for u in (state.x, state.v))
        before = None
        if aim.strain_weights[1]:
            before = self.problem.elastic.deformation(self._split(state.memory[BEFORE])[0])
        yield ForceVelocity(paces(self.problem.bellies.heads, over, F, rate, before))

    def _inertia(self, scale: float, target: Floats) -> Inertia:
        x, poses = self._split(target)
        skeleton = self.problem.skeleton
        return Inertia(
            self.masses, Flight(x, poses, scale), skeleton.free.tolist(), skeleton.centre
        )

    def _split(self, u: Floats) -> tuple[Floats, Floats]:
        """(n, 3) vertices and (bones, 3, 4) poses of one row."""
        size = 3 * self.problem.model.mesh.n_vertices
        return u[:size].reshape(-1, 3), u[size:].reshape(-1, 3, 4)

    def _past(self, state: State) -> Past:
        """What the scheme must know of a state."""
        memory, scheme = state.memory, self._scheme
        return Past(
            flat(state.x, state.poses),
            memory[RATE],
            memory.get(ACCELERATION) if scheme.accelerated else None,
            memory.get(BEFORE),
            memory.get(RATE_BEFORE),
            float(memory[STEP_BEFORE][0]) if STEP_BEFORE in memory else 0.0,
        )

    def _arrived(self, state: State, solved: Solved, inputs: Inputs) -> State:
        """The state after a step."""
        q = solved.outcome.point
        now = self._scheme.arrived(self._past(state), inputs.time - state.time, flat(q.x, q.poses))
        x, poses = self._split(now.u)
        v, rates = self._split(now.rate)
        kept = {
            RATE: now.rate,
            ACCELERATION: now.acceleration,
            BEFORE: now.u_before,
            RATE_BEFORE: now.rate_before,
            STEP_BEFORE: np.array([now.step_before]) if now.step_before else None,
        }
        if self._delays:
            kept[EXCITATION] = inputs.excitation
        memory = {name: value for name, value in kept.items() if value is not None}
        active = self._activated(state, inputs)
        told = q.state(active, solved.objective).memory  # with the reactions of driven joints
        twists = twists_of(poses, rates, self.problem.skeleton.centre)
        reached = State(inputs.time, x, v, poses, twists, active.excitation, {**told, **memory})
        way = Way(state, reached, rates, q, solved.objective, active, self._scheme.stage)
        return replace(reached, memory={**reached.memory, **self._books.after(way)})


def pose_rates(state: State, centres: Floats) -> Floats:
    """(bones, 3, 4) the rates of poses whose bones have the state's twists."""
    A, (w, v) = state.poses[:, :, :3], np.split(state.twists, 2, axis=1)
    linear = np.cross(w[:, None, :], A.transpose(0, 2, 1)).transpose(0, 2, 1)
    shift = v - np.einsum("bij,bj->bi", linear, centres)
    return np.concatenate([linear, shift[:, :, None]], axis=2)


def twists_of(poses: Floats, rates: Floats, centres: Floats) -> Floats:
    """(bones, 6) angular velocities [rad/s] and those of centres [m/s] of poses with rates."""
    W = rates[:, :, :3] @ poses[:, :, :3].transpose(0, 2, 1)
    W = 0.5 * (W - W.transpose(0, 2, 1))
    w = np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)
    v = np.einsum("bij,bj->bi", rates[:, :, :3], centres) + rates[:, :, 3]
    return np.concatenate([w, v], axis=1)


def inverted(q: Configuration) -> str:
    """What is said of tets inside out."""
    count = int((np.linalg.det(q.F) <= 0).sum()) if len(q.F) else 0
    return f"; {count} tets are inverted" if count > 1 else "; 1 tet is inverted" * count
