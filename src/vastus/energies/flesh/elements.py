"""Tets with hanging nodes as functions of the free nodes alone.

A tet whose corners follow free nodes y by x = P y has the gradient F = sum_i y_i (outer) b_i with
b_i = sum_a P_ai B_a: an element of more than four corners. P^T f and P^T K P are thus assembled
directly, and nothing ever exists over all nodes (theory, eq. 90).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.types import Floats, Ints


class Elements:
    """The tets of a mesh whose nodes follow free ones by P (n, free)."""

    def __init__(self, mesh: TetMesh, P: sparse.csr_array) -> None:
        self.count, self.free = mesh.n_tets, int(P.shape[1])
        self.volumes = np.ascontiguousarray(mesh.volumes)
        m, n = mesh.n_tets, mesh.n_vertices
        P = sparse.csr_array(P)
        P.sort_indices()
        # Ones and positive weights: a product of gradients could lose an entry that cancels.
        incidence = sparse.csr_array(
            (np.ones(4 * m), mesh.T.ravel(), 4 * np.arange(m + 1)), shape=(m, n)
        )
        touched = sparse.csr_array(incidence @ abs(P))
        touched.sort_indices()
        self.start = touched.indptr.astype(np.int64)
        self.node = touched.indices.astype(np.int64)
        self.slope = np.zeros((len(self.node), 3))
        p = (P.indptr.astype(np.int64), P.indices.astype(np.int64), P.data)
        _slopes(mesh.T, mesh.gradients, p, self.start, self.node, self.slope)
        self._touched = touched

    @cached_property
    def _corners(self) -> tuple[Ints, Ints, Ints]:
        """Where the corners at each node start, these corners, and the tet of each corner."""
        order = np.argsort(self.node, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.node, minlength=self.free))])
        tet = np.repeat(np.arange(self.count), np.diff(self.start))
        return starts, order, tet[order]

    @cached_property
    def pattern(self) -> tuple[Ints, Ints]:
        """Row starts (free + 1,) and columns (blocks,) of the stiffness, ascending in each row."""
        ones = sparse.csr_array(
            (np.ones(len(self.node), np.float32), self.node, self.start),
            shape=(self.count, self.free),
        )
        both = sparse.csr_array(ones.T @ ones)
        both.sort_indices()
        return both.indptr.astype(np.int64), both.indices.astype(np.int64)

    @cached_property
    def _slots(self) -> tuple[Ints, np.ndarray]:
        """For each corner, in the order of nodes, where its blocks with its tet's corners are."""
        starts, _, tet = self._corners
        sizes = np.diff(self.start)[tet]
        first = np.concatenate([[0], np.cumsum(sizes)])
        slot = np.empty(int(first[-1]), np.int32)
        row, column = self.pattern
        _find_slots(starts, tet, first, self.start, self.node, row, column, slot)
        return first, slot

    def deformation(self, y: Floats) -> Floats:
        """(m, 3, 3) deformation gradients for free nodes y (free, 3)."""
        F = np.empty((self.count, 3, 3))
        _deform(self.start, self.node, self.slope, y, F)
        return F

    def forces(self, P: Floats) -> Floats:
        """(free, 3) the derivative of the energy [N] for first Piola stresses P (m, 3, 3) [Pa]."""
        out = np.empty((self.free, 3))
        starts, corner, tet = self._corners
        _collect(starts, corner, tet, self.slope, self.volumes, P, out)
        return out

    def blocks(self, H: Floats) -> Floats:
        """(blocks, 3, 3) the stiffness [N/m] in the pattern, for tangents H (m, 9, 9) [Pa]."""
        row, column = self.pattern
        out = np.zeros((len(column), 3, 3))
        starts, corner, tet = self._corners
        first, slot = self._slots
        at = (starts, corner, tet, first, slot)
        _assemble(at, self.start, self.slope, self.volumes, H, row, out)
        return out

    def lumped(self, density: float) -> Floats:
        """(free,) the mass [kg] at each free node, for a density [kg/m^3]."""
        sums = np.asarray(abs(self._touched).sum(axis=1)).ravel()  # four corners a tet
        weight = sparse.diags_array(density * self.volumes / sums)
        return np.asarray((weight @ self._touched).sum(axis=0)).ravel()


@kernel
def _slopes(T, B, P, start, node, out):  # type: ignore[no-untyped-def]
    row, column, weight = P
    for e in prange(len(T)):
        for a in range(4):
            for q in range(row[T[e, a]], row[T[e, a] + 1]):
                for s in range(start[e], start[e + 1]):
                    if node[s] == column[q]:
                        for c in range(3):
                            out[s, c] += weight[q] * B[e, a, c]


