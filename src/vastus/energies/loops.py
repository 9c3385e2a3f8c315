"""The loops over elements, written once and compiled for every law."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from vastus.materials.base import PointLaw
from vastus.numerics.jit import kernel, max_threads, prange, thread_id
from vastus.numerics.types import Floats

Loop = Callable[..., Any]


@dataclass(frozen=True)
class Loops:
    """The compiled loops of one law; each adds into its last argument, except `respond`."""

    energy: Loop
    stress: Loop
    tangent: Loop
    respond: Loop


@cache
def loops(point: PointLaw) -> Loops:
    """The compiled loops of a law."""
    return Loops(_energy(point), _stress(point), _tangent(point), _respond(point))


@cache
def respond_scratch() -> Floats:
    """(threads, 8, 3, 3) room for F and P of each thread, far enough apart for its own cache."""
    return np.zeros((max_threads(), 8, 3, 3))


def _energy(point: PointLaw) -> Loop:
    energy = point.energy

    @kernel
    def energy_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            out[e] += energy(F[e], d[e], T0[e], p[row[k]])

    return energy_loop


def _stress(point: PointLaw) -> Loop:
    stress = point.stress

    @kernel
    def stress_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            stress(F[e], d[e], T0[e], p[row[k]], out[e])

    return stress_loop


def _tangent(point: PointLaw) -> Loop:
    tangent = point.tangent

    @kernel
    def tangent_loop(tets, F, d, T0, row, p, out):  # type: ignore[no-untyped-def]
        for k in prange(len(tets)):
            e = tets[k]
            tangent(F[e], d[e], T0[e], p[row[k]], out[e])

    return tangent_loop


def _respond(point: PointLaw) -> Loop:
    energy, stress = point.energy, point.stress

    @kernel
    def respond_loop(term, mesh, scratch, energies, forces):  # type: ignore[no-untyped-def]
        tets, row, parameters, first = term
        x, T, B, volumes, d, T0 = mesh
        for k in prange(len(tets)):
            e = tets[k]
            p = parameters[row[k]]
            F, P = scratch[thread_id(), 0], scratch[thread_id(), 1]
            for r in range(3):
                for c in range(3):
                    total = 0.0
                    for a in range(4):
                        total += x[T[e, a], r] * B[e, a, c]
                    F[r, c] = total
                    P[r, c] = 0.0
            if first[k]:
                energies[e] = 0.0
                forces[e] = 0.0
            energies[e] += volumes[e] * energy(F, d[e], T0[e], p)
            stress(F, d[e], T0[e], p, P)
            for a in range(4):
                for r in range(3):
                    pull = P[r, 0] * B[e, a, 0] + P[r, 1] * B[e, a, 1] + P[r, 2] * B[e, a, 2]
                    forces[e, a, r] += volumes[e] * pull

    return respond_loop


@kernel
def deformation(x, T, B, F):  # type: ignore[no-untyped-def]
    """Write the deformation gradients of tets T (m, 4), with gradients B (m, 4, 3), into F."""
    for e in prange(len(T)):
        for r in range(3):
            for c in range(3):
                total = 0.0
                for a in range(4):
                    total += x[T[e, a], r] * B[e, a, c]
                F[e, r, c] = total
