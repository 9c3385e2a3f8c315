"""What bodies in contact do to each other: force, largest pressure, area and smallest gap."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.contact.bodies import soft_bodies
from vastus.contact.distance import DistanceContact, Touch
from vastus.contact.prepare import bone_contact
from vastus.measure.muscle_outputs import Row
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.state import State


class ContactOutputs:
    """The contact of every soft body with every bone, in any state of one model."""

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
        name = f"{self._names[pair[1]]}_{self._bones[obstacle.bone]}_contact"
        weights = obstacle.faces.weights[touch.rows[rows]]
        pressures = -touch.first[rows] / weights
        push = (touch.first[rows, None] * touch.n[rows]).sum(axis=0)
        return {
            f"{name}_N": float(np.linalg.norm(push)),
            f"{name}_Pa": float(pressures.max(initial=0.0)),
            f"{name}_m2": float(weights.sum()),
            f"{name}_distance_m": float(touch.phi[rows].min(initial=energy.gap)),
        }
