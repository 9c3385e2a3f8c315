"""Steps of a stiff articulated body: linearised implicit Euler, and what it is compared with.

With the generalised forces f(q, v), K = -df/dq and D = -df/dv, a step of h seconds (theory, eq. 94)

    (M + h D + h^2 K) dv = h (f - h K v),    v := v + dv,    q := q + h v

is stable however stiff K is. Derivatives of M and of turning are left out of K and D.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from vastus.errors import SolveError
from vastus.numerics.sparse_rows import SparseRows, mirror
from vastus.numerics.types import Floats

EXACT, ITERATIONS = 1e-10, 60  # of Newton's method: [m/s or rad/s] of a correction, and how many


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs and dampers along directions of joint space, the rows of B (r, n).

    Their stiffness is B^T diag(k) B and their damping B^T diag(d) B, with k and d (r,).
    """

    B: SparseRows
    k: Floats
    d: Floats

    def add_to(self, A: Floats, h: float, h2: float) -> None:
        """Add h times the damping and h2 times the stiffness to the lower triangle of A (n, n)."""
        self.B.add_gram(h * self.d + h2 * self.k, A)

    def stretching(self, v: Floats) -> Floats:
        """(n,) the stiffness times v (n,)."""
        return self.B.gathered(self.k * self.B.times(v))


class System(NamedTuple):
    """A (n, n) and b (n,) of A dv = b, which a step solves for the change of speeds."""

    A: Floats
    b: Floats

    def with_springs(self, pull: Floats, springs: Springs, v: Floats, h: float) -> System:
        """The system with further forces `pull` (n,) and their springs."""
        A = self.A.copy()
        springs.add_to(A, h, h * h)
        mirror(A)
        return System(A, self.b + h * pull - h * h * springs.stretching(v))


@dataclass(frozen=True, eq=False)
class Linearised:
    """Forces f (n,) at a state, inertia M (n, n), springs k and dampers d (n,) of the joints.

    `springs` are all others; `sag` (n, n) is the stiffness that weight has.
    """

    M: Floats
    f: Floats
    k: Floats
    d: Floats
    springs: tuple[Springs, ...] = ()
    sag: Floats | float = 0.0

    def system(self, v: Floats, h: float) -> System:
        """What a step of h [s] from the speeds v (n,) solves."""
        A, pull = self.M + h * h * self.sag, self.k * v + np.dot(self.sag, v)
        A[np.diag_indices_from(A)] += h * self.d + h * h * self.k
        for springs in self.springs:
            springs.add_to(A, h, h * h)
            pull += springs.stretching(v)
        mirror(A)
        return System(A, h * (self.f - h * pull))

    def damped(self, h: float) -> Floats:
        """(n, n) M + h D."""
        A = self.M.copy()
        A[np.diag_indices_from(A)] += h * self.d
        for springs in self.springs:
            springs.add_to(A, h, 0.0)
        mirror(A)
        return A

    @property
    def stiffness(self) -> Floats:
        """(n, n) K."""
        K = np.diag(self.k) + self.sag
        for springs in self.springs:
            springs.add_to(K, 0.0, 1.0)
        mirror(K)
        return K


Forces = Callable[[Floats, Floats], Linearised]  # of coordinates and speeds, (n,) each


def solved(A: Floats, b: Floats) -> Floats:
    """(n,) the solution of A x = b, A symmetric and positive definite unless rounding says no."""
    _, x, failed = dposv(A, b, lower=True)
    return np.asarray(np.linalg.solve(A, b) if failed else x)


def implicit(forces: Forces, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """The state after a linearised implicit step."""
    A, b = forces(q, v).system(v, h)
    after = v + solved(A, b)
    return q + h * after, after


def velocity_implicit(forces: Forces, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """The state after a step that is implicit in speeds only, as those of rigid-body engines."""
    at = forces(q, v)
    after = v + solved(at.damped(h), h * at.f)
    return q + h * after, after


def fully_implicit(forces: Forces, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """The state after a step of implicit Euler: M(q') (v' - v) = h f(q', v'), q' = q + h v'.

    Newton's method with the tangent above, whose left-out parts cost iterations and no exactness.
    """
    after = v + solved(*forces(q, v).system(v, h))
    for _ in range(ITERATIONS):
        at = forces(q + h * after, after)
        missing = h * at.f - at.M @ (after - v)
        change = solved(at.system(after, h)[0], missing)
        after = after + change
        if np.abs(change).max() < EXACT:
            return q + h * after, after
    raise SolveError(f"an implicit step of {h:g} s did not converge in {ITERATIONS} iterations")
