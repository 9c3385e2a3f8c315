"""Directions without a factor of their own: conjugate gradients, and limited-memory BFGS."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from vastus.numerics.types import Floats

Apply = Callable[[Floats], Floats]


def conjugate_gradients(
    matrix: Apply, b: Floats, precondition: Apply, *, reduce: float = 0.1, most: int = 60
) -> Floats:
    """An x with matrix x = b, the preconditioned residual at most `reduce` of its start.

    Stops at negative curvature; the first iterate is always a descent direction for -b.
    """
    x = np.zeros_like(b)
    r = b.copy()
    z = precondition(r)
    p = z.copy()
    old = start = float(r @ z)
    for _ in range(most):
        Ap = matrix(p)
        curvature = float(p @ Ap)
        if curvature <= 0.0:
            return x if x.any() else z
        a = old / curvature
        x += a * p
        r -= a * Ap
        z = precondition(r)
        new = float(r @ z)
        if new <= reduce**2 * start:
            break
        p *= new / old
        p += z
        old = new
    return x


def non_negative(
    matrix: Apply, x: Floats, g: Floats, enough: Callable[[Floats, Floats], bool], most: int = 200
) -> Floats:
    """The x (n,) >= 0 that minimises x·matrix x/2 - b·x, from one with g = matrix x - b.

    Conjugate gradients over what is above zero, and projected gradients where what is not should be
    or the other way round (MPRGP, Dostal and Schoeberl 2005). `matrix` is positive definite, and
    `enough` is asked about x and g.
    """
    p, norm = np.where(x > 0, g, 0.0), 0.0
    for _ in range(most):
        free, chopped = np.where(x > 0, g, 0.0), np.where(x > 0, 0.0, np.minimum(g, 0.0))
        if enough(x, g):
            break
        if chopped @ chopped > free @ free:
            p = chopped
        Ap = matrix(p)
        curvature = float(p @ Ap)
        norm = max(norm, curvature / float(p @ p))
        step = float(g @ p) / curvature
        room = float(np.min(x[p > 0] / p[p > 0], initial=np.inf))
        x, g = x - min(step, room) * p, g - min(step, room) * Ap
        if step <= room:
            free = np.where(x > 0, g, 0.0)
            p = free - float(free @ Ap) / curvature * p
            continue
        x = np.maximum(x, 0.0)
        x[(p > 0) & (x <= 1e-14 * room * p)] = 0.0
        shorter = np.maximum(x - np.where(x > 0, g, 0.0) / norm, 0.0)
        g, x = g + matrix(shorter - x), shorter
        p = np.where(x > 0, g, 0.0)
    return np.maximum(x, 0.0)


class Memory:
    """Limited-memory BFGS: the last `size` pairs of step s and change of gradient y, a scale."""

    def __init__(self, size: int = 10) -> None:
        self._pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=size)
        self._scale = 1.0

    def clear(self) -> None:
        """Forget everything."""
        self._pairs.clear()
        self._scale = 1.0

    def push(self, s: Floats, y: Floats) -> None:
        """Remember a pair, unless its curvature is not clearly positive."""
        curvature = float(s @ y)
        if curvature > 1e-10 * float((s @ s) ** 0.5 * (y @ y) ** 0.5):
            self._pairs.append((s, y, 1.0 / curvature))

    def apply(self, g: Floats, inverse: Apply, *, rescale: bool = False) -> Floats:
        """The improved inverse Hessian times g; `inverse` applies the one to start from.

        With `rescale` that one is scaled so that it fits the last pair; `inverse` is then given
        two columns at once, (n, 2) instead of (n,).
        """
        q = g.copy()
        weights = []
        for s, y, rho in reversed(self._pairs):
            a = rho * float(s @ q)
            q -= a * y
            weights.append(a)
        r = self._rescaled(q, inverse) if rescale and self._pairs else self._scale * inverse(q)
        for (s, y, rho), a in zip(self._pairs, reversed(weights), strict=True):
            r += (a - rho * float(y @ r)) * s
        return r

    def _rescaled(self, q: Floats, inverse: Apply) -> Floats:
        _, y, rho = self._pairs[-1]
        solved = inverse(np.stack([q, y], axis=1))
        self._scale = 1.0 / (rho * float(y @ solved[:, 1]))
        return np.asarray(self._scale * solved[:, 0])
