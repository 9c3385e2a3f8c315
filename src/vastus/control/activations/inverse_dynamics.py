"""Torques that make rigid bodies follow a motion: the principle of virtual power.

Bodies b with masses m, centres c(q), rotations R(q) and inertias I about their centres are placed
by coordinates q. What must act along coordinate j is

    tau_j = sum_b  m (dv/dt - g) . dv/dqdot_j  +  dh/dt . dw/dqdot_j,     h = R I R^T w

with the velocities v of the centres and w of the turns. In statics the first term is the weight
alone. The places may come from anything that can be posed: how a velocity depends on those of the
coordinates is found by central differences, so that couplings between joints are part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.numerics.rotation import log_map
from vastus.numerics.types import Floats

STEP = 1e-4  # [rad or m] of a coordinate, to either side
SPAN = 1e-4  # [s] before and after, over which momenta change

Places = Callable[[Floats], tuple[Floats, Floats]]  # R (b, 3, 3) and t (b, 3) [m] of bodies at q


@dataclass(frozen=True, eq=False)
class Masses:
    """Masses (b,) [kg] of bodies, their centres (b, 3) [m] and inertias (b, 3, 3) [kg m^2].

    Centres are in the bodies' own frames, and inertias in their axes, about the centres.
    """

    mass: Floats
    centre: Floats
    inertia: Floats


@dataclass(frozen=True, eq=False)
class Chain:
    """Bodies that coordinates place, under gravity (3,) [m/s^2]."""

    masses: Masses
    places: Places
    gravity: Floats

    def torques(self, q: Floats, qd: Floats | None = None, qdd: Floats | None = None) -> Floats:
        """(c,) [N m or N] what must act along the coordinates q, moving at qd and speeding at qdd.

        Without speeds the bodies are at rest.
        """
        v, w = self._rates(q)
        force = -self.masses.mass[:, None] * self.gravity
        tau = np.einsum("jbi,bi->j", v, force)
        if qd is None or qdd is None:
            return np.asarray(tau)
        ahead, behind = (
            self._momenta(q + s * qd + 0.5 * s * s * qdd, qd + s * qdd) for s in (SPAN, -SPAN)
        )
        push, turn = ((a - b) / (2 * SPAN) for a, b in zip(ahead, behind, strict=True))
        return np.asarray(tau + np.einsum("jbi,bi->j", v, push) + np.einsum("jbi,bi->j", w, turn))

    def _momenta(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """(b, 3) the linear and the angular momentum of each body."""
        v, w = (np.einsum("jbi,j->bi", rates, qd) for rates in self._rates(q))
        R, _ = self.places(q)
        inertia = R @ self.masses.inertia @ np.swapaxes(R, 1, 2)
        return self.masses.mass[:, None] * v, np.einsum("bij,bj->bi", inertia, w)

    def _rates(self, q: Floats) -> tuple[Floats, Floats]:
        """(c, b, 3) how centres [m] and turns [rad] move with each coordinate."""
        return tangents(self.places, self.masses.centre, q)


def tangents(places: Places, points: Floats, q: Floats) -> tuple[Floats, Floats]:
    """(c, b, 3) how a point (b, 3) of each body moves, and how it turns, with each coordinate."""
    moves, turns = [], []
    for step in STEP * np.eye(len(q)):
        (A, a), (B, b) = places(q + step), places(q - step)
        ahead, behind = (np.einsum("bij,bj->bi", R, points) + t for R, t in ((A, a), (B, b)))
        moves.append((ahead - behind) / (2 * STEP))
        turns.append(log_map(A @ np.swapaxes(B, 1, 2)) / (2 * STEP))
    shape = (len(q), len(points), 3)
    return np.array(moves).reshape(shape), np.array(turns).reshape(shape)


def joined_masses(rows: Sequence[tuple[float, Floats, Floats]]) -> Masses:
    """The masses of bodies given one by one: mass, centre (3,) and inertia (3, 3)."""
    return Masses(
        np.array([mass for mass, _, _ in rows], float),
        np.array([centre for _, centre, _ in rows], float).reshape(-1, 3),
        np.array([inertia for _, _, inertia in rows], float).reshape(-1, 3, 3),
    )
