"""Patches of tets in deformation space: one term of rank one each, beside the elements' blocks.

An averaged volume adds c u u^T for each patch to the blocks H, with u the derivative of the patch's
volume by the gradients of its tets. Patches share no tet, so that with h = H⁻¹ u the inverse is

    H⁻¹ - g h h^T,   g = c / (1 + c u·h),

and the springs in series that the mesh feels are those of the blocks plus g a a^T, a = alpha W h.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix

from vastus.energies.volume import AveragedVolume
from vastus.numerics.types import Floats


class Patches:
    """The terms of all patches at the gradients F (s, 3, 3) of the soft tets.

    `answer` is the inverse of the blocks times tensors (s, 3, 3), and `spring` (s, 1, 1) the
    weights alpha W [J].
    """

    def __init__(
        self,
        volume: AveragedVolume,
        F: Floats,
        answer: Callable[[Floats], Floats],
        spring: Floats,
    ) -> None:
        self._volume = volume
        self._u = volume.gradients(F)
        self._h = answer(self._u)
        c = volume.curvatures(F)
        self.weight = c / (1.0 + c * self._sums(self._u, self._h))  # (p,) g
        self.pull = spring * self._h  # (s, 3, 3) alpha W h

    def corrected(self, z: Floats) -> Floats:
        """The inverse of blocks and patches times what the blocks alone make z (s, 3, 3) of."""
        return self._spread(z, self._h, -self._sums(self._u, z))

    def springs(self, G: Floats) -> Floats:
        """(s, 3, 3) what patches add to the springs in series, times tensors G (s, 3, 3)."""
        return self._spread(np.zeros_like(G), self.pull, self._sums(self.pull, G))

    def outers(self) -> tuple[Floats, Floats]:
        """a (k, 3) and g a (k, 3) of one matrix g a a^T for each clique of the mesh, by members."""
        a = self._volume.members(self.pull)
        return a, a * self.weight[self._volume.cliques.clique, None]

    def reduced(self, B: Floats) -> Floats:
        """(3 k, 3 k) what patches add over modes with gradients B (s, 3, k); 3 i + r as others."""
        each = np.einsum("eck,erc->ekr", B, self.pull).reshape(len(B), -1)
        patch = self._volume.patch
        gather = csr_matrix((np.ones(len(patch)), (patch, np.arange(len(patch)))))
        A = gather @ each
        return np.asarray(A.T @ (self.weight[:, None] * A))

    def _sums(self, a: Floats, b: Floats) -> Floats:
        """(p,) the inner products of tensors over each patch."""
        return np.asarray(np.bincount(self._volume.patch, np.einsum("eij,eij->e", a, b)), float)

    def _spread(self, z: Floats, along: Floats, amount: Floats) -> Floats:
        return z + (self.weight * amount)[self._volume.patch][:, None, None] * along
