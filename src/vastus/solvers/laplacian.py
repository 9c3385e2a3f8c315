"""A constant stand-in for the Hessian: one scalar Laplacian for all three coordinates.

It costs a fraction of the Hessian's factor, once per model, and does not see rotations: good for
large models without joints.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, triu

from vastus.numerics.factor import Factor, make_factor
from vastus.numerics.types import Floats, Ints
from vastus.solvers.linearisation import Linearisation
from vastus.solvers.problem import Configuration, Equilibrium, Problem


class Laplacian:
    """Dᵀ W D with the weights volume times stiffness, over the free vertices."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        unknowns = problem.unknowns
        self._free = unknowns.free[::3] // 3
        held = unknowns.carried[unknowns.touching]
        self._matrix = matrix = _stiffness(problem)
        upper = _upper(_rows_and_columns(matrix, self._free, self._free))
        self._across = _rows_and_columns(matrix, self._free, held)
        self._touching = _rows_and_columns(matrix, held, held)
        scalar = make_factor(upper.indptr, upper.indices)
        if not scalar.factor(upper.data):
            raise ArithmeticError("the Laplacian is not positive definite")
        self.factor = ThreeFold(scalar)
        self.entries = scalar.entries

    @classmethod
    def serves(cls, problem: Problem) -> bool:
        """Whether bones are rigid and unjointed, and each vertex is free along all axes or none.

        What guides, cavities, cables and the model's own energies couple, it does not see.
        """
        skeleton = problem.skeleton
        jointed = skeleton.ties or len(skeleton.X) > len(problem.unknowns.carried)
        model = problem.model
        coupled = (model.energies, model.guides, model.cavities, model.cables)
        if jointed or problem.bones.young or any(coupled):
            return False
        free = problem.unknowns.free
        return len(free) % 3 == 0 and bool((free.reshape(-1, 3) // 3 == free[::3, None] // 3).all())

    def at(self, objective: Equilibrium, q: Configuration) -> Linearisation:
        """The Laplacian with the bones' coordinates around q."""
        push = q.chart.push(self._problem.unknowns.touching)
        coupling = _threefold(self._across, push)
        bones = push.T @ _threefold(self._touching, push)
        return Linearisation(self.factor, q.chart, coupling, bones)

    def follow(self, objective: Equilibrium, q: Configuration, shift: Floats) -> Floats:
        """(f,) how the free scalars follow a shift (n, 3) of everything else, as a membrane."""
        others = shift.copy()
        others[self._free] = 0.0
        return -self.factor.solve((self._matrix @ others)[self._free].ravel())


class ThreeFold:
    """A scalar factor that solves for three coordinates at once."""

    def __init__(self, scalar: Factor) -> None:
        self._scalar = scalar
        self.entries = scalar.entries

    def factor(self, values: Floats) -> bool:
        """Factor the scalar matrix with these values."""
        return self._scalar.factor(values)

    def solve(self, b: Floats) -> Floats:
        """Solve for one (3 n,) or several (3 n, k) right-hand sides."""
        columns = np.reshape(b, (len(b) // 3, -1))
        return np.ascontiguousarray(self._scalar.solve(columns)).reshape(b.shape)


def _stiffness(problem: Problem) -> csr_array:
    elastic, mesh = problem.elastic, problem.model.mesh
    D = mesh.D
    weights = np.zeros(mesh.n_tets)
    # An active muscle is stiffer by its stress; with four times that L-BFGS needs fewest steps.
    stiffness = elastic.modulus + 4 * problem.model.strength[problem.model.soft]
    weights[problem.model.soft] = elastic.volumes * stiffness
    return csr_array(mesh.D_transposed @ (D * np.repeat(weights, 3)[:, None]))


def _rows_and_columns(matrix: csr_array, rows: Ints, columns: Ints) -> csr_array:
    return csr_array(matrix[rows][:, columns])


def _upper(matrix: csr_array) -> csr_array:
    upper = csr_array(triu(matrix, format="csr"))
    upper.sort_indices()
    return upper


def _threefold(matrix: csr_array, push: Floats) -> Floats:
    """A scalar matrix applied to maps (3 n, k), coordinate by coordinate."""
    k = push.shape[1]
    moved = matrix @ push.reshape(len(push) // 3, 3 * k)
    return np.asarray(moved).reshape(3 * matrix.shape[0], k)
