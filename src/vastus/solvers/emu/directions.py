"""Directions of descent in deformation space, with elements coupled by few modes or the whole mesh.

With K the blocks of the elements and H = K + alpha W, the Hessian of the energy is
H - alpha W D L⁻¹ Dᵀ W. Its inverse is that of the blocks plus a correction over a coarse space C,

    d = -[z + H⁻¹ alpha W C c],   z = H⁻¹ g,   S c = Cᵀ alpha W z,   S = Cᵀ M C,

with M the springs K and alpha W in series. C = D is Newton's method. C = D Phi with few modes Phi
is EMU's approximation (eq. 17), which takes the inverse of L to be that of its modes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix

from vastus.errors import ModelError, SolveError
from vastus.numerics.iterative import Apply, Memory, conjugate_gradients
from vastus.numerics.rotation import nearest_rotations
from vastus.numerics.sparse import select_between, select_upper
from vastus.numerics.types import Floats
from vastus.numerics.woodbury import prolong, reduce, restrict, times
from vastus.solvers.emu.blocks import Blocks
from vastus.solvers.emu.pieces import Direction, Pieces, PiecesEnergy
from vastus.solvers.emu.space import Space, lowest_modes
from vastus.solvers.growing import Growing
from vastus.solvers.hessian import carried_part
from vastus.solvers.linearisation import DenseInverse, Linearisation, LowRank
from vastus.solvers.stepping import Effort


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
        self._space = space
        self._B = (space.D @ self.modes.shapes).reshape(space.soft + space.bones, 3, -1)
        self._rooted = self._B * np.sqrt(space.volumes)[:, None, None]
        self._soft = space.soft

    def factor(self, blocks: Blocks) -> bool:
        """Factor S, dense; an indefinite one is made definite."""
        S = reduce(blocks.soft, self._rooted[: self._soft])
        S += reduce(blocks.bones, self._rooted[self._soft :])
        if blocks.patches:
            S += blocks.patches.reduced(self._B[: self._soft])
        if blocks.contact is not None:
            S += self._touching(blocks.contact)
        self._inverse = DenseInverse(S)
        return not self._inverse.lifted

    def _touching(self, contact: csr_matrix) -> Floats:
        """(3 k, 3 k) the stiffness of contact (3 n, 3 n) between modes."""
        shapes = self.modes.shapes.T
        moved = [self._space.vertices(np.repeat(m[:, None], 3, axis=1))[:, 0] for m in shapes]
        lifted = np.kron(np.column_stack(moved), np.eye(3))
        return np.asarray(lifted.T @ (contact @ lifted))

    def solve(self, S: Floats) -> Floats:
        """C S⁻¹ Cᵀ applied to tensors."""
        c = self._inverse.solve(restrict(self._B, S).ravel())
        return prolong(self._B, c.reshape(-1, 3))


class MeshSpace:
    """The gradients of all continuous meshes: S has the pattern of a stiffness matrix."""

    def __init__(self, space: Space) -> None:
        self._space, problem = space, space.problem
        unknowns, scatter = problem.unknowns, problem.scatter
        self._upper = Growing(select_upper(scatter, unknowns.free_index), unknowns.free)
        self._across = select_between(scatter, unknowns.free_index, unknowns.touching_index)
        self._touching = select_between(scatter, unknowns.touching_index, unknowns.touching_index)
        if space.bones:
            self._push, self._strain = space.chart.push(unknowns.touching), space.chart.strain()

    def factor(self, blocks: Blocks) -> bool:
        """Factor S: sparse for the vertices, a Schur complement for the bones."""
        problem = self._space.problem
        elastic = problem.elastic
        stiffness = problem.scatter.blocks(blocks.soft, elastic.B, elastic.volumes)
        if blocks.patches and problem.scatter.couplings:
            problem.scatter.couplings.add_outers(*blocks.patches.outers(), stiffness)
        definite = self._upper.factored(stiffness, blocks.contact)
        if not definite and not blocks.all_projected:
            return False
        # Projection leaves the matrix semi-definite.
        if not definite and not self._upper.lifted(stiffness, blocks.contact):
            raise SolveError("the stiffness matrix is singular: is some tissue held nowhere?")
        factor = self._upper.factor
        self._inverse: Apply = factor.solve
        if not self._space.bones:
            return definite
        bones = self._push.T @ (self._touching.fill(stiffness) @ self._push)
        bones += self._bone_stiffness(blocks)
        coupling = self._across.fill(stiffness) @ self._push
        if blocks.contact is not None:
            across, own = carried_part(blocks.contact, problem.unknowns, self._space.chart)
            coupling, bones = coupling + across, bones + own
        linear = Linearisation(factor, self._space.chart, coupling, bones)
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
        G = space.gradients(y.reshape(-1, 3))
        flat = G.reshape(-1, 9) * space.volumes[:, None]
        tissue = times(self._blocks.soft, flat[: space.soft])
        if self._blocks.patches:
            tissue += self._blocks.patches.springs(G[: space.soft]).reshape(-1, 9)
        bones = times(self._blocks.bones, flat[space.soft :])
        return space.adjoint(np.concatenate([tissue, bones]).reshape(-1, 3, 3)).ravel()

    def _precondition(self, r: Floats) -> Floats:
        return self._space.solve(r.reshape(-1, 3)).ravel()


class DirectionChoice(Protocol):
    """A frozen choice of direction."""

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model; `modes` counts vector modes, three for each scalar one."""


