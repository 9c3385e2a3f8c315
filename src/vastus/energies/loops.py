"""The loops over elements, written once and compiled for every law and every sum of laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any

import numpy as np

from vastus.materials.base import PointFunction, PointLaw
from vastus.numerics.jit import kernel, kernel_of, point, prange
from vastus.numerics.types import Floats

Counted = tuple[PointLaw, int]  # a law and the number of its parameters
Loop = Callable[..., Any]
CHUNKS = 64  # of the tets, shared out among the threads


def sum_of(laws: tuple[Counted, ...]) -> PointLaw:
    """The sum of the laws, whose parameters `p` stand one after another."""
    return reduce(_plus, laws)[0]


def respond_of(law: PointLaw) -> PointFunction:
    """(F, d, T0, p, P) -> psi, adding the stress to P: both at once."""
    return law.respond or _respond_sum(law.energy, law.stress)


def _plus(first: Counted, second: Counted) -> Counted:
    (a, count), (b, more) = first, second
    return _sum(a, b, count), count + more


@cache
def _sum(a: PointLaw, b: PointLaw, count: int) -> PointLaw:
    """The sum of two laws, the first of which has `count` parameters."""
    return PointLaw(
        _returning(a.energy, b.energy, count),
        _adding(a.stress, b.stress, count),
        _adding(a.tangent, b.tangent, count),
        _answering(respond_of(a), respond_of(b), count),
    )


@cache
def _respond_sum(energy: PointFunction, stress: PointFunction) -> PointFunction:
    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        stress(F, d, T0, p, P)
        return energy(F, d, T0, p)

    return respond


def _returning(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def energy(F: Any, d: Any, T0: float, p: Any) -> float:
        return a(F, d, T0, p) + b(F, d, T0, p[count:])

    return energy


def _adding(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def add(F: Any, d: Any, T0: float, p: Any, out: Any) -> None:
        a(F, d, T0, p, out)
        b(F, d, T0, p[count:], out)

    return add


def _answering(a: PointFunction, b: PointFunction, count: int) -> PointFunction:
    @point
    def respond(F: Any, d: Any, T0: float, p: Any, P: Any) -> float:
        return a(F, d, T0, p, P) + b(F, d, T0, p[count:], P)

    return respond


@dataclass(frozen=True)
class Loops:
    """The compiled loops of one law; each writes the places of its tets in the last arguments."""

    energy: Loop
    stress: Loop
    tangent: Loop
    respond: Loop


@cache
def loops(law: PointLaw) -> Loops:
    """The compiled loops of a law."""
    return Loops(_energy(law), _stress(law), _tangent(law), _respond(law))


def respond_scratch() -> Floats:
    """(chunks, 8, 3, 3) room for F and P of each chunk, far enough apart for its own cache.

    Each pass has its own, at less than a microsecond: passes of two threads must not meet in it.
    """
    return np.empty((CHUNKS, 8, 3, 3))


def _energy(law: PointLaw) -> Loop:
    energy = law.energy

    @kernel_of(energy)
    def energy_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            out[e] = energy(F[e], d[e], T0[e], p[row[k]])

    return energy_loop


def _stress(law: PointLaw) -> Loop:
    stress = law.stress

    @kernel_of(stress)
    def stress_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            out[e] = 0.0
            stress(F[e], d[e], T0[e], p[row[k]], out[e])

    return stress_loop


def _tangent(law: PointLaw) -> Loop:
    tangent = law.tangent

    @kernel_of(tangent)
    def tangent_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            out[e] = 0.0
            tangent(F[e], d[e], T0[e], p[row[k]], out[e])

    return tangent_loop


def _respond(law: PointLaw) -> Loop:
    respond = respond_of(law)

    # Scalars, not loops over arrays: after a store the compiler must load all numbers again.
    @kernel_of(respond)
    def respond_loop(term, mesh, scratch, energies, forces):  # type: ignore[no-untyped-def]
        tets, row, parameters = term
        x, T, B, volumes, d, T0 = mesh
        chunks = len(scratch)
        for chunk in prange(chunks):
            F, P = scratch[chunk, 0], scratch[chunk, 1]
            for k in range(chunk * len(tets) // chunks, (chunk + 1) * len(tets) // chunks):
                e = tets[k]
                i0, i1, i2, i3 = T[e, 0], T[e, 1], T[e, 2], T[e, 3]
                f0 = _row(x[i0, 0], x[i1, 0], x[i2, 0], x[i3, 0], B, e)
                f1 = _row(x[i0, 1], x[i1, 1], x[i2, 1], x[i3, 1], B, e)
                f2 = _row(x[i0, 2], x[i1, 2], x[i2, 2], x[i3, 2], B, e)
                F[0, 0], F[0, 1], F[0, 2] = f0
                F[1, 0], F[1, 1], F[1, 2] = f1
                F[2, 0], F[2, 1], F[2, 2] = f2
                for r in range(3):
                    P[r, 0] = P[r, 1] = P[r, 2] = 0.0
                v = volumes[e]
                energies[e] = v * respond(F, d[e], T0[e], parameters[row[k]], P)
                p00, p01, p02 = v * P[0, 0], v * P[0, 1], v * P[0, 2]
                p10, p11, p12 = v * P[1, 0], v * P[1, 1], v * P[1, 2]
                p20, p21, p22 = v * P[2, 0], v * P[2, 1], v * P[2, 2]
                for a in range(4):
                    b0, b1, b2 = B[e, a, 0], B[e, a, 1], B[e, a, 2]
                    forces[e, a, 0] = p00 * b0 + p01 * b1 + p02 * b2
                    forces[e, a, 1] = p10 * b0 + p11 * b1 + p12 * b2
                    forces[e, a, 2] = p20 * b0 + p21 * b1 + p22 * b2

    return respond_loop


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
