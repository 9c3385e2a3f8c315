"""L-BFGS on a lagged factor: Newton's answer to a stated accuracy, for a fraction of its cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vastus.materials.base import require
from vastus.model import Model
from vastus.motion import Inputs, Report, State
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.solvers.hessian import Hessian
from vastus.solvers.lagged import LaggedObjective, length
from vastus.solvers.laplacian import Laplacian
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper


@dataclass(frozen=True)
class QuasiNewton:
    """The default: no vertex farther than `accuracy` times the model's length from equilibrium."""

    accuracy: float = 1e-3
    max_iterations: int = 400
    reduction: Reduction = Reduction()  # noqa: RUF009  (a frozen value)

    def __post_init__(self) -> None:
        require(0 < self.accuracy < 1, f"the accuracy is {self.accuracy}, not between 0 and 1")
        require(self.max_iterations > 0, f"{self.max_iterations} iterations are not enough")

    def prepare(self, model: Model) -> QuasiNewtonStepper:
        """Analyse the model once."""
        return QuasiNewtonStepper(self, model)


class QuasiNewtonStepper(QuasiStaticStepper):
    """The quasi-Newton method prepared for one model."""

    gauge = "estimated distance {0:.3g} m, wanted {1:.3g} m"

    def __init__(self, settings: QuasiNewton, model: Model) -> None:
        self.problem = Problem(model, settings.reduction)
        self.effort = Effort()
        self._rule = Distance(settings.accuracy, settings.max_iterations, length(model))
        self._hessian = Hessian(self.problem, self.effort)
        self._laplacian = Laplacian(self.problem) if Laplacian.serves(self.problem) else None

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise the energy from the old state, moved as the inputs say."""
        objective = LaggedObjective(self.problem, inputs, self._hessian, self._laplacian)
        start = self.problem.driven(state, inputs)
        return minimise(objective, start, self._rule, watch)

    def report(self, outcome: Outcome[Configuration], substeps: int) -> Report:
        """The usual report; its residual is a force although the rule is about a distance."""
        unbalanced = float(np.linalg.norm(outcome.gradient))
        return replace(super().report(outcome, substeps), residual=unbalanced)


@dataclass(frozen=True)
class Distance(Rule):
    """Stop where both the distance to equilibrium and the forces are small enough.

    The estimated distance, over the model's length, is held to a third of `tolerance`, and the
    forces, over those that balance, to a tenth: far from balance the estimate means little.
    """

    length: float = 1.0  # [m]

    def gauge(self, objective: Any, q: Any, g: Floats) -> tuple[float, float]:
        """The estimated distance and its target [m]."""
        target, unbalanced = self.tolerance * self.length / 3.0, float(np.linalg.norm(g))
        if unbalanced <= objective.floor:
            return 0.0, target
        distance = objective.distance(q, g, target)
        return max(distance, target * unbalanced / (0.1 * self.tolerance * objective.load)), target
