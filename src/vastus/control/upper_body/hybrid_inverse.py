"""Hybrid inverse dynamics: some joints shall accelerate as wanted, the others follow.

The step itself is inverted (theory, eq. 95). Of A dv = b + h tau the driven joints (m) have
dv = h a* and unknown efforts tau, the passive ones (p) have no effort and unknown dv:

    A_pp dv_p = b_p - A_pm h a*,    tau = (A_mm h a* + A_mp dv_p - b_m) / h.

Muscles pull on passive joints too. With their moments G (n, m), eliminating dv_p from

    A dv = b + h G a   gives   (G_m - A_mp A_pp^-1 G_p) a = tau,

with the same tau: the gain of a muscle counts what it does to the driven joints by way of the
passive ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from vastus.control.upper_body.articulated import Kinetics
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.implicit_step import Linearised, System, solved
from vastus.errors import SolveError
from vastus.numerics.sparse_rows import SparseRows
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class StepInverse:
    """A step of h [s], solved for efforts at the driven joints."""

    A: Floats
    b: Floats
    h: float
    driven: Ints
    passive: Ints
    shared: Floats  # (p, m) A_pp^-1 A_pm
    still: Floats  # (p,) A_pp^-1 b_p
    factor: tuple[Floats, bool]  # of A_pp

    @classmethod
    def of(cls, system: System, h: float, driven: Ints, passive: Ints) -> StepInverse:
        """The inverse of a step of h [s] that solves this system."""
        A, b = system
        try:
            factor = cho_factor(A[np.ix_(passive, passive)], check_finite=False)
        except np.linalg.LinAlgError:
            raise SolveError("a step cannot be inverted: the body is out of control") from None
        both = np.column_stack([A[np.ix_(passive, driven)], b[passive]])
        done = cho_solve(factor, both, check_finite=False)
        return cls(A, b, h, driven, passive, done[:, :-1], done[:, -1], factor)

    def torques(self, wanted: Floats) -> Floats:
        """(d,) the efforts [N m] that let driven joints accelerate as wanted (d,) [rad/s^2]."""
        change = self._spread(self.h * wanted, self.following(self.h * wanted))
        return np.asarray((self.A @ change - self.b)[self.driven] / self.h)

    def following(self, change: Floats) -> Floats:
        """(p,) how the speeds of passive joints change when those of driven ones do by (d,)."""
        return np.asarray(self.still - self.shared @ change)

    def change(self, wanted: Floats, pulls: Floats) -> Floats:
        """(n,) how all speeds change in the step that does as wanted, under efforts (n,) [N m].

        Only the efforts on passive joints count: driven ones do as wanted.
        """
        moved = cho_solve(self.factor, pulls[self.passive], check_finite=False)
        driven = self.h * wanted
        return self._spread(driven, self.following(driven) + self.h * moved)

    def gains(self, P: SparseRows) -> Floats:
        """(d, m) what moments P (m, n) of muscles are worth at the driven joints."""
        return P.eliminated(self.driven, self.passive, self.shared).T

    def _spread(self, driven: Floats, passive: Floats) -> Floats:
        out = np.empty(len(self.b))
        out[self.driven], out[self.passive] = driven, passive
        return out


def hybrid_torques(forces: Linearised, wanted: Floats, driven: Ints, passive: Ints) -> Floats:
    """(d,) efforts [N m] at the present state (theory, eq. 96); for comparison."""
    M, f = forces.M, forces.f
    return _hybrid(M, f, wanted, driven, passive)[0]


def next_state_torques(
    dynamics: Dynamics, at: Kinetics, wanted: Floats, h: float, external: Floats | None = None
) -> Floats:
    """(d,) efforts [N m] at the next state, found by a step of forward Euler; for comparison.

    Accelerations of the passive joints are found at the present state, the whole body is advanced
    with them, and efforts are those of the state there. Passive joints as stiff as cartilage are
    thrown too far by an explicit step of 7 ms, so that this does not hold a rib cage.
    """
    driven, passive = dynamics.body.driven, dynamics.body.followers
    here = dynamics.passive(at, external)
    _, following = _hybrid(here.M, here.f, wanted, driven, passive)
    ahead = at.v.copy()
    ahead[driven] += h * wanted
    ahead[passive] += h * following
    there = dynamics.passive(dynamics.at(at.q + h * ahead, ahead), external)
    return _hybrid(there.M, there.f, wanted, driven, passive)[0]


def _hybrid(
    M: Floats, f: Floats, wanted: Floats, driven: Ints, passive: Ints
) -> tuple[Floats, Floats]:
    """Efforts of driven joints and accelerations of passive ones."""
    M_pm = M[np.ix_(passive, driven)]
    following = solved(M[np.ix_(passive, passive)], f[passive] - M_pm @ wanted)
    efforts = M[np.ix_(driven, driven)] @ wanted + M_pm.T @ following - f[driven]
    return efforts, following
