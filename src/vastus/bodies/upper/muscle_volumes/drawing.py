"""Muscles drawn: sampled on one lattice of the left half, cleared of bones and of each other.

A muscle gives way to bones and to muscles of lower layers; neighbours of one layer meet half way.
The right side is the mirror image. What was drawn is kept, since it takes about half a minute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from scipy import ndimage

from vastus.bodies.upper.assembly import LINE_ROWS
from vastus.bodies.upper.lines import Line, lines_of
from vastus.bodies.upper.muscle_volumes import fillings
from vastus.bodies.upper.muscle_volumes.arm import arm_muscles
from vastus.bodies.upper.muscle_volumes.back import back_muscles
from vastus.bodies.upper.muscle_volumes.chest_wall import ChestWall
from vastus.bodies.upper.muscle_volumes.deep import deep_muscles
from vastus.bodies.upper.muscle_volumes.front import front_muscles
from vastus.bodies.upper.muscle_volumes.neck import neck_muscles
from vastus.bodies.upper.muscle_volumes.record import MuscleVolume, MuscleVolumes
from vastus.bodies.upper.muscle_volumes.solids import MILLIMETRE, MuscleSolid
from vastus.cache import Store
from vastus.errors import ModelError
from vastus.geometry.lattice.level_set import distance_to
from vastus.geometry.lattice.raster import fill
from vastus.geometry.surface import Surface
from vastus.modelling.shapes.implicit import contoured, sampled, soft_max
from vastus.modelling.trunk.landmarks import SIDES, Landmarks, Side
from vastus.modelling.trunk.skeleton import mirrored, parametric
from vastus.numerics.types import Bools, Floats

ROOMS = ("bodies/upper", "geometry", "modelling", "numerics")
CELL = 2.5  # [mm] of the lattice
_LOW, _HIGH = (-37.5, -262.5, 720.0), (375.0, 75.0, 1590.0)  # [mm] its corners
_CLEAR = 0.2  # [mm] from bones and deeper muscles
_BESIDE = 0.3  # [mm] between neighbours
_MIDDLE = 0.4  # [mm] from the mid-plane
_ROUND = 1.5  # [mm] over which trimmed edges are rounded
_CRUMB = 0.03  # of the largest piece of a muscle; smaller pieces are left out
_TRIANGLE = 11.0  # [mm^2] of surfaces
_FAR = np.float32(40.0)  # [mm]
_MIRROR = np.array([-1.0, 1.0, 1.0])


@cache
def muscle_volumes() -> MuscleVolumes:
    """The muscles of the parametric upper body; drawn at the first call, which takes a while."""
    found, _ = Store(rooms=ROOMS).kept(drawn_volumes)
    return found


def drawn_volumes() -> MuscleVolumes:
    """Draw all muscles from their tables."""
    skeleton = parametric()
    lines = lines_of(LINE_ROWS, skeleton.landmarks)
    solids = muscle_solids(skeleton.landmarks, lines, ChestWall.over(skeleton.bones))
    surfaces = drawn(solids, occupied(skeleton.bones))
    muscles = [
        _sided(solid, surfaces[solid.name], side, lines) for side in SIDES for solid in solids
    ]
    return MuscleVolumes(tuple(muscles), drawn_fillings())


def muscle_solids(marks: Landmarks, lines: Sequence[Line], wall: ChestWall) -> list[MuscleSolid]:
    """All muscles of the left side [mm]."""
    return [
        *deep_muscles(lines, marks), *back_muscles(), *front_muscles(wall, marks),
        *neck_muscles(), *arm_muscles(),
    ]  # fmt: skip


def _sided(solid: MuscleSolid, surface: Surface, side: Side, lines: Sequence[Line]) -> MuscleVolume:
    names = tuple(
        line.name for line in lines
        if line.side == side and any(each.has(line) for each in solid.follows)
    )  # fmt: skip
    flip = _MIRROR if side == "R" else np.ones(3)
    return MuscleVolume(
        solid.name,
        side,
        mirrored(surface) if side == "R" else surface,
        MILLIMETRE * solid.course.points * flip,
        solid.course.directions * flip,
        names,
    )


def drawn_fillings() -> dict[str, Surface]:
    """Closed surfaces [m] of what fills the skin out."""
    found = {}
    for name, (make, cell) in (*fillings.MIDDLE.items(), *fillings.LEFT.items()):
        solid = make()
        values, corner = sampled(solid.field, solid.low - 3, solid.high + 3, cell)
        surface = _contour(_pieces(values, name), corner, cell)
        if name in fillings.LEFT:
            found[name + "L"], found[name + "R"] = surface, mirrored(surface)
        else:
            found[name] = surface
    return found


def occupied(bones: Mapping[str, Surface]) -> np.ndarray:
    """(p, q, r) distances [mm] of the lattice to bones and to the right half, negative in them."""
    corner, shape = np.array(_LOW), _shape()
    inside = np.zeros(shape, bool)
    for name, bone in bones.items():
        if not name.endswith("R"):
            _fill(inside, bone, corner)
    values = ndimage.gaussian_filter(distance_to(inside, CELL), 0.6)
    x = (_LOW[0] + CELL * np.arange(shape[0]) - _MIDDLE)[:, None, None]
    return np.minimum(values, x.astype(np.float32))


def _shape() -> tuple[int, int, int]:
    n = np.rint(np.subtract(_HIGH, _LOW) / CELL).astype(int) + 1
    return int(n[0]), int(n[1]), int(n[2])


def _fill(inside: Bools, bone: Surface, corner: Floats) -> None:
    """Mark the nodes in a bone."""
    X = bone.X / MILLIMETRE
    low = np.clip(np.floor((X.min(axis=0) - corner) / CELL).astype(int) - 1, 0, inside.shape)
    high = np.clip(np.ceil((X.max(axis=0) - corner) / CELL).astype(int) + 2, 0, inside.shape)
    size = high - low
    if (size > 0).all():
        box = tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))
        shape = (int(size[0]), int(size[1]), int(size[2]))
        inside[box] |= fill(Surface(X, bone.faces), corner + CELL * low, CELL, shape)


def drawn(solids: Sequence[MuscleSolid], taken: np.ndarray) -> dict[str, Surface]:
    """Closed surfaces [m] by name; `taken` is what is occupied, and gets the muscles too."""
    found: dict[str, Surface] = {}
    for layer in sorted({solid.layer for solid in solids}):
        mine = [solid for solid in solids if solid.layer == layer]
        found |= _drawn_layer(mine, taken)
    return found


def _drawn_layer(solids: Sequence[MuscleSolid], taken: np.ndarray) -> dict[str, Surface]:
    first = np.full(taken.shape, _FAR)  # the lowest value of a muscle at each node, and the next
    second = first.copy()
    whose = np.full(taken.shape, -1, np.int16)
    windows = []
    for k, solid in enumerate(solids):
        values, corner = sampled(solid.field, solid.box[0], solid.box[1], CELL)
        box = _window(values.shape, corner, solid.name)
        windows.append((values, corner, box))
        lower = values < first[box]
        second[box] = np.where(lower, first[box], np.minimum(second[box], values))
        whose[box] = np.where(lower, k, whose[box])
        first[box] = np.where(lower, values, first[box])
    found = {}
    kept = taken.copy()
    for k, (solid, (values, corner, box)) in enumerate(zip(solids, windows, strict=True)):
        other = np.where(whose[box] == k, second[box], first[box])
        left = soft_max(values, (values - other + _BESIDE) / 2, _ROUND)
        left = _pieces(soft_max(left, _CLEAR - kept[box], _ROUND), solid.name)
        taken[box] = np.minimum(taken[box], left)
        found[solid.name] = _contour(left, corner, CELL)
    return found


def _window(shape: Sequence[int], corner: Floats, name: str) -> tuple[slice, ...]:
    start = np.rint((corner - np.array(_LOW)) / CELL).astype(int)
    if (start < 0).any() or (start + shape > np.array(_shape())).any():
        raise ModelError(f"muscle '{name}' is beyond the lattice that muscles are drawn on")
    return tuple(slice(int(a), int(a + n)) for a, n in zip(start, shape, strict=True))


def _pieces(values: Floats, name: str) -> Floats:
    """Values without crumbs beside the large pieces."""
    pieces, count = ndimage.label(values < 0)
    if not count:
        raise ModelError(f"bones and deeper muscles leave nothing of muscle '{name}'")
    sizes = np.bincount(pieces.ravel())
    sizes[0] = sizes[1:].max()
    small = sizes < _CRUMB * sizes[0]
    return np.where(small[pieces], np.maximum(np.abs(values), 0.1), values)


def _contour(values: Floats, corner: Floats, cell: float) -> Surface:
    # Six faces of nodes that are inside beside ones that are not, about the area.
    inside = values < 0
    steps = sum(np.count_nonzero(np.diff(inside, axis=axis)) for axis in range(3))
    area = steps * cell**2 * 2 / 3
    surface = contoured(values, corner, cell, int(max(area / _TRIANGLE, 120)), careful=False)
    return Surface(MILLIMETRE * surface.X, surface.faces)
