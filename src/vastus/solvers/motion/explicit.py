"""Explicit finite volumes: elastic forces by what stress pushes through faces, damping implicit.

A step of the stable length is cheap, and there are many (theory, "Finite volumes").
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

import numpy as np

from vastus.contact.barrier import BarrierContact
from vastus.contact.distance import DistanceContact
from vastus.contact.floor import FloorContact
from vastus.energies.elastic import TissueEnergy
from vastus.energies.energy import Energy, Forces, Stiffness
from vastus.energies.finite_volumes.forces import FiniteVolumes, Form
from vastus.energies.inertia import Masses
from vastus.energies.loads import Loads
from vastus.energies.viscosity import viscosities
from vastus.errors import ModelError, SolveError, known
from vastus.inputs import OUTSIDE, Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Moment, Watch
from vastus.numerics.types import Floats
from vastus.solvers.motion.dynamic import inverted, twists_of
from vastus.solvers.motion.stable_step import fastest
from vastus.solvers.motion.verlet import Damping, Moving, kicked
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import Report, State

LOOK = 100  # steps from one look at the tissue's stiffness to the next
SMALLEST = 2.0**-12  # part of a stable step that is still halved, as where contact is stiff
CONTACTS = (DistanceContact, FloorContact)
STABLE = 2.000001  # the product of a stable step and the fastest frequency, and round-off
RESOLVED = 8.0  # times shorter than stable are the steps in contact, whose force is not linear
MODE = "explicit_mode"
AT_ONCE = ("torques", "loads", "gravity", "pressures", "tensions", "shortenings")


@dataclass(frozen=True)
class Explicit:
    """Explicit dynamics of soft bodies, with pinned and scripted bones, by finite volumes.

    Steps are `courant` times the longest stable one. `viscosity` [s] and `drag` [1/s] are those of
    `Dynamic`; they are implicit, to `tolerance` of the velocities, and shorten no step. `form` says
    which stress pushes on which faces; the forces are the same.
    """

    courant: float = 0.9
    viscosity: float = 0.0
    drag: float = 0.0
    form: Form = Form.PIOLA
    tolerance: float = 1e-8
    reduction: Reduction = Reduction()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        if self.form not in list(Form):
            raise known("form", self.form, Form)
        require(0 < self.courant < 1, f"courant is {self.courant:g}; it must be between 0 and 1")
        require(
            0 < self.tolerance < 1, f"tolerance is {self.tolerance:g}; it must be between 0 and 1"
        )
        for name in ("viscosity", "drag"):
            value = getattr(self, name)
            require(0 <= value < np.inf, f"{name} is {value:g}; it must be finite and not negative")
        if self.reduction.bones.young or self.reduction.joint_stiffness is not None:
            raise ModelError("explicit motion needs rigid bones")

    def prepare(self, model: Model) -> ExplicitStepper:
        """Lay out the tets, and find the stable step at rest."""
        return ExplicitStepper(self, Problem(model, self.reduction))


class ExplicitStepper:
    """Explicit dynamics prepared for one model; all that it remembers is in the state."""

    def __init__(self, settings: Explicit, problem: Problem) -> None:
        _refuse(problem)
        model, self.problem, self._courant = problem.model, problem, settings.courant
        self.masses = Masses.of(model)
        self.volumes = FiniteVolumes(model, problem.elastic, Form(settings.form))
        free = np.zeros(model.mesh.X.shape, bool)
        free.reshape(-1)[problem.unknowns.free] = True
        mass = np.where(free, self.masses.tissue[:, None], np.inf)
        eta = self.volumes.viscosity(viscosities(model, settings.viscosity))
        viscous = partial(self.volumes.viscous, eta) if settings.viscosity else None
        self._damping = Damping(mass, viscous, settings.drag, settings.tolerance)
        self.weights = 1 / np.sqrt(mass)
        still = Acting(self, Inputs.rest(model).whole(problem.usual))  # and no contact
        X, poses = model.mesh.X, Inputs.rest(model).poses
        omega, self._mode = fastest(partial(still.tissue, poses=poses), X, self.weights)
        require(omega > 0, "explicit motion needs soft tissue that can move")
        self.stable = 2 / omega  # [s] the longest stable step at rest
        self.dt = LOOK * settings.courant * self.stable

    def begin(self, state: State) -> State:
        """The state with the fastest mode of rest, from which that of any other place is found.

        What acted before the motion is forgotten, so that what acts now does so at once.
        """
        if MODE in state.memory:
            return state
        kept = {name: v for name, v in state.memory.items() if name not in AT_ONCE}
        return replace(state, memory={**kept, MODE: self._mode})

    def step(
        self, state: State, inputs: Inputs, watch: Watch | None = None
    ) -> tuple[State, Report]:
        """The state at `inputs.time`, by as many stable steps as that takes."""
        began = time.perf_counter()
        if objection := self.problem.objection(state):
            raise SolveError(f"no motion from {state.time:.4g} s: {objection}", state)
        with lone_blas():
            state, report = self._stepped(state, inputs)
        if watch is not None:
            here = Configuration(self.problem, state.x, state.poses)
            watch(Moment(report.iterations, 0.0, 0.0, lambda: here))
        return state, replace(report, seconds=time.perf_counter() - began)

    def _stepped(self, state: State, inputs: Inputs) -> tuple[State, Report]:
        span, acting = inputs.time - state.time, self._over(state, inputs)
        now, moving = acting(0.0), Moving(state.x, state.v, state.poses)
        tissue = partial(now.tissue, poses=state.poses)
        omega, mode = fastest(tissue, state.x, self.weights, state.memory.get(MODE))
        usual = span / max(1, ceil(span * omega / (2 * self._courant) - 1e-9))
        f, done, share, steps = -now.gradient(state.x, state.poses), 0.0, 1.0, 0
        while span - done > 1e-9 * usual:
            h = min(share * usual, span - done)
            then = acting((done + h) / span if span - done > 1.000001 * h else 1.0)
            ahead = self._moved(moving, f, then, h)
            stiff = RESOLVED * then.stiff(ahead) if ahead else 0.0
            if ahead is None or h * np.hypot(omega, stiff) > STABLE * self._courant:
                share /= 2
                if share < SMALLEST:
                    raise SolveError(_too_fast(state.time + done), state)
                continue
            moving, now, done, steps = ahead, then, done + h, steps + 1
            f = -now.gradient(moving.x, moving.poses)
            v = kicked(moving, f, self._damping, h)
            moving, share = replace(moving, v=v), min(1.0, 2 * share)
        if not (np.isfinite(moving.x).all() and np.isfinite(moving.v).all()):
            raise SolveError(_too_fast(inputs.time), state)
        reached = self._arrived(state, inputs, moving, mode)
        return reached, self._report(reached, inputs, f, steps)

    def _moved(self, moving: Moving, f: Floats, then: Acting, h: float) -> Moving | None:
        """Half a kick and a drift of h [s]; None where contact does not allow it."""
        x, poses = then.held(moving)
        free = np.isfinite(self._damping.mass)
        moving = replace(moving, v=np.where(free, moving.v, (x - moving.x) / h))
        v = kicked(moving, f, self._damping, h)
        x = np.where(free, moving.x + h * v, x)
        if not then.allows(moving, x):
            return None
        return Moving(x, v, poses)

    def _over(self, state: State, inputs: Inputs) -> Callable[[float], Acting]:
        """What acts at each part of the way from a state to some inputs."""
        first, whole = Inputs.of(state), inputs.whole(self.problem.usual)
        if _same(first, whole):
            constant = Acting(self, whole)
            return lambda _: constant
        return lambda s: Acting(self, first.towards(whole, s) if s < 1.0 else whole, moved=True)

    def _arrived(self, state: State, inputs: Inputs, moving: Moving, mode: Floats) -> State:
        rates = (moving.poses - state.poses) / max(inputs.time - state.time, 1e-300)
        return State(
            inputs.time,
            moving.x,
            moving.v,
            moving.poses,
            twists_of(moving.poses, rates, self.problem.skeleton.centre),
            inputs.excitation,
            {**inputs.outside, MODE: mode},
        )

    def _report(self, state: State, inputs: Inputs, f: Floats, steps: int) -> Report:
        q = Configuration(self.problem, state.x, state.poses)
        energy = Equilibrium(self.problem, inputs).value(q)
        load = float(np.linalg.norm(f))
        sentence = "converged" + inverted(q)
        return Report(True, steps, 0.0, load, energy, substeps=steps, sentence=sentence)


class Acting:
    """What acts on a model at one time: the stresses of muscles, loads, contact, what holds it."""

    def __init__(self, stepper: ExplicitStepper, inputs: Inputs, *, moved: bool = False) -> None:
        self._problem, self._volumes, self._inputs = stepper.problem, stepper.volumes, inputs
        self._driven = inputs if moved else None
        self._tension = stepper.problem.elastic.tension(inputs.excitation)
        self._load = stepper.problem.loads.at(inputs).force
        others = [e for e in stepper.problem.energies if not isinstance(e, TissueEnergy | Loads)]
        others = [energy.at(inputs) for energy in others]
        self._contacts = [e for e in others if isinstance(e, CONTACTS)]
        self._others = [e for e in others if not isinstance(e, CONTACTS)]
        self._weights = stepper.weights.ravel()
        self._seen: Configuration | None = None  # so that contact is found once

    def _placed(self, x: Floats, poses: Floats) -> Configuration:
        if self._seen is None or self._seen.x is not x:
            self._seen = Configuration(self._problem, x, poses)
        return self._seen

    def tissue(self, x: Floats, poses: Floats) -> Floats:
        """(n, 3) the derivative of the energy [N] by the vertices x (n, 3), without contact."""
        g = self._volumes.forces(x, self._tension) - self._load
        return self._added(g, self._others, x, poses)

    def gradient(self, x: Floats, poses: Floats) -> Floats:
        """(n, 3) the derivative of the energy [N] by the vertices x (n, 3)."""
        return self._added(self.tissue(x, poses), self._contacts, x, poses)

    def _added(self, g: Floats, energies: Sequence[Energy], x: Floats, poses: Floats) -> Floats:
        if energies:
            none, coordinates = np.zeros((0, 3)), np.zeros(len(self._problem.coordinates))
            forces = Forces(g, none, np.zeros((0, 3, 3)), none, coordinates)
            for energy in energies:
                energy.add_forces(self._placed(x, poses), forces)
        return g

    def stiff(self, moving: Moving) -> float:
        """A bound [1/s] of the vibrations that contact alone would have, by sums of rows."""
        rows: Floats = np.zeros(len(self._weights))
        for energy in self._contacts:
            stiffness = Stiffness(np.zeros((0, 9, 9)), definite=True)
            energy.add_stiffness(self._placed(moving.x, moving.poses), stiffness)
            for i, j, values in stiffness.entries():
                entries = np.abs(values) * self._weights[i] * self._weights[j]
                rows = rows + np.bincount(i, entries, minlength=len(rows))
        return float(np.sqrt(rows.max(initial=0.0)))

    def held(self, moving: Moving) -> tuple[Floats, Floats]:
        """(n, 3) vertices and (bones, 3, 4) poses with what is driven where it is to be."""
        if self._driven is None:
            return moving.x, moving.poses
        here = State.still(0.0, moving.x, moving.poses, self._driven.excitation)
        q = self._problem.driven(here, self._driven)
        return q.x, q.poses

    def allows(self, moving: Moving, x: Floats) -> bool:
        """Whether vertices may go straight to x (n, 3)."""
        if not self._contacts:
            return True
        q = Configuration(self._problem, moving.x, moving.poses)
        return all(energy.longest(q, x - moving.x) == 1.0 for energy in self._contacts)


def _refuse(problem: Problem) -> None:
    """Refuse a model with what explicit motion cannot move."""
    free = problem.skeleton.free
    if len(free):
        raise ModelError(
            f"bone '{problem.model.bones[free[0]].name}' is free, and explicit motion moves soft "
            "bodies only; pin or script it, or solve with kind: dynamic"
        )
    for muscle in problem.model.muscles:
        if muscle.force_velocity is not None or muscle.delay is not None:
            raise ModelError(
                f"muscle '{muscle.name}' has a force-velocity curve or activation times, which "
                "explicit motion does not know; leave them out, or solve with kind: dynamic"
            )
    if problem.model.contact is not None and problem.model.contact.friction:
        raise ModelError("explicit motion has no friction; solve with kind: dynamic")
    for cable in problem.model.cables:
        if cable.friction:
            raise ModelError(
                f"cable '{cable.name}' has friction, which explicit motion has not; leave it out, "
                "or solve with kind: dynamic"
            )
    if any(isinstance(energy, BarrierContact) for energy in problem.energies):
        raise ModelError(
            "explicit motion has no barrier, only contact of kind 'distance' with bones; give "
            "contact: {muscles: none}, or solve with kind: dynamic"
        )


def _same(a: Inputs, b: Inputs) -> bool:
    """Whether nothing changes between two inputs, of the first of which not all may be known."""
    pairs = [(a.excitation, b.excitation), (a.poses, b.poses)]
    pairs += [(getattr(a, name), getattr(b, name)) for name in OUTSIDE]
    return all(u is None or np.array_equal(u, v, equal_nan=True) for u, v in pairs)


def _too_fast(time: float) -> str:
    return (
        f"no motion beyond {time:.4g} s: steps of the stable length are too long there, as when "
        "contact sets in hard; give a smaller courant, or solve with kind: dynamic"
    )
