"""Forces from outside: gravity, the model's named loads, and torques in its joints."""

from __future__ import annotations

from copy import copy

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.skeleton.coordinates import numbered


class Loads(Energy):
    """Dead loads: gravity on every tet, bone included, and the model's named forces."""

    local = True

    def __init__(self, model: Model) -> None:
        self._model = model
        density = np.array([r.density for r in model.regions])[model.region]
        corner_mass = np.repeat(density * model.mesh.volumes / 4.0, 4)
        corners, n = model.mesh.T.ravel(), model.mesh.n_vertices
        self.mass = np.bincount(corners, corner_mass, minlength=n)  # (n,) [kg]
        self.force = self._total(None, None)  # (n, 3) [N]

    def at(self, inputs: Inputs) -> Loads:
        """The loads as the inputs say."""
        loads = copy(self)
        loads.force = self._total(inputs.loads, inputs.gravity)
        return loads

    def _total(self, loads: Floats | None, gravity: Floats | None) -> Floats:
        """(n, 3) the forces [N]; (loads, 3) [N] and (3,) [m/s^2], if given, not the model's."""
        model = self._model
        force = self.mass[:, None] * (model.gravity if gravity is None else gravity)
        pulls = [load.force for load in model.loads] if loads is None else loads
        for load, pull in zip(model.loads, pulls, strict=True):
            np.add.at(force, load.vertices, np.outer(load.weights, pull))
        return force

    def value(self, q: Placement) -> float:
        """Minus the work that the loads have done since rest [J]."""
        work = self.force * (q.x - self._model.mesh.X)
        self.noise = 1e-15 * float(np.abs(work).sum())
        return -float(work.sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add minus the loads."""
        forces.nodes -= self.force
        return float(np.linalg.norm(self.force))


def external_force(model: Model) -> Floats:
    """(n, 3) the model's own gravity and loads [N] on its vertices."""
    return Loads(model).force


class Torques(Energy):
    """Torques about the axes of joints, which do work as the second bone turns about the first.

    A slider is pushed along its axis by a force [N].
    """

    label = "a torque in a joint"
    always = False

    def __init__(self, model: Model, torques: Floats | None = None) -> None:
        self._model = model
        given = np.zeros(len(model.joints)) if torques is None else torques
        pushed = [given[i] if model.joints[i].direction is not None else 0.0 for i in self._owners]
        self._efforts = np.array(pushed)

    @property
    def _owners(self) -> list[int]:
        return [index for index, _ in numbered(self._model.joints)]

    def at(self, inputs: Inputs) -> Torques:
        """The torques as the inputs say."""
        return Torques(self._model, inputs.torques)

    def value(self, q: Placement) -> float:
        """Minus torque times angle [J]."""
        return -float(self._efforts @ q.coordinates)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add minus the torques; their size is that of forces on a lever as long as the model."""
        forces.joints -= self._efforts
        return float(np.abs(self._efforts).sum()) / self._model.mesh.extent
