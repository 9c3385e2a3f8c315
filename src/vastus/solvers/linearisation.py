"""Solves with a linearised problem: a sparse factor, bordered by bones and by low ranks."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from vastus.errors import SolveError
from vastus.numerics.factor import Factor
from vastus.numerics.iterative import Apply
from vastus.numerics.types import Floats
from vastus.skeleton.bones import Chart


class Bordered:
    """Solves with the tissue's stiffness, bordered by that of the bones (theory, eq. 26).

    `factor` solves with the tissue's own, `coupling` (f, k) ties it to the bones' coordinates, and
    `bones` (k, k) is their own stiffness. `exact` solves what is to be subtracted from something of
    its own size, for which the digits of a factor in single precision are too few.
    """

    def __init__(self, factor: Factor, coupling: Floats, bones: Floats, exact: Apply) -> None:
        self._factor, self._coupling, self._exact = factor, coupling, exact
        self._solved = exact(coupling) if len(bones) else coupling
        self._schur = DenseInverse(bones - coupling.T @ self._solved)
        self.definite = not self._schur.lifted

    def solve(self, g: Floats) -> Floats:
        """The solution for g (k + f,) or several columns."""
        return self._solve(g, self._factor.solve)

    def exactly(self, g: Floats) -> Floats:
        """The same by `exact`."""
        return self._solve(g, self._exact)

    def _solve(self, g: Floats, solve: Apply) -> Floats:
        k = self._coupling.shape[1]
        tissue = solve(g[k:])
        if k == 0:
            return tissue
        z = self._schur.solve(g[:k] - self._coupling.T @ tissue)
        return np.concatenate([z, tissue - self._solved @ z])


class Linearisation:
    """Applies an inverse Hessian over bone coordinates around `chart`, first, and free scalars.

    It holds large arrays, which go when it does: it is in no cycle of references.
    """

    def __init__(
        self,
        factor: Factor,
        chart: Chart,
        coupling: Floats,
        bones: Floats,
        exact: Apply | None = None,
    ) -> None:
        bordered = Bordered(factor, coupling, bones, exact or factor.solve)
        self.chart, self.definite = chart, bordered.definite
        self._apply: Apply = bordered.solve
        self._exact: Apply = bordered.exactly

    def couple(self, U: Floats, c: Floats) -> None:
        """Add the matrices U diag(c) U^T, with columns U (k + f, r)."""
        low_rank = LowRank(self._apply, U, c, self._exact)
        self._apply, self._exact = low_rank.solve, low_rank.exactly
        self.definite = self.definite and low_rank.definite

    def solve(self, g: Floats) -> Floats:
        """The inverse Hessian times g (k + f,), or times several columns."""
        return self._apply(g)

    def solve_around(self, chart: Chart, g: Floats) -> Floats:
        """The same for g and the result in the coordinates of another chart."""
        k = chart.size
        there = np.concatenate([self.chart.lower(chart.lift(g[:k])), g[k:]])
        solved = self.solve(there)
        own = self.chart.size
        return np.concatenate([chart.lower(self.chart.lift(solved[:own])), solved[own:]])


class LowRank:
    """Solves with K + U diag(c) U^T by the inverse of K (Woodbury's identity).

    `exact` applies that inverse to U, if it is more exact than `solve`.

    `definite` says whether the sum is positive definite, given that K is; where it is not, the
    negative c are left out, which leaves a direction of descent.
    """

    def __init__(self, solve: Apply, U: Floats, c: Floats, exact: Apply | None = None) -> None:
        self._apply, self._exact, self.definite = solve, exact or solve, True
        self._set(U, self._exact(U) if len(c) else U, c)
        if len(c) and not _positive(U.T @ self._Z, c):
            self.definite = False
            self._set(U[:, c > 0], self._Z[:, c > 0], c[c > 0])

    def _set(self, U: Floats, Z: Floats, c: Floats) -> None:
        self._U, self._Z, self._c = U, Z, c
        self._core = np.eye(len(c)) + c[:, None] * (U.T @ Z)

    def solve(self, g: Floats) -> Floats:
        """The solution for g (n,) or several columns."""
        return self._solve(g, self._apply)

    def exactly(self, g: Floats) -> Floats:
        """The same by `exact`."""
        return self._solve(g, self._exact)

    def _solve(self, g: Floats, solve: Apply) -> Floats:
        y = solve(g)
        if not len(self._c):
            return y
        inner = (self._U.T @ y).T * self._c
        return np.asarray(y - self._Z @ np.linalg.solve(self._core, inner.T))


def _positive(M: Floats, c: Floats) -> bool:
    """Whether I + M^(1/2) diag(c) M^(1/2) is positive definite, for M positive semi-definite."""
    values, vectors = eigh(0.5 * (M + M.T))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return bool(eigh(np.eye(len(c)) + root.T @ (c[:, None] * root), eigvals_only=True)[0] > 1e-9)


class DenseInverse:
    """A small symmetric matrix, its negative eigenvalues turned positive, made ready to solve."""

    def __init__(self, matrix: Floats) -> None:
        self.lifted = False
        try:
            self._factor = cho_factor(matrix)
        except np.linalg.LinAlgError:
            self.lifted = True
            values, vectors = eigh(0.5 * (matrix + matrix.T))
            size = np.abs(values).max()
            if not size > 0:
                raise SolveError("nothing resists the free bones: is one held nowhere?") from None
            values = np.maximum(np.abs(values), 1e-9 * size)
            self._factor = cho_factor((vectors * values) @ vectors.T)

    def solve(self, b: Floats) -> Floats:
        """The solution for b (k,) or several columns."""
        return np.asarray(cho_solve(self._factor, b, check_finite=False))
