"""Derivatives of a motion: how its end follows parameters, by the discrete adjoint of its steps.

Each step ends where g(q, history, p) = 0, so that one pass backward through the steps, with one
solve for each, tells what an output of the end owes to all parameters, at every step by itself
(theory, eq. 111). What is differentiated are the steps that were made, not the motion that they
approximate: derivatives are those of the numbers that a run gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from vastus.energies.joints import dampers
from vastus.energies.viscosity import Viscosity, viscosities
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs, Schedule
from vastus.model import Model
from vastus.numerics.jit import lone_blas
from vastus.numerics.types import Floats
from vastus.sensitivity.columns import Columns
from vastus.sensitivity.equilibrium import StableEquilibrium, require_frictionless
from vastus.sensitivity.laws import beside
from vastus.sensitivity.parameters.law_parameter import LawParameter
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.paths import parameters_of
from vastus.sensitivity.parameters.prescribed import BonePose, JointCoordinate, PinShift
from vastus.sensitivity.parameters.rest_shape import RestShape
from vastus.sensitivity.slopes import slope_of
from vastus.sensitivity.variants import Variants
from vastus.solvers.motion.dynamic import Dynamic, DynamicStepper
from vastus.solvers.motion.integrators import Aim, Scheme
from vastus.state import State, rest

EXACT = 1e-11  # what steps are solved to: their error is that of the derivatives
SCHEMES = (Scheme.EULER, Scheme.BDF2)


@dataclass(frozen=True, eq=False)
class MotionDerivatives:
    """How outputs at the end of a motion follow parameters, and each step by itself.

    A parameter of the inputs is shifted by as much in all steps; `over_time` (o, p, steps) has what
    one step has to do with it, so that `J` (o, p) is its sum, but for what outputs owe directly.
    """

    J: Floats
    over_time: Floats
    of: tuple[str, ...]
    by: tuple[str, ...]
    outputs: dict[str, float]
    times: Floats  # (steps,) [s] at which steps end
    state: State

    def __getitem__(self, names: tuple[str, str]) -> float:
        """The derivative of an output by a parameter."""
        return float(self.J[self.of.index(names[0]), self.by.index(names[1])])


def motion_derivatives(
    model: Model,
    solver: Dynamic,
    inputs: Sequence[Inputs],
    *,
    by: Sequence[str | Parameter],
    of: Sequence[str],
    start: State | None = None,
) -> MotionDerivatives:
    """The derivatives of outputs at the end of a motion by parameters, from one pass backward.

    The motion begins at `start`, at rest unless given, which does not depend on parameters, and
    goes through the times of the `inputs`. `of` are joint angles, muscle lengths, stretches and
    forces, and places of vertices.
    """
    schedule = Schedule(inputs)
    _require(model, solver)
    stepper = replace(solver, tolerance=min(solver.tolerance, EXACT)).prepare(model)
    steps = list(_steps(stepper, schedule, start or rest(model)))
    if not steps:
        raise ModelError("the inputs have one time only, so that nothing moves")
    end = steps[-1]
    parameters = parameters_of(by, model, end.inputs)
    for parameter in parameters:
        _require_able(parameter)
    direct = Columns(end, list(of))
    J, over_time = np.zeros((len(of), len(parameters))), []
    for row, output in enumerate(of):
        shares = _Backward(stepper, steps, parameters).of(output)
        over_time.append(shares)
        J[row] = shares.sum(axis=1)
    still = np.zeros(end.q.chart.size + len(end.problem.unknowns.free))
    for column, parameter in enumerate(parameters):
        J[:, column] += direct.along(parameter, still)
    return MotionDerivatives(
        J,
        np.array(over_time),
        tuple(of),
        tuple(p.path for p in parameters),
        {name: direct.values[name] for name in of},
        np.array([step.state.time for step in steps]),
        end.state,
    )


class MotionStep(StableEquilibrium):
    """A step that was made: where it ended, what it minimised, and the states before it."""

    def __init__(
        self, stepper: DynamicStepper, before: State, after: State, inputs: Inputs
    ) -> None:
        self.problem, self.hessian = stepper.problem, stepper.hessian
        self.model, self.before, self.state = self.problem.model, before, after
        self.variants = Variants()
        self.inputs = inputs.whole(self.problem.usual)
        self.h = after.time - before.time
        self.aim: Aim = stepper.aim(before, self.h)
        self.objective = stepper.objective(before, self.inputs)
        self.q = self.problem.driven(after, self.inputs)

    def factored(self) -> None:
        """Factor the true Hessian of what the step minimised; the last one to be so can solve."""
        linear = self.hessian.true(self.objective, self.q)
        if linear is None:
            raise SolveError(
                f"the step to {self.state.time:.4g} s ended at no minimum, so that it has no "
                "derivatives; give a shorter step",
                self.state,
            )
        self.linear = linear


class Everything(NamedTuple):
    """What belongs to all that moves: places of vertices, and poses of the free bones."""

    nodes: Floats  # (n, 3)
    turns: Floats  # (f, 3, 3) the linear parts
    shifts: Floats  # (f, 3) the places of centres

    def plus(self, factor: float, other: Everything) -> Everything:
        """This and some of another."""
        return Everything(*(a + factor * b for a, b in zip(self, other, strict=True)))


@dataclass(eq=False)
class _Owed:
    """What the output owes to where a step ended, and to its rates."""

    places: Everything
    rates: Everything


@dataclass(eq=False)
class _Backward:
    """The pass through the steps from the last to the first."""

    stepper: DynamicStepper
    steps: list[MotionStep]
    parameters: Sequence[Parameter]
    moments: Floats = field(init=False)

    def __post_init__(self) -> None:
        skeleton = self.stepper.problem.skeleton
        self.moments = self.stepper.masses.about(skeleton.free, skeleton.centre)

    def of(self, output: str) -> Floats:
        """(p, steps) what an output of the end owes to each parameter in each step."""
        shares = np.zeros((len(self.parameters), len(self.steps)))
        owed = [_Owed(self._none(), self._none()) for _ in range(len(self.steps) + 2)]
        # The last two stand for what was before the first step, and is given.
        for k in range(len(self.steps) - 1, -1, -1):
            here, mine = self.steps[k], owed[k]
            here.factored()
            places = mine.places.plus(here.aim.slope, mine.rates)
            g = self._gathered(here, places)
            if k == len(self.steps) - 1:
                slope = slope_of(here, output)
                g += here.reduced(slope.nodes)
                g[: here.q.chart.size] += slope.bones
            adjoint = here.solve(g)
            for row, parameter in enumerate(self.parameters):
                shares[row, k] = -float(adjoint @ self._pull(here, parameter))
            self._hand_on(here, mine.rates, adjoint, owed[k - 1], owed[k - 2])
        return shares

    def _hand_on(
        self, here: MotionStep, rates: Everything, adjoint: Floats, last: _Owed, other: _Owed
    ) -> None:
        """Add what the step owes to the two before it: target, zero and strain come from there."""
        aim, h, spread = here.aim, here.h, self._spread(here, adjoint)
        heavy = self._heavy(spread)
        to_target = self._none().plus(aim.scale, heavy)
        to_zero = self._none().plus(-aim.slope, rates)
        to_zero = to_zero.plus(self.stepper.settings.drag * aim.slope, heavy)
        # Of both schemes zero = w1 u1 + w2 u2, and target = zero + h/c0 (w1 r1 + w2 r2).
        c0 = aim.slope * h
        for owed, weight in zip((last, other), aim.strain_weights, strict=True):
            if weight:
                owed.places = owed.places.plus(weight, to_target).plus(weight, to_zero)
                owed.rates = owed.rates.plus(weight * h / c0, to_target)
        if self.stepper.settings.viscosity:
            self._hand_on_strain(here, spread, last, other)

    def _hand_on_strain(
        self, here: MotionStep, spread: Everything, last: _Owed, other: _Owed
    ) -> None:
        """The same of the strains from which viscosity is felt."""
        elastic, aim = here.problem.elastic, here.aim
        L = np.swapaxes(here.q.F, 1, 2) @ elastic.deformation(spread.nodes)
        stiff = 2.0 * aim.strain_slope * self.stepper.eta
        strain = stiff[:, None, None] * 0.5 * (L + np.swapaxes(L, 1, 2))
        places = (here.before.x, self.stepper.before(here.before))
        for owed, weight, x in zip((last, other), aim.strain_weights, places, strict=True):
            if weight and x is not None:
                pulled = here.tissue.gather(weight * elastic.deformation(x) @ strain)
                owed.places = owed.places._replace(nodes=owed.places.nodes + pulled)

    def _pull(self, here: MotionStep, parameter: Parameter) -> Floats:
        """(k + f,) g_p of the step, viscosity included, which goes by the stiffness of laws."""
        pull = parameter.pull(here)
        seconds = self.stepper.settings.viscosity
        if seconds and isinstance(parameter, LawParameter):
            h = parameter.step(here.model, here.inputs)
            eta = np.sum([w * viscosities(m, seconds) for w, m in beside(here, parameter, h)],
                         axis=0)  # fmt: skip
            for energy in here.objective.energies:
                if isinstance(energy, Viscosity):
                    forces = here.problem.no_forces(here.q)
                    energy.with_viscosities(eta, here.aim.strain_slope).add_forces(here.q, forces)
                    pull = pull + here.reduced_forces(forces)
        return pull

    def _none(self) -> Everything:
        forces = self.stepper.problem.no_forces(self.steps[0].q)
        return Everything(forces.nodes, forces.turns, forces.shifts)

    def _gathered(self, here: MotionStep, owed: Everything) -> Floats:
        """(k + f,) by the unknowns of a step."""
        forces = here.problem.no_forces(here.q)
        forces.nodes[...], forces.turns[...], forces.shifts[...] = owed
        return here.reduced_forces(forces)

    def _spread(self, here: MotionStep, along: Floats) -> Everything:
        """How everything moves as the unknowns do (k + f,)."""
        k, unknowns, out = here.q.chart.size, here.problem.unknowns, self._none()
        out.nodes.reshape(-1)[unknowns.free] = along[k:]
        if k:
            carried = np.arange(len(unknowns.carried))
            out.nodes[unknowns.carried] = (here.q.chart.push(carried) @ along[:k]).reshape(-1, 3)
            out.turns[...] = (here.q.chart.strain() @ along[:k]).reshape(-1, 3, 3)
            out.shifts[...] = (here.q.chart.shift() @ along[:k]).reshape(-1, 3)
        return out

    def _heavy(self, moved: Everything) -> Everything:
        """Its product with the masses."""
        bones = np.concatenate([moved.turns, moved.shifts[:, :, None]], axis=2) @ self.moments
        nodes = self.stepper.masses.tissue[:, None] * moved.nodes
        return Everything(nodes, bones[:, :, :3], bones[:, :, 3])


def _steps(stepper: DynamicStepper, schedule: Schedule, state: State) -> Iterator[MotionStep]:
    """The steps of a motion, frames divided as a run divides them."""
    times = schedule.times
    state = stepper.begin(replace(state, time=times[0]) if state.time > times[0] else state)
    for due in times:
        while state.time < due - 1e-9 * stepper.dt:
            left = max(1, ceil((due - state.time) / stepper.dt - 1e-6))
            time = due if left == 1 else state.time + (due - state.time) / left
            ahead = schedule.inputs(time)
            with lone_blas():
                after, report = stepper.step(state, ahead)
            if report.substeps != 1:
                raise SolveError(
                    f"the step to {time:.4g} s had to be divided, which has no derivatives; give "
                    f"a step shorter than {stepper.dt:g} s",
                    state,
                )
            yield MotionStep(stepper, state, after, ahead)
            state = after


def _require(model: Model, solver: Dynamic) -> None:
    """Refuse what makes a step depend on the past by more than places, rates and strains."""
    if not isinstance(solver, Dynamic) or solver.scheme not in SCHEMES:
        names = " and ".join(SCHEMES)
        raise ModelError(f"derivatives of a motion are there for dynamic solvers of scheme {names}")
    require_frictionless(model)
    refused = {
        "rayleigh damping; take viscosity": bool(solver.rayleigh),
        "damped joints": bool(dampers(model).any()),
        "muscles whose activation lags behind": any(m.delay for m in model.muscles),
        "muscles whose force depends on their velocity": any(
            m.force_velocity for m in model.muscles
        ),
    }
    for what, there in refused.items():
        if there:
            raise ModelError(f"derivatives of a motion are not there with {what}")


def _require_able(parameter: Parameter) -> None:
    """Refuse parameters that change masses, or move what is prescribed."""
    if isinstance(parameter, RestShape):
        raise ModelError(f"'{parameter.path}' changes masses, by which a motion has no derivatives")
    if isinstance(parameter, BonePose | JointCoordinate | PinShift):
        raise ModelError(
            f"'{parameter.path}' moves what is prescribed, by which a motion has no derivatives"
        )
