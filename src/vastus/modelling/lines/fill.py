"""Rays as long as a muscle's volume needs, where its limits leave room."""

from __future__ import annotations

import numpy as np

from vastus.modelling.lines.limits import LEAST, REACH
from vastus.modelling.lines.stations import RAYS, Stations
from vastus.modelling.lines.tets import belly_volume, swept
from vastus.numerics.types import Floats

_EXACT = 1e-4  # of the volume
_TRIES = 25
_POLYGON = 0.5 * np.sin(2 * np.pi / RAYS)


def filled(stations: Stations, limit: Floats) -> Floats:
    """(n, 8) the lengths of the rays [m] for which the belly has its volume, if there is room."""
    factor = 1.0
    for _ in range(_TRIES):
        reach = _reach(stations, limit, factor)
        ratio = stations.volume / belly_volume(stations, swept(stations, reach))
        if abs(ratio - 1) < _EXACT:
            break
        factor *= np.sqrt(ratio) if ratio < 1 else ratio
        if factor > 50:
            break
    return reach


def _reach(stations: Stations, limit: Floats, factor: float) -> Floats:
    """Sections of the wanted areas, the belly's radii being `factor` times as large."""
    first, last = stations.belly
    scale = np.ones(len(stations.radius))
    scale[first + 1 : last] = factor
    r = scale * stations.radius
    low, high = np.ones(len(r)), np.full(len(r), REACH)
    for _ in range(20):
        middle = 0.5 * (low + high)
        small = _area(np.minimum(limit, (middle * r)[:, None])) < np.pi * r * r
        low, high = np.where(small, middle, low), np.where(small, high, middle)
    reach = np.minimum(limit, (high * r)[:, None])
    reach = np.maximum(np.minimum(limit, _smooth(reach)), LEAST)
    # Tendons are round, which keeps thin tets in shape.
    tendon = np.r_[:first, last + 1 : len(r)]
    reach[tendon] = np.clip(limit[tendon].min(axis=1), LEAST, r[tendon])[:, None]
    return reach


def _area(reach: Floats) -> Floats:
    return _POLYGON * (reach * np.roll(reach, 1, axis=1)).sum(axis=1)


def _smooth(reach: Floats) -> Floats:
    around = (np.roll(reach, 1, axis=1) + 2 * reach + np.roll(reach, -1, axis=1)) / 4
    out = around.copy()
    out[1:-1] = (around[:-2] + 2 * around[1:-1] + around[2:]) / 4
    return out
