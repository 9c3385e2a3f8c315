"""Bodies kept apart by a barrier on the distance of their faces and edges (theory, "Contact").

    E = k d sum_k w_k b(d_k^2, d^2) / d^4,   b = -(d_k^2 - d^2)^2 ln(d_k^2 / d^2)   for d_k < d

over the pairs of vertex and face, and of two edges, that are nearer than the gap d: incremental
potential contact (Li et al. 2020) by the IPC Toolkit. It is infinite at touch, so that what starts
apart stays apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from vastus.contact.detector import Detector, toolkit, vertices_of
from vastus.contact.distance import Placed
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.geometry.penetration import Presence, penetration
from vastus.numerics.types import Floats, Ints

LONGEST = 2.0  # median edges, that faces move at a time


class Near(NamedTuple):
    """The pairs that push each other, at vertices (c, 3) [m]; None if no two bodies are near."""

    vertices: Floats
    collisions: Any


class Push(NamedTuple):
    """What a pair of faces or edges does to its vertices."""

    vertices: Ints  # (k,) of the surfaces
    forces: Floats  # (k, 3) on them [N]
    distance: float  # [m]


class BarrierContact(Energy):
    """The barrier between all bodies of some surfaces; gap [m], pressure [Pa]."""

    label = "contact of soft bodies"

    def __init__(
        self, detector: Detector, gap: float, pressure: float, *, folds: bool = False
    ) -> None:
        self.detector, self.gap, self._folds = detector, gap, folds
        self._resist(pressure)

    def _resist(self, pressure: float) -> None:
        self.potential = toolkit().BarrierPotential(self.gap, pressure, True)
        self._seen: tuple[Placed, Near | None] | None = None
        area = float(np.sum(self.detector.mesh.vertex_areas))
        self.force_noise = 1e-15 * pressure * area

    def resisting(self, pressure: float) -> BarrierContact:
        """The same with another pressure [Pa]."""
        other = copy(self)
        other._resist(pressure)
        return other

    def near(self, q: Placed) -> Near | None:
        """What is near; found once for each placement."""
        if self._seen is None or self._seen[0] is not q:
            self._seen = q, self._near(q.x)
        return self._seen[1]

    def _near(self, x: Floats) -> Near | None:
        if not np.isfinite(x).all() or not self._meet(x):
            return None
        vertices = self.detector.place(x)
        found = self.detector.within(vertices, self.gap)
        return Near(vertices, found) if len(found) else None

    def abrupt(self, x: Floats) -> bool:
        """Whether bodies are so near at x (n, 3) [m] that a step may bring them together."""
        reach = self.gap + LONGEST * self.detector.edge
        return self._folds or bool(self.detector.surfaces.near_pairs(reach, x))

    def _meet(self, *places: Floats) -> bool:
        """Whether bodies may be near at places (n, 3) [m], or on the way from one to the other."""
        return self._folds or bool(self.detector.surfaces.near_pairs(self.gap, *places))

    def value(self, q: Placement) -> float:
        """The energy [J]; infinite where bodies touch."""
        near = self.near(q)
        if near is None:
            self.noise = 0.0
            return 0.0
        energy = float(self.potential(near.collisions, self.detector.mesh, near.vertices))
        self.noise = 1e-13 * abs(energy)
        return energy if np.isfinite(energy) else np.inf

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Push bodies apart; returns the size of all pushes."""
        push = self.slope(q)
        if push is None:
            return 0.0
        np.add.at(forces.nodes, self.detector.surfaces.vertex, push)
        return float(np.linalg.norm(push))

    def slope(self, q: Placed) -> Floats | None:
        """(c, 3) derivatives by the vertices of the surfaces [N]; None if nothing is near."""
        near = self.near(q)
        if near is None:
            return None
        slope = self.potential.gradient(near.collisions, self.detector.mesh, near.vertices)
        return np.asarray(slope).reshape(-1, 3)

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, each pair's made definite where that is wanted."""
        near = self.near(q)
        if near is None:
            return
        kinds = toolkit().PSDProjectionMethod
        kind = kinds.CLAMP if stiffness.definite else kinds.NONE
        matrix = self.potential.hessian(near.collisions, self.detector.mesh, near.vertices, kind)
        self.detector.add_blocks(matrix, stiffness)

    def pushes(self, q: Placed) -> Iterator[Push]:
        """What each near pair of faces or edges does to its vertices."""
        near, mesh = self.near(q), self.detector.mesh
        if near is None:
            return
        for collision in near.collisions:
            place = collision.dof(near.vertices, mesh.edges, mesh.faces)
            yield Push(
                np.array(vertices_of(collision, mesh)),
                -np.asarray(self.potential.gradient(collision, place)).reshape(-1, 3),
                float(collision.compute_distance(place)) ** 0.5,
            )

    def objection(self, q: Placement) -> str:
        """Which bodies lie in each other, and how deep, if any do."""
        surfaces = self.detector.surfaces
        if not self._meet(q.x):
            return ""
        found = self.detector.crossing(self.detector.place(q.x))
        if not len(found):
            return ""
        one, other = (surfaces.bodies[surfaces.body[v]] for v in (found[0, 0], found[0, 2]))
        overlap = penetration(Presence(one, q.x), Presence(other, q.x))
        depth = f" by {1e3 * overlap.depth:.2g} mm" if overlap else ""
        return (
            f"'{one.name}' and '{other.name}' lie in each other{depth} at the start, where a "
            "barrier cannot part them: start from a state in which they are apart"
        )

    def longest(self, q: Placement, shift: Floats) -> float:
        """How much of a shift (n, 3) [m] leads to no touch, at most 1.

        Faces that move by more than their size meet nearly all others on the way, which takes long
        to look through; so they move by no more at a time.
        """
        end = q.x + shift
        if not np.isfinite(end).all() or not self._meet(q.x, end):
            return 1.0
        size = float(np.linalg.norm(shift[self.detector.surfaces.vertex], axis=1).max())
        most = LONGEST * self.detector.edge
        part = most / size if size > 1.01 * most else 1.0  # a hair too long is not shortened again
        start, end = self.detector.place(q.x), self.detector.place(q.x + part * shift)
        return part * self.detector.free_part(start, end)
