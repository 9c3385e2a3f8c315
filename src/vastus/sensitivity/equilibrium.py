"""A stable equilibrium with the factor of its true Hessian: where derivatives exist.

At an equilibrium the reduced gradient g(q, p) is zero, whatever the parameter p, so that the
unknowns q answer by dq/dp = -H^-1 g_p, with H = dg/dq (theory, eq. 105). H is the true Hessian: a
projected one, which is good enough to descend, would give a wrong answer without saying so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vastus.energies.ball_limits import BallLimits
from vastus.energies.belly import BellyForce
from vastus.energies.energy import Forces
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Rule, minimise
from vastus.numerics.types import Floats
from vastus.sensitivity.tissue import Tissue
from vastus.sensitivity.variants import Variants
from vastus.solvers.hessian import Hessian
from vastus.solvers.linearisation import Linearisation
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.state import State

if TYPE_CHECKING:
    from vastus.sensitivity.parameters.parameter import Parameter

POLISHED = 1e-11  # residual over load, beyond which a given state is improved first
BALANCED = 1e-8  # what must be reached
ITERATIONS = 60
MOVED = 1e-2  # of the model's length: an equilibrium farther from the given state is another one
ALONG = 1e-6  # of the model's length: how far vertices are moved to see how forces follow
PLACES = ("poses", "shifts", "joints")  # of inputs: what prescribes where something is
STENCIL = ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))  # of central differences of fourth order


@dataclass(frozen=True, eq=False)
class Placed:
    """A placement beside the equilibrium, of a model and inputs that are slightly other ones."""

    model: Model
    inputs: Inputs
    problem: Problem
    q: Configuration

    @property
    def state(self) -> State:
        """The placement as a state."""
        return self.q.state(self.inputs)


class StableEquilibrium:
    """An equilibrium of a model under inputs, polished by Newton's method, and its true Hessian.

    `hessian` keeps its analysis from one to the next of the same model, and `variants` what
    differs from it by a parameter.
    """

    def __init__(
        self, model: Model, state: State, problem: Problem | None = None,
        hessian: Hessian | None = None, variants: Variants | None = None,
    ) -> None:  # fmt: skip
        require_static(model, state)
        self.variants = variants or Variants()
        self.model = model
        self.problem = problem or Problem(model, Reduction())
        self.inputs = Inputs.of(state).whole(self.problem.usual)
        self.hessian = hessian or Hessian(self.problem)
        with lone_blas():
            self.objective = NewtonObjective(self.problem, self.inputs, self.hessian)
            self.q = self._polished(state)
            self.linear = self._factored(state)
        self.state = replace(self.q.state(self.inputs), time=state.time)

    def _polished(self, state: State) -> Configuration:
        """The equilibrium at the given state, to round-off or nearly so."""
        start = self.problem.driven(state, self.inputs)
        outcome = minimise(self.objective, start, Rule(POLISHED, ITERATIONS))
        told = f"the state at {state.time:.4g} s is no equilibrium"
        if not outcome.history[-1] <= max(BALANCED * outcome.load, outcome.target):
            raise SolveError(
                f"{told} and Newton's method found none beside it ({outcome.sentence}: residual "
                f"{outcome.history[-1]:.3g} N of {outcome.load:.3g} N); it has no derivatives",
                state,
            )
        moved = float(np.abs(outcome.point.x - state.x).max())
        if moved > MOVED * float(np.ptp(self.model.mesh.X, axis=0).max()):
            raise SolveError(
                f"{told}: the nearest one is {moved:.3g} m away; solve it with vastus.Newton()",
                state,
            )
        return outcome.point

    def _factored(self, state: State) -> Linearisation:
        found = self.hessian.true(self.objective, self.q)
        if found is None:
            raise SolveError(
                f"the equilibrium at {state.time:.4g} s is not stable: its energy is no minimum, "
                "so that its derivatives do not exist",
                state,
            )
        return found

    @cached_property
    def tissue(self) -> Tissue:
        """What the stresses of the tets owe to their laws, fibres and tension."""
        tension = self.problem.elastic.tension(self.inputs.excitation)
        return Tissue(self.problem, self.q.F, tension)

    def solve(self, g: Floats) -> Floats:
        """H^-1 g for g (k + f,) or several columns."""
        with lone_blas():
            return self.linear.solve(g)

    def reduced(self, nodes: Floats) -> Floats:
        """(k + f,) derivatives by the unknowns of what pulls by `nodes` (n, 3) [N]."""
        unknowns, tied = self.problem.unknowns, len(self.problem.skeleton.X)
        carried = nodes[unknowns.carried]
        bones = np.concatenate([carried, np.zeros((tied - len(carried), 3))])
        return np.concatenate([self.q.chart.pull(bones), nodes.reshape(-1)[unknowns.free]])

    def belly_forces(self, activation: Floats) -> Floats:
        """(n, 3) the forces [N] of bellies that pull as a whole at an activation (muscles,)."""
        forces = self.problem.no_forces(self.q)
        heads = self.problem.bellies.heads
        if heads:
            BellyForce(heads, activation).add_forces(self.q, forces)
        return forces.nodes

    @property
    def limited(self) -> bool:
        """Whether a ball has limits, whose stiffness is found from the whole model."""
        return any(isinstance(energy, BallLimits) for energy in self.problem.energies)

    def reduced_forces(self, forces: Forces) -> Floats:
        """(k + f,) the same of forces that act on joints and poses too."""
        through = self.problem.coordinates.loads(self.q.poses, forces.joints)
        out, k = self.reduced(forces.nodes), self.q.chart.size
        if k:
            turns, shifts = forces.turns + through.turns, forces.shifts + through.shifts
            out[:k] += self.q.chart.strain().T @ turns.ravel()
            out[:k] += self.q.chart.shift().T @ shifts.ravel()
        return out

    def forces_along(self, motion: Floats) -> Floats:
        """(n, 3) how the forces on all vertices [N] follow a motion (n, 3) of them."""
        size = float(np.abs(motion).max(initial=0.0)) or 1.0
        h = ALONG * float(np.ptp(self.model.mesh.X, axis=0).max()) / size
        total = np.zeros_like(motion)
        for far, weight in STENCIL:
            for side in (far, -far):
                q = Configuration(
                    self.problem,
                    self.q.x + side * h * motion,
                    self.q.poses,
                    skeleton=self.q.skeleton,
                )
                total += np.sign(side) * weight / h * self.objective.forces(q).nodes
        self.objective.forces(self.q)
        return total

    def gradient(self, at: Placed) -> Floats:
        """(k + f,) the reduced gradient of a placement, in the coordinates around this one."""
        g = Equilibrium(at.problem, at.inputs).gradient(at.q)
        k = self.q.chart.size
        return np.concatenate([self.q.chart.lower(at.q.chart.lift(g[:k])), g[k:]])

    def difference(self, parameter: Parameter) -> Floats:
        """(k + f,) g_p by differences of the gradient, all unknowns held."""
        h = parameter.step(self.model, self.inputs)
        total = np.zeros(self.q.chart.size + len(self.problem.unknowns.free))
        for far, weight in STENCIL:
            ahead, behind = (self.held(parameter, side * far * h) for side in (1.0, -1.0))
            total += weight / h * (self.gradient(ahead) - self.gradient(behind))
        return total

    def held(self, parameter: Parameter, change: float, *, forces: bool = True) -> Placed:
        """The unknowns where they are, with a parameter changed; what is prescribed moves along.

        Without `forces`, the problem may be that of the present laws.
        """
        value = parameter.value(self.model, self.inputs) + change
        model, inputs = self.variants.of(parameter, self.model, self.inputs, value)
        same = model is self.model or (not forces and model.mesh is self.model.mesh)
        problem = self.problem if same else Problem(model, Reduction())
        if same and all(getattr(inputs, name) is getattr(self.inputs, name) for name in PLACES):
            return Placed(model, inputs, problem, self.q)
        return Placed(model, inputs, problem, problem.driven(self.state, inputs))

    def moved(self, parameter: Parameter, change: float, answer: Floats) -> Placed:
        """The same where the unknowns follow by `answer` (k + f,), their derivative."""
        held = self.held(parameter, change, forces=self.inputs.drives_joints)
        k, step = self.q.chart.size, change * answer
        own = held.q.chart.lower(self.q.chart.lift(step[:k]))
        objective = Equilibrium(held.problem, held.inputs)
        return replace(held, q=objective.retract(held.q, np.concatenate([own, step[k:]])))


def require_static(model: Model, state: State) -> None:
    """Refuse states and models whose derivatives depend on how they came about."""
    if state.moves:
        raise ModelError(
            f"the state at {state.time:.4g} s is one of a motion, and no equilibrium: ask "
            "vastus.sensitivity.motion for the derivatives of a motion"
        )
    require_frictionless(model)


def require_frictionless(model: Model) -> None:
    """Refuse models in which forces depend on the way by which a state was reached."""
    rough = model.contact is not None and model.contact.friction > 0
    if rough or any(cable.friction > 0 for cable in model.cables):
        raise ModelError(
            "with friction an equilibrium depends on how it was reached, so that it has no "
            "derivatives; solve with a friction of 0"
        )
