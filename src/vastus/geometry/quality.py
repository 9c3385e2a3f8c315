"""How well shaped tets are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Floats

# The six pairs of faces of a tet, each of which meet in an edge.
_PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


@dataclass(frozen=True, eq=False)
class Quality:
    """The shape of each tet: a regular one has dihedral angles of 70.53 degrees, radius ratio 1."""

    min_dihedral: Floats  # (m,) [deg]
    max_dihedral: Floats  # (m,) [deg]
    radius_ratio: Floats  # (m,) 3 inradius / circumradius; 0 where flat, negative where inverted


def quality(corners: Floats, areas: Floats, volumes: Floats) -> Quality:
    """The quality of tets from corners (m, 4, 3), area vectors (m, 4, 3), signed volumes (m,)."""
    angles = _dihedrals(areas)
    return Quality(angles.min(axis=1), angles.max(axis=1), _radius_ratio(corners, areas, volumes))


def _dihedrals(areas: Floats) -> Floats:
    """(m, 6) the angle between each two faces [deg], measured inside the tet."""
    size = np.linalg.norm(areas, axis=2, keepdims=True)
    normals = np.divide(areas, size, out=np.zeros_like(areas), where=size > 0)
    cosines = -np.einsum("mpi,mpi->mp", normals[:, _PAIRS[:, 0]], normals[:, _PAIRS[:, 1]])
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def _radius_ratio(corners: Floats, areas: Floats, volumes: Floats) -> Floats:
    """(m,) with r = 3 V / A and R = |sum_a |e_a|^2 S_a| / (6 V), S_a the faces at corner 0."""
    edges = corners[:, 1:] - corners[:, :1]
    squares = np.einsum("mai,mai->ma", edges, edges)
    moment = np.linalg.norm(np.einsum("ma,mai->mi", squares, areas[:, 1:]), axis=1)
    surface = np.linalg.norm(areas, axis=2).sum(axis=1)
    ratio = np.zeros_like(volumes)
    np.divide(54 * volumes * np.abs(volumes), surface * moment, out=ratio, where=volumes != 0)
    return ratio
