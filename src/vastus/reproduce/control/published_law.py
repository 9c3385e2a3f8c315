"""The paper's muscle as it is printed: projective dynamics of one belly, in many states at once.

Each tet has psi = mu/2 |F - R|^2 + nu/2 min_{det P = 1} |F - P|^2, and fibres of the stress
f_hill(l, a), l = |F e|. An iteration projects and solves with a constant matrix L (its eq. 5 to 9).
Newton's method on the same energy gives what it should converge to; K, its matrix, the exact
derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import root

from vastus.bellies.belly import FREE, Belly
from vastus.bellies.hill import hill
from vastus.numerics.types import Floats

FAR = 100.0  # rest lengths, beyond which a state has diverged, and begins again
BALANCED = 1e-7  # of the greatest force, that may be left at a vertex
_STRETCH = np.linspace(0.2, 3.0, 5601)


@dataclass(frozen=True)
class Moduli:
    """Stiffness of the matrix, weight of volume and stiffness of fibres [Pa].

    `local` is as printed: force-length is that of each tet, and all have one strength. Otherwise it
    is that of the belly, and tets have the strengths of an even tension.
    """

    shear: float
    volume: float
    fibres: float
    local: bool = True


class PublishedBelly:
    """A belly of one unit by the paper's method, at s states of stretch and activation."""

    def __init__(self, belly: Belly, moduli: Moduli, states: Sequence[tuple[float, float]]) -> None:
        self.belly, self.moduli, self.unit = belly, moduli, belly.units[0]
        self.stretch, self.level = np.array(states, float).T
        mesh = belly.mesh
        self._T, self._B, self._V = mesh.T, mesh.gradients, mesh.volumes
        even = self.unit.force * self.unit.optimal / mesh.volumes.sum()
        self._strength = np.full(mesh.n_tets, even) if moduli.local else belly.strength
        self._free, self._end = belly.held == FREE, belly.held > 0
        curves = hill("thelen", "lee")
        self._active, self._passive = (
            np.array([curve.force(float(l)) for l in _STRETCH])
            for curve in (curves.active, curves.passive)
        )

    def begun(self) -> Floats:
        """(s, n, 3) the rest shape, stretched evenly at a constant volume."""
        thin = 1.0 / np.sqrt(self.stretch)
        return self.belly.mesh.X * np.stack([self.stretch, thin, thin], axis=1)[:, None, :]

    def moved(self, x: Floats, other: PublishedBelly) -> Floats:
        """(s, n, 3) the shapes x of another's states, with the ends where they are here."""
        out = x.copy()
        out[:, self._end, 0] += self.unit.optimal * (self.stretch - other.stretch)[:, None]
        return out

    @cached_property
    def L(self) -> Floats:
        """(n, n) the constant matrix, the same for x, y and z [N/m]."""
        m, n = self.moduli, self.belly.mesh.n_vertices
        dot = np.einsum("eai,ebi->eab", self._B, self._B) * (m.shear + m.volume)
        dot += m.fibres * np.einsum("ea,eb->eab", self._B[:, :, 0], self._B[:, :, 0])
        out = np.zeros((n, n))
        np.add.at(out, (self._T[:, :, None], self._T[:, None, :]), self._V[:, None, None] * dot)
        return out

    def iterated(self, x: Floats, count: int) -> tuple[Floats, Floats]:
        """(s, n, 3) the shapes after some iterations, and the pulls (count + 1, s) on the way."""
        free, pulls = self._free, []
        solve = np.linalg.inv(self.L[np.ix_(free, free)])
        for _ in range(count):
            F, R, P, f, n = self._projected(x)
            Q = self.moduli.shear * R + self.moduli.volume * P
            Q[..., 0] += self.moduli.fibres * F[..., 0] - f[..., None] * n
            sums = self._gathered(Q)
            forces = self.L @ x - sums  # at vertices: L x is what the projections are taken from
            pulls.append(forces[:, self._end, 0].sum(axis=1))
            x = x.copy()
            x[:, free] = solve @ (sums[:, free] - self.L[np.ix_(free, ~free)] @ x[:, ~free])
            lost = ~(np.abs(x).max(axis=(1, 2)) < FAR * self.unit.optimal)
            x[lost] = self.begun()[lost]
        return x, np.array([*pulls, self.force(x)])

    def force(self, x: Floats) -> Floats:
        """(s,) [N] the pull at the end of shapes (s, n, 3)."""
        return np.asarray(self._nodal(x)[:, self._end, 0].sum(axis=1))

    def left(self, x: Floats) -> Floats:
        """(s,) the largest force out of balance at a vertex, over the greatest force."""
        size = np.abs(self._nodal(x)[:, self._free]).max(axis=(1, 2))
        return np.asarray(size / self.unit.force)

    def balanced(self, near: Floats) -> Floats:
        """(s, n, 3) equilibria by Newton's method from shapes nearby, NaN where there is none."""
        out = near.copy()
        for s in range(len(near)):
            one = self._only(s)
            found = root(one._residual, near[s, self._free].ravel(), args=(near[s],), tol=1e-12)
            x = one._filled(found.x, near[s])[None]
            out[s] = x[0] if one.left(x)[0] < BALANCED else np.nan
        return out

    def derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """(s,) dF/da [N] at equilibria (s, n, 3): exact, and with L in place of K."""
        h, free = 1e-6, self._free
        exact, short = np.zeros((2, len(x)))
        for s in range(len(x)):
            one = self._only(s)
            places = np.argwhere(np.repeat(free[:, None], 3, axis=1))
            ends = []
            for sign in (h, -h):
                moved = np.repeat(x[s : s + 1], len(places), axis=0)
                moved[np.arange(len(places)), places[:, 0], places[:, 1]] += sign * one.unit.optimal
                ends.append(one._at(len(places))._nodal(moved))
            change = (ends[0] - ends[1]) / (2 * h * one.unit.optimal)
            K = change[:, free].reshape(len(places), -1).T
            c = change[:, self._end, 0].sum(axis=1)
            by_level = (one._raised(h)._nodal(x[s][None]) - one._raised(-h)._nodal(x[s][None]))[0]
            by_level = by_level / (2 * h)
            b, direct = by_level[free].ravel(), float(by_level[self._end, 0].sum())
            exact[s] = direct - c @ np.linalg.lstsq(K, b, rcond=1e-9)[0]
            by_L = np.linalg.solve(self.L[np.ix_(free, free)], by_level[free])
            short[s] = direct - c @ by_L.ravel()
        return exact, short

    def _only(self, s: int) -> PublishedBelly:
        return PublishedBelly(self.belly, self.moduli, [(self.stretch[s], self.level[s])])

    def _at(self, count: int) -> PublishedBelly:
        """The first state, so many times."""
        state = (float(self.stretch[0]), float(self.level[0]))
        return PublishedBelly(self.belly, self.moduli, [state] * count)

    def _raised(self, by: float) -> PublishedBelly:
        states = list(zip(self.stretch.tolist(), (self.level + by).tolist(), strict=True))
        return PublishedBelly(self.belly, self.moduli, states)

    def _filled(self, inner: Floats, near: Floats) -> Floats:
        x = near.copy()
        x[self._free] = inner.reshape(-1, 3)
        return x

    def _residual(self, inner: Floats, near: Floats) -> Floats:
        nodal = self._nodal(self._filled(inner, near)[None])[0, self._free]
        return np.asarray(nodal.ravel() / self.unit.force)

    def _gathered(self, Q: Floats) -> Floats:
        """(s, n, 3) sums of V Q B over the tets of each vertex, of stresses Q (s, m, 3, 3)."""
        parts = np.einsum("e,seij,eaj->seai", self._V, Q, self._B)
        return np.asarray(self._corners @ parts.reshape(len(Q), -1, 3))

    @cached_property
    def _corners(self) -> Floats:
        """(n, 4 m) one where a corner of a tet is a vertex."""
        return np.equal.outer(np.arange(self.belly.mesh.n_vertices), self._T.ravel()).astype(float)

    def _nodal(self, x: Floats) -> Floats:
        """(s, n, 3) forces at vertices [N], of which those at free ones are out of balance."""
        F, R, P, f, n = self._projected(x)
        stress = self.moduli.shear * (F - R) + self.moduli.volume * (F - P)
        stress[..., 0] += f[..., None] * n
        return self._gathered(stress)

    def _projected(self, x: Floats) -> tuple[Floats, ...]:
        """Gradients, rotations and volumes (s, m, 3, 3), fibre stresses (s, m), directions."""
        F = np.einsum("seai,eaj->seij", x[:, self._T], self._B)
        U, size, Vt = np.linalg.svd(F)
        l = np.linalg.norm(F[..., 0], axis=-1)
        at = l if self.moduli.local else np.broadcast_to(self.stretch[:, None], l.shape)
        active = self.level[:, None] * np.interp(at, _STRETCH, self._active)
        f = self._strength * (active + np.interp(l, _STRETCH, self._passive))
        return F, U @ Vt, (U * _unit_volume(size)[..., None, :]) @ Vt, f, F[..., 0] / l[..., None]


def _unit_volume(size: Floats) -> Floats:
    """(.., 3) the nearest singular values to given ones whose product is 1."""
    s = size.copy()
    for _ in range(12):
        C = np.stack([s[..., 1] * s[..., 2], s[..., 0] * s[..., 2], s[..., 0] * s[..., 1]], axis=-1)
        along = (C * (s - size)).sum(axis=-1) - (s.prod(axis=-1) - 1.0)
        s = size + (along / (C**2).sum(axis=-1))[..., None] * C
    return s