@kernel
def _find_slots(starts, tet, first, start, node, row, column, slot):  # type: ignore[no-untyped-def]
    for i in prange(len(starts) - 1):
        for q in range(starts[i], starts[i + 1]):
            e = tet[q]
            for s in range(start[e], start[e + 1]):
                low, high = row[i], row[i + 1]
                while low < high:
                    middle = (low + high) // 2
                    if column[middle] < node[s]:
                        low = middle + 1
                    else:
                        high = middle
                slot[first[q] + s - start[e]] = low - row[i]


@kernel
def _deform(start, node, slope, y, F):  # type: ignore[no-untyped-def]
    for e in prange(len(F)):
        for r in range(3):
            f0 = f1 = f2 = 0.0
            for s in range(start[e], start[e + 1]):
                f0 += y[node[s], r] * slope[s, 0]
                f1 += y[node[s], r] * slope[s, 1]
                f2 += y[node[s], r] * slope[s, 2]
            F[e, r, 0], F[e, r, 1], F[e, r, 2] = f0, f1, f2


@kernel
def _collect(starts, corner, tet, slope, volumes, P, out):  # type: ignore[no-untyped-def]
    for i in prange(len(out)):
        f0 = f1 = f2 = 0.0
        for q in range(starts[i], starts[i + 1]):
            e, s = tet[q], corner[q]
            v = volumes[e]
            b0, b1, b2 = v * slope[s, 0], v * slope[s, 1], v * slope[s, 2]
            f0 += P[e, 0, 0] * b0 + P[e, 0, 1] * b1 + P[e, 0, 2] * b2
            f1 += P[e, 1, 0] * b0 + P[e, 1, 1] * b1 + P[e, 1, 2] * b2
            f2 += P[e, 2, 0] * b0 + P[e, 2, 1] * b1 + P[e, 2, 2] * b2
        out[i, 0], out[i, 1], out[i, 2] = f0, f1, f2


@kernel
def _assemble(at, start, slope, volumes, H, row, out):  # type: ignore[no-untyped-def]
    starts, corner, tet, first, slot = at
    for i in prange(len(starts) - 1):
        for q in range(starts[i], starts[i + 1]):
            e = tet[q]
            _add_row(slope, corner[q], start[e], start[e + 1], volumes[e], H[e],
                     slot, first[q], row[i], out)  # fmt: skip


@point
def _add_row(
    slope: Any, own: int, begin: int, end: int, volume: float, H: Any, slot: Any, first: int,
    row: int, out: Any,
) -> None:  # fmt: skip
    """Add the blocks of one corner with all corners of its tet."""
    a0, a1, a2 = volume * slope[own, 0], volume * slope[own, 1], volume * slope[own, 2]
    for r in range(3):
        h = H[3 * r : 3 * r + 3]
        t0 = a0 * h[0, 0] + a1 * h[1, 0] + a2 * h[2, 0]
        t1 = a0 * h[0, 1] + a1 * h[1, 1] + a2 * h[2, 1]
        t2 = a0 * h[0, 2] + a1 * h[1, 2] + a2 * h[2, 2]
        t3 = a0 * h[0, 3] + a1 * h[1, 3] + a2 * h[2, 3]
        t4 = a0 * h[0, 4] + a1 * h[1, 4] + a2 * h[2, 4]
        t5 = a0 * h[0, 5] + a1 * h[1, 5] + a2 * h[2, 5]
        t6 = a0 * h[0, 6] + a1 * h[1, 6] + a2 * h[2, 6]
        t7 = a0 * h[0, 7] + a1 * h[1, 7] + a2 * h[2, 7]
        t8 = a0 * h[0, 8] + a1 * h[1, 8] + a2 * h[2, 8]
        for s in range(begin, end):
            b0, b1, b2 = slope[s, 0], slope[s, 1], slope[s, 2]
            k = row + slot[first + s - begin]
            out[k, r, 0] += t0 * b0 + t1 * b1 + t2 * b2
            out[k, r, 1] += t3 * b0 + t4 * b1 + t5 * b2
            out[k, r, 2] += t6 * b0 + t7 * b1 + t8 * b2


@kernel
def add_rows(start, rows, out):  # type: ignore[no-untyped-def]
    """Add to each of out (m, c) the rows (r, c) from its start to that of the next."""
    for e in prange(len(out)):
        for k in range(start[e], start[e + 1]):
            for c in range(out.shape[1]):
                out[e, c] += rows[k, c]
