"""EMU at several alphas against full elements, by the paper's direction and by the exact one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.reproduce.emu import paper
from vastus.reproduce.experiment import Setting
from vastus.reproduce.solving import Run, kept_run, run, solved
from vastus.schedules import ramp
from vastus.solvers.emu.directions import ExactNewton, Woodbury
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Pair:
    """What both directions find at one alpha."""

    alpha: float
    low: Run  # the paper's direction and stop
    exact: Run


@dataclass(frozen=True, eq=False)
class Sweep:
    """All alphas on one model, whose equilibrium is `truth` (n, 3)."""

    model: Model
    inputs: Inputs
    truth: Floats
    pairs: tuple[Pair, ...]

    @property
    def tets(self) -> int:
        """The number of tets."""
        return self.model.mesh.n_tets

    @property
    def best(self) -> Pair:
        """The alpha at which the paper's direction ends nearest to full elements."""
        return min(self.pairs, key=lambda p: p.low.hausdorff)

    @property
    def falls(self) -> bool:
        """Whether the exact direction's error falls with every alpha, down to a millionth."""
        errors = np.array([p.exact.error for p in self.pairs])
        return bool((np.diff(errors) < 1e-4).all())


def low_rank(alpha: float, most: int) -> Emu:
    """EMU with the paper's direction, number of modes and stop."""
    return Emu(alpha, Woodbury(), paper.MODES, max_iterations=most, paper_stop=paper.STOP)


def exact(alpha: float) -> Emu:
    """EMU with Newton's direction."""
    return Emu(alpha, ExactNewton(), tolerance=1e-6)


def sweep(model: Model, alphas: Sequence[float], most: int, setting: Setting) -> Sweep:
    """Contract the muscle fully at every alpha, with at most so many iterations.

    Each solve, which may take minutes, is kept as soon as it ends.
    """
    inputs = ramp(model, belly=1.0, fps=1)[-1]
    truth = solved(Newton(), model, inputs).x
    solve = partial(run, model=model, inputs=inputs, truth=truth)
    pairs = []
    for alpha in alphas:
        name = f"{model.mesh.n_tets} tets, alpha {alpha:g}"
        low = kept_run(setting, name, partial(solve, low_rank(alpha, most)))
        setting.note(f"{name}: {low.iterations} iterations, {low.error:.2f} % off")
        newton = kept_run(setting, f"{name}, exact", partial(solve, exact(alpha)))
        pairs.append(Pair(alpha, low, newton))
    return Sweep(model, inputs, truth, tuple(pairs))


def power(alpha: float) -> str:
    """A power of ten as people write it."""
    exponent = round(np.log10(alpha))
    return f"10{str(exponent).translate(SUPERSCRIPTS)}" if exponent > 1 else f"{alpha:g}"


def count(found: Run) -> str:
    """The iterations, with a mark if they were not enough."""
    return f"{found.iterations:,}" + ("" if found.converged else "+")
