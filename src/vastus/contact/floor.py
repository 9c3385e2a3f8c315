"""A plane that vertices cannot pass, by a barrier on their heights (theory, "Motion").

    E = sum_v A_v k d (1 - u)^2 (-ln u),   u = z_v/d,   over the vertices with z_v < d

of surface vertices with areas A_v, z their height above the plane, d the gap within which it
pushes, and k [Pa]. A straight way needs no search for touch: the lowest part of it is its end.
"""

from __future__ import annotations

import numpy as np

from vastus.contact.bodies import bones, soft_bodies
from vastus.contact.prepare import usual_gap, usual_pressure
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Drive, Floor

TAKEN, MOST = 0.9, 0.95  # of a height, that a step is cut to, and that one may take uncut
LEAST = 1e-100  # of the gap: a height that is none


class FloorContact(Energy):
    """The barrier of a floor under the soft bodies and the free bones of a model."""

    label = "the floor"

    def __init__(self, model: Model, floor: Floor) -> None:
        self._model, normal = model, np.asarray(floor.normal, float)
        self.normal = normal / np.linalg.norm(normal)
        self._level = float(self.normal @ np.asarray(floor.point, float))
        self.gap = usual_gap(model) if floor.gap is None else floor.gap
        pressure = usual_pressure(model) if floor.pressure is None else floor.pressure
        self.vertices, areas = _surface(model)
        self._scale = pressure * areas  # (k,) [N]
        self.force_noise = 1e-15 * float(np.linalg.norm(self._scale))

    def heights(self, x: Floats) -> Floats:
        """(k,) the heights [m] of the floor's vertices when all are at x (n, 3)."""
        return np.asarray(x[self.vertices] @ self.normal - self._level)

    def _near(self, x: Floats) -> tuple[Ints, Floats]:
        """Which of the vertices are within the gap, and the part of it that is left."""
        u = self.heights(x) / self.gap
        near = np.flatnonzero(u < 1.0)
        return near, u[near]

    def objection(self, q: Placement) -> str:
        """What lies below the floor."""
        heights = self.heights(q.x)
        if not len(heights) or heights.min() > 0:
            return ""
        lowest = self.vertices[int(np.argmin(heights))]
        tet = int(np.flatnonzero((lowest == self._model.mesh.T).any(axis=1))[0])
        name = self._model.regions[self._model.region[tet]].name
        return f"'{name}' lies {-1e3 * heights.min():.3g} mm below the floor"

    def abrupt(self, x: Floats) -> bool:
        """A floor may be met at any step."""
        return True

    def value(self, q: Placement) -> float:
        """The energy [J]; infinite below the floor."""
        near, u = self._near(q.x)
        if (u <= 0).any():
            return float("inf")
        total = -float(self._scale[near] @ ((1 - u) ** 2 * np.log(u))) * self.gap
        self.noise = 1e-15 * total
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Push up what is near."""
        near, u = self._near(q.x)
        u = np.maximum(u, LEAST)  # below the floor the value is infinite, and forces count no more
        slope = self._scale[near] * (1 - u) * (2 * np.log(u) - (1 - u) / u)
        forces.nodes[self.vertices[near]] += slope[:, None] * self.normal
        return float(np.linalg.norm(slope))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, which are never negative."""
        near, u = self._near(q.x)
        left = (1 - u) / u
        second = self._scale[near] / self.gap * (left * left + 4 * left - 2 * np.log(u))
        blocks = second[:, None, None] * np.outer(self.normal, self.normal)
        stiffness.add(self.vertices[near], self.vertices[near], blocks)

    def longest(self, q: Placement, shift: Floats) -> float:
        """The part of a shift that takes no vertex through the floor.

        A step that was cut may sink a hair more than this part of it: that is not cut again.
        """
        sinks = -(shift[self.vertices] @ self.normal)
        heights = self.heights(q.x)
        down = sinks > MOST * heights
        return float((TAKEN * heights[down] / sinks[down]).min(initial=1.0))


def _surface(model: Model) -> tuple[Ints, Floats]:
    """The vertices (k,) of soft bodies and free bones, and a third (k,) of the faces around each.

    What pinned and scripted bones carry, or pins hold, meets no floor.
    """
    free = [b for b in bones(model) if model.bones[model.bone(b.name)].drive is Drive.FREE]
    faces = [body.faces for body in (*soft_bodies(model), *free)]
    held = np.array([bone.drive is not Drive.FREE for bone in model.bones] + [False])
    moves = ~held[model.bone_of_vertex] & ~model.held.all(axis=1)
    area = np.zeros(model.mesh.n_vertices)
    for each in faces:
        corners = model.mesh.X[each]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        np.add.at(area, each, np.linalg.norm(normals, axis=1)[:, None] / 6)
    vertices = np.flatnonzero((area > 0) & moves)
    return vertices, area[vertices]
