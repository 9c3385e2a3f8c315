"""One pass over the tets: copy, edges, stress, pushes on corners, and their sums at vertices."""

from __future__ import annotations

import numpy as np

from vastus.energies.finite_volumes.forms import (
    add_cofactors,
    add_first_piola,
    cauchy,
    faces,
    first_piola,
    gradient,
    last_push,
    pushes,
    sizes,
    strain,
    strain_rate,
)
from vastus.energies.finite_volumes.patches import LANES
from vastus.energies.law_address import call
from vastus.numerics.jit import kernel, point, prange

# What a law gives: P of F, scales of F and cof F, S of strain, or all pushes where it is alone.
CALLED, SCALED, SECOND, ALONE = 0, 1, 2, 3


@point
def _edges(x, corner, E):  # type: ignore[no-untyped-def]
    """Write the edges of the tets of one block."""
    for k in range(LANES):
        i, a, b, c = corner[k, 0], corner[k, 1], corner[k, 2], corner[k, 3]
        for r in range(3):
            o = x[i, r]
            E[r, k], E[3 + r, k], E[6 + r, k] = x[a, r] - o, x[b, r] - o, x[c, r] - o


@point
def _scatter(H, corner, count, f):  # type: ignore[no-untyped-def]
    """Add the pushes of the tets of one block to the copies of their corners."""
    for k in range(count):
        i, a, b, c = corner[k, 0], corner[k, 1], corner[k, 2], corner[k, 3]
        for r in range(3):
            f[a, r] += H[r, k]
            f[b, r] += H[3 + r, k]
            f[c, r] += H[6 + r, k]
            f[i, r] += last_push(H, r, k)


@point
def _copy(x, vertices, own):  # type: ignore[no-untyped-def]
    for j in range(len(vertices)):
        v = vertices[j]
        own[j, 0], own[j, 1], own[j, 2] = x[v, 0], x[v, 1], x[v, 2]


@point
def _stress(law, numbers, tets, E, B, F, P, room):  # type: ignore[no-untyped-def]
    """Add the stress of one law to that of the tets of one block."""
    offset, p, d, T0 = numbers
    S, at, given, one = room
    kind, address, first, count = law[0], law[1], law[2], law[3]
    if kind == CALLED:
        for k in range(LANES):
            e = tets[k]
            for i in range(9):
                one[i], one[9 + i] = F[i, k], P[i, k]
            call(address, one, 0, d, 3 * e, T0[e], p, offset[e] + first, count, one, 9)
            for i in range(9):
                P[i, k] = one[9 + i]
    elif kind == SCALED:
        call(address, at, 0, d, 0, 0.0, p, offset[tets[0]] + first, count, given, 0)
        for k in range(LANES):
            add_cofactors(F, given[0, k], given[1, k], k, P)
    else:
        for k in range(LANES):
            strain(E, B, k, S)
        call(address, S, 0, d, 0, 0.0, p, offset[tets[0]] + first, count, given, 0)
        for k in range(LANES):
            add_first_piola(F, given, k, P)


@kernel
def push(laws, law_start, group, numbers, patches, by_faces, x, own, out):  # type: ignore[no-untyped-def]
    """Write the forces on the copies of vertices into `out` (slots, 3).

    `laws` (l, 4) are the kind, the address, the first parameter and their number of each law of
    each group of tets, which begin at `law_start`; `group` is that of each patch, `own` (slots, 3)
    room for copies of x. With `by_faces` the stress is Cauchy's and the faces those of the tets as
    they are.
    """
    row_start, filled, tet, corners, slot_start, slot_vertex, geometry = patches
    for patch in prange(len(filled)):
        a, b, begin = slot_start[patch], slot_start[patch + 1], row_start[patch]
        here, f = own[a:b], out[a:b]
        _copy(x, slot_vertex[a:b], here)
        f[:] = 0.0
        E, F, P = np.empty((9, LANES)), np.empty((9, LANES)), np.empty((9, LANES))
        S, H, at = np.empty((9, LANES)), np.empty((9, LANES)), np.empty((2, LANES))
        given, one, room = np.empty((6, LANES)), np.empty(18), np.empty((31, LANES))
        law = law_start[group[patch]]
        for first in range(0, filled[patch], LANES):
            block = begin + first
            B, tets = geometry[block // LANES], tet[block : block + LANES]
            corner = corners[block : block + LANES]
            _edges(here, corner, E)
            if laws[law, 0] == ALONE:
                start = numbers[0][tets[0]] + laws[law, 2]
                call(
                    laws[law, 1],
                    E,
                    0,
                    geometry,
                    10 * block,
                    0.0,
                    numbers[1],
                    start,
                    laws[law, 3],
                    room,
                    0,
                )
                _scatter(room, corner, min(LANES, filled[patch] - first), f)
                continue
            for k in range(LANES):
                gradient(E, B, k, F)
            for k in range(LANES):
                sizes(F, k, at)
            P[:] = 0.0
            for i in range(law, law_start[group[patch] + 1]):
                _stress(laws[i], numbers, tets, E, B, F, P, (S, at, given, one))
            if by_faces:
                for k in range(LANES):
                    cauchy(F, at[1, k], k, P)
                for k in range(LANES):
                    faces(E, k, S)
                for k in range(LANES):
                    pushes(P, S, k, H)
            else:
                for k in range(LANES):
                    pushes(P, B, k, H)
            _scatter(H, corner, min(LANES, filled[patch] - first), f)


@kernel
def hold_back(eta, patches, x, v, own, out):  # type: ignore[no-untyped-def]
    """Write the forces of viscosity on the copies of vertices: G = 2 eta F G' Bm.

    `eta` (blocks, 1, lanes) [Pa s]; `own` (2, slots, 3) is room for copies of x and of v.
    """
    row_start, filled, _, corners, slot_start, slot_vertex, geometry = patches
    for patch in prange(len(filled)):
        a, b, begin = slot_start[patch], slot_start[patch + 1], row_start[patch]
        here, moving, f = own[0, a:b], own[1, a:b], out[a:b]
        _copy(x, slot_vertex[a:b], here)
        _copy(v, slot_vertex[a:b], moving)
        f[:] = 0.0
        E, F, D = np.empty((9, LANES)), np.empty((9, LANES)), np.empty((9, LANES))
        P, S, H = np.empty((9, LANES)), np.empty((6, LANES)), np.empty((9, LANES))
        for first in range(0, filled[patch], LANES):
            block = begin + first
            B, stiff = geometry[block // LANES], eta[block // LANES, 0]
            corner = corners[block : block + LANES]
            _edges(here, corner, E)
            for k in range(LANES):
                gradient(E, B, k, F)
            _edges(moving, corner, E)
            for k in range(LANES):
                gradient(E, B, k, D)
            for k in range(LANES):
                strain_rate(F, D, 2.0 * stiff[k], k, S)
            for k in range(LANES):
                first_piola(F, S, k, P)
            for k in range(LANES):
                pushes(P, B, k, H)
            _scatter(H, corner, min(LANES, filled[patch] - first), f)


@kernel
def collect(start, slot, copies, out):  # type: ignore[no-untyped-def]
    """Write the sums (n, 3) of the copies of each vertex."""
    for i in prange(len(out)):
        f0 = f1 = f2 = 0.0
        for j in range(start[i], start[i + 1]):
            s = slot[j]
            f0 += copies[s, 0]
            f1 += copies[s, 1]
            f2 += copies[s, 2]
        out[i, 0], out[i, 1], out[i, 2] = f0, f1, f2
