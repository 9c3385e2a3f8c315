"""Sections cut back wherever the finished solids still touch a bone, a neighbour or themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.surface import boundary_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.distance import Obstacle
from vastus.modelling.lines.fill import filled
from vastus.modelling.lines.limits import LEAST
from vastus.modelling.lines.stations import Stations
from vastus.modelling.lines.tets import swept
from vastus.modelling.sweep import Swept
from vastus.numerics.types import Floats

_ROUNDS = 8
_SMOOTHINGS = 30
_CUT = 0.94  # what a ray keeps where it offends
_HALVES = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
_FLAT = 1e-5  # least volume of a tet, as a share of the mean of its muscle


def separated(
    stations: Sequence[Stations], limits: Sequence[Floats], bones: Obstacle
) -> list[Swept]:
    """Solids of the muscles that hardly overlap each other or the bones."""
    limits = [limit.copy() for limit in limits]
    reaches = [filled(s, limit) for s, limit in zip(stations, limits, strict=True)]
    for _ in range(_ROUNDS):
        solids = [swept(s, reach) for s, reach in zip(stations, reaches, strict=True)]
        shells = [shell(solid) for solid in solids]
        any_bad = False
        for k, mine in enumerate(stations):
            others = [bones, *(o for j, o in enumerate(shells) if j != k)]
            bad = _offending(mine, reaches[k], others) | _folded(solids[k], reaches[k].shape)
            limits[k][bad] = np.maximum(_CUT * reaches[k][bad], LEAST)
            any_bad |= bool(bad.any())
        if not any_bad:
            break
        reaches = [filled(s, limit) for s, limit in zip(stations, limits, strict=True)]
    return [_unfolded(s, reach) for s, reach in zip(stations, reaches, strict=True)]


def _unfolded(stations: Stations, reach: Floats) -> Swept:
    """The solid after sections next to folded tets have become rounder and smaller."""
    for _ in range(_SMOOTHINGS):
        solid = swept(stations, reach)
        rows = _folded(solid, reach.shape).any(axis=1)
        if not rows.any():
            return solid
        rounder = 0.5 * (reach[rows] + reach[rows].mean(axis=1, keepdims=True))
        reach = reach.copy()
        reach[rows] = 0.9 * rounder
    raise ModelError(
        f"muscle '{stations.name}' folds over itself where its line bends sharply: leave it out, "
        "or choose another pose"
    )


def shell(solid: Swept) -> Obstacle:
    """The surface of a solid."""
    return Obstacle(boundary_surface(TetMesh(solid.X, solid.T))[0])


def _offending(mine: Stations, reach: Floats, others: Sequence[Obstacle]) -> np.ndarray:
    """(n, 8) the rays next to a place of the side that is inside something else."""
    rim = mine.centre[:, None] + reach[:, :, None] * mine.rays
    places = np.stack([_place(rim, *half) for half in _HALVES])
    hit = np.zeros(places.shape[:3], bool)
    for other in others:
        hit |= other.inside(places.reshape(-1, 3)).reshape(hit.shape)
    bad = np.zeros(reach.shape, bool)
    for (a, b), found in zip(_HALVES, hit, strict=True):
        bad |= found
        bad |= np.roll(found, 1, axis=1) & (a > 0)
        bad[1:] |= found[:-1] & (b > 0)
        bad[1:] |= np.roll(found, 1, axis=1)[:-1] & (a > 0) & (b > 0)
    return bad


def _place(rim: Floats, a: float, b: float) -> Floats:
    """(n, 8, 3) places a part `a` of the way to the next ray and `b` to the next section."""
    across = (1 - a) * rim + a * np.roll(rim, -1, axis=1)
    return (1 - b) * across + b * np.vstack([across[1:], across[-1:]])


def _folded(solid: Swept, shape: tuple[int, ...]) -> np.ndarray:
    """(n, 8) the rays of sections next to inverted or flat tets."""
    volumes = TetMesh(solid.X, solid.T).volumes
    slab = np.arange(len(volumes)) // (len(volumes) // (shape[0] - 1))
    bad = np.zeros(shape, bool)
    thin = np.unique(slab[volumes < _FLAT * np.abs(volumes).mean()])
    bad[thin] = bad[thin + 1] = True
    return bad
