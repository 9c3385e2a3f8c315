"""Newton's method on the full elements: the referee that other solvers are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.energies.energy import Energy
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.small import longest
from vastus.numerics.types import Floats, Ints
from vastus.solvers.geometric import linear_stress, near_balance
from vastus.solvers.hessian import Hessian
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import QuasiStaticStepper, followed
from vastus.state import State

TRIALS = 2  # of one direction, beyond which the next is of a majorant
SADDLES = 3  # that may be left in one step
ROUNDS = 4  # of inverse iteration, after which little but the softest direction is left
STEADY = 0.5  # ratio of steps that converge so fast that they tell what is left
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
        return NewtonStepper(Rule(self.tolerance, self.max_iterations), problem, hessian)


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
        self._before: Configuration | None = None  # that the last direction was found at

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """Newton's direction."""
        self._hessian.effort.iterations += 1
        self.majorant, self._trials = self._trials > TRIALS, 0
        if self._before is not None:
            self.foreseen = linear_from(self, self._before, q, g)
        self._before = q
        return -self._hessian.at(self, q).solve(g)

    def retract(self, q: Configuration, step: Floats) -> Configuration:
        """The configuration a step away."""
        self._trials += 1
        return super().retract(q, step)


def linear_from(
    objective: Equilibrium, before: Configuration | None, q: Configuration, g: Floats
) -> Floats | None:
    """The stress, linear in the step, that the one from `before` to q leads to [Pa].

    None where there was no step, or q, near balance, has as good a stress itself.
    """
    if before is None or near_balance(objective, g):
        return None
    return linear_stress(objective, before, q)


class BarredObjective(NewtonObjective):
    """Newton's method where barriers act, which tells how far from equilibrium it still is.

    Steps that were taken whole on definite Hessians and shrink tell what is left without another
    factor: the method converges faster than their ratio says.
    """

    def __init__(
        self, problem: Problem, inputs: Inputs, hessian: Hessian, further: Sequence[Energy] = ()
    ) -> None:
        super().__init__(problem, inputs, hessian, further)
        self._reach = Reach.of(problem)
        self._found: tuple[Configuration, Floats] | None = None
        self._sizes: list[float] = []  # of steps that were taken whole, one after the other

    def distance(self, q: Configuration, g: Floats, target: float) -> float:
        """How far from equilibrium any vertex is estimated to be [m]."""
        left = self._left(q)
        return left if left <= target else self._reach.size(q, self.direction(q, g))

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """Newton's direction; computed once per configuration."""
        if self._found is None or self._found[0] is not q:
            projected = self._hessian.effort.projected
            d = super().direction(q, g)
            if self._hessian.effort.projected > projected:
                self._sizes.clear()
            self._sizes.append(self._reach.size(q, d))
            self._found = (q, d)
        return self._found[1]

    def _left(self, q: Configuration) -> float:
        """What the last two steps tell is left at q [m]; infinite where they tell nothing."""
        if self._trials != 1 or len(self._sizes) < 2:
            return float("inf")
        before, last = self._sizes[-2:]
        ratio = last / before
        return last * ratio / (1.0 - ratio) if ratio <= STEADY else float("inf")


class NewtonStepper(QuasiStaticStepper):
    """Newton's method prepared for one model."""

    exact = True

    def __init__(self, rule: Rule, problem: Problem, hessian: Hessian) -> None:
        self.problem, self.effort = problem, hessian.effort
        self._rule = rule
        self.hessian = hessian

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise the energy from the old state, moved as the inputs say."""
        start = followed(self.hessian, self.problem, state, inputs)
        during = self.problem.during(state)
        objective = NewtonObjective(self.problem, inputs, self.hessian, during)
        return self.minimised(objective, start, watch)

    def minimised(
        self, objective: NewtonObjective, start: Configuration, watch: Watch | None
    ) -> Outcome[Configuration]:
        """The equilibrium found from a start, which is no saddle."""
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
        objective.foreseen = None
        linear = self.hessian.at(objective, q)
        if linear.definite:
            return None
        softest = np.random.default_rng(0).normal(size=len(outcome.gradient))
        for _ in range(ROUNDS):
            softest = linear.solve(softest)
            softest /= np.linalg.norm(softest)
        size = ASIDE * length(self.problem.model)
        softest *= size / np.abs(softest).max()
        ways = [side * objective.longest(q, side * softest) * softest for side in (1.0, -1.0)]
        sides = [objective.retract(q, way) for way in ways]
        energies = [objective.value(side) for side in sides]
        lower = int(np.argmin(energies))
        return sides[lower] if energies[lower] < outcome.value else None


@dataclass(frozen=True, eq=False)
class Reach:
    """How far steps take the vertices of a problem: free ones, and the outermost of free bones."""

    problem: Problem
    extremes: Ints

    @classmethod
    def of(cls, problem: Problem) -> Reach:
        """That of a problem."""
        return cls(problem, extreme_rows(problem))

    def size(self, q: Configuration, d: Floats) -> float:
        """The largest displacement of any vertex by a step d (k + f,) from q [m]."""
        k = q.chart.size
        shift = np.zeros_like(q.x)
        shift.reshape(-1)[self.problem.unknowns.free] = d[k:]
        bones = (q.chart.push(self.extremes) @ d[:k]).reshape(-1, 3)
        return max(longest(rows) for rows in (shift, bones))


def length(model: Model) -> float:
    """The largest extent of a model at rest [m]."""
    return float(np.ptp(model.mesh.X, axis=0).max())


def extreme_rows(problem: Problem) -> Ints:
    """Positions among the carried vertices of those that lie farthest out on each free bone."""
    rows = [np.zeros(0, np.int64)]
    for bone in problem.skeleton.free:
        mine = np.flatnonzero(problem.skeleton.owner == bone)
        X = problem.skeleton.X[mine]
        if len(mine):
            rows += [mine[X.argmin(axis=0)], mine[X.argmax(axis=0)]]
    return np.unique(np.concatenate(rows))


@dataclass(frozen=True)
class Distance(Rule):
    """Stop where both the distance to equilibrium and the forces are small enough.

    The estimated distance, over the model's length, and the forces, over those that balance, are
    both held to a third of `tolerance`: far from balance the estimate means little.
    """

    length: float = 1.0  # [m]

    def gauge(self, objective: Any, q: Any, g: Floats) -> tuple[float, float]:
        """The estimated distance and its target [m]."""
        target, unbalanced = self.tolerance * self.length / 3.0, float(np.linalg.norm(g))
        if unbalanced <= objective.floor:
            return 0.0, target
        distance = objective.distance(q, g, target)
        return max(distance, self.length * unbalanced / objective.load), target
