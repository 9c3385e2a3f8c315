"""Bones as bodies: which vertices each carries, which bones are free, and what ties them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from vastus.numerics.types import Floats, Ints
from vastus.skeleton.carried import places
from vastus.skeleton.freedoms import Pair, Slip


def _none() -> Floats:
    return np.zeros((0, 3))


@dataclass(frozen=True, eq=False)
class Tie:
    """Points (k, 3), at rest, that bones `a` and `b` share, and planes of `a` that hold others.

    A point that is driven lies elsewhere on bone `a`: at its `seats`. Each of the `held` points of
    `b` stays in the plane of `a` through its rest place with the normal of the same row. What may
    not slip rolls.
    """

    a: int
    b: int
    points: Floats
    seats: Floats | None = None  # (k, 3) places of the points on `a`; None: the same
    held: Floats = field(default_factory=_none)  # (p, 3)
    normals: Floats = field(default_factory=_none)  # (p, 3)
    slips: tuple[Slip, ...] = ()
    joint: int = -1  # the number of the joint that it is of

    @property
    def on_a(self) -> Floats:
        """(k, 3) the shared points as bone `a` has them."""
        return self.points if self.seats is None else self.seats

    @property
    def rows(self) -> int:
        """How many equations it is."""
        return 3 * len(self.points) + len(self.held) + len(self.slips)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The bones of a model as seen by a solver."""

    X: Floats  # (h, 3) rest positions of the vertices that bones carry
    owner: Ints  # (h,) the bone of each
    free: Ints  # (f,) the bones that forces move
    count: int  # all bones
    centre: Floats  # (bones, 3) the point that each bone turns about
    ties: tuple[Tie, ...] = ()

    @cached_property
    def size(self) -> Floats:
        """(bones,) the root mean square distance to the centre [m]: turns angles into lengths."""
        far = ((self.X - self.centre[self.owner]) ** 2).sum(axis=1)
        count = np.maximum(np.bincount(self.owner, minlength=self.count), 1)
        mean = np.bincount(self.owner, far, minlength=self.count) / count
        return np.sqrt(np.where(mean > 0, mean, 1.0))

    @cached_property
    def slots(self) -> Ints:
        """(bones,) the position of each bone among the free ones, or -1."""
        slots = np.full(self.count, -1)
        slots[self.free] = np.arange(len(self.free))
        return slots

    def slot(self, bone: int) -> int:
        """The position of a bone among the free ones, or -1; the ground, bone -1, is none."""
        return int(self.slots[bone]) if bone >= 0 else -1

    def positions(self, poses: Floats) -> Floats:
        """(h, 3) where poses (bones, 3, 4) put the carried vertices."""
        return places(poses, self.owner, self.X)

    def gaps(self, poses: Floats) -> Floats:
        """(points, 3) the distance between the two images of every shared point."""
        apart = [image(poses[t.a], t.on_a) - image(poses[t.b], t.points) for t in self.ties]
        return np.concatenate([np.zeros((0, 3)), *apart])

    def errors(self, poses: Floats) -> Floats:
        """(rows,) what is wrong [m] in the ties' equations: gaps, distances to planes, slips."""
        found = [np.zeros(0)]
        for t in self.ties:
            found.append((image(poses[t.a], t.on_a) - image(poses[t.b], t.points)).ravel())
            normals = t.normals @ poses[t.a, :, :3].T
            apart = image(poses[t.a], t.held) - image(poses[t.b], t.held)
            found.append((normals * apart).sum(axis=1))
            pair = self.pair(t, poses)
            found.append(np.array([slip.value(pair) for slip in t.slips]))
        return np.concatenate(found)

    def pair(self, tie: Tie, poses: Floats) -> Pair:
        """The places of the two bones of a tie."""
        bones = [tie.a, tie.b]
        return Pair.of(poses[bones], self.centre[bones])


@dataclass(frozen=True, eq=False)
class BoneLoads:
    """Derivatives of energies by the free bones' linear parts, and by their centres' places."""

    turns: Floats  # (f, 3, 3) [J]
    shifts: Floats  # (f, 3) [N]

    @classmethod
    def none(cls, free: int) -> BoneLoads:
        """No such derivatives, for so many free bones."""
        return cls(np.zeros((free, 3, 3)), np.zeros((free, 3)))


class Chart(ABC):
    """Coordinates z (k,) [m] around one configuration of the free bones, joints eliminated."""

    size: int

    @abstractmethod
    def pull(self, g: Floats) -> Floats:
        """(k,) the generalised force of forces g (h, 3) on the carried vertices [N]."""

    @abstractmethod
    def push(self, rows: Ints) -> Floats:
        """(3 r, k) how the coordinates move the carried vertices `rows` (r,)."""

    @abstractmethod
    def curvature(self, g: Floats, loads: BoneLoads) -> Floats:
        """(k, k) the stiffness [N/m] that forces g (h, 3) and bones' loads have as bones turn."""

    @abstractmethod
    def reactions(self, g: Floats, loads: BoneLoads) -> list[Floats]:
        """(k, 3) for each tie, the forces [N] between its shared points that balance the rest."""

    @abstractmethod
    def strain(self) -> Floats:
        """(9 f, k) how the coordinates change the free bones' deformation gradients."""

    @abstractmethod
    def shift(self) -> Floats:
        """(3 f, k) how the coordinates move the points that the free bones turn about."""

    @abstractmethod
    def lift(self, z: Floats) -> Floats:
        """(a,) coordinates z (k,), or forces, in the coordinates of all free bones unjointed.

        It and `lower` take several columns too.
        """

    @abstractmethod
    def lower(self, w: Floats) -> Floats:
        """(k,) what the joints leave of coordinates or forces w (a,) of the bones unjointed."""

    @abstractmethod
    def move(self, z: Floats) -> Floats:
        """(bones, 3, 4) the poses at coordinates z."""


class BoneModel(Protocol):
    """A way to describe bones."""

    @property
    def young(self) -> float | None:
        """Young's modulus of the bones [Pa], or None if they are rigid."""

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses (bones, 3, 4)."""

    def close(self, skeleton: Skeleton, poses: Floats) -> Floats:
        """The nearest poses at which every joint is closed."""


def least_squares(A: Floats, b: Floats) -> Floats:
    """The shortest x that brings A x closest to b; redundant equations do no harm."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-10)[0], float)


def null_space(A: Floats) -> Floats:
    """(n, k) an orthonormal basis of what A (rows, n) maps to zero, to nine digits."""
    _, sizes, rows = np.linalg.svd(A)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    return np.asarray(rows[rank:].T)


def turning_centres(X: Floats, owner: Ints, count: int, ties: tuple[Tie, ...]) -> Floats:
    """(bones, 3) the mean of each bone's joint points, or of its vertices if it has none.

    A bone with one joint then keeps that joint closed exactly when it turns.
    """
    centre = np.zeros((count, 3))
    for bone in range(count):
        mine = [t for t in ties if bone in (t.a, t.b)]
        shared = [np.concatenate([t.points, t.held]) for t in mine]
        points = np.concatenate(shared) if shared else X[owner == bone]
        centre[bone] = points.mean(axis=0) if len(points) else 0.0
    return centre


def image(pose: Floats, points: Floats) -> Floats:
    """(k, 3) where a pose (3, 4) puts rest points (k, 3)."""
    return points @ pose[:, :3].T + pose[:, 3]
