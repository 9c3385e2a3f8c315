"""Fixed-pattern assembly of nodal forces and stiffness blocks from tets.

Everything is gathered (each vertex or block sums its own contributions in a fixed order), so the
loops run in parallel without races and give the same result on any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from vastus.numerics.jit import kernel, loop, prange
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Cliques:
    """Groups of vertices that are all coupled with one another, one member after another."""

    clique: Ints  # (k,) ascending
    vertex: Ints  # (k,) ascending within a clique

    def pairs(self) -> tuple[Ints, Ints]:
        """Both members of each pair within a clique, the first never behind the second."""
        sizes = np.bincount(self.clique)
        partners = (_starts(sizes)[1:])[self.clique] - np.arange(len(self.clique))
        first = np.repeat(np.arange(len(self.clique)), partners)
        return first, first + np.arange(len(first)) - np.repeat(_starts(partners)[:-1], partners)


@dataclass(frozen=True, eq=False)
class Couplings:
    """Which pairs of members of cliques meet at each stiffness block."""

    start: Ints  # (blocks + 1,)
    first: Ints  # (pairs,) grouped by block
    second: Ints  # (pairs,)

    def add_outers(self, u: Floats, v: Floats, blocks: Floats) -> None:
        """Add u v^T of every pair, u and v (members, 3), to the blocks (blocks, 3, 3)."""
        _gather_outers(self.start, self.first, self.second, u, v, blocks)


@dataclass(frozen=True, eq=False)
class Scatter:
    """Which corners meet at each vertex, and which corner pairs at each upper stiffness block."""

    n_vertices: int
    corner_start: Ints  # (n + 1,)
    corner: Ints  # 4 tet + corner, grouped by vertex
    pair_start: Ints  # (blocks + 1,)
    pair: Ints  # 16 tet + 4 a + b, grouped by block
    row: Ints  # (blocks,) vertex of the block's row, row <= column
    column: Ints  # (blocks,)
    couplings: Couplings | None = None

    @classmethod
    def of(cls, T: Ints, n_vertices: int, cliques: Cliques | None = None) -> Scatter:
        """The scatter of tets T (m, 4), and of cliques that couple more than a tet."""
        corner = np.argsort(T.ravel(), kind="stable")
        counts = np.bincount(T.ravel(), minlength=n_vertices)
        row, column = np.repeat(T, 4, axis=1).ravel(), np.tile(T, (1, 4)).ravel()
        upper = np.flatnonzero(row <= column)
        key = row[upper] * n_vertices + column[upper]
        order = np.argsort(key, kind="stable")
        blocks, couplings = _widened(key[order], n_vertices, cliques)
        return cls(
            n_vertices,
            _starts(counts),
            corner,
            _places(key[order], blocks),
            upper[order],
            blocks // n_vertices,
            blocks % n_vertices,
            couplings,
        )

    def forces(self, P: Floats, B: Floats) -> Floats:
        """(n, 3) nodal forces of stresses P (m, 3, 3); B (m, 4, 3) are gradients times volume."""
        out = np.empty((self.n_vertices, 3))
        _gather_forces(self.corner_start, self.corner, P, B, out)
        return out

    def gather(self, corners: Floats) -> Floats:
        """(n, 3) the sums at each vertex of what its corners hold, corners (m, 4, 3)."""
        out = np.empty((self.n_vertices, 3))
        _gather(self.corner_start, self.corner, corners.reshape(-1, 3), out)
        return out

    def blocks(self, H: Floats, B: Floats, volumes: Floats) -> Floats:
        """(blocks, 3, 3) stiffness of tangents H (m, 9, 9) with gradients B (m, 4, 3)."""
        out = np.empty((len(self.row), 3, 3))
        _gather_blocks(self.pair_start, self.pair, H, B, volumes, out)
        return out


@dataclass(frozen=True, eq=False)
class Selection:
    """A CSR matrix whose values are picked out of stiffness blocks."""

    matrix: csr_matrix
    source: Ints  # (nnz,) position in the ravelled blocks of each stored value

    def fill(self, blocks: Floats) -> csr_matrix:
        """The matrix with the values of these blocks; the same object every time."""
        np.take(blocks.reshape(-1), self.source, out=self.matrix.data)
        return self.matrix


def symmetric_product(upper: csr_matrix, x: Floats) -> Floats:
    """A x of a symmetric matrix A given by its upper triangle, for x (n,) or several columns."""
    columns = np.ascontiguousarray(x.reshape(len(x), -1))
    out = np.zeros_like(columns)
    _times_upper(upper.indptr, upper.indices, upper.data, columns, out)
    return out.reshape(x.shape)


def select_upper(scatter: Scatter, index: Ints) -> Selection:
    """The upper triangle over the scalars with `index` (3 n,) >= 0, in that order."""
    rows, columns, source = _scalars(scatter)
    i, j = index[rows], index[columns]
    # A diagonal block holds each pair of scalars twice; any other block once, in either order.
    keep = (i >= 0) & (j >= 0) & ((i <= j) | np.repeat(scatter.row != scatter.column, 9))
    low, high = np.minimum(i, j)[keep], np.maximum(i, j)[keep]
    return _selection(low, high, source[keep], 2 * (int(index.max(initial=-1)) + 1,))


def select_between(scatter: Scatter, row_index: Ints, column_index: Ints) -> Selection:
    """The full matrix between two sets of scalars, each given by an index (3 n,) or -1."""
    rows, columns, source = _scalars(scatter)
    mirrored = np.repeat(scatter.row != scatter.column, 9)
    i = np.concatenate([row_index[rows], row_index[columns[mirrored]]])
    j = np.concatenate([column_index[columns], column_index[rows[mirrored]]])
    source = np.concatenate([source, source[mirrored]])
    keep = (i >= 0) & (j >= 0)
    shape = (int(row_index.max(initial=-1)) + 1, int(column_index.max(initial=-1)) + 1)
    return _selection(i[keep], j[keep], source[keep], shape)


def _scalars(scatter: Scatter) -> tuple[Ints, Ints, Ints]:
    """Row, column and source of the nine scalars of every block."""
    r, s = np.divmod(np.arange(9), 3)
    rows = (3 * scatter.row[:, None] + r).ravel()
    columns = (3 * scatter.column[:, None] + s).ravel()
    return rows, columns, np.arange(9 * len(scatter.row))


def _selection(rows: Ints, columns: Ints, source: Ints, shape: tuple[int, int]) -> Selection:
    order = np.lexsort((columns, rows))
    indptr = _starts(np.bincount(rows, minlength=shape[0]))
    data = np.zeros(len(order))
    return Selection(csr_matrix((data, columns[order], indptr), shape=shape), source[order])


def _widened(keys: Ints, n: int, cliques: Cliques | None) -> tuple[Ints, Couplings | None]:
    """The keys of all blocks of tets and cliques, ascending, and the pairs of the latter."""
    if cliques is None:
        return np.unique(keys), None
    first, second = cliques.pairs()
    more = cliques.vertex[first] * n + cliques.vertex[second]
    order = np.argsort(more, kind="stable")
    blocks = np.union1d(keys, more)
    return blocks, Couplings(_places(more[order], blocks), first[order], second[order])


def _places(keys: Ints, blocks: Ints) -> Ints:
    """(blocks + 1,) where the ascending keys of each block start, and their number."""
    return np.append(np.searchsorted(keys, blocks), len(keys))


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)])


@kernel
def _gather_forces(start, corner, P, B, out):  # type: ignore[no-untyped-def]
    for i in prange(len(out)):
        f0 = f1 = f2 = 0.0
        for k in range(start[i], start[i + 1]):
            e, a = corner[k] // 4, corner[k] % 4
            b0, b1, b2 = B[e, a, 0], B[e, a, 1], B[e, a, 2]
            f0 += P[e, 0, 0] * b0 + P[e, 0, 1] * b1 + P[e, 0, 2] * b2
            f1 += P[e, 1, 0] * b0 + P[e, 1, 1] * b1 + P[e, 1, 2] * b2
            f2 += P[e, 2, 0] * b0 + P[e, 2, 1] * b1 + P[e, 2, 2] * b2
        out[i, 0], out[i, 1], out[i, 2] = f0, f1, f2


@kernel
def _gather(start, corner, values, out):  # type: ignore[no-untyped-def]
    for i in prange(len(out)):
        f0 = f1 = f2 = 0.0
        for k in range(start[i], start[i + 1]):
            f0 += values[corner[k], 0]
            f1 += values[corner[k], 1]
            f2 += values[corner[k], 2]
        out[i, 0], out[i, 1], out[i, 2] = f0, f1, f2


@kernel
def _gather_blocks(start, pair, H, B, volumes, out):  # type: ignore[no-untyped-def]
    for k in prange(len(out)):
        out[k] = 0.0
        for s in range(start[k], start[k + 1]):
            e, a, b = pair[s] // 16, (pair[s] % 16) // 4, pair[s] % 4
            for i in range(3):
                for j in range(3):
                    total = 0.0
                    for c in range(3):
                        total += B[e, a, c] * (
                            H[e, 3 * i + c, 3 * j] * B[e, b, 0]
                            + H[e, 3 * i + c, 3 * j + 1] * B[e, b, 1]
                            + H[e, 3 * i + c, 3 * j + 2] * B[e, b, 2]
                        )
                    out[k, i, j] += volumes[e] * total


@kernel
def _gather_outers(start, first, second, u, v, out):  # type: ignore[no-untyped-def]
    for k in prange(len(out)):
        for s in range(start[k], start[k + 1]):
            a, b = first[s], second[s]
            for i in range(3):
                for j in range(3):
                    out[k, i, j] += u[a, i] * v[b, j]


@loop
def _times_upper(indptr, indices, data, x, out):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        for k in range(indptr[i], indptr[i + 1]):
            j, value = indices[k], data[k]
            for c in range(x.shape[1]):
                out[i, c] += value * x[j, c]
                if j != i:
                    out[j, c] += value * x[i, c]
