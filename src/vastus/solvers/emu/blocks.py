"""The Hessian of the elements of deformation space, each by itself."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from vastus.numerics.psd import project_psd
from vastus.numerics.types import Floats
from vastus.numerics.woodbury import series, times
from vastus.solvers.emu.patches import Patches
from vastus.solvers.emu.pieces import PiecesEnergy


class Blocks:
    """The Hessian of the elements at a point: z = H⁻¹ g, and springs in series.

    `soft` and `bones` are those of tets and bones [Pa], `patches` what an averaged volume adds, and
    `contact` (3 n, 3 n) [N/m] what that of the mesh does.
    """

    contact: csr_matrix | None = None

    def __init__(self, energy: PiecesEnergy, F: Floats, g: Floats, *, projected: bool) -> None:
        space = energy.space
        self.stiffness = energy.alpha * space.young  # (elements,) [Pa]
        self.all_projected = projected
        self.projected = int(projected)
        self._soft = space.soft
        parts = energy.tangents(F)
        scaled = g.reshape(-1, 9) / space.volumes[:, None]
        z = np.empty_like(scaled)
        for K, part in zip(parts, (slice(None, space.soft), slice(space.soft, None)), strict=True):
            if projected:
                project_psd(K)
            z[part], bad = series(K, self.stiffness[part], scaled[part])
            self.projected += bad
        self.soft, self.bones = parts
        self.z = z.reshape(-1, 3, 3)
        self.patches: Patches | None = None
        if energy.problem.volume:
            tets = slice(None, space.soft)
            spring = energy.spring[tets]
            self.patches = Patches(
                energy.problem.volume, F[tets], lambda u: self._alone(u / spring, tets), spring
            )
            self.z[tets] = self.patches.corrected(self.z[tets])

    def spread(self, G: Floats) -> Floats:
        """H⁻¹ alpha W G, for G (elements, 3, 3)."""
        tets, bones = slice(None, self._soft), slice(self._soft, None)
        soft = self._alone(G[tets], tets)
        if self.patches:
            soft = self.patches.corrected(soft)
        return np.concatenate([soft, self._alone(G[bones], bones)])

    def _alone(self, G: Floats, part: slice) -> Floats:
        """The same of tets or bones by their blocks alone: G - M G / alpha E."""
        M = self.bones if part.start else self.soft
        flat = G.reshape(-1, 9)
        pulled = times(M, np.ascontiguousarray(flat))
        return np.asarray((flat - pulled / self.stiffness[part, None]).reshape(G.shape))
