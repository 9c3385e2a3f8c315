"""Friction of what touches, over one step: lagged, as incremental potential contact has it.

    E = sum_p m N_p f(|u_p|),   f(s) = s^2/e - s^3/(3 e^2) for s < e, s - e/3 beyond

with the coefficient m, the normal forces N_p and directions where the step begins, the way u_p that
a point slides on the other body since then, and e, the way over which friction sets in. Its slope
is at most m N_p. What slides is known only when the step is made, so the result depends on steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.contact.barrier import BarrierContact
from vastus.contact.detector import toolkit
from vastus.contact.distance import DistanceContact, Obstacle, Placed, Pushed, Touch
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.numerics.types import Floats

ONSET = 1e-2  # of the gap: the way over which friction sets in


@dataclass(frozen=True, eq=False)
class Grip:
    """Points that touched a bone where a step began."""

    obstacle: Obstacle
    touch: Touch
    limits: Floats  # (k,) the largest friction [N]
    across: Floats  # (k, 3, 3) projections on the planes that they slide in

    @classmethod
    def of(cls, obstacle: Obstacle, touch: Touch, coefficient: float) -> Grip:
        """The grip of what a bone pushes."""
        # The slope of the distance is not quite 1, inside a bone above all.
        steep = np.linalg.norm(touch.n, axis=1)
        n = touch.n / np.maximum(steep, 1e-12)[:, None]
        across = np.eye(3) - n[:, :, None] * n[:, None, :]
        return cls(obstacle, touch, -coefficient * touch.first * steep, across)

    def slid(self, q: Placed) -> Floats:
        """(k, 3) how far the points have slid on the bone [m]."""
        pose = q.poses[self.obstacle.bone]
        points = self.obstacle.faces.points(q.x, self.touch.rows)
        there = self.touch.place @ pose[:, :3].T + pose[:, 3]
        return np.asarray(np.einsum("kij,kj->ki", self.across, points - there))

    def drag(self, q: Placed, onset: float) -> Floats:
        """(k, 3) what the bone gets at the points [N]; they get the opposite."""
        u = self.slid(q)
        return np.asarray((self.limits * slope(np.linalg.norm(u, axis=1), onset))[:, None] * u)


class BoneFriction(Energy):
    """Friction on bones that soft bodies touch by their distance."""

    label = "friction on bones"

    def __init__(self, contact: DistanceContact, start: Placed, coefficient: float) -> None:
        self._contact, self.onset = contact, ONSET * contact.gap
        touches = contact.touches(start)
        self.grips = [
            Grip.of(obstacle, touch, coefficient)
            for obstacle, touch in zip(contact.obstacles, touches, strict=True)
            if len(touch.rows)
        ]

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        total = 0.0
        for grip in self.grips:
            way = np.linalg.norm(grip.slid(q), axis=1)
            total += float(grip.limits @ smoothed(way, self.onset))
        self.noise = 1e-15 * total
        return total

    def dissipated(self, q: Placement) -> float:
        """What is lost on the way to q [J]: the forces there, times the way."""
        lost = 0.0
        for grip in self.grips:
            way = np.linalg.norm(grip.slid(q), axis=1)
            lost += float(grip.limits @ (slope(way, self.onset) * way**2))
        return lost

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Hold back what slides, and drag the bone along."""
        size = 0.0
        for grip in self.grips:
            drag = grip.drag(q, self.onset)
            self._contact.add_push(Pushed(grip.obstacle, grip.touch, q), drag, forces)
            size = float(np.hypot(size, np.linalg.norm(drag)))
        return size

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, which are positive; or, as a majorant, f'(s)/s.

        f is concave in s^2, so that its tangent over s^2 bounds it from above.
        """
        for grip in self.grips:
            u = grip.slid(q)
            way = np.linalg.norm(u, axis=1)
            K = slope(way, self.onset)[:, None, None] * grip.across
            if not stiffness.majorant:
                bend = curvature(way, self.onset)[:, None, None]
                K = K + bend * (u[:, :, None] * u[:, None, :])
            K = grip.limits[:, None, None] * K
            self._contact.add_blocks(Pushed(grip.obstacle, grip.touch, q), K, stiffness)


class BarrierFriction(Energy):
    """Friction between bodies that a barrier keeps apart."""

    label = "friction of soft bodies"

    def __init__(self, contact: BarrierContact, start: Placed, coefficient: float) -> None:
        self._detector = contact.detector
        self._start = contact.detector.place(start.x)
        self._potential: Any = toolkit().FrictionPotential(ONSET * contact.gap)
        self._touching: Any = toolkit().TangentialCollisions()
        near = contact.near(start)
        if near is not None:
            self._touching.build(
                self._detector.mesh, near.vertices, near.collisions, contact.potential, coefficient
            )

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        if self._touching.empty():
            return 0.0
        energy = float(self._potential(self._touching, self._detector.mesh, self._slid(q)))
        self.noise = 1e-13 * abs(energy)
        return energy

    def dissipated(self, q: Placement) -> float:
        """What is lost on the way to q [J]: the forces there, times the way."""
        if self._touching.empty():
            return 0.0
        slid = self._slid(q)
        drag = self._potential.gradient(self._touching, self._detector.mesh, slid)
        return float(np.asarray(drag).reshape(-1, 3).ravel() @ np.asarray(slid).ravel())

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Hold back what slides."""
        if self._touching.empty():
            return 0.0
        drag = self._potential.gradient(self._touching, self._detector.mesh, self._slid(q))
        drag = np.asarray(drag).reshape(-1, 3)
        np.add.at(forces.nodes, self._detector.surfaces.vertex, drag)
        return float(np.linalg.norm(drag))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives."""
        if self._touching.empty():
            return
        kinds = toolkit().PSDProjectionMethod
        kind = kinds.CLAMP if stiffness.definite else kinds.NONE
        matrix = self._potential.hessian(self._touching, self._detector.mesh, self._slid(q), kind)
        self._detector.add_blocks(matrix, stiffness)

    def _slid(self, q: Placed) -> Floats:
        """(c, 3) how far the vertices have moved since the step began [m]."""
        return np.asfortranarray(self._detector.place(q.x) - self._start)


def smoothed(way: Floats, onset: float) -> Floats:
    """(k,) f of ways (k,) [m]."""
    inner = way**2 / onset - way**3 / (3 * onset**2)
    return np.where(way < onset, inner, way - onset / 3)


def slope(way: Floats, onset: float) -> Floats:
    """(k,) f'(s) / s of ways (k,) [1/m]."""
    inner = 2 / onset - way / onset**2
    return np.where(way < onset, inner, 1 / np.maximum(way, onset))


def curvature(way: Floats, onset: float) -> Floats:
    """(k,) (f'(s) / s)' / s of ways (k,) [1/m^3]."""
    inner = -1 / (onset**2 * np.maximum(way, 1e-30))
    return np.where(way < onset, inner, -1 / np.maximum(way, onset) ** 3)
