"""The cross-sections of a strand: where they stand, and the rays along which they reach out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from vastus.modelling.lines.strand import Strand, at, reached
from vastus.modelling.sweep import frames
from vastus.numerics.types import Floats

RAYS = 8
_EDGE, _CLOSEST, _WIDEST = 0.65, 6e-3, 13e-3  # spacing: of the radius, and its limits [m]
_FINE = 801


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
