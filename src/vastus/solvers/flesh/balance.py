"""The balance of flesh between bones: an objective over the free nodes of a graded lattice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.energies.flesh.block_matrix import BlockMatrix
from vastus.energies.flesh.elements import Elements
from vastus.energies.flesh.mixture import Mixture
from vastus.energies.flesh.springs import BoneSprings
from vastus.numerics.iterative import conjugate_gradients
from vastus.numerics.minimise import Outcome, Rule, Watch, minimise
from vastus.numerics.psd import project_psd
from vastus.numerics.types import Floats

FINEST = 1e-8  # [m] the shift of all samples whose force counts as none
LOOSEST, TIGHTEST = 0.1, 1e-4  # what conjugate gradients leave of a residual, far away and near
MOST = 2000  # of their iterations


@dataclass(frozen=True, eq=False)
class FleshProblem:
    """What stays the same from frame to frame."""

    elements: Elements
    mixture: Mixture
    springs: BoneSprings
    weight: Floats  # (free, 3) [N] the force of gravity

    @cached_property
    def spring_blocks(self) -> Floats:
        """(blocks,) the stiffness of the springs [N/m] in the pattern of the elements."""
        return self.springs.stiffness_in(*self.elements.pattern)


@dataclass
class Effort:
    """What frames have cost."""

    newton: int = 0
    linear: int = 0  # iterations of conjugate gradients
    projected: int = 0  # stiffness matrices that were not definite

    def plus(self, more: Effort) -> Effort:
        """Both together."""
        return Effort(
            self.newton + more.newton, self.linear + more.linear, self.projected + more.projected
        )


class Balance:
    """The energy of flesh for activations (muscles,) and targets (samples, 3) [m] of bones.

    It is infinite where a tet is inverted, so that no step of a minimiser inverts one.
    """

    def __init__(self, problem: FleshProblem, activation: Floats, target: Floats) -> None:
        self.problem, self._activation, self._target = problem, activation, target
        self.noise = self.load = 0.0
        self.floor = FINEST * float(np.linalg.norm(problem.springs.stiffness))
        self.effort = Effort()
        self._first = 0.0

    def value(self, y: Floats) -> float:
        """The energy [J]."""
        p = self.problem
        density = p.mixture.energy(p.elements.deformation(y), self._activation)
        springs = p.springs.value(y, self._target)
        elastic = float(p.elements.volumes @ density)
        held = float((p.weight * y).sum())
        self.noise = 1e-15 * (float(p.elements.volumes @ np.abs(density)) + springs + abs(held))
        return elastic + springs - held

    def gradient(self, y: Floats) -> Floats:
        """(3 free,) its derivative [N]."""
        p = self.problem
        tissue = p.elements.forces(p.mixture.stress(p.elements.deformation(y), self._activation))
        bones = p.springs.forces(y, self._target)
        self.load = float(np.sqrt((tissue**2).sum() + (bones**2).sum() + (p.weight**2).sum()))
        return (tissue + bones - p.weight).ravel()

    def direction(self, y: Floats, g: Floats) -> Floats:
        """Newton's direction; where the stiffness is not definite, that of the projected one."""
        size = float(np.linalg.norm(g))
        self._first = max(self._first, size)
        reduce = min(max((size / self._first) ** 0.5 * LOOSEST, TIGHTEST), LOOSEST)
        self.effort.newton += 1
        p = self.problem
        H = p.mixture.tangent(p.elements.deformation(y), self._activation)
        found = self._solved(H, g, reduce)
        if found is None:
            self.effort.projected += 1
            project_psd(H)
            found = self._solved(H, g, reduce)
        return -found if found is not None else -g

    def _solved(self, H: Floats, g: Floats, reduce: float) -> Floats | None:
        """An x with K x = g to a part of its size; None where K is seen not to be definite."""
        K = BlockMatrix(self.problem.elements, H, self.problem.spring_blocks)
        definite = True

        def times(v: Floats) -> Floats:
            nonlocal definite
            self.effort.linear += 1
            out = K.times(v)
            definite = definite and float(v @ out) > 0
            return out

        if not K.positive:
            return None
        found = conjugate_gradients(times, g, K.jacobi, reduce=reduce, most=MOST)
        return found if definite else None

    def retract(self, y: Floats, step: Floats) -> Floats:
        """The free nodes a step away."""
        return y + step.reshape(-1, 3)

    def longest(self, y: Floats, step: Floats) -> float:
        """All of a step may be tried."""
        return 1.0

    def minimised(self, y: Floats, rule: Rule, watch: Watch | None) -> Outcome[Floats]:
        """The equilibrium found from free nodes y (free, 3) [m]."""
        return minimise(self, y, rule, watch)
