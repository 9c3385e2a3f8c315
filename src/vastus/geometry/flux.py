"""How densely fibres lie in each tet so that none of them ends inside a muscle (theory, eq. 46).

Fibres carry the same tension from end to end: the flux `s d` of directions d with densities s is
conserved. Of all such densities this is the one nearest to 1, which gives each fibre its own area:

    min 1/2 sum V (s - 1)^2   such that   r = G^T V s = 0 inside,   s >= SMALLEST

with G the derivative along the fibre, so that s = max(SMALLEST, 1 + G psi) with psi = 0 at the
ends. Tets at the bound leave the matrix and enter the right-hand side: a semismooth Newton method.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.indices import components
from vastus.geometry.signs import aligned
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.factor import make_factor
from vastus.numerics.types import Bools, Floats, Ints

SMALLEST = 0.02  # density
REGULAR = 1e-4  # of an isotropic Laplacian, which makes the system regular across the fibres
MOST = 25  # iterations


@dataclass(frozen=True, eq=False)
class Flux:
    """The density (m,) of fibres, volume mean 1, and what it carries from end to end.

    `area` [m^2] is the net flux between the holders of the ends: the physiological cross-section,
    so that volume over area is the mean length of the fibres. `leak` is the share of the flux that
    ends inside. `ends` (n,) is the flux that enters each vertex [m^2], by the sense of the fibres.
    """

    density: Floats
    area: float
    leak: float
    ends: Floats


def uniform(mesh: TetMesh, fibre: Floats, holder: Ints) -> Flux:
    """The flux of density 1 along fibres (m, 3) to the vertices that a `holder` (n,) >= 0 holds."""
    system = _System(mesh, fibre, holder)
    return system.flux(np.ones(mesh.n_tets))


def conserved(mesh: TetMesh, fibre: Floats, holder: Ints) -> Flux:
    """The density nearest to 1 whose flux along fibres (m, 3) is conserved but at the ends.

    Ends are the vertices that a `holder` (n,) >= 0 holds; without any, fibres go from nowhere to
    nowhere, and the density is 1.
    """
    system = _System(mesh, fibre, holder)
    if not (holder >= 0).any() or (holder >= 0).all():
        return system.flux(np.ones(mesh.n_tets))
    return system.flux(system.nearest())


class _System:
    """The derivative along the fibres, and the density that conserves their flux."""

    def __init__(self, mesh: TetMesh, fibre: Floats, holder: Ints) -> None:
        self._mesh, self._holder, self._V = mesh, holder, mesh.volumes
        self._slope = np.einsum("eai,ei->ea", mesh.gradients, aligned(mesh, fibre))  # (m, 4) [1/m]

    def nearest(self) -> Floats:
        """(m,) the density nearest to 1: of all iterates, that of the smallest leak."""
        matrix, free = _Matrix(self._mesh, self._holder < 0), self._holder < 0
        clipped: Bools = np.zeros(len(self._V), bool)
        best, least = np.ones(len(self._V)), np.inf
        for _ in range(MOST):
            pull = self._ends(np.where(clipped, SMALLEST, 1.0))
            psi = matrix.solve(self._slope, np.where(clipped, 0.0, self._V), -pull)
            s = 1.0 + np.einsum("ea,ea->e", self._slope, psi[self._mesh.T])
            density = np.maximum(s, SMALLEST)
            leak = float(np.abs(self._ends(density)[free]).sum())
            if leak < least:
                best, least = density, leak
            if ((s < SMALLEST) == clipped).all():
                break
            clipped = s < SMALLEST
        return best

    def _ends(self, density: Floats) -> Floats:
        """(n,) the flux r that ends at each vertex [m^2]."""
        weighted = (self._V * density)[:, None] * self._slope
        ends = np.bincount(self._mesh.T.ravel(), weighted.ravel(), self._mesh.n_vertices)
        return np.asarray(ends, float)

    def flux(self, density: Floats) -> Flux:
        """What a density carries, once its volume mean is 1."""
        s = density * (self._V.sum() / float(self._V @ density))
        r = self._ends(s)
        into = _by_holder(self._mesh, self._holder, r)
        area = float(max(into[into > 0].sum(), -into[into < 0].sum()))
        ending = 0.5 * float(np.abs(r[self._holder < 0]).sum())
        return Flux(s, area, ending / area if area > 0 else 1.0, r)


class _Matrix:
    """G^T V G over the free vertices, made regular by a little of the Laplacian."""

    def __init__(self, mesh: TetMesh, free: Bools) -> None:
        self._free = np.flatnonzero(free)
        index = np.full(mesh.n_vertices, -1)
        index[self._free] = np.arange(len(self._free))
        a, b = np.triu_indices(4)
        self._pair = (a, b)
        i, j = index[mesh.T[:, a]], index[mesh.T[:, b]]  # (m, 10)
        self._kept = ((i >= 0) & (j >= 0)).ravel()
        row, column = np.minimum(i, j), np.maximum(i, j)
        keys = (row * len(self._free) + column).ravel()[self._kept]
        unique, self._entry = np.unique(keys, return_inverse=True)
        rows, columns = np.divmod(unique, len(self._free))
        indptr = np.searchsorted(rows, np.arange(len(self._free) + 1))
        self._diagonal = indptr[:-1]
        self._factor = make_factor(indptr, columns)
        B = mesh.gradients
        even = REGULAR * mesh.volumes[:, None] * np.einsum("eai,eai->ea", B[:, a], B[:, b])
        self._smooth = self._summed(even)

    def solve(self, slope: Floats, weights: Floats, b: Floats) -> Floats:
        """(n,) the solution for b (n,), zero where held, of tets' slopes (m, 4), weights (m,)."""
        first, second = self._pair
        values = self._smooth + self._summed(weights[:, None] * slope[:, first] * slope[:, second])
        # Pieces of the muscle that nothing holds: there any constant would do.
        values[self._diagonal] += 1e-12 * values.max()
        out = np.zeros_like(b)
        if self._factor.factor(values):
            out[self._free] = self._factor.solve(b[self._free])
        return out

    def _summed(self, entries: Floats) -> Floats:
        """The entries of the upper triangle from those (m, 10) of the tets."""
        return np.asarray(np.bincount(self._entry, entries.ravel()[self._kept]), float)


def _by_holder(mesh: TetMesh, holder: Ints, r: Floats) -> Floats:
    """The flux into each patch of neighbouring vertices that one holder holds."""
    a, b = np.triu_indices(4, 1)
    edges = np.stack([mesh.T[:, a], mesh.T[:, b]], axis=-1).reshape(-1, 2)
    same = (holder[edges[:, 0]] == holder[edges[:, 1]]) & (holder[edges[:, 0]] >= 0)
    patch = components(mesh.n_vertices, edges[same])
    held = holder >= 0
    return np.asarray(np.bincount(patch[held], r[held]), float)
