"""A linearised problem, solved: a factor of the tissue, a Schur complement for the bones.

The energy's second derivative: assembled, made definite where it is not, and factored.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from vastus.errors import SolveError
from vastus.numerics.factor import Factor, make_factor
from vastus.numerics.iterative import Apply
from vastus.numerics.psd import project_psd
from vastus.numerics.sparse import select_between, select_upper
from vastus.numerics.types import Floats
from vastus.skeleton.bones import Chart
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.solvers.stepping import Effort


class Linearisation:
    """Applies an inverse Hessian over bone coordinates, first, and free scalars (theory, eq. 26).

    `factor` solves with the tissue's stiffness, `coupling` (f, k) ties it to the bones' coordinates
    around `chart`, and `bones` (k, k) is their own stiffness.
    """

    def __init__(self, factor: Factor, chart: Chart, coupling: Floats, bones: Floats) -> None:
        self.chart = chart
        self._factor, self._coupling = factor, coupling
        self._solved = factor.solve(coupling) if chart.size else coupling
        self._schur = DenseInverse(bones - coupling.T @ self._solved)
        self.definite = not self._schur.lifted

    def solve(self, g: Floats) -> Floats:
        """The inverse Hessian times g (k + f,), or times several columns."""
        k = self.chart.size
        tissue = self._factor.solve(g[k:])
        if k == 0:
            return tissue
        z = self._schur.solve(g[:k] - self._coupling.T @ tissue)
        return np.concatenate([z, tissue - self._solved @ z])

    def solve_around(self, chart: Chart, g: Floats) -> Floats:
        """The same for g and the result in the coordinates of another chart."""
        k = chart.size
        there = np.concatenate([self.chart.lower(chart.lift(g[:k])), g[k:]])
        solved = self.solve(there)
        own = self.chart.size
        return np.concatenate([chart.lower(self.chart.lift(solved[:own])), solved[own:]])


class DenseInverse:
    """A small symmetric matrix, its negative eigenvalues turned positive, made ready to solve."""

    def __init__(self, matrix: Floats) -> None:
        self.lifted = False
        try:
            self._factor = cho_factor(matrix)
        except np.linalg.LinAlgError:
            self.lifted = True
            values, vectors = eigh(0.5 * (matrix + matrix.T))
            values = np.maximum(np.abs(values), 1e-9 * np.abs(values).max())
            self._factor = cho_factor((vectors * values) @ vectors.T)

    def solve(self, b: Floats) -> Floats:
        """The solution for b (k,) or several columns."""
        return np.asarray(cho_solve(self._factor, b, check_finite=False))


class Hessian:
    """The true Hessian where it is positive definite, else (or always) the projected one."""

    def __init__(
        self, problem: Problem, effort: Effort | None = None, *, project: bool = False
    ) -> None:
        self.effort = effort or Effort()
        self._project = project
        self._problem = problem
        unknowns, scatter = problem.unknowns, problem.scatter
        self._upper = select_upper(scatter, unknowns.free_index)
        self._across = select_between(scatter, unknowns.free_index, unknowns.touching_index)
        self._touching = select_between(scatter, unknowns.touching_index, unknowns.touching_index)

    @cached_property
    def _factor(self) -> Factor:
        """The factorisation, analysed when first needed."""
        return make_factor(self._upper.matrix.indptr, self._upper.matrix.indices)

    @cached_property
    def _tangents(self) -> Floats:
        """(s, 9, 9) room for the tangents of the tets."""
        return np.empty((len(self._problem.elastic.T), 9, 9))

    @property
    def entries(self) -> int:
        """The number of entries of the factor; the first to ask pays for its analysis."""
        return self._factor.entries

    def analyse(self) -> None:
        """Find an order of elimination now, rather than with the first factor."""
        _ = self._factor

    def at(self, objective: Equilibrium, q: Configuration) -> Linearisation:
        """The Hessian at q, ready to solve; valid until the next call."""
        projected = self.effort.projected
        blocks = self._factored(objective, q)
        coupling, bones = self._bones(objective, q, blocks)
        linearisation = Linearisation(self._factor, q.chart, coupling, bones)
        self.effort.projected += not linearisation.definite
        linearisation.definite = self.effort.projected == projected
        return linearisation

    def operator(self, objective: Equilibrium, q: Configuration) -> Apply:
        """Multiplication by the true Hessian at q, without a factor."""
        H = self._problem.elastic.tangent(q.F, objective.tension, self._tangents)
        blocks = self._problem.stiffness(q.F, H)
        coupling, bones = self._bones(objective, q, blocks)
        upper, k = self._upper.fill(blocks), q.chart.size
        diagonal = upper.diagonal()

        def multiply(v: Floats) -> Floats:
            z, y = v[:k], v[k:]
            tissue = upper @ y + upper.T @ y - diagonal * y
            return np.concatenate([bones @ z + coupling.T @ y, coupling @ z + tissue])

        return multiply

    def _bones(
        self, objective: Equilibrium, q: Configuration, blocks: Floats
    ) -> tuple[Floats, Floats]:
        """(f, k) the stiffness between tissue and bones, and (k, k) that of the bones."""
        push = q.chart.push(self._problem.unknowns.touching)
        coupling = self._across.fill(blocks) @ push
        bones = push.T @ (self._touching.fill(blocks) @ push) + self._bone_stiffness(objective, q)
        return coupling, bones

    def follow(self, objective: Equilibrium, q: Configuration, shift: Floats) -> Floats:
        """(f,) how the free scalars follow a shift (n, 3) of everything else, to first order."""
        blocks = self._factored(objective, q)
        everything = np.arange(shift.size)
        others = np.where(self._problem.unknowns.free_index < 0, everything, -1)
        moved = np.where(np.repeat(shift.any(axis=1), 3), others, -1)
        index = np.full(shift.size, -1)
        chosen = np.flatnonzero(moved >= 0)
        index[chosen] = np.arange(len(chosen))
        between = select_between(self._problem.scatter, self._problem.unknowns.free_index, index)
        matrix = between.fill(blocks)
        return -self._factor.solve(matrix @ shift.reshape(-1)[chosen])

    def _factored(self, objective: Equilibrium, q: Configuration) -> Floats:
        """The stiffness blocks whose free part has been factored."""
        H = self._problem.elastic.tangent(q.F, objective.tension, self._tangents)
        blocks = self._problem.stiffness(q.F, H)
        if not self._project and self._factor.factor(self._upper.fill(blocks).data):
            return blocks
        self.effort.projected += 1
        project_psd(H)
        blocks = self._problem.stiffness(q.F, H)
        matrix = self._upper.fill(blocks)
        diagonal = matrix.indptr[:-1]
        shift = 1e-12 * float(np.sum(matrix.data[diagonal])) / max(len(diagonal), 1)
        while not self._factor.factor(matrix.data):
            # A projected element matrix is only semi-definite: lift it off zero.
            shift *= 10.0
            matrix.data[diagonal] += shift
            if not shift < float(np.max(matrix.data)):
                raise SolveError("the stiffness matrix is singular: is some tissue held nowhere?")
        return blocks

    def _bone_stiffness(self, objective: Equilibrium, q: Configuration) -> Floats:
        """(k, k) what the bones add by turning, by their elasticity and by their joints."""
        problem = self._problem
        stiffness = q.chart.curvature(objective.carried_forces(q))
        if problem.bone_elastic:
            strain = q.chart.strain()
            stiffness = stiffness + strain.T @ problem.bone_elastic.hessian(q.poses) @ strain
        if problem.springs:
            a, b = q.chart.push(problem.springs.a), q.chart.push(problem.springs.b)
            stiffness = stiffness + problem.springs.hessian(a, b)
        return stiffness
