"""The energy's second derivative: assembled, made definite where it is not, factored and solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from vastus.energies.energy import Stiffness
from vastus.errors import SolveError
from vastus.numerics.iterative import Apply
from vastus.numerics.psd import project_psd
from vastus.numerics.sparse import select_between, select_upper
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import Chart
from vastus.solvers.growing import Growing
from vastus.solvers.linearisation import Linearisation, LowRank
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.solvers.stepping import Effort
from vastus.solvers.unknowns import Unknowns

LEAST, MORE = 1.0 / 64.0, 4.0  # share of a projection that is tried first, and how it grows


class Hessian:
    """The true Hessian where it is positive definite, else (or always) the projected one.

    The pattern of the tets never changes; what other energies couple is added to it as it comes.
    Factors in single precision are enough for directions, which need three digits.
    """

    def __init__(
        self,
        problem: Problem,
        effort: Effort | None = None,
        *,
        project: bool = False,
        single: bool = False,
    ) -> None:
        self.effort = effort or Effort()
        self._project = project
        self._problem = problem
        unknowns, scatter = problem.unknowns, problem.scatter
        base = select_upper(scatter, unknowns.free_index)
        self._upper = Growing(base, unknowns.free, single=single)
        self._across = select_between(scatter, unknowns.free_index, unknowns.touching_index)
        self._touching = select_between(scatter, unknowns.touching_index, unknowns.touching_index)

    @cached_property
    def _tangents(self) -> Floats:
        """(s, 9, 9) room for the tangents of the tets."""
        return np.empty((len(self._problem.elastic.T), 9, 9))

    @property
    def entries(self) -> int:
        """The number of entries of the factor; the first to ask pays for its analysis."""
        return self._upper.factor.entries

    def analyse(self) -> None:
        """Find an order of elimination now, rather than with the first factor."""
        _ = self._upper.factor

    def at(self, objective: Equilibrium, q: Configuration) -> Linearisation:
        """The Hessian at q, ready to solve; valid until the next call."""
        projected = self.effort.projected
        linearisation = self._linearised(objective, q, self._factored(objective, q))
        self.effort.projected += not linearisation.definite
        linearisation.definite = self.effort.projected == projected
        return linearisation

    def true(self, objective: Equilibrium, q: Configuration) -> Linearisation | None:
        """The true Hessian at q, ready to solve until the next call; None if it is not definite."""
        assembled = self._assembled(objective.stiffness(q, self._tangents, definite=False))
        if not self._upper.factored(assembled.blocks, assembled.further):
            return None
        linearisation = self._linearised(objective, q, assembled)
        return linearisation if linearisation.definite else None

    def _linearised(
        self, objective: Equilibrium, q: Configuration, assembled: Assembled
    ) -> Linearisation:
        """The linearisation whose free part has been factored."""
        coupling, bones = self._bones(objective, q, assembled)
        upper = self._upper
        inverse = Linearisation(upper.factor, q.chart, coupling, bones, upper.solve)
        return self._with_columns(inverse, q, assembled.stiffness)

    def operator(self, objective: Equilibrium, q: Configuration) -> Apply:
        """Multiplication by the true Hessian at q, without a factor."""
        assembled = self._assembled(objective.stiffness(q, self._tangents, definite=False))
        coupling, bones = self._bones(objective, q, assembled)
        upper, k = self._upper.fill(assembled.blocks, assembled.further), q.chart.size
        diagonal = upper.diagonal()
        U, c = self._columns(q, assembled.stiffness)

        def multiply(v: Floats) -> Floats:
            z, y = v[:k], v[k:]
            tissue = upper @ y + upper.T @ y - diagonal * y
            product = np.concatenate([bones @ z + coupling.T @ y, coupling @ z + tissue])
            return product + U @ (c * (U.T @ v))

        return multiply

    def follow(self, objective: Equilibrium, q: Configuration, shift: Floats) -> Floats:
        """(f,) how the free scalars follow a shift (n, 3) of everything else, to first order."""
        assembled = self._factored(objective, q)
        everything = np.arange(shift.size)
        others = np.where(self._problem.unknowns.free_index < 0, everything, -1)
        moved = np.where(np.repeat(shift.any(axis=1), 3), others, -1)
        index = np.full(shift.size, -1)
        chosen = np.flatnonzero(moved >= 0)
        index[chosen] = np.arange(len(chosen))
        between = select_between(self._problem.scatter, self._problem.unknowns.free_index, index)
        pull = between.fill(assembled.blocks) @ shift.reshape(-1)[chosen]
        if assembled.further is not None:
            others_shift = np.where(moved >= 0, shift.reshape(-1), 0.0)
            pull = pull + (assembled.further @ others_shift)[self._problem.unknowns.free]
        U, c = _all_columns(assembled.stiffness, shift.size)
        own = U[self._problem.unknowns.free]
        pull = pull + own @ (c * (U.T @ shift.reshape(-1)))
        return -LowRank(self._upper.solve, own, c).solve(pull)

    def _columns(self, q: Configuration, stiffness: Stiffness) -> tuple[Floats, Floats]:
        """U (k + f, r) and c (r,) of matrices c u u^T over bone coordinates and free scalars."""
        U, c = _all_columns(stiffness, q.x.size)
        if not len(c):
            return np.zeros((q.chart.size + len(self._problem.unknowns.free), 0)), c
        carried = self._problem.unknowns.carried
        tied = np.zeros((len(self._problem.skeleton.X) - len(carried), 3))
        rows = [np.concatenate([u.reshape(-1, 3)[carried], tied]) for u in U.T]
        bones = np.column_stack([q.chart.pull(row) for row in rows])
        return np.concatenate([bones, U[self._problem.unknowns.free]]), c

    def _with_columns(
        self, inverse: Linearisation, q: Configuration, stiffness: Stiffness
    ) -> Linearisation:
        """The linearisation with the matrices of rank one that couple far tets."""
        U, c = self._columns(q, stiffness)
        if len(c):
            inverse.couple(U, c)
        return inverse

    def _assembled(self, stiffness: Stiffness) -> Assembled:
        """The stiffness of tets and of what else is coupled."""
        problem = self._problem
        blocks = problem.scatter.blocks(
            stiffness.tangents, problem.elastic.B, problem.elastic.volumes
        )
        if stiffness.outers and problem.scatter.couplings:
            problem.scatter.couplings.add_outers(*stiffness.outers, blocks)
        return Assembled(stiffness, blocks, self._further(stiffness))

    def _further(self, stiffness: Stiffness) -> csr_matrix | None:
        """What is coupled beside the tets."""
        return stiffness.matrix(3 * self._problem.model.mesh.n_vertices)

    def _factored(self, objective: Equilibrium, q: Configuration) -> Assembled:
        """The stiffness whose free part has been factored."""
        stiffness = objective.stiffness(q, self._tangents, definite=self._project)
        assembled = self._assembled(stiffness)
        if not self._project and self._upper.factored(assembled.blocks, assembled.further):
            return assembled
        self.effort.projected += 1
        touching = assembled.further is not None
        if touching:
            stiffness = objective.stiffness(q, self._tangents, definite=True)
            assembled = replace(assembled, stiffness=stiffness, further=self._further(stiffness))
        if touching and self.effort.share <= LEAST and not self._project:
            # What touches had all of its curvature, as where something slides over an edge.
            self.effort.share = 0.0
            if self._upper.factored(assembled.blocks, assembled.further):
                return assembled
        true = assembled.blocks
        project_psd(stiffness.tangents)
        assembled = self._assembled(stiffness)
        for share in () if self._project else self._shares():
            mixed = replace(assembled, blocks=true + share * (assembled.blocks - true))
            if self._upper.factored(mixed.blocks, mixed.further):
                self.effort.share = share
                return mixed
        self.effort.share = 1.0
        if not self._upper.lifted(assembled.blocks, assembled.further):
            raise SolveError("the stiffness matrix is singular: is some tissue held nowhere?")
        return assembled

    def _shares(self) -> Iterator[float]:
        """How much of the projection to try, least first.

        The less is projected, the faster Newton's method converges and leaves a saddle.
        """
        share = max(self.effort.share / MORE, LEAST)
        while share < 1.0:
            yield share
            share *= MORE

    def _bones(
        self, objective: Equilibrium, q: Configuration, assembled: Assembled
    ) -> tuple[Floats, Floats]:
        """(f, k) the stiffness between tissue and bones, and (k, k) that of the bones."""
        unknowns, chart = self._problem.unknowns, q.chart
        push = chart.push(unknowns.touching)
        coupling = self._across.fill(assembled.blocks) @ push
        bones = push.T @ (self._touching.fill(assembled.blocks) @ push)
        bones = bones + self._bone_stiffness(objective, q, assembled.stiffness)
        if assembled.further is not None and chart.size:
            across, own = carried_part(assembled.further, unknowns, chart)
            coupling, bones = coupling + across, bones + own
        if posed := assembled.stiffness.posed():
            between, within = posed
            moved = np.concatenate([chart.strain(), chart.shift()])
            coupling = coupling + (between @ moved)[unknowns.free]
            far = _touched(between, unknowns.carried)
            scalars = (3 * unknowns.carried[far][:, None] + np.arange(3)).ravel()
            carried = chart.push(far).T @ (between[scalars] @ moved)
            bones = bones + moved.T @ within @ moved + carried + carried.T
        return coupling, bones

    def _bone_stiffness(self, objective: Equilibrium, q: Configuration, added: Stiffness) -> Floats:
        """(k, k) what the bones add by turning, by their elasticity and by their joints."""
        efforts = objective.forces(q).joints
        stiffness = q.chart.curvature(objective.carried_forces(q), objective.bone_loads(q))
        if added.turns is not None:
            strain = q.chart.strain()
            stiffness = stiffness + strain.T @ added.turns @ strain
        if added.joints is not None or efforts.any():
            second = np.zeros(len(efforts)) if added.joints is None else added.joints
            moved = np.concatenate([q.chart.strain(), q.chart.shift()])
            within = self._problem.coordinates.stiffness(q.poses, efforts, second)
            stiffness = stiffness + moved.T @ within @ moved
        first = len(self._problem.unknowns.carried)
        for a, b, spring in added.springs:
            apart = q.chart.push(first + a) - q.chart.push(first + b)
            stiffness = stiffness + spring * apart.T @ apart
        return stiffness


@dataclass(frozen=True, eq=False)
class Assembled:
    """Stiffness blocks (blocks, 3, 3) of the tets, and what else is coupled, over all scalars."""

    stiffness: Stiffness
    blocks: Floats
    further: csr_matrix | None = None


def carried_part(further: csr_matrix, unknowns: Unknowns, chart: Chart) -> tuple[Floats, Floats]:
    """(f, k) and (k, k): a stiffness over all scalars between free ones and bones, and of bones."""
    far = _touched(further, unknowns.carried)
    scalars = (3 * unknowns.carried[far][:, None] + np.arange(3)).ravel()
    columns, carry = further[:, scalars], chart.push(far)
    return columns[unknowns.free] @ carry, carry.T @ (columns[scalars] @ carry)


def _all_columns(stiffness: Stiffness, size: int) -> tuple[Floats, Floats]:
    """U (size, r) over all scalars and c (r,) of the matrices of rank one."""
    U = [u.reshape(-1) for u, _ in stiffness.columns]
    c = np.array([c for _, c in stiffness.columns], float)
    return (np.column_stack(U) if U else np.zeros((size, 0))), c


def _touched(matrix: csr_matrix, vertices: Ints) -> Ints:
    """Positions among the vertices of those that have an entry."""
    count = np.diff(matrix.indptr).reshape(-1, 3).sum(axis=1)
    return np.flatnonzero(count[vertices] > 0)
