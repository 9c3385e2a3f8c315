"""L-BFGS on a lagged factor: Newton's answer to a stated accuracy, for a fraction of its cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from vastus.energies.energy import Energy
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.iterative import Memory, conjugate_gradients
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.solvers.branch import came_near
from vastus.solvers.hessian import Hessian
from vastus.solvers.laplacian import Laplacian
from vastus.solvers.linearisation import Linearisation
from vastus.solvers.newton import (
    STEADY,
    BarredObjective,
    Distance,
    Newton,
    NewtonStepper,
    Reach,
    length,
    linear_from,
)
from vastus.solvers.prediction import Path, predicted
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper, followed
from vastus.state import Report, State

WINDOW = 5  # steps over which progress of a cheap stand-in is judged
RECENT = 3  # and of an old factor
CLOSE = 1e-2  # of the model's length over the price: steps at which a cheap one has done its work
CALM = 3  # steps that must be small before a factor is spent on confirming it
PATIENCE = 100  # steps of a cheap stand-in that may fail to come close
NEAR = 2.0  # targets that a trusted factor may lie behind
BARRED = 200  # iterations of Newton's method where this one does not serve
AFFORDABLE = 80.0  # iterations; a dearer factor is replaced by conjugate gradients


class Stiffness(Protocol):
    """Something cheap that can stand in for the Hessian: one factor for all three coordinates."""

    entries: int  # of that factor

    def at(self, objective: Equilibrium, q: Configuration) -> Linearisation:
        """Its linearisation at a configuration."""


class LaggedObjective(Equilibrium):
    """An equilibrium whose direction comes from an old factor and the memory of recent steps.

    It begins with `cheap` if there is one, and changes to the Hessian when that pays.
    """

    def __init__(
        self,
        problem: Problem,
        inputs: Inputs,
        hessian: Hessian,
        cheap: Stiffness | None,
        further: Sequence[Energy] = (),
    ) -> None:
        super().__init__(problem, inputs, further)
        self._hessian, self._cheap = hessian, cheap
        self._fewest = 3  # steps that can be steady
        self._full = True  # whether no step on the present factor was shortened
        self._memory = Memory(10)
        self._linear: Linearisation | None = None
        self._gradient: Floats | None = None
        self._step: Floats | None = None
        self._found: tuple[Configuration, Floats] | None = None
        self._sizes: list[float] = []
        self._behind: list[float] = []  # forces over those wanted, since the last factor
        self._trials = 0  # points tried since the last direction
        self._before: Configuration | None = None  # that the last direction was found at
        self._reach = Reach.of(problem)
        self._length = length(problem.model)

    def trusts(self, q: Configuration, path: Path, inputs: Inputs) -> bool:
        """Whether q, to which a path led, can be near equilibrium; if so, it begins there.

        It can be if the Hessian is definite there, at the stress that the path leads to. Where its
        factor is too dear, nobody asks.
        """
        if self._cheap and self._price > AFFORDABLE:
            return True
        self.foreseen = path.foreseen(self, q, inputs)
        linear = self._hessian.true(self, q)
        if linear is None:
            return False
        self._linear, self._cheap, self._fewest = linear, None, 2
        return True

    def distance(self, q: Configuration, g: Floats, target: float) -> float:
        """How far from equilibrium any vertex is estimated to be [m]."""
        self._behind.append(float(np.linalg.norm(g)) / self.load * self._length / target)
        if self._slow(target):
            self._renew(q)
        size = self._size(q, self.direction(q, g))
        if size > target or self._behind[-1] > 1.0:
            return size  # forces decide, whatever the distance
        if self.steady:
            return size / (1.0 - self._rate())
        if self._fresh(target):
            alone = len(self._sizes) == 1  # nothing was learnt yet: the direction is the factor's
            return size if alone else max(size, self._size(q, self._precondition(q, g)))
        if self._cheap:
            return self._confirmed(q, g) if self._settled else float("inf")
        calm = max(CALM, round(self._price / 4))
        recent = max(self._sizes[-calm:]) if len(self._sizes) >= calm else float("inf")
        return self._confirmed(q, g) if recent <= target else recent

    def direction(self, q: Configuration, g: Floats) -> Floats:
        """The quasi-Newton direction; computed once per configuration."""
        if self._found is None or self._found[0] is not q:
            self._hessian.effort.iterations += 1
            self._learn(q, g)
            if self._linear is None:
                self._linear = self._cheap.at(self, q) if self._cheap else self._factored(q, g)
            # Steps that had to be shortened, or that nobody has measured: the scale is wrong.
            self._full = self._full and self._trials <= 1
            rescale = self._trials > 1 or self._cheap is not None
            self._trials = 0
            lifted, inverse = self._lift(q, g), partial(self._solve, q)
            d = -self._memory.apply(lifted, inverse, rescale=rescale)
            self._found = (q, self._lower(q, d))
            self._sizes.append(self._size(q, self._found[1]))
            self._before = q
        return self._found[1]

    def _factored(self, q: Configuration, g: Floats) -> Linearisation:
        """The Hessian at q, at the stress that the last step led to."""
        self.foreseen = linear_from(self, self._before, q, g)
        return self._hessian.at(self, q)

    def retract(self, q: Configuration, step: Floats) -> Configuration:
        """The configuration a step away."""
        self._trials += 1
        self._step = self._lift(q, step)
        return super().retract(q, step)

    def _fresh(self, target: float) -> bool:
        """Whether the factor is the true Hessian of a configuration not far from the present."""
        if self._cheap or self._linear is None or not self._linear.definite:
            return False
        return sum(self._sizes[:-1]) <= NEAR * target

    @property
    def steady(self) -> bool:
        """Whether steps shrink so fast, on a factor to be trusted, that they tell what is left."""
        return self._rate() <= STEADY

    def _rate(self) -> float:
        """The largest ratio of steps that followed each other on a true and definite factor.

        Infinite where there were too few to judge by, or one was shortened.
        """
        if self._cheap or self._linear is None or not (self._linear.definite and self._full):
            return float("inf")
        sizes = np.array(self._sizes)
        if len(sizes) < self._fewest:
            return float("inf")
        return float((sizes[1:] / sizes[:-1]).max())

    def _confirmed(self, q: Configuration, g: Floats) -> float:
        """The distance by the true Hessian at q; infinite where that is not definite."""
        if self._cheap and self._price > AFFORDABLE:
            hessian = self._hessian.operator(self, q)
            d = conjugate_gradients(hessian, -g, lambda v: self._precondition(q, v))
            self._found = (q, d)
            return self._size(q, d)
        linear = self._renew(q)
        size = self._size(q, self.direction(q, g))
        return size if linear.definite else float("inf")

    def _slow(self, target: float) -> bool:
        """Whether a new factor would pay: it costs `price` iterations and saves the rest.

        Far from equilibrium the Hessian is of little use, so what is cheap goes on until close.
        """
        price, taken = self._price, len(self._sizes)
        if self._cheap:
            return price <= AFFORDABLE and (self._settled or taken >= PATIENCE)
        sizes = [size / target for size in self._sizes[-RECENT:]]
        steps = _left(sizes) if taken >= RECENT else 0.0
        return max(_left(self._behind[-RECENT:]), steps) > price + RECENT

    @property
    def _price(self) -> float:
        """What a new factor costs, in iterations that use an old one.

        Estimated from counts, not clocks, so that a run takes the same path every time; while a
        scalar factor serves, from its entries, for the analysis of the Hessian costs seconds.
        """
        entries = 9 * self._cheap.entries if self._cheap else self._hessian.entries
        n, m = len(self.problem.unknowns.free), len(self.problem.elastic.T)
        renew = 1.5 * entries**2 / max(n, 1) / 8e9 + 1e-6 * m
        iterate = 16 * entries / 8e9 + 3e-7 * m
        return renew / iterate

    @property
    def _settled(self) -> bool:
        """Whether a cheap stand-in has come as close as it is good for."""
        recent = self._sizes[-WINDOW:]
        close = CLOSE * self._length / max(self._price, 1.0)
        return len(recent) == WINDOW and max(recent) <= close

    def _renew(self, q: Configuration) -> Linearisation:
        """Factor the Hessian at q and forget what was learnt on the old one."""
        self._cheap = None
        self._linear = linear = self._factored(q, self.gradient(q))
        self._memory.clear()
        self._sizes.clear()
        del self._behind[:-1]
        self._full = True
        self._found = self._gradient = None
        return linear

    def _learn(self, q: Configuration, g: Floats) -> None:
        lifted = self._lift(q, g)
        if self._gradient is not None and self._step is not None:
            self._memory.push(self._step, lifted - self._gradient)
        self._gradient = lifted

    def _solve(self, q: Configuration, v: Floats) -> Floats:
        return self._lift(q, self._precondition(q, self._lower(q, v)))

    def _precondition(self, q: Configuration, g: Floats) -> Floats:
        assert self._linear is not None
        return self._linear.solve_around(q.chart, g)

    def _lift(self, q: Configuration, v: Floats) -> Floats:
        k = q.chart.size
        return np.concatenate([q.chart.lift(v[:k]), v[k:]])

    def _lower(self, q: Configuration, v: Floats) -> Floats:
        bones = len(v) - len(self.problem.unknowns.free)
        return np.concatenate([q.chart.lower(v[:bones]), v[bones:]])

    def _size(self, q: Configuration, d: Floats) -> float:
        """The largest displacement of any vertex by d [m]."""
        return self._reach.size(q, d)


def _left(behind: list[float]) -> float:
    """How many more iterations it takes to 1, if it goes on as it did."""
    if len(behind) < 2 or behind[-1] <= 1.0:
        return 0.0
    gain = np.log(behind[0] / behind[-1]) / (len(behind) - 1)
    return float(np.log(behind[-1]) / gain) if gain > 0 else float("inf")


# Where the path led, if anywhere; what was found; whether that is near where the path led.
Search = tuple[Configuration | None, Outcome[Configuration], bool]


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

    exact = True
    gauge = "estimated distance {0:.3g} m, wanted {1:.3g} m"
    smallest = 1.0 / 8.0

    def __init__(self, settings: QuasiNewton, model: Model) -> None:
        self.problem = Problem(model, settings.reduction)
        self.effort = Effort()
        self._rule = Distance(settings.accuracy, settings.max_iterations, length(model))
        # What barriers add is stiffer by more than single precision can tell apart.
        self._single = not self.problem.contact
        self._hessian = Hessian(self.problem, self.effort, single=self._single)
        self._laplacian = Laplacian(self.problem) if Laplacian.serves(self.problem) else None
        self._by_newton = False  # whether the last equilibrium was sought by Newton's method

    @property
    def strongest(self) -> bool:
        """Whether Newton's method found the last equilibrium: doubts would repeat themselves."""
        return self._by_newton

    def stronger(self) -> QuasiStaticStepper:
        """Newton's method on the same problem."""
        rule = Rule(Newton().tolerance, BARRED)
        return NewtonStepper(rule, self.problem, self._precise)

    @cached_property
    def _precise(self) -> Hessian:
        """A Hessian in double precision: single would not balance forces to Newton's tolerance."""
        return Hessian(self.problem, self.effort) if self._single else self._hessian

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise the energy from the old state, moved as the inputs say."""
        # What a barrier allows changes with every step, and an old factor knows nothing of it.
        self._by_newton = any(energy.abrupt(state.x) for energy in self.problem.energies)
        path = Path.to(self.problem, state)
        find = self._barred if self._by_newton else self._lagged
        start, outcome, near = find(path, state, inputs, watch)
        q = outcome.point
        q.memory = path.memory
        if start is not None and near:
            q.foreseen = came_near(start, Configuration(self.problem, state.x, state.poses), q)
        return outcome

    def _lagged(self, path: Path, state: State, inputs: Inputs, watch: Watch | None) -> Search:
        """What is found on lagged factors."""
        during = self.problem.during(state)
        objective = LaggedObjective(self.problem, inputs, self._hessian, self._laplacian, during)
        start = predicted(objective, path, state, inputs)
        if start is not None and objective.trusts(start, path, inputs):
            return start, minimise(objective, start, self._rule, watch), True
        began = followed(self._laplacian or self._hessian, self.problem, state, inputs)
        return start, minimise(objective, began, self._rule, watch), False

    def _barred(self, path: Path, state: State, inputs: Inputs, watch: Watch | None) -> Search:
        """What Newton's method finds."""
        newton = NewtonStepper(self._rule, self.problem, self._hessian)
        objective = BarredObjective(self.problem, inputs, self._hessian, self.problem.during(state))
        projected = self.effort.projected
        start = predicted(objective, path, state, inputs)
        began = start or followed(self._hessian, self.problem, state, inputs)
        outcome = newton.minimised(objective, began, watch)
        return start, outcome, self.effort.projected == projected

    def report(self, outcome: Outcome[Configuration], substeps: int) -> Report:
        """The usual report; its residual is a force although the rule is about a distance."""
        unbalanced = float(np.linalg.norm(outcome.gradient))
        return replace(super().report(outcome, substeps), residual=unbalanced)
