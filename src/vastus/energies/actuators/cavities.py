"""Cavities under pressure, as follower loads (theory, eq. 101).

    E = -p (V - V0)                            held at the pressure p
    E = -C ln(V/V0) + p0 (V - V0)              sealed with gas, C = (p0 + p) V0

with the volume V(x) in the wall, V0 that at rest, and p0 the pressure around. Of a closed wall the
derivatives of V are those of its faces, a third of the area vector at each corner, and symmetric
blocks between the ends of each edge.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.inputs import Inputs, as_in
from vastus.model import Model
from vastus.numerics.rotation import skew
from vastus.numerics.types import Floats, Ints


class Cavities(Energy):
    """All cavities of a model."""

    label = "a cavity under pressure"

    def __init__(self, model: Model) -> None:
        self.cavities = model.cavities
        self._rest = [enclosed(model.mesh.X, cavity.faces) for cavity in model.cavities]
        self._pressures = as_in(model)["pressures"]

    def at(self, inputs: Inputs) -> Cavities:
        """The cavities with the pressures that the inputs say."""
        if inputs.pressures is None:
            return self
        cavities = copy(self)
        cavities._pressures = np.asarray(inputs.pressures, float)
        return cavities

    def pressures(self, x: Floats) -> Floats:
        """(cavities,) the pressures [Pa] above those around when vertices are at x (n, 3)."""
        volumes = [enclosed(x, cavity.faces) for cavity in self.cavities]
        return np.array([-self._law(i, volume)[1] for i, volume in enumerate(volumes)], float)

    def value(self, q: Placement) -> float:
        """Minus the work that the pressures have done since rest [J]; gas needs some room."""
        total, self.noise = 0.0, 0.0
        for i, cavity in enumerate(self.cavities):
            volume = enclosed(q.x, cavity.faces)
            energy, slope, _ = self._law(i, volume)
            total += energy
            self.noise += 1e-15 * abs(slope) * (abs(volume) + self._rest[i])
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Push the walls outward."""
        size = 0.0
        for i, cavity in enumerate(self.cavities):
            slope = self._law(i, enclosed(q.x, cavity.faces))[1]
            push = slope * _corners(q.x, cavity.faces)
            np.add.at(forces.nodes, cavity.faces, push[:, None])
            size = float(np.hypot(size, np.sqrt(3) * np.linalg.norm(push)))
        return size

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add how the push turns with the wall, which has no sign, and how gas resists."""
        for i, cavity in enumerate(self.cavities):
            faces = cavity.faces
            _, slope, bend = self._law(i, enclosed(q.x, faces))
            if bend:
                u = np.zeros_like(q.x)
                np.add.at(u, faces, _corners(q.x, faces)[:, None])
                stiffness.columns.append((u, bend))
            if not stiffness.definite and slope:
                for a, b, block in _edges(q.x, faces):
                    stiffness.add(a, b, slope * block)

    def _law(self, i: int, volume: float) -> tuple[float, float, float]:
        """The energy [J] at a volume, its slope [Pa] and its curvature [Pa/m^3]."""
        cavity, p, rest = self.cavities[i], float(self._pressures[i]), self._rest[i]
        grown = volume - rest
        if not cavity.gas:
            return -p * grown, -p, 0.0
        if not volume > 0:
            return float("inf"), 0.0, 0.0
        amount = (cavity.ambient + p) * rest  # [J] of gas: n R T
        energy = -amount * float(np.log(volume / rest)) + cavity.ambient * grown
        return energy, cavity.ambient - amount / volume, amount / volume**2


def enclosed(x: Floats, faces: Ints) -> float:
    """The volume [m^3] in closed faces (k, 3) of vertices x (n, 3), about their middle."""
    corners = x[faces]
    a, b, c = np.moveaxis(corners - corners.mean(axis=(0, 1)), 1, 0)
    return float(np.einsum("ki,ki->", a, np.cross(b, c)) / 6)


def _corners(x: Floats, faces: Ints) -> Floats:
    """(k, 3) the derivative of the volume by each corner of a face [m^2], one for all three."""
    a, b, c = np.moveaxis(x[faces], 1, 0)
    return np.asarray(np.cross(b - a, c - a) / 6)


def _edges(x: Floats, faces: Ints) -> list[tuple[Ints, Ints, Floats]]:
    """Vertices (k,) and (k,), and second derivatives (k, 3, 3) [m] of the volume by their places.

    Both faces of an edge have a part, whose difference knows no origin.
    """
    middle = x[faces].mean(axis=(0, 1))
    pairs = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    return [(faces[:, a], faces[:, b], -skew(x[faces[:, c]] - middle) / 6) for a, b, c in pairs]
