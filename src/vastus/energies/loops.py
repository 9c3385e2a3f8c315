"""The loops over elements, compiled once for all laws and sums of laws."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np

from vastus.energies.law_address import call, respond_at, tangent_at
from vastus.materials.base import PointLaw
from vastus.numerics.jit import kernel, point, prange
from vastus.numerics.small import add_cofactor_derivative, cofactor, det
from vastus.numerics.types import Floats, Ints

Counted = tuple[PointLaw, int]  # a law and the number of its parameters
CHUNKS = 64  # of the tets, shared out among the threads


class Loops:
    """The loops of a sum of laws, whose parameters `p` stand one after another.

    Each takes the `tets` (k,) to visit, gradients F (m, 3, 3), fibres d (m, 3) and active stresses
    T0 (m,) [Pa] of all, the `row` (k,) of each visited tet in the parameters p (rows, n), and
    writes the places of those tets in `out`.
    """

    def __init__(self, laws: tuple[Counted, ...]) -> None:
        self.laws = laws

    def energy(
        self, tets: Ints, F: Floats, d: Floats, T0: Floats, row: Ints, p: Floats, out: Floats
    ) -> None:
        """Write the energies per rest volume (m,) [J/m^3]."""
        _energy(self._respond, tets, F, d, T0, row, p, scratch(), out)

    def stress(
        self, tets: Ints, F: Floats, d: Floats, T0: Floats, row: Ints, p: Floats, out: Floats
    ) -> None:
        """Write the first Piola stresses (m, 3, 3) [Pa]."""
        _sum(self._respond, tets, F, d, T0, row, p, out)

    def tangent(
        self, tets: Ints, F: Floats, d: Floats, T0: Floats, row: Ints, p: Floats, out: Floats
    ) -> None:
        """Write the tangents (m, 9, 9) [Pa]."""
        _sum(self._tangent, tets, F, d, T0, row, p, out)

    def respond(
        self,
        term: tuple[Ints, Ints, Floats],
        mesh: tuple[Floats, Ints, Floats, Floats, Floats, Floats],
        energies: Floats,
        forces: Floats,
    ) -> None:
        """Write energies (m,) [J] and corner forces (m, 4, 3) [N], in one pass from the vertices.

        `term` is (tets, row, p), `mesh` is (x, T, B, volumes, d, T0).
        """
        _respond(self._respond, term, mesh, scratch(), energies, forces)

    @cached_property
    def _respond(self) -> Ints:
        return self._table([respond_at(law).address for law, _ in self.laws])

    @cached_property
    def _tangent(self) -> Ints:
        return self._table([tangent_at(law).address for law, _ in self.laws])

    def _table(self, addresses: list[int]) -> Ints:
        """(laws, 3) the address of each function, where its parameters begin, and their number."""
        counts = [count for _, count in self.laws]
        return np.column_stack([addresses, np.cumsum([0, *counts[:-1]]), counts])


@cache
def loops(*laws: Counted) -> Loops:
    """The loops of a law, or of the sum of several."""
    return Loops(laws)


def scratch() -> Floats:
    """(chunks, 8, 3, 3) room for F and P of each chunk, far enough apart for its own cache.

    Each pass has its own, at less than a microsecond: passes of two threads must not meet in it.
    """
    return np.empty((CHUNKS, 8, 3, 3))


@point
def _add(laws, F, f, d, T0, e, p, at, out, o):  # type: ignore[no-untyped-def]
    """Add what the laws of tet e give from F[f] and parameters p[at] to out[o]; their energy."""
    psi = 0.0
    for i in range(len(laws)):
        address, first, count = laws[i, 0], laws[i, 1], laws[i, 2]
        psi += call(address, F, f, d, 3 * e, T0[e], p, at + first, count, out, o)
    return psi


@kernel
def _sum(laws, tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
    size, width = out[0].size, p.shape[1]
    for k in prange(len(tets)):
        e = tets[k]
        out[e] = 0.0
        _add(laws, F, 9 * e, d, T0, e, p, row[k] * width, out, size * e)


@kernel
def _energy(laws, tets, F, d, T0, row, p, scratch, out):  # type: ignore[no-untyped-def]
    chunks, width = len(scratch), p.shape[1]
    for chunk in prange(chunks):
        for k in range(chunk * len(tets) // chunks, (chunk + 1) * len(tets) // chunks):
            e = tets[k]
            out[e] = _add(laws, F, 9 * e, d, T0, e, p, row[k] * width, scratch, 72 * chunk)


# Scalars, not loops over arrays: after a store the compiler must load all numbers again.
@kernel
def _respond(laws, term, mesh, scratch, energies, forces):  # type: ignore[no-untyped-def]
    tets, row, p = term
    x, T, B, volumes, d, T0 = mesh
    chunks, width = len(scratch), p.shape[1]
    for chunk in prange(chunks):
        F, P, here = scratch[chunk, 0], scratch[chunk, 1], 72 * chunk
        for k in range(chunk * len(tets) // chunks, (chunk + 1) * len(tets) // chunks):
            e = tets[k]
            i0, i1, i2, i3 = T[e, 0], T[e, 1], T[e, 2], T[e, 3]
            F[0, 0], F[0, 1], F[0, 2] = _row(x[i0, 0], x[i1, 0], x[i2, 0], x[i3, 0], B, e)
            F[1, 0], F[1, 1], F[1, 2] = _row(x[i0, 1], x[i1, 1], x[i2, 1], x[i3, 1], B, e)
            F[2, 0], F[2, 1], F[2, 2] = _row(x[i0, 2], x[i1, 2], x[i2, 2], x[i3, 2], B, e)
            for r in range(3):
                P[r, 0] = P[r, 1] = P[r, 2] = 0.0
            v = volumes[e]
            energies[e] = v * _add(
                laws, scratch, here, d, T0, e, p, row[k] * width, scratch, here + 9
            )
            p00, p01, p02 = v * P[0, 0], v * P[0, 1], v * P[0, 2]
            p10, p11, p12 = v * P[1, 0], v * P[1, 1], v * P[1, 2]
            p20, p21, p22 = v * P[2, 0], v * P[2, 1], v * P[2, 2]
            for a in range(4):
                b0, b1, b2 = B[e, a, 0], B[e, a, 1], B[e, a, 2]
                forces[e, a, 0] = p00 * b0 + p01 * b1 + p02 * b2
                forces[e, a, 1] = p10 * b0 + p11 * b1 + p12 * b2
                forces[e, a, 2] = p20 * b0 + p21 * b1 + p22 * b2


@point
def _row(a: float, b: float, c: float, d: float, B: Any, e: int) -> tuple[float, float, float]:
    """A row of the deformation gradient of tet e, from one coordinate of its corners."""
    return (
        a * B[e, 0, 0] + b * B[e, 1, 0] + c * B[e, 2, 0] + d * B[e, 3, 0],
        a * B[e, 0, 1] + b * B[e, 1, 1] + c * B[e, 2, 1] + d * B[e, 3, 1],
        a * B[e, 0, 2] + b * B[e, 1, 2] + c * B[e, 2, 2] + d * B[e, 3, 2],
    )


@kernel
def deformation(x, T, B, F):  # type: ignore[no-untyped-def]
    """Write the deformation gradients of tets T (m, 4), with gradients B (m, 4, 3), into F."""
    for e in prange(len(T)):
        i0, i1, i2, i3 = T[e, 0], T[e, 1], T[e, 2], T[e, 3]
        for r in range(3):
            F[e, r, 0], F[e, r, 1], F[e, r, 2] = _row(x[i0, r], x[i1, r], x[i2, r], x[i3, r], B, e)


@kernel
def pull_back(F, P, S):  # type: ignore[no-untyped-def]
    """Write the second Piola stresses S of the first P at gradients F, all (s, 3, 3), into S."""
    for e in prange(len(F)):
        C, J = cofactor(F[e]), det(F[e])
        for b in range(3):
            for a in range(3):
                S[e, a, b] = (C[a] * P[e, 0, b] + C[3 + a] * P[e, 1, b] + C[6 + a] * P[e, 2, b]) / J


@kernel
def restress(F, S, H):  # type: ignore[no-untyped-def]
    """Add to the tangents H (s, 9, 9) what a change of the second Piola stress S (s, 3, 3) does.

    Its mean part acts on the derivative of the cofactors, as a pressure does, the rest on turning.
    """
    for e in prange(len(F)):
        f, C, J = F[e], cofactor(F[e]), det(F[e])
        mean = 0.0
        for r in range(3):
            for a in range(3):
                for b in range(3):
                    mean += f[r, a] * S[e, a, b] * f[r, b]
        mean /= 3.0 * J
        add_cofactor_derivative(f, mean, H[e])
        for a in range(3):
            for b in range(3):
                inverse = 0.0  # of F^T F
                for r in range(3):
                    inverse += C[3 * r + a] * C[3 * r + b]
                rest = S[e, a, b] - mean * inverse / J
                for r in range(3):
                    H[e, 3 * r + a, 3 * r + b] += rest


@kernel
def squared_strains(A, B, squares):  # type: ignore[no-untyped-def]
    """Write the squared size of the change of Green's strain from gradients A to B (s, 3, 3)."""
    for e in prange(len(A)):
        total = 0.0
        for i in range(3):
            for j in range(3):
                change = 0.0
                for k in range(3):
                    change += B[e, k, i] * B[e, k, j] - A[e, k, i] * A[e, k, j]
                total += change * change
        squares[e] = 0.25 * total
