"""The resistance of tets to being flattened, where patches have their volume (theory, eq. 39).

    E = sum_t V_t K j^2 b(J_t / j),    b(u) = -(u - 1)^2 ln u below 1, else 0

Under the averaged volume a tet hardly resists a change of its own volume: between others that are
pressed it may turn inside out. Below the part j of it, the tet has its bulk modulus K again and
ever more than that, so that no step passes through zero.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.volume import split
from vastus.model import Model
from vastus.numerics.jit import kernel, prange
from vastus.numerics.small import add_cofactor_derivative, cofactor, det
from vastus.numerics.types import Floats, Ints

LEAST = 1e-100  # of the flat part: what counts as nothing left
FLAT = 0.2  # of its volume: the smallest that tissue takes; a tet that is pressed flat goes below


class Collapse(Energy):
    """What keeps the soft tets of a model upright; `flat` is the part j of a volume."""

    label = "the resistance of tets to collapse"
    local = True

    def __init__(self, model: Model, flat: float = FLAT) -> None:
        soft = model.soft
        self._model, self._part = model, flat
        self._T, self._n = model.mesh.T[soft], model.mesh.n_vertices
        self._B, self._volumes = model.mesh.gradients[soft], model.mesh.volumes[soft]
        self._bulk = _moduli(model)

    def with_laws(self, model: Model) -> Collapse:
        """The same tets with the laws that their regions have in another model."""
        other = copy(self)
        other._model, other._bulk = model, _moduli(model)
        return other

    def objection(self, q: Placement) -> str:
        """Which tet is inverted already, from where it could not return."""
        flat, u = self._flat(q.F)
        if not (u <= 0).any():
            return ""
        tet = self._model.soft[flat[np.argmin(u)]]
        return f"tet {tet} of '{self._model.regions[self._model.region[tet]].name}' is inverted"

    def value(self, q: Placement) -> float:
        """The energy [J]; infinite where a tet is flat or inverted."""
        energy = float(self.energy(q.F).sum())
        self.noise = 1e-15 * energy
        return energy

    def energy(self, F: Floats) -> Floats:
        """(s,) the energy of each tet [J], for gradients F (s, 3, 3)."""
        flat, u = self._flat(F)
        weight = self._volumes[flat] * self._bulk[flat] * self._part**2
        up = u > 0
        energies = np.zeros(len(F))
        energies[flat[~up]] = np.inf
        u = u[up]
        energies[flat[up]] = -weight[up] * (u - 1) ** 2 * np.log(u)
        return energies

    def add_stress(self, F: Floats, P: Floats) -> None:
        """Add the first Piola stress of flat tets to P (s, 3, 3) [Pa].

        What is inverted already has none, rather than an infinite one: such states are only told.
        """
        flat, u = self._flat(F)
        flat, u = flat[u > 0], u[u > 0]
        if len(flat):
            _add_stress(F, flat, self._part * self._bulk[flat] * _slope(u), P)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the pressures of flat tets; they balance the tissue's, whose size counts already."""
        flat, u = self._flat(q.F)
        if len(flat):
            corners = np.zeros((len(flat), 4, 3))
            weight = self._volumes[flat] * self._bulk[flat] * self._part * _slope(u)
            _add_pressures(q.F, self._B, flat, weight, corners)
            for i in range(3):
                forces.nodes[:, i] += np.bincount(
                    self._T[flat].ravel(), corners[:, :, i].ravel(), minlength=self._n
                )
        return 0.0

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives of flat tets."""
        self.add_tangents(q.F, stiffness.tangents)

    def add_tangents(self, F: Floats, H: Floats) -> None:
        """Add the second derivative of flat tets, over the volume, to H (s, 9, 9) [Pa]."""
        flat, u = self._flat(F)
        bulk = self._bulk[flat]
        slope, curvature = self._part * bulk * _slope(u), bulk * _curvature(u)
        _add_tangents(F, flat, slope, curvature, H)

    def _flat(self, F: Floats) -> tuple[Ints, Floats]:
        """The tets that are flat, and their volume ratios over the part that is flat."""
        J = np.empty(len(F))
        _ratios(F, J)
        flat = np.flatnonzero(self._part > J)
        return flat, J[flat] / self._part


def _moduli(model: Model) -> Floats:
    """(s,) the bulk modulus that each soft tet left to its patch [Pa]."""
    region, bulk = model.region[model.soft], np.zeros(len(model.regions))
    for index in np.unique(region):
        bulk[index] = split(model.regions[index])[1].at(np.ones(1))[2][0]
    return np.asarray(bulk[region])


def _slope(u: Floats) -> Floats:
    """The derivative of b; at and below zero, where its value is infinite, any large number."""
    u = np.maximum(u, LEAST)
    return np.asarray(-2 * (u - 1) * np.log(u) - (u - 1) ** 2 / u)


def _curvature(u: Floats) -> Floats:
    """The second derivative of b."""
    u = np.maximum(u, LEAST)
    return np.asarray(-2 * np.log(u) - 4 * (u - 1) / u + ((u - 1) / u) ** 2)


@kernel
def _ratios(F: Any, J: Any) -> None:
    for e in prange(len(F)):
        J[e] = det(F[e])


@kernel
def _add_stress(F: Any, flat: Any, pressure: Any, P: Any) -> None:
    for k in prange(len(flat)):
        e = flat[k]
        C = cofactor(F[e])
        for i in range(9):
            P[e, i // 3, i % 3] += pressure[k] * C[i]


@kernel
def _add_pressures(F: Any, B: Any, flat: Any, weight: Any, forces: Any) -> None:
    for k in prange(len(flat)):
        e = flat[k]
        C = cofactor(F[e])
        for a in range(4):
            for i in range(3):
                pull = C[3 * i] * B[e, a, 0] + C[3 * i + 1] * B[e, a, 1] + C[3 * i + 2] * B[e, a, 2]
                forces[k, a, i] += weight[k] * pull


@kernel
def _add_tangents(F: Any, flat: Any, slope: Any, curvature: Any, H: Any) -> None:
    for k in prange(len(flat)):
        e = flat[k]
        C = cofactor(F[e])
        add_cofactor_derivative(F[e], slope[k], H[e])
        for i in range(9):
            for j in range(9):
                H[e, i, j] += curvature[k] * C[i] * C[j]
