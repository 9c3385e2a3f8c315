"""How far the sections of muscles reach: to a bone, a neighbour or a fold, and cut back there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.spatial import KDTree

from vastus.errors import ModelError
from vastus.geometry.signed_distance import Obstacle
from vastus.geometry.surface import boundary_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.stations import RAYS, Stations, belly_volume, swept
from vastus.modelling.lines.strand import Strand, at
from vastus.modelling.shapes.tube import SweptSolid
from vastus.numerics.types import Floats

REACH = 2.0  # how many radii a ray may be long
LEAST = 1.2e-3  # [m] that is left of a section even inside a bone
_MARGIN = 0.5e-3  # [m] from a bone
_FOLD = 0.6  # share of the radius of curvature
_TRIES = 40
_SAMPLES = 24
_FAR = 1e6  # radii to a line that is out of reach
_DENSE = 1e-3  # [m] between the points that stand for a neighbour's line
_EXACT = 1e-4  # of the volume
_FILL_TRIES = 25
_POLYGON = 0.5 * np.sin(2 * np.pi / RAYS)
_ROUNDS = 8
_SMOOTHINGS = 30
_CUT = 0.94  # what a ray keeps where it offends
_HALVES = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
_FLAT = 1e-5  # least volume of a tet, as a share of the mean of its muscle
Watch = Callable[[str], None]


def _silent(_: str) -> None:
    """Nobody is told."""


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


def filled(stations: Stations, limit: Floats) -> Floats:
    """(n, 8) the lengths of the rays [m] for which the belly has its volume, if there is room."""
    factor = 1.0
    for _ in range(_FILL_TRIES):
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


def separated(
    stations: Sequence[Stations], limits: Sequence[Floats], bones: Obstacle, watch: Watch = _silent
) -> list[SweptSolid]:
    """Solids of the muscles that hardly overlap each other or the bones; `watch` is told rounds.

    Only pairs of which one has changed are looked at again.
    """
    limits = [limit.copy() for limit in limits]
    reaches, solids, shells = [], [], []
    for s, limit in zip(stations, limits, strict=True):
        reaches.append(filled(s, limit))
        solids.append(swept(s, reaches[-1]))
        shells.append(shell(solids[-1]))
    changed = set(range(len(stations)))
    for turn in range(_ROUNDS):
        watch(f"cutting {len(changed)} muscles back, round {turn + 1} of at most {_ROUNDS}")
        before, changed = changed, set()
        for k, mine in enumerate(stations):
            others = [o for j, o in enumerate(shells) if j != k and not before.isdisjoint((j, k))]
            others += [bones] if k in before else []
            bad = _offending(mine, reaches[k], others) | _folded(solids[k], reaches[k].shape)
            if bad.any():
                limits[k][bad] = np.maximum(_CUT * reaches[k][bad], LEAST)
                changed.add(k)
        if not changed:
            break
        for k in changed:
            reaches[k] = filled(stations[k], limits[k])
            solids[k] = swept(stations[k], reaches[k])
            shells[k] = shell(solids[k])
    return [_unfolded(s, reach) for s, reach in zip(stations, reaches, strict=True)]


def _unfolded(stations: Stations, reach: Floats) -> SweptSolid:
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


def shell(solid: SweptSolid) -> Obstacle:
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


def _folded(solid: SweptSolid, shape: tuple[int, ...]) -> np.ndarray:
    """(n, 8) the rays of sections next to inverted or flat tets."""
    volumes = TetMesh(solid.X, solid.T).volumes
    slab = np.arange(len(volumes)) // (len(volumes) // (shape[0] - 1))
    bad = np.zeros(shape, bool)
    thin = np.unique(slab[volumes < _FLAT * np.abs(volumes).mean()])
    bad[thin] = bad[thin + 1] = True
    return bad
