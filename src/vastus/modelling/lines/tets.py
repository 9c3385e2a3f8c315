"""Tets between sections, and fibres along the way from each section to the next."""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.disc import ringed
from vastus.modelling.lines.stations import RAYS, Stations
from vastus.modelling.sweep import Swept, prism_tets
from vastus.numerics.types import Floats

_THICK = 0.35  # of the widest radius
_INNER = 0.55  # of the way to the rim
DISC = ringed((RAYS, RAYS), (_INNER, 1.0))
_NODES = len(DISC.points)
_TEMPLATE = prism_tets(DISC.triangles, _NODES)


def swept(stations: Stations, reach: Floats) -> Swept:
    """The solid whose sections reach out by (n, 8) [m]; segments are tendon, muscle, tendon.

    The thin ends of a belly are tendon: muscle there would be stretched by the thick middle.
    """
    slabs = len(stations.centre) - 1
    X = _nodes(stations, reach).reshape(-1, 3)
    T = (_TEMPLATE[None] + _NODES * np.arange(slabs)[:, None, None]).reshape(-1, 4)
    first, last = _muscular(stations)
    slab = np.arange(slabs)
    segment = np.repeat((slab >= first).astype(int) + (slab >= last), len(_TEMPLATE))
    triangle = np.tile(np.repeat(np.arange(len(DISC.triangles)), 3), slabs)
    rim = np.arange(_NODES)
    return Swept(X, T, segment, (rim, rim + slabs * _NODES), DISC, triangle)


def fibres(solid: Swept) -> Floats:
    """(m, 3) the unit way of each tet from its section to the next."""
    X = solid.X.reshape(-1, _NODES, 3)
    way = np.diff(X, axis=0)[:, solid.disc.triangles].mean(axis=2)
    slab = np.repeat(np.arange(len(way)), len(_TEMPLATE))
    d = way[slab, solid.triangle]
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def belly_volume(stations: Stations, solid: Swept) -> float:
    """The volume of the belly with its thin ends [m^3]."""
    first, last = (len(_TEMPLATE) * station for station in stations.belly)
    return float(TetMesh(solid.X, solid.T[first:last]).volumes.sum())


def _muscular(stations: Stations) -> tuple[int, int]:
    """The stations between which the belly is thick enough to be muscle."""
    first, last = stations.belly
    thick = np.flatnonzero(stations.radius[first : last + 1] >= _THICK * stations.radius.max())
    return first + int(thick[0]), first + int(thick[-1])


def _nodes(stations: Stations, reach: Floats) -> Floats:
    """(n, 17, 3) the middle of each section, its inner ring and its rim.

    The middle is that of the area, which a bone or neighbour on one side shifts off the line.
    """
    rim = reach[:, :, None] * stations.rays
    middle = _middle(reach, rim)[:, None]
    local = np.concatenate([middle, middle + _INNER * (rim - middle), rim], axis=1)
    return stations.centre[:, None] + local


def _middle(reach: Floats, rim: Floats) -> Floats:
    """(n, 3) the centroids of sections with corners (n, 8, 3)."""
    area = reach * np.roll(reach, -1, axis=1)  # of the triangles from the line, up to a factor
    corners = (rim + np.roll(rim, -1, axis=1)) / 3
    return (area[:, :, None] * corners).sum(axis=1) / area.sum(axis=1)[:, None]
