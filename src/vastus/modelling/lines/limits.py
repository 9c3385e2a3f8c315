"""How far the sections of muscles may reach: to a bone, to a neighbour, or to where they fold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import KDTree

from vastus.modelling.lines.distance import Obstacle
from vastus.modelling.lines.stations import Stations
from vastus.modelling.lines.strand import Strand, at
from vastus.numerics.types import Floats

REACH = 2.0  # how many radii a ray may be long
LEAST = 1.2e-3  # [m] that is left of a section even inside a bone
_MARGIN = 0.5e-3  # [m] from a bone
_FOLD = 0.6  # share of the radius of curvature
_TRIES = 40
_SAMPLES = 24
_FAR = 1e6  # radii to a line that is out of reach
_DENSE = 1e-3  # [m] between the points that stand for a neighbour's line


def limits(
    stations: Sequence[Stations], strands: Sequence[Strand], bones: Obstacle
) -> list[Floats]:
    """For each muscle (n, 8) the greatest length of its rays [m]."""
    lines = [_dense(strand) for strand in strands]
    found = []
    for k, mine in enumerate(stations):
        others = [line for j, line in enumerate(lines) if j != k]
        reach = np.minimum(_to_bone(mine, bones), _to_fold(mine))
        found.append(np.maximum(_to_neighbours(mine, reach, others), LEAST))
    return found


def _to_bone(mine: Stations, bones: Obstacle) -> Floats:
    """Walk along the rays by the distance that is free, which passes no bone."""
    shape = mine.rays.shape[:2]
    most = np.repeat(REACH * mine.radius, shape[1])
    start = np.repeat(mine.centre, shape[1], axis=0)
    ray = mine.rays.reshape(-1, 3)
    length, going = np.zeros(len(ray)), np.arange(len(ray))
    for _ in range(_TRIES):
        distance, _ = bones.signed(start[going] + length[going, None] * ray[going])
        length[going] += np.maximum(distance - _MARGIN, 0.0)
        going = going[(distance > _MARGIN + 1e-4) & (length[going] < most[going])]
        if not len(going):
            break
    return np.minimum(length, most).reshape(shape)


def _to_fold(mine: Stations) -> Floats:
    towards = np.einsum("smi,si->sm", mine.rays, mine.bend)
    return _FOLD / np.maximum(towards, 1e-3)


def _to_neighbours(
    mine: Stations, reach: Floats, others: Sequence[tuple[KDTree, Floats]]
) -> Floats:
    """Cut rays where another line is nearer, distances measured in radii."""
    share = np.linspace(0.0, 1.0, _SAMPLES)
    length = reach[:, :, None] * share
    points = mine.centre[:, None, None] + length[..., None] * mine.rays[:, :, None]
    own = length / mine.radius[:, None, None]
    flat, lead = points.reshape(-1, 3), np.full(own.size, _FAR)
    for tree, radius in others:
        # A line whose widest part is out of reach of the box cannot be nearer.
        far = own.max() * radius.max()
        near = ((flat > tree.mins - far) & (flat < tree.maxes + far)).all(axis=1)
        distance, nearest = tree.query(flat[near])
        lead[near] = np.minimum(lead[near], distance / radius[nearest] - own.ravel()[near])
    return reach * _first_crossing(lead.reshape(own.shape), share)


def _first_crossing(lead: Floats, share: Floats) -> Floats:
    """The share at which each last axis of `lead` first falls to zero, or 1."""
    lost = lead <= 0
    first = np.argmax(lost, axis=-1)
    before = np.maximum(first - 1, 0)
    a = np.take_along_axis(lead, before[..., None], -1)[..., 0]
    b = np.take_along_axis(lead, first[..., None], -1)[..., 0]
    fall = np.where(a > b, a / np.where(a > b, a - b, 1.0), 0.0)
    crossing = share[before] + np.clip(fall, 0.0, 1.0) * (share[first] - share[before])
    return np.where(lost.any(axis=-1), crossing, 1.0)


def _dense(strand: Strand) -> tuple[KDTree, Floats]:
    share = np.linspace(0.0, 1.0, 2 + int(strand.length / _DENSE))
    radius = np.interp(share, strand.share, strand.radius)
    return KDTree(at(strand.points, share)), radius
