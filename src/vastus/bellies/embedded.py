"""Points that follow a belly, such as the vertices of a surface finer than its tets.

A point is the mean of the corners of its tet, by its barycentric weights at rest. A point outside
all tets belongs to the one that is nearest, with weights of which some are below zero: it goes on
as that tet does. So an affine map of the belly is one of the points, inside or outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.queries import locate, nearest_on_surface
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Embedded:
    """Points (k) of corners (k, 4) of a mesh and their weights (k, 4), which sum to one."""

    corners: Ints
    weights: Floats

    @classmethod
    def of(cls, mesh: TetMesh, points: Floats) -> Embedded:
        """The points (k, 3) [m] of a mesh at rest."""
        points = np.asarray(points, np.float64)
        tets = locate(mesh, points).tets.copy()
        out = np.flatnonzero(tets < 0)
        if len(out):
            near = nearest_on_surface(Surface(mesh.X, mesh.boundary), points[out])
            tets[out] = mesh.boundary_tets[near.faces]
        offset = points - mesh.centroids[tets]
        weights = 0.25 + np.einsum("kai,ki->ka", mesh.gradients[tets], offset)
        return cls(mesh.T[tets], weights)

    def at(self, x: Floats) -> Floats:
        """(k, 3) [m] where the points are when the vertices of the mesh are at x (n, 3) [m]."""
        return np.asarray(np.einsum("ka,kai->ki", self.weights, x[self.corners]))
