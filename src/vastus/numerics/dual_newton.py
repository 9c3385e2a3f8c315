"""Bounded least squares with a linear equality, by a semismooth Newton method on the dual.

    minimise 1/2 |w a|^2   subject to   G a = t,   0 <= a <= high

has few rows (k) and many unknowns (n). With multipliers l (k,) and u = w^-2 G^T l,

    a(l) = min(max(u, 0), high),    G a(l) + e (l - c) = t

is the gradient of a convex, piecewise quadratic function of l; its generalised Hessian is
G_on w_on^-2 G_on^T + e I over the unknowns between their bounds. Newton's method with a line search
ends at its least after finitely many steps. The slack e (l - c) of the equality vanishes as the
centre c is moved to l and the price e falls (the proximal point method). Where the equality cannot
hold, it does not vanish, and is as small as can be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg.lapack import dposv

from vastus.errors import SolveError
from vastus.numerics.sparse_rows import SparseRows
from vastus.numerics.types import Floats

PRICES = 10.0 ** np.arange(-5, -13, -1)  # e of each round, in the largest of diag(G w^-2 G^T)
EXACT = 1e-10  # by how much of its size the gradient may differ from zero
HELD = 1e-9  # a slack, in the size of t, that is none
FALLING = 0.5  # what a round must leave of a slack at most, or the equality cannot hold
ITERATIONS, SEARCHES, FLAT = 400, 30, 0.1  # of Newton's method and its line search


@dataclass(frozen=True, eq=False)
class Optimum:
    """The optimum a (n,), multipliers (k,) to begin from, and the slack t - G a (k,).

    `held` tells whether the equality holds, `iterations` how many systems were solved.
    """

    a: Floats
    multipliers: Floats
    slack: Floats
    held: bool
    iterations: int


def least_activations(
    G: Floats,
    t: Floats,
    *,
    weights: Floats | None = None,
    high: Floats | float = np.inf,
    start: Optimum | None = None,
) -> Optimum:
    """The least |w a| with G a = t and 0 <= a <= high; G (k, n), t (k,), w (n,).

    `start` is the optimum of a problem that is nearly this one.
    """
    dual = _Dual(G, t, np.ones(G.shape[1]) if weights is None else 1.0 / weights**2, high)
    none, size = np.zeros(len(t)), float(np.abs(t).max(initial=0.0))
    l = none if start is None else start.multipliers
    centre = l if start is not None and start.held else none
    begin, steps, before = l, 0, np.inf
    # A good start needs no dear slack to begin with.
    prices = PRICES if centre is none else PRICES[2:]
    for number, price in enumerate(prices):
        a, l, count = dual.least(l, centre, price)
        steps += count
        slack = t - dual.rows.gathered(a)
        now = float(np.linalg.norm(slack))
        if np.abs(slack).max(initial=0.0) <= HELD * size:
            return Optimum(a, l, slack, True, steps)
        begin = l if number == 0 else begin
        if number > 0 and now > FALLING * before:
            break
        before, centre = now, l
    return Optimum(a, begin, slack, False, steps)


class _Dual:
    """The function of multipliers that is least at the optimum."""

    def __init__(self, G: Floats, t: Floats, ease: Floats, high: Floats | float) -> None:
        self.rows, self.t, self.ease = SparseRows.of(G.T), t, ease  # (n, k)
        self.top = np.broadcast_to(np.asarray(high, float), ease.shape)
        squares = replace(self.rows, values=self.rows.values**2).gathered(ease)
        largest = float(squares.max(initial=0.0))
        self.unit = max(largest, np.finfo(float).tiny)
        self.e = self.unit

    def least(self, l: Floats, centre: Floats, price: float) -> tuple[Floats, Floats, int]:
        """The unknowns and multipliers where it is least, and after how many steps."""
        self.e = price * self.unit
        exact = EXACT * max(float(np.abs(self.t).max(initial=0.0)), float(np.sqrt(self.e)))
        u = self.ease * self.rows.times(l)
        best = np.inf
        for iteration in range(ITERATIONS):
            a = np.clip(u, 0.0, self.top)
            slope = self.rows.gathered(a) + self.e * (l - centre) - self.t
            missing = float(np.abs(slope).max(initial=0.0))
            # Large multipliers cannot be balanced better than they are rounded.
            rounding = 1e-15 * float(np.abs(l).max(initial=0.0)) * self.unit
            if missing <= max(exact, rounding):
                return a, l, iteration
            best = min(best, missing)
            on = (u > 0.0) & (u < self.top)
            step = -self._newton(on, slope)
            du = self.ease * self.rows.times(step)
            length = self._length(u, du, l - centre, step)
            l, u = l + length * step, u + length * du
        raise SolveError(
            f"{len(self.ease)} activations were not found in {ITERATIONS} iterations; "
            f"a row of the balance is open by {best:.3g}"
        )

    def _newton(self, on: np.ndarray, slope: Floats) -> Floats:
        """(k,) the generalised Hessian's inverse times the slope (k,)."""
        H = np.zeros((len(slope), len(slope)))
        H[np.diag_indices_from(H)] = self.e
        self.rows.add_gram(np.where(on, self.ease, 0.0), H)
        # Transposed, it is laid out as LAPACK reads it, its lower triangle the upper one.
        _, step, failed = dposv(H.T, slope, lower=False, overwrite_a=True)
        if failed:
            raise SolveError(
                "activations were not found: a balance holds numbers that are not finite"
            )
        return np.asarray(step)

    def _length(self, u: Floats, du: Floats, l: Floats, step: Floats) -> float:
        """How far to go, so that the slope along the way nearly vanishes."""
        rise = du / self.ease
        fixed, grows = float(self.e * (l @ step) - self.t @ step), self.e * float(step @ step)

        def slope(s: float) -> float:
            return float(np.clip(u + s * du, 0.0, self.top) @ rise) + fixed + s * grows

        begin = slope(0.0)
        enough = FLAT * abs(begin)
        low, high = (0.0, begin), (1.0, slope(1.0))
        for _ in range(SEARCHES):
            if abs(high[1]) <= enough:
                return high[0]
            if high[1] > 0.0:
                break
            low, high = high, (2.0 * high[0], slope(2.0 * high[0]))
        for _ in range(SEARCHES):
            middle = low[0] + (high[0] - low[0]) * max(0.1, min(0.9, low[1] / (low[1] - high[1])))
            value = slope(middle)
            if abs(value) <= enough:
                return middle
            if value < 0.0:
                low = (middle, value)
            else:
                high = (middle, value)
        return low[0] or high[0]
