"""What hands carry, to be seen: dumbbells of iron, as large as their masses make them.

A dumbbell is two discs on a bar across the palm, along the x axis at rest. A load only weighs at
a point; its shape is nobody's but the picture's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.bodies.upper.shape import carried
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

IRON = 7200.0  # [kg/m^3]
BAR = 0.055, 0.012  # [m] half the length between the discs, and the radius
THICKNESS = 0.6  # of a disc by its radius
AROUND = 32  # points on a circle
COLOUR = (0.30, 0.31, 0.34)


@dataclass(frozen=True, eq=False)
class Dumbbells:
    """Masses (k, l) [kg] over frames, at points (l, 3) [m] in the world at rest that bodies carry.

    `bodies` (l,) are their numbers in the order of poses.
    """

    bodies: Ints
    points: Floats
    masses: Floats

    @cached_property
    def faces(self) -> Ints:
        """(f, 3) the triangles of all of them."""
        one = _dumbbell(1.0)
        steps = one.n_vertices * np.arange(len(self.bodies))
        return np.asarray((one.faces + steps[:, None, None]).reshape(-1, 3), np.int64)

    def at(self, index: int, poses: Floats) -> Surface:
        """Their surface in a frame in which bodies have poses (b, 3, 4)."""
        own = [
            _dumbbell(mass).X + point
            for mass, point in zip(self.masses[index], self.points, strict=True)
        ]
        owner = np.repeat(self.bodies, [len(X) for X in own])
        return Surface(carried(np.concatenate(own), poses[owner]), self.faces)

    def frames(self, rows: Ints) -> Dumbbells:
        """Only these frames, in this order."""
        return Dumbbells(self.bodies, self.points, self.masses[rows])


def _dumbbell(mass: float) -> Surface:
    """A dumbbell of a mass [kg] about the origin; without a mass it is a point.

    Points on edges are there twice, so that edges look sharp.
    """
    half, bar = BAR if mass > 0 else (0.0, 0.0)
    radius = max((mass / (2 * np.pi * THICKNESS * IRON)) ** (1 / 3), bar)
    end = half + THICKNESS * radius
    profile = np.array([
        (-end, 0.0), (-end, radius), (-half, radius), (-half, bar),
        (half, bar), (half, radius), (end, radius), (end, 0.0),
    ])  # fmt: skip
    bands = np.stack([profile[:-1], profile[1:]], axis=1).reshape(-1, 2)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    x, r = (np.repeat(column, AROUND) for column in bands.T)
    turn = np.tile(angle, len(bands))
    X = np.column_stack([x, r * np.cos(turn), r * np.sin(turn)])
    first = AROUND * np.arange(0, len(bands), 2)[:, None] + np.arange(AROUND)
    after = AROUND * np.arange(0, len(bands), 2)[:, None] + (np.arange(AROUND) + 1) % AROUND
    quads = np.stack([first, after, after + AROUND, first + AROUND], axis=-1).reshape(-1, 4)
    return Surface(X, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))
