"""Projective dynamics of bellies: the published method, behind the interface of the faithful one.

    E = sum_e V_e [ mu/2 |F - R|^2 + nu/2 min_{det P = 1} |F - P|^2 + k/2 |F e - p|^2 ]
    p = (1 - f/(k l)) F e,   L x = sum_e V_e [ (mu R + nu P) B + k p (B.e) ]

An iteration projects the gradient F of each tet to a rotation R, to a volume P and to a fibre p,
and solves with L, which never changes and is factored once. Where it stays, the stress of fibres is
exactly f n e^T: its fixed point is an equilibrium. Ten iterations need not be near it. The
derivative by activation is that of the published method, with L in place of the stiffness, which it
is not; that by length is the difference of two runs from the same shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.banded import factor, solve
from vastus.bellies.belly import Belly
from vastus.bellies.element import fibre, gradient
from vastus.bellies.hill import Hill, hill, sizes_of
from vastus.bellies.law import Pull, asked
from vastus.bellies.layout import layout
from vastus.bellies.sampled import at
from vastus.errors import ModelError
from vastus.numerics.jit import loop, point
from vastus.numerics.small import cofactor, det, rotation
from vastus.numerics.types import Floats

PROJECTIONS = 30  # steps towards volume 1, of which few are taken
APART = 1e-5  # of the optimal length, between the runs for the derivative by length
SAME = 1e-14  # change of a projection that is none


@dataclass(frozen=True)
class Iteration:
    """How many iterations a call makes, and the stiffness k of fibres [Pa].

    The published 10 and 1e7 Pa go with a matrix of 5e6 Pa. With one as soft as muscle a greater k
    is slower, and one below the tension of fibres over their stretch does not converge.
    """

    iterations: int = 10
    fibre: float = 3e6
    tone: float = 0.02

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise ModelError(f"there are {self.iterations} iterations; there must be 1 or more")
        if not self.fibre > 0:
            raise ModelError(f"the stiffness of fibres is {self.fibre:g} Pa; it must be above 0")


class Projective:
    """Bellies by projective dynamics, which go on from the shapes of the call before.

    The weight of volume is nu = 3 bulk, with which small changes of volume cost what they do in
    the faithful law. A belly has one motor unit.
    """

    def __init__(
        self, bellies: Sequence[Belly], curves: Hill | None = None,
        iteration: Iteration | None = None,
    ) -> None:  # fmt: skip
        for belly in bellies:
            if len(belly.units) != 1:
                raise ModelError(
                    f"belly '{belly.name}' has {len(belly.units)} units; this method is for one"
                )
        self.bellies, self.curves = tuple(bellies), curves or hill()
        self.iteration = iteration or Iteration()
        self.units = tuple(belly.units[0] for belly in bellies)
        self.layout = layout(self.bellies)
        self._sizes = sizes_of(self.units)
        self._length, self._x = self.layout.optimal.copy(), self.layout.X.copy()
        self._factor = np.zeros(int(self.layout.first_entry[-1]))
        self._right = np.zeros((int(self.layout.first_unknown[-1]), 2))
        self._tet = np.zeros((len(bellies), 9, 3))
        weights = (3.0 * self.layout.kappa, self.iteration.fibre)
        column = np.zeros((len(bellies), int(self.layout.width.max()) + 1))
        positive = np.zeros(len(bellies), np.int64)
        _factored(self.layout, *weights, column, self._factor, positive)
        if not positive.all():
            name = self.bellies[int(np.argmin(positive))].name
            raise ModelError(f"belly '{name}' has vertices that no tet holds")
        self._weights = weights

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pull at lengths [m], speeds [m/s] and activations, (m,) each."""
        length, speed, activation = asked(self.units, length, speed, activation)
        gain = self.curves.gains(length, speed, self._sizes)
        w = np.maximum(activation * gain[:, 0], self.iteration.tone)
        count, h = self.iteration.iterations, APART * self.layout.optimal
        more, less = (self.copy().iterated(length + d, w, count)[:, 0] for d in (h, -h))
        force, rise = self.iterated(length, w, count).T
        return Pull(
            force=force + rise * (activation * gain[:, 0] - w),
            by_activation=rise * gain[:, 0],
            by_length=(more - less) / (2 * h) + rise * activation * gain[:, 1],
            by_speed=rise * activation * gain[:, 2],
        )

    def iterated(self, length: Floats, contraction: Floats, count: int) -> Floats:
        """(m, 2) F and dF/dw [N] after some iterations from the former shapes."""
        out = np.zeros((len(self.units), 2))
        _iterated(
            self.layout, *self._weights, self._factor, self.curves.passive_rows, length,
            contraction, count, self._length, self._x, self._right, self._tet, out,
        )  # fmt: skip
        return out

    def vertices(self, belly: int) -> Floats:
        """(n, 3) the vertices of a belly in its last shape [m], along the x axis."""
        first = self.layout.first_vertex
        return self._x[first[belly] : first[belly + 1]].copy()

    def copy(self) -> Projective:
        """The same bellies, in shapes of their own from here on."""
        other = object.__new__(Projective)
        other.__dict__.update(self.__dict__)
        for name in ("_length", "_x", "_right", "_tet"):
            setattr(other, name, getattr(self, name).copy())
        return other


