"""Muscle faces kept off bones by a penalty on the bones' signed distance (theory, "Contact").

    E = sum_p w_p k d/3 ((d_p - phi)/d)^3   over the points with phi < d_p

of quadrature points of muscle faces with areas w_p, phi the distance to the bone in its own frame,
d the gap within which bodies push each other, and k [Pa] the pressure at touch. A point that is
nearer at rest begins at its distance there, d_p: nothing is pushed at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from vastus.contact.faces import Faces
from vastus.contact.field import DistanceField
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.posed import Among, Points, posed
from vastus.numerics.types import Floats, Ints

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of a face's corners


class Placed(Protocol):
    """Where everything is; a state is one."""

    @property
    def x(self) -> Floats:
        """(n, 3) the vertices [m]."""

    @property
    def poses(self) -> Floats:
        """(bones, 3, 4) those of the bones."""


class Touch(NamedTuple):
    """Points that a bone pushes, of all that may touch it."""

    rows: Ints  # (k,) which points
    phi: Floats  # (k,) their distances [m]
    first: Floats  # (k,) derivative of each point's energy by its distance [N]
    second: Floats  # (k,) and the second [N/m]
    n: Floats  # (k, 3) the way outward, in the world
    curved: Floats  # (k, 3, 3) second derivatives of the distance [1/m], in the world
    place: Floats  # (k, 3) where the points are in the bone's frame [m]


UNTOUCHED = Touch(
    np.zeros(0, np.int64), *np.zeros((3, 0)), *(np.zeros((0, *s)) for s in ((3,), (3, 3), (3,)))
)


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A bone with its field, and the faces that may touch it."""

    bone: int
    field: DistanceField
    faces: Faces
    start: Floats  # (p,) the distance at which each point begins to be pushed [m]

    @cached_property
    def reach(self) -> float:
        """The longest of these distances [m]."""
        return float(self.start.max(initial=-np.inf))


class Pushed(NamedTuple):
    """A bone and what it pushes, where everything is."""

    obstacle: Obstacle
    touch: Touch
    q: Placement


class DistanceContact(Energy):
    """The penalty of all muscle faces against all bones.

    `free` are the free bones, in the order of their coordinates, and `centres` (bones, 3) [m] the
    points that bones turn about, at rest.
    """

    label = "contact with bones"

    def __init__(
        self,
        obstacles: Sequence[Obstacle],
        gap: float,
        pressure: float,
        free: Sequence[int],
        centres: Floats,
    ) -> None:
        self.obstacles, self.gap, self.pressure = tuple(obstacles), gap, pressure
        self._slot = {int(bone): slot for slot, bone in enumerate(free)}
        self._centres = centres
        self._seen: tuple[Placed, list[Touch]] | None = None
        area = sum(float(o.faces.weights.sum()) for o in obstacles)
        self.force_noise = 1e-15 * pressure * area

    def resisting(self, pressure: float) -> DistanceContact:
        """The same with another pressure [Pa]."""
        other = copy(self)
        other.pressure, other._seen = pressure, None
        other.force_noise = self.force_noise * pressure / self.pressure
        return other

    def touches(self, q: Placed) -> list[Touch]:
        """What each bone pushes; computed once for each placement."""
        if self._seen is None or self._seen[0] is not q:
            self._seen = q, [self._touch(o, q) for o in self.obstacles]
        return self._seen[1]

    def _touch(self, obstacle: Obstacle, q: Placed) -> Touch:
        pose, faces = q.poses[obstacle.bone], obstacle.faces
        R, t = pose[:, :3], pose[:, 3]
        rows = obstacle.field.near(faces, q.x, pose, obstacle.start, obstacle.reach)
        if not len(rows):
            return UNTOUCHED
        place = (faces.points(q.x, rows) - t) @ R
        phi, n, curved = obstacle.field.at(place, obstacle.start[rows])
        inner = np.flatnonzero(np.isfinite(phi))
        rows, phi = rows[inner], phi[inner]
        w, depth = faces.weights[rows], (obstacle.start[rows] - phi) / self.gap
        return Touch(
            rows,
            phi,
            -w * self.pressure * depth**2,
            2 * w * self.pressure * depth / self.gap,
            n[inner] @ R.T,
            R @ curved[inner] @ R.T,
            place[inner],
        )

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        total = 0.0
        for obstacle, touch, _ in self.pushed(q):
            depth = obstacle.start[touch.rows] - touch.phi
            total -= float(touch.first @ depth) / 3
        self.noise = 1e-15 * total
        return total

    def pushed(self, q: Placement) -> list[Pushed]:
        """What each obstacle pushes that pushes anything."""
        pairs = zip(self.obstacles, self.touches(q), strict=True)
        return [Pushed(obstacle, touch, q) for obstacle, touch in pairs if len(touch.rows)]

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Push the faces out and the bones back; returns the size of all pushes."""
        size = 0.0
        for pushed in self.pushed(q):
            push = pushed.touch.first[:, None] * pushed.touch.n
            self.add_push(pushed, push, forces)
            size = float(np.hypot(size, np.linalg.norm(push)))
        return size

    def add_push(self, pushed: Pushed, push: Floats, forces: Forces) -> None:
        """Add derivatives (k, 3) [N] by the places of points, and what the bone feels of them."""
        obstacle, touch, _ = pushed
        vertices, shares = obstacle.faces.of(touch.rows)
        np.add.at(forces.nodes, vertices, shares[:, :, None] * push[:, None])
        slot = self._slot.get(obstacle.bone)
        if slot is not None:
            arms = touch.place - self._centres[obstacle.bone]
            forces.turns[slot] -= push.T @ arms
            forces.shifts[slot] -= push.sum(axis=0)

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, those by the poses of free bones included."""
        for pushed in self.pushed(q):
            touch, turning = pushed.touch, None
            K = touch.second[:, None, None] * touch.n[:, :, None] * touch.n[:, None, :]
            if not stiffness.definite:
                K = K + touch.first[:, None, None] * touch.curved
                turning = touch.first
            self.add_blocks(pushed, K, stiffness, turning)

    def add_blocks(
        self, pushed: Pushed, K: Floats, stiffness: Stiffness, turning: Floats | None = None
    ) -> None:
        """Add derivatives K (k, 3, 3) [N/m] of the forces on points by their way on the bone.

        `turning` (k,) [N] are the forces along the bone's normals, which turn with it.
        """
        rows, faces = pushed.touch.rows, pushed.obstacle.faces
        shares, first = faces.shares[rows], faces.groups(rows)
        vertices = faces.triangles[faces.face[rows[first]]]
        for a, b in PAIRS:
            blocks = (shares[:, a] * shares[:, b])[:, None, None] * K
            stiffness.add(vertices[:, a], vertices[:, b], np.add.reduceat(blocks, first))
        slot = self._slot.get(pushed.obstacle.bone)
        if slot is not None:
            _, touch, q = pushed
            R = q.poses[pushed.obstacle.bone, :, :3]
            arms = touch.place - self._centres[pushed.obstacle.bone]
            push = None if turning is None else turning[:, None] * (touch.n @ R)
            points = Points(vertices, first, shares, arms)
            place = Among(slot, len(self._slot), q.x.size)
            stiffness.add_posed(*posed(points, place, lambda moved: K @ moved, push))
