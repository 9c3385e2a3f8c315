"""Forces from outside: gravity, the model's named loads, and torques in its joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.rotation import skew
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.joints import Joint


class Loads(Energy):
    """Dead loads: gravity on every tet, bone included, and the model's named forces."""

    local = True

    def __init__(self, model: Model, force: Floats | None = None) -> None:
        self._model = model
        self.force = external_force(model) if force is None else force  # (n, 3) [N]

    def at(self, inputs: Inputs) -> Loads:
        """The loads as the inputs say."""
        if inputs.loads is None and inputs.gravity is None:
            return Loads(self._model, self.force)
        return Loads(self._model, external_force(self._model, inputs.loads, inputs.gravity))

    def value(self, q: Placement) -> float:
        """Minus the work that the loads have done since rest [J]."""
        work = self.force * (q.x - self._model.mesh.X)
        self.noise = 1e-15 * float(np.abs(work).sum())
        return -float(work.sum())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add minus the loads."""
        forces.nodes -= self.force
        return float(np.linalg.norm(self.force))


def external_force(
    model: Model, loads: Floats | None = None, gravity: Floats | None = None
) -> Floats:
    """(n, 3) gravity and loads [N] on the vertices.

    `loads` (loads, 3) [N] and `gravity` (3,) [m/s^2] replace the model's.
    """
    density = np.array([r.density for r in model.regions])[model.region]
    corner_mass = np.repeat(density * model.mesh.volumes / 4.0, 4)
    mass = np.bincount(model.mesh.T.ravel(), corner_mass, minlength=model.mesh.n_vertices)
    force = mass[:, None] * (model.gravity if gravity is None else gravity)
    pulls = [load.force for load in model.loads] if loads is None else loads
    for load, pull in zip(model.loads, pulls, strict=True):
        np.add.at(force, load.vertices, np.outer(load.weights, pull))
    return force


class Torques(Energy):
    """Torques about the axes of joints, which do work as the second bone turns about the first."""

    label = "a torque in a joint"
    always = False

    def __init__(self, model: Model, free: Ints, torques: Floats | None = None) -> None:
        self._model, self._free = model, free
        self._torques = np.zeros(len(model.joints)) if torques is None else torques

    def at(self, inputs: Inputs) -> Torques:
        """The torques as the inputs say."""
        return Torques(self._model, self._free, inputs.torques)

    def value(self, q: Placement) -> float:
        """Minus torque times angle [J]."""
        return -sum(
            torque * joint.angle(a[:, :3].T @ b[:, :3])
            for torque, joint, a, b in self._driven(q.poses)
        )

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add minus the torques, as derivatives by the bones' linear parts."""
        total = 0.0
        for torque, joint, a, _ in self._driven(q.poses):
            moment = -torque * (a[:, :3] @ np.asarray(joint.direction))
            for name, sign in zip(joint.bones, (-1.0, 1.0), strict=True):
                bone = self._model.bone(name)
                if slots := np.flatnonzero(self._free == bone).tolist():
                    # A turn w changes A by [w] A, so that this does the work moment . w.
                    forces.turns[slots[0]] += 0.5 * sign * skew(moment) @ q.poses[bone, :, :3]
            total += abs(torque)
        # As forces on a lever of the model's size.
        return total / float(np.ptp(self._model.mesh.X, axis=0).max())

    def _driven(self, poses: Floats) -> Iterator[tuple[float, Joint, Floats, Floats]]:
        """Torque, joint and the poses of its bones, where there is a torque."""
        for torque, joint in zip(self._torques, self._model.joints, strict=True):
            if torque:
                a, b = (poses[self._model.bone(name)] for name in joint.bones)
                yield float(torque), joint, a, b
