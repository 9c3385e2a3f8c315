"""The solvers that are compared; one appears in every table and plot by being listed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vastus.solvers.emu.baselines import Admm, DeformationLBFGS, paper_fem
from vastus.solvers.emu.directions import ExactNewton, Woodbury, WoodburyLBFGS
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.timeloop import Solver

MANY = 20_000  # iterations: the time limit is to end a slow solver, not a count
REFEREE, DEFAULT, PAPER = "newton", "quasi-newton", "paper-fem"
LEADERS = (REFEREE, DEFAULT, PAPER)


@dataclass(frozen=True)
class Contender:
    """A solver's settings, and those that reach a stated error if it can be told one.

    What factors in every iteration is `dear`: it makes only one iteration of the largest models.
    """

    solver: Solver
    note: str
    told: Callable[[float], Solver] | None = None
    dear: bool = False


CONTENDERS: Mapping[str, Contender] = {
    REFEREE: Contender(Newton(), "true Hessian first, rigid bones", dear=True),
    DEFAULT: Contender(QuasiNewton(), "L-BFGS on a lagged factor", told=QuasiNewton),
    PAPER: Contender(paper_fem(), "always projected Newton, affine bones", dear=True),
    "emu-exact": Contender(Emu(1e4, ExactNewton()), "EMU, exact direction", dear=True),
    "emu-woodbury": Contender(
        Emu(100.0, Woodbury(), max_iterations=MANY), "EMU as in its paper, 48 modes"
    ),
    "emu-lbfgs": Contender(
        Emu(100.0, WoodburyLBFGS(), max_iterations=MANY), "the same with a memory"
    ),
    "deformation-lbfgs": Contender(
        DeformationLBFGS(blocks=True, max_iterations=MANY), "L-BFGS without coupling"
    ),
    "admm": Contender(Admm(max_iterations=MANY), "alternating directions"),
}
