"""What an iteration is made of: loops over tets, a factorisation, a back-solve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vastus.bench.cases import Case
from vastus.bench.runs import clock
from vastus.inputs import Inputs
from vastus.numerics.jit import use_threads
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import NewtonObjective
from vastus.solvers.problem import Problem, Reduction
from vastus.state import State, rest

KERNELS = ("energy and forces", "tangent")  # loops over tets; the rest is linear algebra
REPEATS = 3


@dataclass(frozen=True)
class PartsJob:
    """The seconds of each part at the start of a contraction, best of some."""

    case: Case
    threads: int
    kind: str = "parts"

    @property
    def key(self) -> str:
        """What it is called among the results."""
        return f"parts {self.case.name} {self.case.tets} {self.threads}"

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""
        return 4.0 + 5e-5 * self.case.tets

    @property
    def patience(self) -> float:
        """After how long [s] the process is ended."""
        return 600.0

    def __call__(self, began: Callable[[], None]) -> dict[str, Any]:
        """The record, as JSON values."""
        use_threads(self.threads)
        _timed(self.case.small, repeats=1)
        began()
        return self._who() | {"sentence": "", "parts": _timed(self.case, repeats=REPEATS)}

    def lost(self, sentence: str, *, late: bool) -> dict[str, Any]:
        """The record of a process that did not come back."""
        return self._who() | {"sentence": sentence, "parts": {}}

    def _who(self) -> dict[str, Any]:
        return {"case": self.case.name, "size": self.case.tets, "threads": self.threads}


def _timed(case: Case, repeats: int) -> dict[str, float]:
    model = case.model()
    problem = Problem(model, Reduction())
    work = _works(problem, rest(model), case.inputs(model)[0])
    return {name: min(_seconds(each) for _ in range(repeats)) for name, each in work.items()}


def _works(problem: Problem, state: State, inputs: Inputs) -> dict[str, Callable[[], object]]:
    hessian = Hessian(problem)
    objective, q = NewtonObjective(problem, inputs, hessian), problem.driven(state, inputs)
    elastic, g = problem.elastic, objective.gradient(q)
    T0 = elastic.tension(inputs.excitation)
    linear, H = hessian.at(objective, q), elastic.tangent(q.F, T0)
    return {
        "energy and forces": lambda: elastic.respond(q.x, T0),
        "tangent": lambda: elastic.tangent(q.F, T0, H),
        "Hessian and its factor": lambda: hessian.at(objective, q),
        "back-solve": lambda: linear.solve(g),
    }


def _seconds(work: Callable[[], object]) -> float:
    began = clock()
    work()
    return clock() - began