@dataclass(frozen=True)
class Woodbury:
    """EMU's own: exact blocks, and the coupling through the lowest modes."""

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model."""
        return Corrected(ModeSpace(space, modes // 3), effort)


@dataclass(frozen=True)
class WoodburyLBFGS:
    """EMU's own, improved by what the last steps taught."""

    memory: int = 10

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model."""
        return Remembered(Corrected(ModeSpace(space, modes // 3), effort), self.memory)


@dataclass(frozen=True)
class ExactNewton:
    """Newton's method on EMU's energy: the coarse space is the whole mesh."""

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model."""
        return Corrected(MeshSpace(space), effort)


@dataclass(frozen=True)
class NewtonCG:
    """Newton's method without factoring again: conjugate gradients to `reduction` of the start."""

    reduction: float = 0.03
    most: int = 100

    def prepare(self, space: Space, modes: int, effort: Effort) -> Direction:
        """The direction for a model."""
        return Corrected(IterativeMeshSpace(space, self.reduction, self.most), effort)


@dataclass(eq=False)
class Corrected:
    """The inverse of the blocks with the correction over a coarse space."""

    coarse: Coarse
    effort: Effort

    def __call__(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """(elements, 3, 3) the direction at q for the gradient g (elements, 3, 3)."""
        self.effort.iterations += 1
        return -self.inverse(energy, q, g)

    def inverse(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """The approximate inverse Hessian times g; the true Hessian first, projected if need be."""
        blocks = self._factored(energy, q, g)
        once = self._corrected(energy, blocks, blocks.z)
        U, c = energy.columns(q.F)
        if not len(c):
            return once
        others = self._columns(energy, blocks)
        coupled = LowRank(lambda v: once.ravel() if v.ndim == 1 else others(v), U, c)
        self.effort.projected += not (coupled.definite or blocks.projected)
        return coupled.solve(g.ravel()).reshape(g.shape)

    def response(self, energy: PiecesEnergy, q: Pieces) -> Apply:
        """The approximate inverse Hessian at q, for any number of g (elements, 3, 3)."""
        self.effort.iterations += 1
        blocks = self._factored(energy, q, np.zeros_like(q.F))
        coupled = LowRank(self._columns(energy, blocks), *energy.columns(q.F))
        return lambda g: coupled.solve(g.reshape(-1, 1)).reshape(g.shape)

    def _factored(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Blocks:
        contact = energy.contact.stiffness(q.y) if energy.contact else None
        for projected in (False, True):
            blocks = Blocks(energy, q.F, g, projected=projected)
            blocks.contact = contact
            if self.coarse.factor(blocks):
                break
        self.effort.projected += bool(blocks.projected)
        return blocks

    def _columns(self, energy: PiecesEnergy, blocks: Blocks) -> Apply:
        """What the blocks and the coarse space answer to columns (9 elements, r)."""

        def solve(v: Floats) -> Floats:
            each = [blocks.spread(u.reshape(-1, 3, 3) / energy.spring) for u in v.T]
            return np.column_stack([self._corrected(energy, blocks, z).ravel() for z in each])

        return solve

    def _corrected(self, energy: PiecesEnergy, blocks: Blocks, z: Floats) -> Floats:
        """What the blocks alone answer, and what the coarse space adds."""
        return z + blocks.spread(self.coarse.solve(energy.spring * z))


class Inverse(Protocol):
    """An approximate inverse Hessian."""

    effort: Effort

    def inverse(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """The inverse at q times g (elements, 3, 3)."""


class Remembered:
    """A direction with the memory of L-BFGS on top; it forgets when the energy is another.

    Steps and gradients of bones are remembered as the bone sees them: a stiff body that turns would
    make nonsense of pairs in fixed axes.
    """

    def __init__(self, base: Inverse, size: int) -> None:
        self.base, self._size = base, size
        self._energy: PiecesEnergy | None = None
        self._last: tuple[Pieces, Floats] | None = None

    def __call__(self, energy: PiecesEnergy, q: Pieces, g: Floats) -> Floats:
        """(elements, 3, 3) the direction at q for the gradient g (elements, 3, 3)."""
        self.base.effort.iterations += 1
        if energy is not self._energy:
            self._energy, self._last, self._memory = energy, None, Memory(self._size)
        turn = nearest_rotations(q.F[energy.space.soft :])
        seen = seen_from(turn, g)
        if self._last is not None and q.step is not None:
            before = nearest_rotations(self._last[0].F[energy.space.soft :])
            self._memory.push(seen_from(before, q.step).ravel(), (seen - self._last[1]).ravel())
        self._last = (q, seen)

        def inverse(v: Floats) -> Floats:
            back = seen_from(np.swapaxes(turn, 1, 2), v.reshape(g.shape))
            return seen_from(turn, self.base.inverse(energy, q, back)).ravel()

        d = self._memory.apply(seen.ravel(), inverse).reshape(g.shape)
        return -seen_from(np.swapaxes(turn, 1, 2), d)


def seen_from(turn: Floats, S: Floats) -> Floats:
    """Tensors S (elements, 3, 3), those of the bones from axes that have turned (f, 3, 3)."""
    out = S.copy()
    bones = slice(len(S) - len(turn), None)
    out[bones] = np.swapaxes(turn, 1, 2) @ S[bones]
    return out


def hessian_of(direction: Direction) -> Corrected:
    """What a direction takes EMU's Hessian to be; refused where it knows none."""
    base = direction.base if isinstance(direction, Remembered) else direction
    if not isinstance(base, Corrected):
        raise ModelError("collision forces need a direction that couples elements by the mesh")
    return base