@dataclass(frozen=True)
class Shortfall:
    """How far tensions are from the fixed point after some iterations [greatest forces]."""

    iterations: tuple[int, ...]
    error: tuple[float, ...]

    def __str__(self) -> str:
        rows = ", ".join(
            f"{e:.1e} after {n}" for n, e in zip(self.iterations, self.error, strict=True)
        )
        return f"projective dynamics against its fixed point: {rows} iterations"


def shortfall(
    law: Projective, length: Floats, contraction: Floats, *, counts: Sequence[int] = (1, 10, 100),
    limit: int = 20000,
) -> Shortfall:  # fmt: skip
    """The greatest error of tensions after counts of iterations, from the shapes that they have."""
    force = np.array([unit.force for unit in law.units])
    start = law.copy()
    end = start.copy().iterated(length, contraction, limit)[:, 0]
    errors = [
        float(np.abs((start.copy().iterated(length, contraction, n)[:, 0] - end) / force).max())
        for n in counts
    ]
    return Shortfall(tuple(counts), tuple(errors))


@point
def _to_volume(F: Any, P: Any) -> None:
    """Write the matrix nearest to F (3, 3) with determinant 1 to P (3, 3)."""
    for r in range(3):
        for c in range(3):
            P[r, c] = F[r, c]
    for _ in range(PROJECTIONS):
        # F + D with D along the cofactors of P, by the equation linear in D.
        C, J = cofactor(P), det(P)
        size, along = 0.0, 0.0
        for r in range(3):
            for c in range(3):
                size += C[3 * r + c] * C[3 * r + c]
                along += C[3 * r + c] * (P[r, c] - F[r, c])
        scale, change = (along - (J - 1.0)) / size, 0.0
        for r in range(3):
            for c in range(3):
                value = F[r, c] + scale * C[3 * r + c]
                change = max(change, abs(value - P[r, c]))
                P[r, c] = value
        if change < SAME:
            break


@loop
def _factored(of: Any, nu: Any, stiff: float, column: Any, out: Any, positive: Any) -> None:
    """Write the factors of L to out (entries,), in the rows of x alone of each belly."""
    for k in range(len(of.mu)):
        n, width = (of.first_unknown[k + 1] - of.first_unknown[k]) // 3, (of.width[k] + 1) // 3
        A = out[of.first_entry[k] : of.first_entry[k] + n * (width + 1)].reshape(n, width + 1)
        for e in range(of.first_tet[k], of.first_tet[k + 1]):
            for a in range(of.T.shape[1]):
                i = of.place[of.T[e, a], 1]
                for b in range(of.T.shape[1]):
                    j = of.place[of.T[e, b], 1]
                    if 0 <= j <= i:
                        A[i // 3, (j - i) // 3 + width] += _pair(
                            of, e, a, b, of.mu[k] + nu[k], stiff
                        )
        positive[k] = 1 if factor(A, n, width, column[k]) else 0


@point
def _pair(of: Any, e: int, a: int, b: int, even: float, stiff: float) -> float:
    """The entry of L of two corners of a tet."""
    dot = of.B[e, a, 0] * of.B[e, b, 0]
    more = of.B[e, a, 1] * of.B[e, b, 1] + of.B[e, a, 2] * of.B[e, b, 2]
    return of.V[e] * (even * (dot + more) + stiff * dot)


@point
def _target(of: Any, k: int, e: int, nu: float, stiff: float, w: float, passive: Any, x: Any,
            room: Any) -> None:  # fmt: skip
    """Write mu R + nu P + k p e^T of tet e to rows 6 to 8 of the room (9, 3), F to the first."""
    F, P, Q = room[0:3], room[3:6], room[6:9]
    gradient(x, of.T, of.B, e, F)
    R = rotation(F)
    _to_volume(F, P)
    l, n0, n1, n2 = fibre(F)
    f = of.contractile[e] * w + of.strength[e] * at(passive, l)[0]
    for r in range(3):
        for c in range(3):
            Q[r, c] = of.mu[k] * R[3 * r + c] + nu * P[r, c]
    length = stiff * l - f
    Q[0, 0] += length * n0
    Q[1, 0] += length * n1
    Q[2, 0] += length * n2


