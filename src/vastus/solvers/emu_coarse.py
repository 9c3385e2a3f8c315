"""Coarse spaces over which the elements are coupled: a few modes, or the whole mesh."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from vastus.errors import SolveError
from vastus.numerics.cg import conjugate_gradients
from vastus.numerics.factor import make_factor
from vastus.numerics.sparse import select_between, select_upper
from vastus.numerics.types import Floats
from vastus.numerics.woodbury import prolong, reduce, restrict, times
from vastus.solvers.emu_space import Space
from vastus.solvers.linearise import DenseInverse, Linearisation
from vastus.solvers.modes import lowest_modes

if TYPE_CHECKING:
    from vastus.solvers.emu_directions import Blocks


class Coarse(Protocol):
    """A space C of element tensors."""

    def factor(self, blocks: Blocks) -> bool:
        """Make S = Cᵀ M C ready to solve; False if it is not positive definite."""

    def solve(self, S: Floats) -> Floats:
        """(elements, 3, 3) C S⁻¹ Cᵀ applied to tensors S (elements, 3, 3)."""


class ModeSpace:
    """The gradients of the lowest scalar modes, each along three axes."""

    def __init__(self, space: Space, count: int) -> None:
        self.modes = lowest_modes(space, count)
        self._B = (space.D @ self.modes.shapes).reshape(space.soft + space.bones, 3, -1)
        self._rooted = self._B * np.sqrt(space.volumes)[:, None, None]
        self._soft = space.soft

    def factor(self, blocks: Blocks) -> bool:
        """Factor S, dense; an indefinite one is made definite."""
        S = reduce(blocks.soft, self._rooted[: self._soft])
        S += reduce(blocks.bones, self._rooted[self._soft :])
        self._inverse = DenseInverse(S)
        return not self._inverse.lifted

    def solve(self, S: Floats) -> Floats:
        """C S⁻¹ Cᵀ applied to tensors."""
        c = self._inverse.solve(restrict(self._B, S).ravel())
        return prolong(self._B, c.reshape(-1, 3))


class MeshSpace:
    """The gradients of all continuous meshes: S has the pattern of a stiffness matrix."""

    def __init__(self, space: Space) -> None:
        self._space, problem = space, space.problem
        unknowns, scatter = problem.unknowns, problem.scatter
        self._upper = select_upper(scatter, unknowns.free_index)
        self._across = select_between(scatter, unknowns.free_index, unknowns.touching_index)
        self._touching = select_between(scatter, unknowns.touching_index, unknowns.touching_index)
        self._factor = make_factor(self._upper.matrix.indptr, self._upper.matrix.indices)
        if space.bones:
            self._push, self._strain = space.chart.push(unknowns.touching), space.chart.strain()

    def factor(self, blocks: Blocks) -> bool:
        """Factor S: sparse for the vertices, a Schur complement for the bones."""
        problem = self._space.problem
        elastic = problem.elastic
        stiffness = problem.scatter.blocks(blocks.soft, elastic.B, elastic.volumes)
        matrix = self._upper.fill(stiffness)
        definite = self._factor.factor(matrix.data)
        if not definite and blocks.all_projected:
            self._lift(matrix.data, matrix.indptr[:-1])
        elif not definite:
            return False
        self._inverse: Callable[[Floats], Floats] = self._factor.solve
        if not self._space.bones:
            return definite
        bones = self._push.T @ (self._touching.fill(stiffness) @ self._push)
        bones += self._bone_stiffness(blocks)
        coupling = self._across.fill(stiffness) @ self._push
        linear = Linearisation(self._factor, self._space.chart, coupling, bones)
        self._inverse = linear.solve
        return definite and linear.definite

    def solve(self, S: Floats) -> Floats:
        """C S⁻¹ Cᵀ applied to tensors."""
        c = self._inverse(self._space.adjoint(S).ravel())
        return self._space.gradients(c.reshape(-1, 3))

    def _bone_stiffness(self, blocks: Blocks) -> Floats:
        scaled = blocks.bones * self._space.bone_elastic.volumes[:, None, None]
        strain = self._strain.reshape(len(scaled), 9, -1)
        return np.einsum("fik,fij,fjl->kl", strain, scaled, strain, optimize=True)

    def _lift(self, values: Floats, diagonal: Floats) -> None:
        """Add to the diagonal until the matrix is definite: projection leaves it semi-definite."""
        shift = 1e-12 * float(np.mean(values[diagonal]))
        while not self._factor.factor(values):
            shift *= 10.0
            values[diagonal] += shift
            if not shift < float(np.max(values)):
                raise SolveError("the stiffness matrix is singular: is some tissue held nowhere?")


class IterativeMeshSpace:
    """The same without a matrix: conjugate gradients, preconditioned by the continuity matrix."""

    def __init__(self, space: Space, reduction: float, most: int) -> None:
        self._space, self._reduction, self._most = space, reduction, most

    def factor(self, blocks: Blocks) -> bool:
        """Nothing to factor; conjugate gradients stop at negative curvature."""
        self._blocks = blocks
        return True

    def solve(self, S: Floats) -> Floats:
        """C S⁻¹ Cᵀ applied to tensors."""
        b = self._space.adjoint(S).ravel()
        c = conjugate_gradients(
            self._multiply, b, self._precondition, reduce=self._reduction, most=self._most
        )
        return self._space.gradients(c.reshape(-1, 3))

    def _multiply(self, y: Floats) -> Floats:
        space = self._space
        flat = space.gradients(y.reshape(-1, 3)).reshape(-1, 9) * space.volumes[:, None]
        tissue = times(self._blocks.soft, flat[: space.soft])
        bones = times(self._blocks.bones, flat[space.soft :])
        return space.adjoint(np.concatenate([tissue, bones]).reshape(-1, 3, 3)).ravel()

    def _precondition(self, r: Floats) -> Floats:
        return self._space.solve(r.reshape(-1, 3)).ravel()
