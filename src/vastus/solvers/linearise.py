"""A linearised problem, solved: a factor of the tissue, a Schur complement for the bones."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from vastus.numerics.factor import Factor
from vastus.numerics.types import Floats
from vastus.skeleton.skeleton import Chart


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
