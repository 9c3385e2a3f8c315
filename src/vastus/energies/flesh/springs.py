"""Springs of no length between samples of bones and the places of the flesh where they rest."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from vastus.numerics.types import Floats, Ints


class BoneSprings:
    """Springs k/2 |E y - target|^2 over samples; E (samples, free) takes free nodes to places."""

    def __init__(self, E: sparse.csr_array, stiffness: Floats) -> None:
        self.E, self.stiffness = sparse.csr_array(E), stiffness  # (samples,) [N/m]
        self._transposed = sparse.csr_array(self.E.T)

    def value(self, y: Floats, target: Floats) -> float:
        """The energy [J] for targets (samples, 3) [m]."""
        return float(0.5 * self.stiffness @ ((self.E @ y - target) ** 2).sum(axis=1))

    def forces(self, y: Floats, target: Floats) -> Floats:
        """(free, 3) its derivative [N]."""
        return np.asarray(self._transposed @ (self.stiffness[:, None] * (self.E @ y - target)))

    def stretch(self, y: Floats, target: Floats) -> Floats:
        """(samples,) how far samples are from their bones [m]."""
        return np.linalg.norm(self.E @ y - target, axis=1)

    def stiffness_in(self, row: Ints, column: Ints) -> Floats:
        """(blocks,) the stiffness [N/m] in a pattern of rows (free + 1,) and columns (blocks,)."""
        K = self._transposed @ sparse.diags_array(self.stiffness) @ self.E
        K = sparse.coo_array(K)
        free = len(row) - 1
        own = np.repeat(np.arange(free), np.diff(row)) * free + column  # ascending
        out = np.zeros(len(column))
        out[np.searchsorted(own, K.row.astype(np.int64) * free + K.col)] = K.data
        return out
