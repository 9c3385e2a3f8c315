"""Bodies put together from pieces: grids of cells bent into shape, labelled and with fibres.

A piece is drawn by a map from its grid coordinates u, v, w in [0, 1] to places [m]. Its fibres run
along u. Pieces share no vertices: what shall hold together is glued by a bone that has parts of
both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh, together
from vastus.model import Model
from vastus.modelling.shapes.implicit import Field
from vastus.modelling.shapes.simple import box
from vastus.modelling.shapes.tube import frames
from vastus.modelling.tissues import Materials, bone_region
from vastus.muscle import Density
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Region, Tissue

Place = Callable[[Floats], Floats]  # grid coordinates (n, 3) to places (n, 3) [m]
Cells = tuple[int, int, int]

_STEP = 1e-4  # of a piece's length, over which the direction of its fibres is found
_BLOCK = 20.0  # roundness of blocks; rounder ones fold over at their corners
_CORE = 0.4  # half-width of the core of a unit ball, at which tets are best shaped
_HALVINGS = 25
_SAME = 1e-7  # [m] vertices nearer than this are one


@dataclass(frozen=True, eq=False)
class Piece:
    """A mesh whose tets belong to regions by name, with fibres (m, 3) or zeros."""

    mesh: TetMesh
    regions: tuple[str, ...]
    region: Ints  # (m,) index into `regions`
    fibre: Floats


def grid(
    cells: Cells,
    place: Place,
    regions: str | Sequence[str],
    *,
    label: Callable[[Floats], Ints] | None = None,
    closed: bool = False,
) -> Piece:
    """A grid of cells, six tets each, bent by `place`.

    `label` says which of the `regions` cells with middles (k, 3) are, the first unless given. A
    `closed` piece meets itself at u = 0 and u = 1.
    """
    names = (regions,) if isinstance(regions, str) else tuple(regions)
    straight = box(cells, (1.0, 1.0, 1.0))
    U = straight.X + np.array([0.0, 0.5, 0.5])
    middle = (np.floor(U[straight.T].mean(axis=1) * cells) + 0.5) / cells
    centre = U[straight.T].mean(axis=1)
    ahead = np.array([_STEP, 0.0, 0.0])
    fibre = place(centre + ahead) - place(centre - ahead)
    X, T = place(U), straight.T
    if closed:
        X, T = _welded(X, T)
    region = np.zeros(len(T), np.int64) if label is None else label(middle).astype(np.int64)
    length = np.linalg.norm(fibre, axis=1, keepdims=True)
    mesh = TetMesh(X, T)
    folded = int(min((mesh.volumes > 0).sum(), (mesh.volumes <= 0).sum()))
    if folded:
        raise ModelError(f"the grid of '{names[0]}' folds over in {folded} tets; bend it less")
    return Piece(mesh.oriented(), names, region, fibre / length)


def _welded(X: Floats, T: Ints) -> tuple[Floats, Ints]:
    """Vertices at the same place made one."""
    _, first, number = np.unique(
        np.round(X / _SAME).astype(np.int64), axis=0, return_index=True, return_inverse=True
    )
    return X[first], number.reshape(-1)[T]


def along(line: Floats, widths: Floats, side: Sequence[float], roundness: float = 4.0) -> Place:
    """A bar around a smooth line through points (k, 3) with half-widths (k, 2) there [m].

    The first half-width is along `side`, the second across it. Sections are squares with round
    corners: superellipses of an exponent `roundness`, 2 for ellipses.
    """
    from scipy.interpolate import (
        CubicSpline,
        PchipInterpolator,
    )  # as heavy as the rest of the package

    knots = np.linspace(0.0, 1.0, len(line))
    if len(line) > 2:
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        knots = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
    curve = CubicSpline(knots, np.asarray(line, float), bc_type="natural")
    radius = PchipInterpolator(knots, np.asarray(widths, float))
    s = np.linspace(-0.01, 1.01, 409)
    first, second, third = side
    turned = frames(curve(s), curve(s, 1), (first, second, third))

    def place(U: Floats) -> Floats:
        u = np.clip(U[:, 0], -0.01, 1.01)
        axes = [
            np.column_stack([np.interp(u, s, turned[:, k, c]) for c in range(3)]) for k in (0, 1)
        ]
        q = rounded(2 * U[:, 1:] - 1, roundness) * radius(np.clip(u, 0, 1))
        return np.asarray(curve(u) + q[:, :1] * axes[0] + q[:, 1:] * axes[1])

    return place


def rounded(q: Floats, roundness: float) -> Floats:
    """Points (n, k) of the cube from -1 to 1 drawn in, so that its edges and corners are round."""
    largest = np.abs(q).max(axis=1, keepdims=True)
    norm = (np.abs(q) ** roundness).sum(axis=1, keepdims=True) ** (1 / roundness)
    # Near the middle nothing changes: rays that all shrink alike would crowd the corners' cells.
    blend = largest**2
    scale = np.divide(largest, norm, out=np.ones_like(norm), where=norm > 0)
    return np.asarray(q * (1 + blend * (scale - 1)))


def solid_block(centre: Sequence[float], half: Sequence[float]) -> Place:
    """A block of half-widths (3,) about a centre (3,) [m]."""
    return lambda U: np.asarray(centre) + rounded(2 * U - 1, _BLOCK) * np.asarray(half)


def ball_piece(cells: int, place: Place, region: str, *, around: int | None = None) -> Piece:
    """A ball of a core with so many cells along its sides and six shells around it.

    `place` maps points (n, 3) of the unit ball to places (n, 3) [m]. Shells are `around` cells
    thick, so many that cells are about as thick as wide unless given: a rigid ball is as round with
    fewer.
    """
    around = around or max(1, round(0.45 * cells))
    parts = [box((cells,) * 3, (1.0, 1.0, 1.0))]
    points = [_CORE * (2 * (parts[0].X + np.array([0.0, 0.5, 0.5])) - 1)]
    for axis, sign in product(range(3), (-1, 1)):
        counts = [cells] * 3
        counts[axis] = around
        shell = box((counts[0], counts[1], counts[2]), (1.0, 1.0, 1.0))
        U = shell.X + np.array([0.0, 0.5, 0.5])
        # All shells count from the core outward, so that neighbours split faces alike.
        face = 2 * U - 1
        face[:, axis] = sign
        round_ = np.tan(0.25 * np.pi * face)
        round_ /= np.linalg.norm(round_, axis=1, keepdims=True)
        parts.append(shell)
        points.append(_CORE * face + U[:, [axis]] * (round_ - _CORE * face))
    T = together(*parts).T
    X, T = _welded(np.concatenate(points), T)
    mesh = TetMesh(place(X), T).oriented()
    return Piece(mesh, (region,), np.zeros(len(T), np.int64), np.zeros((len(T), 3)))


def ellipsoid_piece(
    centre: Sequence[float], half: Sequence[float], edge: float, region: str
) -> Piece:
    """An ellipsoid of half-widths (3,) about a centre (3,) [m], with edges of about `edge` [m]."""
    cells = max(2, round(1.2 * float(np.mean(half)) / edge))
    return ball_piece(cells, lambda X: np.asarray(centre) + X * np.asarray(half), region)


def star(field: Field, centre: Sequence[float], reach: float) -> Place:
    """The solid of a field that all rays from its `centre` (3,) leave once, within `reach` [m].

    It maps points of the unit ball.
    """
    middle = np.asarray(centre, float)

    def place(X: Floats) -> Floats:
        size = np.linalg.norm(X, axis=1)
        ray = np.divide(X, size[:, None], out=np.zeros_like(X), where=size[:, None] > 0)
        low, high = np.zeros(len(X)), np.full(len(X), reach)
        for _ in range(_HALVINGS):
            half = 0.5 * (low + high)
            inside = field(middle + half[:, None] * ray) < 0
            low, high = np.where(inside, half, low), np.where(inside, high, half)
        return middle + (low * size)[:, None] * ray

    return place


def annulus(inner: float, outer: Callable[[Floats], Floats], depth: float) -> Place:
    """A ring about y: u runs once around, v from the inner radius [m] out, w along the axis.

    `outer` is the outer radius [m] over the angle [rad].
    """

    def place(U: Floats) -> Floats:
        angle = 2 * np.pi * U[:, 0]
        r = inner + U[:, 1] * (outer(angle) - inner)
        return np.column_stack([r * np.cos(angle), depth * (U[:, 2] - 0.5), r * np.sin(angle)])

    return place


def joined(
    name: str,
    pieces: Sequence[Piece],
    bones: tuple[Bone, ...],
    muscles: Sequence[str],
    *,
    materials: Materials,
    densities: Mapping[str, float] | None = None,
) -> Model:
    """The pieces as one model, which the caller gives joints and contact.

    Regions of the `bones` are bone, those called like `muscles` are contractile, and others are of
    the same tissue without fibres. `densities` [kg/m^3] are those of regions that differ.
    """
    names = list(dict.fromkeys(region for piece in pieces for region in piece.regions))
    region = np.concatenate(
        [np.array([names.index(r) for r in p.regions])[p.region] for p in pieces]
    )
    bony = {part for bone in bones for part in bone.regions}
    regions = [_region(part, bony, muscles, materials) for part in names]
    for part, density in (densities or {}).items():
        regions[names.index(part)] = replace(regions[names.index(part)], density=density)
    contractile = np.isin(names, list(muscles))[region]
    return Model(
        mesh=together(*(piece.mesh for piece in pieces)),
        region=region,
        regions=tuple(regions),
        fibre=np.concatenate([piece.fibre for piece in pieces]) * contractile[:, None],
        muscles=tuple(replace(materials.named(m), density=Density.UNIFORM) for m in muscles),
        bones=bones,
        name=name,
        volume=materials.volume,
    )


def _region(name: str, bony: set[str], muscles: Sequence[str], materials: Materials) -> Region:
    if name in bony:
        return bone_region(name)
    if name in muscles:
        return materials.belly(name)
    plain = tuple(law for law in materials.muscle if not (law.active or law.fibrous))
    return Region(name, Tissue.PASSIVE, plain)