@loop
def _iterated(
    of: Any, nu: Any, stiff: float, factors: Any, passive: Any, length: Any, contraction: Any,
    count: int, was: Any, x: Any, right: Any, tet: Any, out: Any,
) -> None:  # fmt: skip
    """Iterate all bellies, and write F and dF/dw to out (m, 2)."""
    for k in range(len(of.mu)):
        _belly(of, k, nu[k], stiff, factors, passive, length[k], contraction[k], count,
               was, x, right, tet[k], out)  # fmt: skip


@point
def _belly(
    of: Any, k: int, nu: float, stiff: float, factors: Any, passive: Any, length: float, w: float,
    count: int, was: Any, x: Any, right: Any, room: Any, out: Any,
) -> None:  # fmt: skip
    n, width = (of.first_unknown[k + 1] - of.first_unknown[k]) // 3, (of.width[k] + 1) // 3
    start = of.first_entry[k]
    A = factors[start : start + n * (width + 1)].reshape(n, width + 1)
    b, c = right[of.first_unknown[k] : of.first_unknown[k + 1], 0], right[:, 1]
    c = c[of.first_unknown[k] : of.first_unknown[k + 1]]
    rows = c[0:n]  # room of one axis
    stretch = length / was[k]
    for v in range(of.first_vertex[k], of.first_vertex[k + 1]):
        if of.place[v, 1] >= 0:
            x[v, 0] *= stretch
        elif of.place[v, 0] <= -2:
            x[v, 0] = of.X[v, 0] + length - of.optimal[k]
    was[k] = length
    for _ in range(count):
        for i in range(3 * n):
            b[i] = 0.0
        for e in range(of.first_tet[k], of.first_tet[k + 1]):
            _target(of, k, e, nu, stiff, w, passive, x, room)
            _add_right(of, k, e, nu, stiff, x, room, b)
        for axis in range(3):
            for i in range(n):
                rows[i] = b[3 * i + axis]
            solve(A, n, width, rows)
            for v in range(of.first_vertex[k], of.first_vertex[k + 1]):
                if of.place[v, 1] >= 0:
                    x[v, axis] += rows[of.place[v, 1] // 3]
    _answered(of, k, nu, stiff, w, passive, x, room, b, rows, A, out)


@point
def _add_right(of: Any, k: int, e: int, nu: float, stiff: float, x: Any, room: Any, b: Any) -> None:
    """Add to b the force of tet e on its free vertices: the right side of the change of x."""
    F, Q = room[0:3], room[6:9]
    for a in range(of.T.shape[1]):
        at_y = of.place[of.T[e, a], 1]
        if at_y >= 0:
            for r in range(3):
                value = (Q[r, 0] - (of.mu[k] + nu + stiff) * F[r, 0]) * of.B[e, a, 0]
                value += (Q[r, 1] - (of.mu[k] + nu) * F[r, 1]) * of.B[e, a, 1]
                value += (Q[r, 2] - (of.mu[k] + nu) * F[r, 2]) * of.B[e, a, 2]
                b[at_y - 1 + r] += of.V[e] * value


@point
def _answered(
    of: Any, k: int, nu: float, stiff: float, w: float, passive: Any, x: Any, room: Any, b: Any,
    rows: Any, A: Any, out: Any,
) -> None:  # fmt: skip
    """The tension at the end, and its derivative by w with L in place of the stiffness."""
    n, width = len(rows), A.shape[1] - 1
    force, gain = 0.0, 0.0
    for i in range(3 * n):
        b[i] = 0.0
    # In b: the column of L between the end and the free vertices, then the active forces along x.
    for e in range(of.first_tet[k], of.first_tet[k + 1]):
        _target(of, k, e, nu, stiff, w, passive, x, room)
        _, n0, _, _ = fibre(room)
        F, Q = room[0:3], room[6:9]
        h0, h1, h2 = 0.0, 0.0, 0.0
        for a in range(of.T.shape[1]):
            if of.place[of.T[e, a], 0] <= -2:
                h0 += of.B[e, a, 0]
                h1 += of.B[e, a, 1]
                h2 += of.B[e, a, 2]
        even = of.mu[k] + nu
        value = ((even + stiff) * F[0, 0] - Q[0, 0]) * h0
        value += (even * F[0, 1] - Q[0, 1]) * h1 + (even * F[0, 2] - Q[0, 2]) * h2
        force += of.V[e] * value
        slope = of.V[e] * of.contractile[e] * n0
        gain += slope * h0
        for a in range(of.T.shape[1]):
            i = of.place[of.T[e, a], 1]
            if i >= 0:
                dot = of.B[e, a, 0] * h0
                more = of.B[e, a, 1] * h1 + of.B[e, a, 2] * h2
                b[i - 1] += of.V[e] * (even * (dot + more) + stiff * dot)
                b[i] += slope * of.B[e, a, 0]
    for i in range(n):
        rows[i] = b[3 * i]
    solve(A, n, width, rows)
    for i in range(n):
        gain -= b[3 * i + 1] * rows[i]
    out[k, 0], out[k, 1] = force, gain
