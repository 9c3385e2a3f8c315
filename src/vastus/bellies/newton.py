"""Newton's method for many bellies: a compiled loop that allocates nothing, on one thread.

Each belly is the least of its energy over the free vertices, at the lengths of its units and their
contractions w. With the gradient g of that energy, its matrix K, c_k = dg/dl_k and b_k = dg/dw_k,

    dF_j/dl_k = C_jk - c_j . K^-1 c_k,   dF_j/dw_k = B_jk - c_j . K^-1 b_k

are the exact derivatives of the tensions F_j = dE/dl_j. The same solutions say where vertices move
to with lengths and contractions: the next step begins there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vastus.bellies.banded import factor, solve
from vastus.bellies.element import ROOM, fibre, gradient, respond
from vastus.bellies.layout import Layout
from vastus.numerics.jit import loop, point
from vastus.numerics.types import Floats, Ints

SHIFT = 1e-7  # of its diagonal, added to K: a belly held at two points may turn about its axis
STEEPER = 100.0  # times the shift where K is not positive
SHIFTS = 5  # how often
ROUNDING = 1e-12  # of force times length, by which energy may rise
LEAST = 1e-4  # the smallest part of a step


class Memory(NamedTuple):
    """The shapes of all bellies, and how they move."""

    x: Floats  # (n, 3) [m]
    length: Floats  # (units,) [m] at which they were solved
    contraction: Floats  # (units,)
    by_length: Floats  # (columns,) dx/dl of the unknowns
    by_contraction: Floats  # (columns,) dx/dw [m]


class Room(NamedTuple):
    """What the loop writes and nobody reads afterwards."""

    K: Floats  # (entries,) the matrix
    A: Floats  # (entries,) its factor
    g: Floats  # (unknowns,)
    step: Floats  # (unknowns,)
    base: Floats  # (n, 3) where a step begins
    c: Floats  # (columns,)
    b: Floats  # (columns,)
    column: Floats  # (bellies, widest)
    tet: Floats  # (bellies, 36, 3)
    corner: Floats  # (bellies, 4, 3)
    block: Floats  # (bellies, 12, 12)


class Answer(NamedTuple):
    """The tensions and their exact derivatives between units of one belly."""

    force: Floats  # (units,) [N]
    by_length: Floats  # (pairs,) [N/m]
    by_contraction: Floats  # (pairs,) [N]
    iterations: Ints  # (bellies,)
    solved: Ints  # (bellies,) 1 where in equilibrium, 0 where not


def memory(of: Layout) -> Memory:
    """The bellies at rest."""
    columns = int(of.first_column[-1])
    units = len(of.optimal)
    return Memory(
        of.X.copy(), of.optimal.copy(), np.zeros(units), np.zeros(columns), np.zeros(columns)
    )


def room(of: Layout) -> Room:
    """Room for all bellies at once."""
    bellies, unknowns = len(of.mu), int(of.first_unknown[-1])
    entries, columns = int(of.first_entry[-1]), int(of.first_column[-1])
    return Room(
        np.zeros(entries), np.zeros(entries), np.zeros(unknowns), np.zeros(unknowns),
        np.zeros_like(of.X), np.zeros(columns), np.zeros(columns),
        np.zeros((bellies, int(of.width.max()) + 1)), np.zeros((bellies, *ROOM)),
        np.zeros((bellies, 4, 3)), np.zeros((bellies, 12, 12)),
    )  # fmt: skip


def answer(of: Layout) -> Answer:
    """Room for what is answered."""
    pairs, bellies = int(of.first_pair[-1]), len(of.mu)
    return Answer(
        np.zeros(len(of.optimal)), np.zeros(pairs), np.zeros(pairs),
        np.zeros(bellies, np.int64), np.zeros(bellies, np.int64),
    )  # fmt: skip


@point
def assembled(
    T: Any, B: Any, V: Any, strength: Any, contractile: Any, unit: Any, place: Any,
    mu: float, kappa: float, x: Any, w: Any, passive: Any, tet: Any, corner: Any, block: Any,
    K: Any, g: Any, c: Any, b: Any, F: Any, C: Any, D: Any,
) -> float:  # fmt: skip
    """The energy of a belly [J] at x and contractions w; write g, K, c, b, F, C and D.

    Infinite where a tet is inverted.
    """
    n, width, units = len(g), K.shape[1] - 1, len(F)
    # Loops, which compile sooner than assignments of whole arrays.
    for i in range(n):
        g[i] = 0.0
        for j in range(width + 1):
            K[i, j] = 0.0
        for j in range(units):
            c[j, i] = b[j, i] = 0.0
    for i in range(units):
        F[i] = 0.0
        for j in range(units):
            C[i, j] = D[i, j] = 0.0
    energy = 0.0
    for e in range(len(T)):
        own = unit[e]
        gradient(x, T, B, e, tet)
        energy += respond(
            B[e], V[e], mu, kappa, contractile[e] * w[own], strength[e], passive,
            tet, corner, block,
        )  # fmt: skip
        if energy == np.inf:
            return energy
        _, n0, n1, n2 = fibre(tet)
        for a in range(len(corner)):
            pull = V[e] * contractile[e] * B[e, a, 0]
            for i in range(3):
                at = place[T[e, a], i]
                along = pull * (n0 if i == 0 else n1 if i == 1 else n2)
                if at >= 0:
                    g[at] += corner[a, i]
                    b[own, at] += along
                elif at <= -2:
                    F[-2 - at] += corner[a, i]
                    D[-2 - at, own] += along
        _scatter(T, place, e, block, width, K, c, C)
    return energy


@point
def _scatter(T: Any, place: Any, e: int, block: Any, width: int, K: Any, c: Any, C: Any) -> None:
    for p in range(len(block)):
        at = place[T[e, p // 3], p % 3]
        if at == -1:
            continue
        for q in range(p + 1):
            to = place[T[e, q // 3], q % 3]
            value = block[p, q]
            if to >= 0:
                if at >= to:
                    K[at, to - at + width] += value
                elif at >= 0:
                    K[to, at - to + width] += value
                else:
                    c[-2 - at, to] += value
            elif to <= -2:
                if at >= 0:
                    c[-2 - to, at] += value
                else:
                    C[-2 - at, -2 - to] += value
                    if p != q:
                        C[-2 - to, -2 - at] += value


@point
def factored(K: Any, A: Any, column: Any) -> bool:
    """Write the factor of K to A, shifted until it is positive; whether the least was enough."""
    n, width, shift = len(K), K.shape[1] - 1, SHIFT
    for attempt in range(SHIFTS):
        for i in range(n):
            for j in range(width):
                A[i, j] = K[i, j]
            A[i, width] = K[i, width] + shift * abs(K[i, width])
        if factor(A, n, width, column):
            return attempt == 0
        shift *= STEEPER
    return False


@point
def _begun(
    first: int, last: int, X: Any, place: Any, optimal: Any, length: Any, w: Any, far: bool,
    x: Any, was: Any, was_w: Any, L: Any, W: Any,
) -> None:  # fmt: skip
    """Move ends to their lengths, and vertices where these lead, or if `far`, evenly from rest."""
    units = len(length)
    stretch = 0.0
    for j in range(units):
        stretch += length[j] / optimal[j] / units
    for v in range(first, last):
        for i in range(3):
            at = place[v, i]
            if at >= 0 and far:
                x[v, i] = X[v, i] * (stretch if i == 0 else 1.0 / np.sqrt(stretch))
            elif at >= 0:
                for j in range(units):
                    x[v, i] += L[j, at] * (length[j] - was[j]) + W[j, at] * (w[j] - was_w[j])
            elif at <= -2:
                x[v, i] = X[v, i] + length[-2 - at] - optimal[-2 - at]


@point
def _columns(A: Any, g: Any, c: Any, b: Any, step: Any, L: Any, W: Any, count: int) -> None:
    """Solve for the step, and then for `count` columns of how vertices move."""
    n, width, units = len(g), A.shape[1] - 1, len(c)
    for r in range(1 + count):
        # One call of `solve` alone: each is compiled anew.
        if r == 0:
            out = step
            for i in range(n):
                out[i] = -g[i]
        elif r <= units:
            out = L[r - 1]
            for i in range(n):
                out[i] = -c[r - 1, i]
        else:
            out = W[r - 1 - units]
            for i in range(n):
                out[i] = -b[r - 1 - units, i]
        solve(A, n, width, out)


@point
def _derived(K: Any, c: Any, step: Any, L: Any, W: Any, F: Any, C: Any, D: Any) -> None:
    """Add to tensions what the last step changes, and to derivatives what moving vertices do.

    The shift S of K is taken out again to first order: c.K^-1 b = c.y + z.S y with (K + S) y = b
    and (K + S) z = c, for it is not small beside the softest modes.
    """
    width = K.shape[1] - 1
    for j in range(len(F)):
        for i in range(len(step)):
            by = c[j, i] - SHIFT * abs(K[i, width]) * L[j, i]
            F[j] += by * step[i]
            for m in range(len(F)):
                C[j, m] += by * L[m, i]
                D[j, m] += by * W[m, i]


@point
def _solved(
    of: Any, k: int, lengths: Any, contractions: Any, passive: Any, tolerance: float, most: int,
    cold: bool, past: Any, to: Any, says: Any,
) -> None:  # fmt: skip
    """Newton's method for belly k, and again from afar if it fails."""
    # Slices of all that follows: functions that took the tuples would take long to compile.
    v0, v1, u0, u1 = (
        of.first_vertex[k],
        of.first_vertex[k + 1],
        of.first_unit[k],
        of.first_unit[k + 1],
    )
    i0, i1, e0, e1 = (
        of.first_unknown[k],
        of.first_unknown[k + 1],
        of.first_tet[k],
        of.first_tet[k + 1],
    )
    a0, a1, c0, c1 = (
        of.first_entry[k],
        of.first_entry[k + 1],
        of.first_column[k],
        of.first_column[k + 1],
    )
    p0, p1 = of.first_pair[k], of.first_pair[k + 1]
    n, units, row = i1 - i0, u1 - u0, of.width[k] + 1
    T, B, V, place, X = of.T[e0:e1], of.B[e0:e1], of.V[e0:e1], of.place, of.X
    strength, contractile, unit = of.strength[e0:e1], of.contractile[e0:e1], of.unit[e0:e1]
    K, A = to.K[a0:a1].reshape(n, row), to.A[a0:a1].reshape(n, row)
    g, step, base, x = to.g[i0:i1], to.step[i0:i1], to.base, past.x
    c, b = to.c[c0:c1].reshape(units, n), to.b[c0:c1].reshape(units, n)
    L, W = past.by_length[c0:c1].reshape(units, n), past.by_contraction[c0:c1].reshape(units, n)
    F, C = says.force[u0:u1], says.by_length[p0:p1].reshape(units, units)
    D = says.by_contraction[p0:p1].reshape(units, units)
    tet, corner, block, column = to.tet[k], to.corner[k], to.block[k], to.column[k]
    length, w, optimal = lengths[u0:u1], contractions[u0:u1], of.optimal[u0:u1]
    was, was_w = past.length[u0:u1], past.contraction[u0:u1]
    mu, kappa, force = of.mu[k], of.kappa[k], of.force[k]
    enough, slack = tolerance * force, ROUNDING * force * optimal[0]
    least, part, taken, begun, far, solved = np.inf, 1.0, 0, False, cold, 0
    while True:
        if not begun:
            _begun(v0, v1, X, place, optimal, length, w, far, x, was, was_w, L, W)
            least, part, begun = np.inf, 1.0, True
        energy = assembled(
            T, B, V, strength, contractile, unit, place, mu, kappa, x, w, passive,
            tet, corner, block, K, g, c, b, F, C, D,
        )  # fmt: skip
        done, positive = False, True
        if energy <= least + slack and energy < np.inf:
            off = 0.0
            for i in range(n):
                off += g[i] * g[i]
            # Out of balance, the turn about the axis may have a slightly negative stiffness: go on.
            positive = factored(K, A, column)
            done = positive and np.sqrt(off) <= enough
            _columns(A, g, c, b, step, L, W, 2 * units if done else 0)
            for v in range(v0, v1):
                for i in range(3):
                    base[v, i] = x[v, i]
            least, part, taken = energy, 1.0, taken + 1
        else:
            # A trial that is higher, or inverted, is half as long the next time.
            part = 0.5 * part
        failed = part < LEAST or taken > most or not least < np.inf or (done and not positive)
        if failed and far:
            break
        if failed:
            begun, far = False, True
            continue
        for v in range(v0, v1):
            for i in range(3):
                if place[v, i] >= 0:
                    x[v, i] = base[v, i] + part * step[place[v, i]]
        if done:
            # The last step is one that the derivatives give for nothing.
            _derived(K, c, step, L, W, F, C, D)
            solved = 1
            break
    for j in range(units):
        was[j], was_w[j] = length[j], w[j]
    says.iterations[k], says.solved[k] = taken - solved, solved


@loop
def equilibria(
    of: Any, length: Any, contraction: Any, passive: Any, tolerance: float, most: int, cold: bool,
    past: Any, to: Any, says: Any,
) -> None:  # fmt: skip
    """Solve all bellies at lengths (units,) [m] and contractions (units,).

    Each begins where it was led to, or if `cold`, or if that fails, stretched evenly from rest.
    """
    for k in range(len(of.mu)):
        _solved(of, k, length, contraction, passive, tolerance, most, cold, past, to, says)
