"""Contact as fields over vertices: what soft bodies are pushed with, and how hard."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import numpy as np

from vastus.contact.prepare import as_firm, barrier, bone_contact
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.state import State

PRESSURE, FORCE = "contact_pressure", "contact_force"
Pushes = tuple[Ints, Floats, Floats]  # on vertices (k,): forces (k, 3) [N], pressures (k,) [Pa]


class ContactFields:
    """The fields of contact in any state of one model.

    They are those of soft bodies; a bone gets the opposite of every push. What a vertex gets from
    several bodies, or as one of several that share it, is added. Friction, which belongs to a step
    and not to a state, is no part of them.
    """

    def __init__(self, model: Model) -> None:
        self._count = model.mesh.n_vertices
        self._bones, self._barrier = bone_contact(model), barrier(model)
        if self._bones:
            self._areas = [o.faces.vertex_areas(self._count) for o in self._bones.obstacles]
        if self._barrier:
            surfaces = self._barrier.detector.surfaces
            soft = np.array([not model.bony(name) for name in surfaces.names])
            self._soft = np.flatnonzero(soft[surfaces.body])

    def with_laws(self, model: Model) -> ContactFields:
        """The same for a model with other laws and strengths, in the same shape."""
        other = copy(self)
        other._bones, other._barrier = as_firm(model, self._bones, self._barrier)
        return other

    def of(self, state: State) -> dict[str, Floats]:
        """The fields by name; none where the model has no contact.

        `contact_pressure` (n,) [Pa] and `contact_force` (n, 3) [N], zero where nothing pushes. The
        pressure of a vertex is what is pushed there over a third of the faces around it, at rest:
        a mean, below the largest within a face. Its integral over the surface is what is pushed.
        """
        if self._bones is None and self._barrier is None:
            return {}
        force, pressure = np.zeros((self._count, 3)), np.zeros(self._count)
        for pushes in (self._by_bones(state), self._by_barrier(state)):
            for vertices, forces, pressures in pushes:
                np.add.at(force, vertices, forces)
                np.add.at(pressure, vertices, pressures)
        return {PRESSURE: pressure, FORCE: force}

    def _by_bones(self, state: State) -> Iterator[Pushes]:
        """What bones push by their distance."""
        if self._bones is None:
            return
        touches = self._bones.touches(state)
        for obstacle, touch, area in zip(self._bones.obstacles, touches, self._areas, strict=True):
            vertices, shares = obstacle.faces.of(touch.rows)
            parts = -shares * touch.first[:, None]
            forces = parts[:, :, None] * touch.n[:, None]
            pressures = parts / area[vertices]
            yield vertices.ravel(), forces.reshape(-1, 3), pressures.ravel()

    def _by_barrier(self, state: State) -> Iterator[Pushes]:
        """What a barrier pushes."""
        slope = self._barrier.slope(state) if self._barrier else None
        if self._barrier is None or slope is None:
            return
        detector, own = self._barrier.detector, self._soft
        forces, area = -slope[own], detector.mesh.vertex_areas[own]
        yield detector.surfaces.vertex[own], forces, np.linalg.norm(forces, axis=1) / area
