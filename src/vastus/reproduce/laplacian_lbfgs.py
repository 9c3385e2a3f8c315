"""L-BFGS over vertices on a constant Laplacian: what blended cured quasi-Newton builds on."""

from __future__ import annotations

from dataclasses import dataclass

from vastus.model import Model
from vastus.motion import Inputs, State
from vastus.numerics.lbfgs import Memory
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.solvers.laplacian import Laplacian
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper


@dataclass(frozen=True)
class LaplacianLBFGS:
    """Its Hessian never changes: gradients alone must teach it how stiff bodies turn."""

    memory: int = 10
    tolerance: float = 1e-8
    max_iterations: int = 500

    def prepare(self, model: Model) -> LaplacianStepper:
        """Factor the Laplacian of a model without joints."""
        return LaplacianStepper(self, model)


class LaplacianStepper(QuasiStaticStepper):
    """The method prepared for one model."""

    def __init__(self, settings: LaplacianLBFGS, model: Model) -> None:
        self.problem = Problem(model, Reduction())
        self.effort = Effort()
        self._settings, self._laplacian = settings, Laplacian(self.problem)

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise the energy from the old state."""
        objective = Taught(self.problem, inputs, self._laplacian, Memory(self._settings.memory))
        rule = Rule(self._settings.tolerance, self._settings.max_iterations)
        return minimise(objective, self.problem.driven(state, inputs), rule, watch)


class Taught(Equilibrium):
    """An equilibrium whose direction comes from the Laplacian and the memory of recent steps."""

    def __init__(
        self, problem: Problem, inputs: Inputs, laplacian: Laplacian, memory: Memory
    ) -> None:
        super().__init__(problem, inputs)
        self._laplacian, self._memory = laplacian, memory
        self._gradient: Floats | None = None
        self._step: Floats | None = None

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """The direction at q for the gradient g."""
        if self._gradient is not None and self._step is not None:
            self._memory.push(self._step, g - self._gradient)
        self._gradient = g
        return -self._memory.apply(g, self._laplacian.at(self, q).solve)

    def retract(self, q: Configuration, step: Floats) -> Configuration:
        """The configuration a step away."""
        self._step = step
        return super().retract(q, step)
