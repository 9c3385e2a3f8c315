"""Velocity Verlet steps of soft tissue, whose damping is implicit (theory, "Finite volumes").

    (M + h/2 C) v* = M v + h/2 f(x),   x' = x + h v*,   (M + h/2 C) v' = M v* + h/2 f(x')

C is the viscosity where the tissue is. Drag alone has an exact solution, which is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vastus.errors import SolveError
from vastus.numerics.types import Floats

MOST = 2000  # iterations of conjugate gradients


@dataclass(frozen=True, eq=False)
class Moving:
    """Vertices (n, 3) [m], their velocities [m/s] and the poses (bones, 3, 4) of bones."""

    x: Floats
    v: Floats
    poses: Floats


@dataclass(frozen=True, eq=False)
class Damping:
    """What slows a motion: `viscous(x, v)` (n, 3) [N], linear in v, if any, and `drag` [1/s].

    `mass` (n, 3) [kg] is infinite where vertices are held. Velocities are found to `tolerance`.
    """

    mass: Floats
    viscous: Callable[[Floats, Floats], Floats] | None
    drag: float
    tolerance: float

    def slowed(self, x: Floats, v: Floats, h: float) -> Floats:
        """(n, 3) velocities at the end of a step h [s] that v (n, 3) has at its beginning.

        Those of held vertices stay. The mass is the preconditioner: what it and C leave alone, the
        momentum and its moment, no iterate changes.
        """
        free = np.isfinite(self.mass)
        slower = np.exp(h * self.drag)
        v = np.where(free, v / slower, v)
        if self.viscous is None:
            return v
        mass = np.where(free, self.mass, 1.0)
        r = np.where(free, -h * self.viscous(x, v), 0.0)
        enough = self.tolerance**2 * float((mass * v * v)[free].sum())
        z = r / mass
        p, size = z, float((r * z).sum())
        for _ in range(MOST):
            if size <= enough:
                return v
            Ap = np.where(free, slower * mass * p + h * self.viscous(x, p), 0.0)
            part = size / float((p * Ap).sum())
            v, r = v + part * p, r - part * Ap
            z = r / mass
            before, size = size, float((r * z).sum())
            p = z + size / before * p
        raise SolveError(f"damping by {h:.3g} s needs more than {MOST} iterations; lower viscosity")


def kicked(moving: Moving, f: Floats, damping: Damping, h: float) -> Floats:
    """(n, 3) the velocities after half a step h [s] under forces f (n, 3) [N]."""
    return damping.slowed(moving.x, moving.v + 0.5 * h * f / damping.mass, 0.5 * h)
