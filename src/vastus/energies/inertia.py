"""Inertia over one step: what pulls everything to where it would fly by itself (theory, "Motion").

    E = a/2 [ sum_v m_v |x_v - y_v|^2 + sum_b tr (A_b - Y_b) S_b (A_b - Y_b)^T ]

Tissue has its mass at its vertices. A bone has all of it: with its pose A = [R t] and the moments
S = int rho (X, 1)(X, 1)^T dV of its tets, the second sum is the exact integral over its volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_matrix

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.model import Model
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Masses:
    """What a model weighs, where: tissue at vertices, bones by their moments."""

    tissue: Floats  # (n,) [kg]
    bones: Floats  # (bones, 4, 4) int rho (X, 1)(X, 1)^T dV [kg m^2, kg m, kg]

    @classmethod
    def of(cls, model: Model) -> Masses:
        """The masses of a model's regions, by their densities."""
        density = np.array([r.density for r in model.regions])[model.region]
        mass = density * model.mesh.volumes
        soft = model.mesh.T[model.soft]
        tissue: Floats = np.bincount(
            soft.ravel(), np.repeat(mass[model.soft] / 4, 4), minlength=model.mesh.n_vertices
        ).astype(float)
        bones = [_moments(model, bone.regions, mass) for bone in model.bones]
        return cls(tissue, np.array(bones).reshape(-1, 4, 4))

    def energy(self, v: Floats, rates: Floats) -> float:
        """The kinetic energy [J] of velocities (n, 3) [m/s] and pose rates (bones, 3, 4) [1/s]."""
        tissue = 0.5 * float(self.tissue @ (v * v).sum(axis=1))
        return tissue + 0.5 * float(np.einsum("bij,bjk,bik->", rates, self.bones, rates))

    def about(self, free: Ints, centres: Floats) -> Floats:
        """(f, 4, 4) the moments of some bones about points (bones, 3) [m] at rest."""
        shift = np.tile(np.eye(4), (len(free), 1, 1))
        shift[:, :3, 3] = -centres[free]
        return np.asarray(shift @ self.bones[free] @ shift.transpose(0, 2, 1))


def _moments(model: Model, regions: Sequence[str], mass: Floats) -> Floats:
    """(4, 4) the moments of the tets of some regions: exact, for points are linear in them."""
    tets = model.tets_of(regions)
    corners = np.ones((len(tets), 4, 4))
    corners[:, :, :3] = model.mesh.X[model.mesh.T[tets]]
    share = mass[tets, None, None] / 20.0 * (1.0 + np.eye(4))
    return np.asarray(np.einsum("tai,tab,tbj->ij", corners, share, corners))


@dataclass(frozen=True, eq=False)
class Flight:
    """Where vertices (n, 3) and poses (bones, 3, 4) would be without forces; how firmly [1/s^2]."""

    x: Floats
    poses: Floats
    scale: float


class Inertia(Energy):
    """The inertia of all that moves, towards a flight.

    `free` are the bones that forces move, in the order of their coordinates, and `centres`
    (bones, 3) [m] the points that bones turn about, at rest.
    """

    label = "inertia"

    def __init__(
        self, masses: Masses, flight: Flight, free: Sequence[int], centres: Floats
    ) -> None:
        self._masses, self._flight = masses, flight
        self._free, self._centres = np.asarray(free, np.int64), centres
        heavy = flight.scale * float(np.linalg.norm(masses.tissue) + masses.bones[:, 3, 3].sum())
        self.force_noise = 1e-15 * heavy * float(np.abs(flight.x).max(initial=0.0))

    @cached_property
    def _moved(self) -> Floats:
        """(f, 4, 4) the moments of the free bones about their centres."""
        return self._masses.about(self._free, self._centres)

    def _apart(self, q: Placement) -> tuple[Floats, Floats]:
        """(n, 3) how far vertices are from their flight, and (f, 3, 4) how far free bones are.

        Of a bone: its linear part, and the place of its centre.
        """
        poses = (q.poses - self._flight.poses)[self._free]
        centred = poses.copy()
        centred[:, :, 3] += np.einsum("fij,fj->fi", poses[:, :, :3], self._centres[self._free])
        return q.x - self._flight.x, centred

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        tissue, bones = self._apart(q)
        size = float(self._masses.tissue @ (tissue * tissue).sum(axis=1))
        size += float(np.einsum("fij,fjk,fik->", bones, self._moved, bones))
        self.noise = 1e-15 * self._flight.scale * size
        return 0.5 * self._flight.scale * size

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Pull vertices and free bones to their flight."""
        tissue, bones = self._apart(q)
        pull = self._flight.scale * self._masses.tissue[:, None] * tissue
        forces.nodes += pull
        turns = self._flight.scale * bones @ self._moved
        forces.turns += turns[:, :, :3]
        forces.shifts += turns[:, :, 3]
        return float(np.hypot(np.linalg.norm(pull), np.linalg.norm(turns[:, :, 3])))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the masses, which depend on nothing."""
        heavy = np.flatnonzero(self._masses.tissue)
        blocks = self._flight.scale * self._masses.tissue[heavy, None, None] * np.eye(3)
        stiffness.add(heavy, heavy, blocks)
        bones = len(self._free)
        if not bones:
            return
        within = np.zeros((12 * bones, 12 * bones))
        for slot, moments in enumerate(self._moved):
            for i in range(3):
                at = [*(9 * slot + 3 * i + np.arange(3)), 9 * bones + 3 * slot + i]
                within[np.ix_(at, at)] += self._flight.scale * moments
        stiffness.add_posed(coo_matrix((q.x.size, 12 * bones)), within)
