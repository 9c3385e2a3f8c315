"""The skin as a level set: from what it covers, or from a surface that may have holes.

What is covered is closed by a ball of a radius and grown by a distance; groups of parts have their
own, so that armpits and fingers stay open, and are joined smoothly (theory, eq. 89).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from vastus.errors import ModelError
from vastus.flesh.parts import FleshParts
from vastus.geometry.lattice.level_set import LevelSet, distance_to, grid_over, without_holes
from vastus.geometry.lattice.nearness import distances_beside
from vastus.geometry.lattice.raster import fill
from vastus.geometry.lattice.spreading import spread
from vastus.geometry.signed_distance import distances_to, enclosed
from vastus.geometry.surface import Surface
from vastus.materials.base import require
from vastus.modelling.shapes.implicit import soft_min
from vastus.numerics.types import Bools, Floats

OUTSIDE = 0.05  # of a bone's vertices that may be outside the skin
DEEP = 1e-3  # [m] by which they must be, to count
BESIDE = 0.87  # of a cell: half the diagonal, so that no point of a surface is without a node
MOST_NODES = 400_000_000


@dataclass(frozen=True)
class SkinGroup:
    """Parts by patterns of their names, such as `*phalanx*`, and how the skin covers them [m]."""

    names: tuple[str, ...] = ("*",)
    closing: float = 0.012  # the radius of the ball that cannot get between them
    offset: float = 0.004  # the thickness of what covers them

    def __post_init__(self) -> None:
        ok = self.closing >= 0 and self.offset >= 0
        require(ok, f"a skin has closing {self.closing:g} and offset {self.offset:g}; both must "
                    "be 0 or more")  # fmt: skip

    def has(self, name: str) -> bool:
        """Whether a part of this name belongs to it."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)


@dataclass(frozen=True)
class SkinSettings:
    """How a skin is made; a part belongs to the first group that has its name."""

    cell: float = 0.003  # [m] of the grid
    groups: tuple[SkinGroup, ...] = (SkinGroup(),)
    blend: float = 0.012  # [m] over which groups are joined
    smoothing: float = 1.4  # the width of a Gaussian in cells
    dilation: float = 0.001  # [m] by which a given skin grows

    def __post_init__(self) -> None:
        require(self.cell > 0, f"a skin has cells of {self.cell:g} m; they must be positive")


def skin_of(parts: FleshParts, settings: SkinSettings) -> LevelSet:
    """The skin of parts: the given one, or one that covers them all; it must enclose each bone."""
    given = parts.skin
    body = around(parts, settings) if given is None else given_skin(given, settings)
    for bone in parts.bones:
        depth = body.at(bone.surface.X)
        out = depth > DEEP
        if out.mean() > OUTSIDE:
            far = "" if depth.max() > 1 else f", by up to {1e3 * depth.max():.0f} mm"
            raise ModelError(
                f"the skin does not enclose bone '{bone.name}': {100 * out.mean():.0f} % of its "
                f"vertices are outside{far}; give a skin around it, or leave the bone out"
            )
    return body


def given_skin(surface: Surface, settings: SkinSettings) -> LevelSet:
    """The level set of a surface: its holes closed, grown a little, smoothed, in one piece."""
    pad = settings.dilation + 4 * settings.cell
    corner, shape = _grid(surface.X.min(axis=0) - pad, surface.X.max(axis=0) + pad, settings.cell)
    if surface.closed:
        inside = fill(surface, corner, settings.cell, shape)
    else:
        inside = _wound(surface, corner, settings.cell, shape)
    if not inside.any():
        raise ModelError("the skin has no inside: is it a sheet, or in other units than metres?")
    values = distance_to(inside, settings.cell)
    near = np.argwhere(np.abs(values) < 2 * settings.cell)
    exact = distances_to(surface, corner + settings.cell * near)
    at = tuple(near.T)
    values[at] = np.where(inside[at], -exact, exact)
    body = LevelSet(corner, settings.cell, values).dilated(settings.dilation)
    return body.smoothed(settings.smoothing).whole()


def around(parts: FleshParts, settings: SkinSettings) -> LevelSet:
    """The level set of a skin that covers all parts."""
    surfaces = [(bone.name, bone.surface) for bone in parts.bones]
    surfaces += [(muscle.name, muscle.surface) for muscle in parts.muscles]
    surfaces += [(other.name, other.surface) for other in parts.others]
    member: list[list[Surface]] = [[] for _ in settings.groups]
    for name, surface in surfaces:
        which = next((i for i, group in enumerate(settings.groups) if group.has(name)), None)
        if which is None:
            raise ModelError(f"no group of the skin has part '{name}'; end with one for '*'")
        member[which].append(surface)
    X = np.concatenate([surface.X for _, surface in surfaces])
    pad = max(g.closing + g.offset for g in settings.groups) + settings.blend + 5 * settings.cell
    corner, shape = _grid(X.min(axis=0) - pad, X.max(axis=0) + pad, settings.cell)
    values = np.full(shape, np.float32(pad))
    for group, own in zip(settings.groups, member, strict=True):
        if own:
            _join(values, corner, group, own, settings)
    body = LevelSet(corner, settings.cell, values).smoothed(settings.smoothing)
    return body.whole()


