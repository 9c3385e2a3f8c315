"""Which vertices of a bone face another bone: where the two may articulate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.queries import nearest_on_surface, nearest_vertex
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

FARTHEST = 0.15  # of the size of the smaller bone, that a joint may reach beyond the gap
OPPOSITE = -0.5  # cosine of the normals of places that face each other, overlapping or not


@dataclass(frozen=True, eq=False)
class Facing:
    """The vertices of a surface that face another one, and how far they are from it."""

    X: Floats  # (k, 3) [m]
    N: Floats  # (k, 3) unit normals, outward
    distances: Floats  # (k,) [m]
    gap: float  # [m] the least distance of the surfaces
    size: float  # [m] the diagonal of the smaller one

    def within(self, reach: float) -> tuple[Floats, Floats]:
        """Points and normals no further away than the gap and `reach` [m]."""
        near = self.distances <= self.gap + reach
        return self.X[near], self.N[near]


def facing(one: Surface, two: Surface) -> Facing:
    """The vertices of `one` that face `two`: the normals of both are opposite there."""
    size = min(_diagonal(one), _diagonal(two))
    _, rough = nearest_vertex(two.X, one.X)
    near = np.flatnonzero(rough <= rough.min() + 2 * FARTHEST * size)
    found = nearest_on_surface(two, one.X[near])
    N = one.vertex_normals[near]
    corners = two.vertex_normals[two.faces[found.faces]]  # the face alone is ambiguous at an edge
    opposite = np.einsum("ki,ka,kai->k", N, found.weights, corners) < OPPOSITE
    gap = float(found.distances.min())
    return Facing(one.X[near][opposite], N[opposite], found.distances[opposite], gap, size)


def _diagonal(surface: Surface) -> float:
    return float(np.linalg.norm(np.ptp(surface.X, axis=0)))
