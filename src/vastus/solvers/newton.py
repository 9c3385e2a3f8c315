"""Newton's method on the full elements: the referee that other solvers are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.energies.energy import Energy
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.solvers.hessian import Hessian
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import QuasiStaticStepper, followed
from vastus.state import State

TRIALS = 2  # of one direction, beyond which the next is of a majorant
SADDLES = 3  # that may be left in one step
ROUNDS = 4  # of inverse iteration, after which little but the softest direction is left
ASIDE = 1e-3  # of the model's length: the step beside a saddle


@dataclass(frozen=True)
class Newton:
    """True Hessian first, projected where it is indefinite, line search, sub-steps on failure.

    A step has converged when the norm of the out-of-balance forces is below `tolerance` times
    the size of the forces that balance.
    """

    tolerance: float = 1e-8
    max_iterations: int = 100
    reduction: Reduction = Reduction()  # noqa: RUF009  (a frozen value)
    always_project: bool = False  # as many codes do; for comparison

    def __post_init__(self) -> None:
        require(self.tolerance > 0, f"Newton's tolerance is {self.tolerance}; it must be positive")
        require(self.max_iterations > 0, f"{self.max_iterations} iterations are not enough")

    def prepare(self, model: Model) -> NewtonStepper:
        """Analyse the model once; the stepper keeps the factorisation's symbolic part."""
        problem = Problem(model, self.reduction)
        hessian = Hessian(problem, project=self.always_project)
        hessian.analyse()
        return NewtonStepper(self, problem, hessian)


class NewtonObjective(Equilibrium):
    """An equilibrium whose descent direction is Newton's.

    What slides has no stiffness along its way but holds on when it turns back, so that steps are
    too long by far: after one that had to be cut often, a majorant takes friction's place.
    """

    def __init__(
        self, problem: Problem, inputs: Inputs, hessian: Hessian, further: Sequence[Energy] = ()
    ) -> None:
        super().__init__(problem, inputs, further)
        self._hessian = hessian
        self._trials = 0  # since the last direction

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """Newton's direction."""
        self._hessian.effort.iterations += 1
        self.majorant, self._trials = self._trials > TRIALS, 0
        return -self._hessian.at(self, q).solve(g)

    def retract(self, q: Configuration, step: Floats) -> Configuration:
        """The configuration a step away."""
        self._trials += 1
        return super().retract(q, step)


class NewtonStepper(QuasiStaticStepper):
    """Newton's method prepared for one model."""

    exact = True

    def __init__(self, settings: Newton, problem: Problem, hessian: Hessian) -> None:
        self.problem, self.effort = problem, hessian.effort
        self._rule = Rule(settings.tolerance, settings.max_iterations)
        self.hessian = hessian

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise the energy from the old state, moved as the inputs say."""
        start = followed(self.hessian, self.problem, state, inputs)
        during = self.problem.during(state)
        objective = NewtonObjective(self.problem, inputs, self.hessian, during)
        projected = self.effort.projected
        outcome = minimise(objective, start, self._rule, watch)
        for _ in range(SADDLES):
            if not outcome.converged or self.effort.projected == projected:
                return outcome
            projected = self.effort.projected
            beside = self._beside(objective, outcome)
            if beside is None:
                return outcome
            outcome = minimise(objective, beside, self._rule, watch)
        return outcome

    def _beside(
        self, objective: NewtonObjective, outcome: Outcome[Configuration]
    ) -> Configuration | None:
        """A place of lower energy beside an equilibrium that is a saddle; None if it is none.

        Symmetry can keep the method on a branch that has become unstable, as that of a bar which
        should have buckled.
        """
        q = outcome.point
        linear = self.hessian.at(objective, q)
        if linear.definite:
            return None
        softest = np.random.default_rng(0).normal(size=len(outcome.gradient))
        for _ in range(ROUNDS):
            softest = linear.solve(softest)
            softest /= np.linalg.norm(softest)
        size = ASIDE * float(np.ptp(self.problem.model.mesh.X, axis=0).max())
        softest *= size / np.abs(softest).max()
        ways = [side * objective.longest(q, side * softest) * softest for side in (1.0, -1.0)]
        sides = [objective.retract(q, way) for way in ways]
        energies = [objective.value(side) for side in sides]
        lower = int(np.argmin(energies))
        return sides[lower] if energies[lower] < outcome.value else None
