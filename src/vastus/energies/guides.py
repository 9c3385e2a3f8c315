"""The guides of muscles as one energy: what rings and wraps do to sections and to their bones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.energies.posed import Among, Points, posed
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.guides import Guide, Pull


class Guided(NamedTuple):
    """What a guide does where everything is."""

    guide: Guide
    pull: Pull
    R: Floats  # (3, 3) how its bone has turned
    place: Floats  # (j, 3) where the points are, seen from the bone as it is at rest [m]

    @property
    def push(self) -> Floats:
        """(j, 3) the derivatives by the places of the points [N], in the world."""
        return self.pull.slope @ self.R.T

    @property
    def vertices(self) -> Ints:
        """(j, v) the vertices of which the points are the means."""
        return self.guide.sections[self.pull.rows]


def guided(guide: Guide, pose: Floats, x: Floats) -> Guided:
    """What a guide does on a bone with a pose (3, 4) when vertices are at x (n, 3) [m]."""
    R = pose[:, :3]
    y = (x[guide.sections].mean(axis=1) - pose[:, 3]) @ R
    pull = guide.pull(y)
    return Guided(guide, pull, R, y[pull.rows])


class Guides(Energy):
    """All guides of a model.

    `free` are the free bones, in the order of their coordinates, and `centres` (bones, 3) [m] the
    points that bones turn about, at rest.
    """

    label = "a guide of a muscle"

    def __init__(
        self, guides: Sequence[tuple[int, Guide]], free: Sequence[int], centres: Floats
    ) -> None:
        self._guides = tuple(guides)
        self._slot = {int(bone): slot for slot, bone in enumerate(free)}
        self._centres = centres
        self._seen: tuple[Placement, list[tuple[int, Guided]]] | None = None
        stiffest = max((g.stiffness for _, g in guides), default=0.0)
        self.force_noise = 1e-15 * stiffest

    def _all(self, q: Placement) -> list[tuple[int, Guided]]:
        if self._seen is None or self._seen[0] is not q:
            self._seen = q, [(bone, guided(g, q.poses[bone], q.x)) for bone, g in self._guides]
        return self._seen[1]

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        total = sum(item.pull.value for _, item in self._all(q))
        self.noise = 1e-15 * total
        return total

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Pull the sections and, the other way, the bones; returns the size of all pulls."""
        size = 0.0
        for bone, item in self._all(q):
            push, vertices = item.push, item.vertices
            np.add.at(forces.nodes, vertices, push[:, None] / vertices.shape[1])
            slot = self._slot.get(bone)
            if slot is not None:
                forces.turns[slot] -= push.T @ (item.place - self._centres[bone])
                forces.shifts[slot] -= push.sum(axis=0)
            size = float(np.hypot(size, np.linalg.norm(push)))
        return size

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, those by the poses of free bones included."""
        for bone, item in self._all(q):
            if not len(item.pull.rows):
                continue
            pull, R = item.pull, item.R
            K = R @ (pull.definite if stiffness.definite else pull.second) @ R.T
            self._add_blocks(item.vertices, K, stiffness)
            if bone in self._slot:
                vertices, arms = item.vertices, item.place - self._centres[bone]
                shares = np.full(vertices.shape, 1 / vertices.shape[1])
                points = Points(vertices, np.arange(len(vertices)), shares, arms)
                place = Among(self._slot[bone], len(self._slot), q.x.size)
                push = None if stiffness.definite else pull.slope
                stiffness.add_posed(*posed(points, place, partial(_between, K), push))

    def _add_blocks(self, vertices: Ints, K: Floats, stiffness: Stiffness) -> None:
        """Add derivatives K (j, j, 3, 3) [N/m] between points that are means of vertices (j, v)."""
        of = np.repeat(np.arange(len(vertices)), vertices.shape[1])
        flat = vertices.ravel()
        a, b = np.triu_indices(len(flat))
        stiffness.add(flat[a], flat[b], K[of[a], of[b]] / vertices.shape[1] ** 2)


def _between(K: Floats, moved: Floats) -> Floats:
    """(j, 3, p) derivatives K (j, j, 3, 3) between points, applied to motions (j, 3, p)."""
    return np.asarray(np.einsum("ijab,jbp->iap", K, moved))
