"""Cables that pull along their line (theory, eq. 103).

    E = T (L - L0)                    drawn with the tension T
    E = k/2 <L - (L0 - s)>^2          on a spool that has drawn in s

with the length L(x) of the line through the points, L0 that at rest, and the stiffness k. Friction
leaves less of the tension beyond each bend; see `cable_friction.py`.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from vastus.actuators import Cable
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.inputs import Inputs, as_in
from vastus.model import Model
from vastus.numerics.types import Floats

LEAST = 1e-12  # of a cable's length: a segment that has no direction


class Line:
    """A cable where vertices are at x (n, 3): its segments."""

    def __init__(self, cable: Cable, x: Floats) -> None:
        self.cable = cable
        way = np.diff(cable.at(x), axis=0)
        self.lengths = np.linalg.norm(way, axis=1)  # (k - 1,) [m]
        least = max(LEAST * float(self.lengths.sum()), np.finfo(float).tiny)
        self._safe = np.maximum(self.lengths, least)
        self.directions = way / self._safe[:, None]  # (k - 1, 3)

    @property
    def length(self) -> float:
        """The whole length [m]."""
        return float(self.lengths.sum())

    @property
    def bends(self) -> Floats:
        """(k - 2,) the angles [rad] by which the line turns at its inner points."""
        one, two = self.directions[:-1], self.directions[1:]
        across = np.linalg.norm(np.cross(one, two), axis=1)
        return np.asarray(np.arctan2(across, np.einsum("ki,ki->k", one, two)))

    @property
    def shares(self) -> Floats:
        """(k - 1,) the part of the tension that friction leaves in each segment (Capstan)."""
        turned = np.concatenate([[0.0], np.cumsum(self.bends)])
        return np.asarray(np.exp(-self.cable.friction * turned))

    def pulls(self, tensions: Floats) -> Floats:
        """(k, w, 3) derivatives by the vertices of tensions (k - 1,) [N] times lengths."""
        along = tensions[:, None] * self.directions
        at_points = np.zeros((len(self.cable.points), 3))
        at_points[1:] += along
        at_points[:-1] -= along
        return np.asarray(self.cable.weights[:, :, None] * at_points[:, None])

    def add_stiffness(self, tensions: Floats, stiffness: Stiffness) -> None:
        """Add second derivatives of tensions (k - 1,) [N] times lengths."""
        points, weights, u = self.cable.points, self.cable.weights, self.directions
        across = np.eye(3) - u[:, :, None] * u[:, None, :]
        blocks = (tensions / self._safe)[:, None, None] * across
        vertices = np.concatenate([points[:-1], points[1:]], axis=1)  # (k - 1, 2 w)
        signed = np.concatenate([-weights[:-1], weights[1:]], axis=1)
        for a, b in zip(*np.triu_indices(vertices.shape[1]), strict=True):
            # A vertex may be a corner of both points: then both orders of the pair are one entry.
            twice = 1.0 + ((a != b) & (vertices[:, a] == vertices[:, b]))
            part = twice * signed[:, a] * signed[:, b]
            stiffness.add(vertices[:, a], vertices[:, b], part[:, None, None] * blocks)


class Cables(Energy):
    """All cables of a model."""

    label = "a cable"

    def __init__(self, model: Model) -> None:
        self.cables = model.cables
        self._rest = [Line(cable, model.mesh.X).length for cable in model.cables]
        usual = as_in(model)
        self._tensions, self._shortenings = usual["tensions"], usual["shortenings"]

    def at(self, inputs: Inputs) -> Cables:
        """The cables drawn as the inputs say."""
        cables = copy(self)
        if inputs.tensions is not None:
            cables._tensions = np.asarray(inputs.tensions, float)
        if inputs.shortenings is not None:
            cables._shortenings = np.asarray(inputs.shortenings, float)
        return cables

    def lines(self, x: Floats) -> list[Line]:
        """Where the cables are when vertices are at x (n, 3) [m]."""
        return [Line(cable, x) for cable in self.cables]

    def tension(self, i: int, line: Line) -> float:
        """The tension [N] with which cable `i` is drawn when it has this line."""
        return self._law(i, line.length)[1]

    def value(self, q: Placement) -> float:
        """Minus the work that the cables have done since rest [J]."""
        total, self.noise = 0.0, 0.0
        for i, line in enumerate(self.lines(q.x)):
            energy, slope, _ = self._law(i, line.length)
            total += energy
            self.noise += 1e-15 * abs(slope) * line.length
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Pull the points together."""
        size = 0.0
        for i, line in enumerate(self.lines(q.x)):
            pulls = line.pulls(np.full(len(line.lengths), self.tension(i, line)))
            np.add.at(forces.nodes, line.cable.points, pulls)
            size = float(np.hypot(size, np.linalg.norm(pulls)))
        return size

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add how the pull turns with the line, and how a spool resists."""
        for i, line in enumerate(self.lines(q.x)):
            _, slope, bend = self._law(i, line.length)
            # A rod that is pressed would give way to the side.
            slope = max(slope, 0.0) if stiffness.definite else slope
            if slope:
                line.add_stiffness(np.full(len(line.lengths), slope), stiffness)
            if bend:
                u = np.zeros_like(q.x)
                np.add.at(u, line.cable.points, line.pulls(np.ones(len(line.lengths))))
                stiffness.columns.append((u, bend))

    def _law(self, i: int, length: float) -> tuple[float, float, float]:
        """The energy [J] at a length, its slope, the tension [N], and its curvature [N/m]."""
        cable, longer = self.cables[i], length - self._rest[i]
        if cable.stiffness is None:
            tension = float(self._tensions[i])
            return tension * longer, tension, 0.0
        stretch, k = longer + float(self._shortenings[i]), cable.stiffness
        if stretch <= 0 and cable.slack:
            return 0.0, 0.0, 0.0
        return 0.5 * k * stretch**2, k * stretch, k
