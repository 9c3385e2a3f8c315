"""Where a model goes at once: one back-solve with the factor that its last equilibrium left."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from vastus.errors import SolveError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.jit import lone_blas
from vastus.numerics.minimise import Rule
from vastus.numerics.small import determinants
from vastus.numerics.types import Floats
from vastus.solvers.hessian import Hessian
from vastus.solvers.linearisation import Linearisation
from vastus.solvers.newton import Newton, NewtonObjective, NewtonStepper
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.state import State

TRIALS = 4  # of steps, each half as long


class LastHessian(Hessian):
    """A Hessian that knows the last place it was factored at."""

    last: Linearisation | None = None

    def at(self, objective: Equilibrium, q: Configuration) -> Linearisation:
        """The Hessian at q, ready to solve; valid until the next call."""
        self.last = None
        self.last = super().at(objective, q)
        return self.last

    def follow(self, objective: Equilibrium, q: Configuration, shift: Floats) -> Floats:
        """(f,) how the free scalars follow a shift (n, 3) of everything else, to first order."""
        self.last = None
        return super().follow(objective, q, shift)


class Previewer:
    """Newton's method for one model, and what it tells before it begins.

    The last factor is of the former inputs: a step by it leads most of the way if they changed a
    little, and some of it, after it has been made shorter, if they changed much.
    """

    def __init__(self, model: Model, solver: Newton) -> None:
        self._problem = Problem(model, solver.reduction)
        self._hessian = LastHessian(self._problem, project=solver.always_project)
        self._hessian.analyse()
        self._rule = Rule(solver.tolerance, solver.max_iterations)
        self.stepper = NewtonStepper(self._rule, self._problem, self._hessian)

    def forget(self) -> None:
        """Leave the last factor, as of a place that is gone back from."""
        self._hessian.last = None

    def ahead(self, state: State, inputs: Inputs) -> State | None:
        """A state of lower energy on the way from a state to inputs, if one back-solve finds one.

        No tet of it is inverted, and no barrier is crossed.
        """
        if self._hessian.last is None:
            return None
        # A step may be of any length, and lead to what no law is defined for.
        with suppress(SolveError), lone_blas(), np.errstate(over="ignore", invalid="ignore"):
            return self._stepped(self._hessian.last, state, inputs)
        return None

    def _stepped(self, last: Linearisation, state: State, inputs: Inputs) -> State | None:
        q = self._problem.driven(state, inputs)
        during = self._problem.during(state)
        objective = NewtonObjective(self._problem, inputs, self._hessian, during)
        before, g = objective.value(q), objective.gradient(q)
        unbalanced, target = self._rule.gauge(objective, q, g)
        if unbalanced <= target:
            return None
        step = -last.solve_around(q.chart, g)
        part = objective.longest(q, step)
        for trial in (0.5**k * part for k in range(TRIALS)):
            there = objective.retract(q, trial * step)
            if (determinants(there.F) > 0).all() and objective.value(there) < before:
                return there.state(inputs)
        return None
