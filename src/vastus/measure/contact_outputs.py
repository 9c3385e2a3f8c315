"""What bodies in contact do to each other: force, largest pressure, area and smallest gap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.contact.barrier import BarrierContact, Push
from vastus.contact.bodies import soft_bodies
from vastus.contact.distance import DistanceContact, Touch
from vastus.contact.prepare import barrier, bone_contact
from vastus.measure.muscle_outputs import Row
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.state import State

BESIDE = 0.05  # of the model's length, within which bodies lie side by side at rest


class ContactOutputs:
    """The contact of bodies with each other, in any state of one model."""

    def __init__(self, model: Model) -> None:
        self._bones, self._soft = BoneContactOutputs(model), BarrierOutputs(model)

    def of(self, state: State) -> Row:
        """The outputs by name: of each pair that may touch, the force [N] and so on."""
        return self._bones.of(state) | self._soft.of(state)


class BoneContactOutputs:
    """The contact of every soft body with every bone, by distance."""

    def __init__(self, model: Model) -> None:
        self._names = [body.name for body in soft_bodies(model)]
        self._bones = [bone.name for bone in model.bones]
        self._energy = bone_contact(model)

    def of(self, state: State) -> Row:
        """The outputs by name: of each pair that may touch, the force [N] and so on."""
        if self._energy is None:
            return {}
        found: Row = {}
        for pair, rows, touch in self._pairs(self._energy, state):
            found |= self._row(self._energy, pair, rows, touch)
        return found

    def _pairs(
        self, energy: DistanceContact, state: State
    ) -> Iterator[tuple[tuple[int, int], Ints, Touch]]:
        """Each obstacle and body, with the places of the body's points in what is touched."""
        for number, (obstacle, touch) in enumerate(
            zip(energy.obstacles, energy.touches(state), strict=True)
        ):
            of = obstacle.faces.body_of(touch.rows)
            for body in np.unique(obstacle.faces.body):
                yield (number, int(body)), np.flatnonzero(of == body), touch

    def _row(self, energy: DistanceContact, pair: tuple[int, int], rows: Ints, touch: Touch) -> Row:
        obstacle = energy.obstacles[pair[0]]
        names = self._names[pair[1]], self._bones[obstacle.bone]
        weights = obstacle.faces.weights[touch.rows[rows]]
        pressures = -touch.first[rows] / weights
        push = (touch.first[rows, None] * touch.n[rows]).sum(axis=0)
        return columns(
            names,
            float(np.linalg.norm(push)),
            float(pressures.max(initial=0.0)),
            float(weights.sum()),
            float(touch.phi[rows].min(initial=energy.gap)),
        )


def columns(
    names: tuple[str, str], force: float, pressure: float, area: float, distance: float
) -> Row:
    """The outputs of a pair: [N], [Pa], [m^2] and [m]."""
    name = f"{names[0]}_{names[1]}_contact"
    return {
        f"{name}_N": force,
        f"{name}_Pa": pressure,
        f"{name}_m2": area,
        f"{name}_distance_m": distance,
    }


class BarrierOutputs:
    """The contact of every two bodies that a barrier keeps apart and that lie side by side."""

    def __init__(self, model: Model) -> None:
        self._energy = barrier(model)
        self._pairs: list[tuple[int, int]] = []
        if self._energy:
            reach = BESIDE * float(np.ptp(model.mesh.X, axis=0).max())
            self._pairs = self._energy.detector.surfaces.near_pairs(reach, model.mesh.X)

    def of(self, state: State) -> Row:
        """The outputs by name."""
        if self._energy is None:
            return {}
        found: dict[tuple[int, int], list[Push]] = {pair: [] for pair in self._pairs}
        body = self._energy.detector.surfaces.body
        for push in self._energy.pushes(state):
            of = body[push.vertices]
            found.get((int(of.min()), int(of.max())), []).append(push)
        row: Row = {}
        for pair, pushes in found.items():
            row |= self._row(self._energy, pair, pushes)
        return row

    def _row(self, energy: BarrierContact, pair: tuple[int, int], pushes: list[Push]) -> Row:
        surfaces, areas = energy.detector.surfaces, energy.detector.mesh.vertex_areas
        forces = np.zeros((len(surfaces.vertex), 3))
        for push in pushes:
            np.add.at(forces, push.vertices, push.forces)
        sizes = np.linalg.norm(forces, axis=1)
        one = (surfaces.body == pair[0]) & (sizes > 0)
        return columns(
            (surfaces.names[pair[0]], surfaces.names[pair[1]]),
            float(np.linalg.norm(forces[one].sum(axis=0))),
            float((sizes[one] / areas[one]).max(initial=0.0)),
            float(areas[one].sum()),
            min((push.distance for push in pushes), default=energy.gap),
        )
