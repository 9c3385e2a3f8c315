"""Stiffness over free nodes in 3x3 blocks of a fixed pattern, with its block-Jacobi inverse."""

from __future__ import annotations

import numpy as np

from vastus.energies.flesh.elements import Elements
from vastus.numerics.jit import kernel, prange
from vastus.numerics.types import Floats


class BlockMatrix:
    """The stiffness over free nodes in a fixed pattern of blocks, and its block-Jacobi inverse."""

    def __init__(self, elements: Elements, H: Floats, springs: Floats) -> None:
        self.row, self.column = elements.pattern
        self.blocks = elements.blocks(H)
        for c in range(3):
            self.blocks[:, c, c] += springs
        own = np.repeat(np.arange(elements.free), np.diff(self.row)) == self.column
        diagonal = self.blocks[own]
        self.positive = bool((np.linalg.eigvalsh(diagonal)[:, 0] > 0).all())
        self._inverse = np.linalg.inv(diagonal) if self.positive else diagonal

    def times(self, v: Floats) -> Floats:
        """(3 free,) the product with v (3 free,)."""
        out = np.empty((len(self.row) - 1, 3))
        _times(self.row, self.column, self.blocks, v.reshape(-1, 3), out)
        return out.ravel()

    def jacobi(self, r: Floats) -> Floats:
        """(3 free,) the inverse of the diagonal blocks times r (3 free,)."""
        out = np.empty((len(self.row) - 1, 3))
        _jacobi(self._inverse, r.reshape(-1, 3), out)
        return out.ravel()


@kernel
def _times(row, column, blocks, v, out):  # type: ignore[no-untyped-def]
    for i in prange(len(out)):
        f0 = f1 = f2 = 0.0
        for k in range(row[i], row[i + 1]):
            j = column[k]
            x, y, z = v[j, 0], v[j, 1], v[j, 2]
            f0 += blocks[k, 0, 0] * x + blocks[k, 0, 1] * y + blocks[k, 0, 2] * z
            f1 += blocks[k, 1, 0] * x + blocks[k, 1, 1] * y + blocks[k, 1, 2] * z
            f2 += blocks[k, 2, 0] * x + blocks[k, 2, 1] * y + blocks[k, 2, 2] * z
        out[i, 0], out[i, 1], out[i, 2] = f0, f1, f2


@kernel
def _jacobi(inverse, r, out):  # type: ignore[no-untyped-def]
    for i in prange(len(out)):
        for c in range(3):
            out[i, c] = (
                inverse[i, c, 0] * r[i, 0] + inverse[i, c, 1] * r[i, 1] + inverse[i, c, 2] * r[i, 2]
            )