def _join(
    values: np.ndarray, corner: Floats, group: SkinGroup, surfaces: list[Surface],
    settings: SkinSettings,
) -> None:  # fmt: skip
    """Join the cover of a group to values on the whole grid, in the group's own box."""
    cell = settings.cell
    X = np.concatenate([surface.X for surface in surfaces])
    pad = group.closing + group.offset + settings.blend + 3 * cell
    low, shape = grid_over(X.min(axis=0) - pad, X.max(axis=0) + pad, cell)
    at = np.rint((low - corner) / cell).astype(int)
    low, shape = _clipped(at, shape, values.shape, corner, cell)
    away = _distances(surfaces, low, cell, shape)
    cover: np.ndarray = _closed(away, group.closing, cell) + np.float32(
        group.closing - group.offset
    )
    at = np.rint((low - corner) / cell).astype(int)
    window = values[tuple(slice(a, a + n) for a, n in zip(at, shape, strict=True))]
    window[...] = soft_min(window, cover, settings.blend)


def _clipped(
    at: np.ndarray, shape: Sequence[int], whole: Sequence[int], corner: Floats, cell: float
) -> tuple[Floats, tuple[int, int, int]]:
    first = np.maximum(at, 0)
    last = np.minimum(at + np.array(shape), np.array(whole))
    size = last - first
    return corner + cell * first, (int(size[0]), int(size[1]), int(size[2]))


def _distances(
    surfaces: list[Surface], corner: Floats, cell: float, shape: tuple[int, int, int]
) -> np.ndarray:
    """(p, q, r) distances [m] of nodes to what is inside the surfaces, not above 0 inside.

    They are those to nodes inside or beside a surface, with how far these are from it: of whole
    cells alone the skin would have steps.
    """
    filled = _filled(surfaces, corner, cell, shape)
    triangles = np.concatenate([surface.X[surface.faces] for surface in surfaces])
    near = distances_beside(triangles, corner, cell, shape, 1.0)
    held = filled | (near <= BESIDE * cell)  # thin sheets count
    return spread(held, np.where(filled, -near, near), cell)


def _closed(away: np.ndarray, radius: float, cell: float) -> np.ndarray:
    """(p, q, r) signed distances [m] to what is within a radius of a body, its holes filled."""
    grown = without_holes(away <= radius)
    beyond = np.where(grown, np.float32(0), away - np.float32(radius))
    return np.where(grown, -spread(~grown, -beyond, cell), beyond)


def _filled(
    surfaces: list[Surface], corner: Floats, cell: float, shape: tuple[int, int, int]
) -> Bools:
    """(p, q, r) the nodes inside surfaces."""
    filled = np.zeros(shape, bool)
    for surface in surfaces:
        low = np.floor((surface.X.min(axis=0) - corner) / cell).astype(int) - 1
        high = np.ceil((surface.X.max(axis=0) - corner) / cell).astype(int) + 2
        low, high = np.maximum(low, 0), np.minimum(high, shape)
        size = tuple(int(n) for n in high - low)
        box = tuple(slice(int(a), int(b)) for a, b in zip(low, high, strict=True))
        filled[box] |= fill(surface, corner + cell * low, cell, size)  # type: ignore[arg-type]
    return filled


def _wound(surface: Surface, corner: Floats, cell: float, shape: tuple[int, int, int]) -> Bools:
    """The nodes that a surface with holes winds around."""
    inside = np.zeros(shape, bool)
    y, z = np.meshgrid(np.arange(shape[1]), np.arange(shape[2]), indexing="ij")
    for i in range(shape[0]):
        nodes = np.stack([np.full(y.size, i), y.ravel(), z.ravel()], axis=1)
        inside[i] = enclosed(surface, corner + cell * nodes).reshape(y.shape)
    return inside


def _grid(low: Floats, high: Floats, cell: float) -> tuple[Floats, tuple[int, int, int]]:
    corner, shape = grid_over(low, high, cell)
    nodes = float(np.prod(np.array(shape, float)))
    if nodes > MOST_NODES:
        raise ModelError(
            f"a skin with cells of {1e3 * cell:g} mm over {float((high - low).max()):.3g} m "
            f"needs {nodes:.1e} of them; are the surfaces in metres?"
        )
    return corner, shape
