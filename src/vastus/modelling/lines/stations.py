"""The cross-sections of a strand, the tets between them, and the fibres along them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.strand import Strand, at, reached
from vastus.modelling.shapes.tube import SweptSolid, frames, prism_tets, ringed
from vastus.numerics.types import Floats

RAYS = 8
_EDGE, _CLOSEST, _WIDEST = 0.65, 6e-3, 13e-3  # spacing: of the radius, and its limits [m]
_FINE = 801
_THICK = 0.35  # of the widest radius
_INNER = 0.55  # of the way to the rim
DISC = ringed((RAYS, RAYS), (_INNER, 1.0))
_NODES = len(DISC.points)
_TEMPLATE = prism_tets(DISC.triangles, _NODES)


@dataclass(frozen=True, eq=False)
class Stations:
    """Centres (n, 3) [m] of sections, rays (n, 8, 3) from them, and wanted radii (n,) [m].

    The belly lies between the stations `belly`.
    """

    name: str
    centre: Floats
    rays: Floats
    radius: Floats
    bend: Floats  # (n, 3) the curvature vector of the line [1/m]
    belly: tuple[int, int]
    volume: float  # of the belly, wanted [m^3]


def stations_of(strand: Strand) -> Stations:
    """The sections of a strand; one stands at each end of the belly."""
    share, belly = _shares(strand)
    line = at(strand.points, np.linspace(0.0, 1.0, _FINE))
    width = 4e-3 / (strand.length / _FINE)
    tangent = gaussian_filter1d(np.gradient(line, axis=0), width, axis=0, mode="nearest")
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    bend = np.gradient(tangent, reached(line), axis=0)
    rows = np.rint(share * (_FINE - 1)).astype(int)
    axes = frames(line, tangent, _side(tangent[0]))[rows]
    angle = 2 * np.pi * np.arange(RAYS) / RAYS
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    rays = np.einsum("mk,ski->smi", circle, axes[:, :2])
    radius = np.interp(share, strand.share, strand.radius)
    return Stations(strand.name, line[rows], rays, radius, bend[rows], belly, strand.volume)


def _shares(strand: Strand) -> tuple[Floats, tuple[int, int]]:
    """(n,) the fractions of the way at which sections stand, and the two at the belly's ends."""
    fine = np.linspace(0.0, 1.0, _FINE)
    r = np.interp(fine, strand.share, strand.radius)
    density = strand.length / np.clip(_EDGE * r, _CLOSEST, _WIDEST)
    count = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1])) / (_FINE - 1)])
    marks = np.interp([0.0, *strand.belly, 1.0], fine, count)
    slabs = np.maximum([1, 4, 1], np.rint(np.diff(marks))).astype(int)
    parts = [np.linspace(a, b, n + 1)[1:] for a, b, n in zip(marks, marks[1:], slabs, strict=False)]
    share = np.interp(np.concatenate([[0.0], *parts]), count, fine)
    return share, (int(slabs[0]), int(slabs[0] + slabs[1]))


def _side(tangent: Floats) -> tuple[float, float, float]:
    """Any direction across the first tangent."""
    x, y, z = np.eye(3)[np.argmin(np.abs(tangent))].tolist()
    return x, y, z


def swept(stations: Stations, reach: Floats) -> SweptSolid:
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
    return SweptSolid(X, T, segment, (rim, rim + slabs * _NODES), DISC, triangle)


def fibres(solid: SweptSolid) -> Floats:
    """(m, 3) the unit way of each tet from its section to the next."""
    X = solid.X.reshape(-1, _NODES, 3)
    way = np.diff(X, axis=0)[:, solid.disc.triangles].mean(axis=2)
    slab = np.repeat(np.arange(len(way)), len(_TEMPLATE))
    d = way[slab, solid.triangle]
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def belly_volume(stations: Stations, solid: SweptSolid) -> float:
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
