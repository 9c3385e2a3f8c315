"""How much of each muscle lies inside bones or other muscles, by sampling its tets evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.distance import Obstacle
from vastus.modelling.lines.separate import shell
from vastus.modelling.sweep import Swept
from vastus.numerics.types import Floats

_POINTS = 10  # in each tet


@dataclass(frozen=True)
class Overlap:
    """The shares of a muscle's whole volume, tendons included, inside bones and neighbours."""

    bones: float
    muscles: float


def overlaps(solids: Sequence[Swept], bones: Obstacle) -> list[Overlap]:
    """For each solid how much of it is inside a bone, and inside any other solid."""
    shells = [shell(solid) for solid in solids]
    found = []
    for k, solid in enumerate(solids):
        mesh = TetMesh(solid.X, solid.T)
        others = [o for j, o in enumerate(shells) if j != k]
        found.append(Overlap(_share(mesh, [bones]), _share(mesh, others)))
    return found


def _share(mesh: TetMesh, others: Sequence[Obstacle]) -> float:
    """The share of a mesh's volume that is inside any of the others."""
    corners = mesh.X[mesh.T]
    reach = np.linalg.norm(corners - mesh.centroids[:, None], axis=2).max(axis=1)
    inside = np.zeros((mesh.n_tets, _POINTS), bool)
    for other in others:
        box = other.near(mesh.centroids, reach)
        distance, _ = other.signed(mesh.centroids[box])
        inside[box[distance < -reach[box]]] = True
        cut = box[np.abs(distance) <= reach[box]]
        points = np.einsum("pa,mai->mpi", _EVEN, corners[cut])
        inside[cut] |= other.inside(points.reshape(-1, 3)).reshape(-1, _POINTS)
    return float(mesh.volumes @ inside.mean(axis=1) / mesh.volumes.sum())


def _even(count: int) -> Floats:
    """(count, 4) barycentric weights spread evenly at random, the same in every run."""
    parts = -np.log(np.random.default_rng(0).uniform(size=(count, 4)))
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


_EVEN = _even(_POINTS)
