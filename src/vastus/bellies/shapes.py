"""Shapes of bellies: diamonds of nine tets, and lofted tubes of up to a thousand and more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.bellies.belly import COMMON, FREE, Belly, Matrix
from vastus.bellies.law import MotorUnit
from vastus.bellies.strength import strengths
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

# Vertices of a diamond: the common tip, four corners of each of two squares, the unit's tip.
_CORE = [[1, 2, 4, 5], [2, 3, 4, 7], [5, 7, 6, 2], [5, 8, 7, 4], [2, 4, 5, 7]]
_TIPS = [[0, 1, 2, 4], [0, 2, 3, 4], [9, 5, 6, 7], [9, 5, 7, 8]]


def diamond(
    unit: MotorUnit, *, width: float, core: float = 0.5, matrix: Matrix | None = None
) -> Belly:
    """A box of five tets with square ends of a `width` [m], and a pyramid of two at each end.

    The box takes the share `core` of the length. The tips are what is held.
    """
    if not 0 < core < 1:
        raise ModelError(f"diamond '{unit.name}': its core is {core:g}; it must be between 0 and 1")
    _sized(unit.name, width)
    L, h = unit.optimal, 0.5 * width
    square = np.array([[-h, -h], [h, -h], [h, h], [-h, h]])
    X = np.zeros((10, 3))
    X[1:5, 0], X[5:9, 0], X[9, 0] = 0.5 * (1 - core) * L, 0.5 * (1 + core) * L, L
    X[1:5, 1:] = X[5:9, 1:] = square
    mesh = TetMesh(X, np.array(_CORE + _TIPS)).oriented()
    held = np.full(10, FREE)
    held[0], held[9] = COMMON, 1
    # The one strength that gives an even tension, whatever the core: no corner of the box pulls.
    strength = 3.0 * unit.force / width**2 * np.repeat([0.0, 1.0], [4, 5])
    tets = np.zeros(9, np.int64)
    return Belly(mesh, held, tets, (unit,), strength, np.ones(9), matrix or Matrix())


@dataclass(frozen=True)
class Loft:
    """How finely a tube is divided, and how it tapers.

    24 tets a slab with one ring of eight: 4, 8 and 40 slabs are 96, 192 and 960 tets. The radius
    is `taper` of the middle's at the ends, which are held as they are.
    """

    slabs: int = 8
    around: int = 8
    rings: int = 1
    taper: float = 0.3

    def __post_init__(self) -> None:
        for word, least in (("slabs", 2), ("around", 4), ("rings", 1)):
            if getattr(self, word) < least:
                raise ModelError(f"a loft has {getattr(self, word)} {word}; it needs {least}")
        if not 0 < self.taper <= 1:
            raise ModelError(f"a loft has the taper {self.taper:g}; it must be above 0, at most 1")

    def radius(self, along: Floats) -> Floats:
        """The radius over the middle's, at shares of the length."""
        return self.taper + (1 - self.taper) * np.sin(np.pi * along) ** 2


def tube(
    units: MotorUnit | tuple[MotorUnit, ...],
    *,
    width: float,
    loft: Loft | None = None,
    matrix: Matrix | None = None,
) -> Belly:
    """A round tube, `width` [m] across in the middle, with vertices on its axis and on rings.

    Several motor units are sectors of it, as large as their forces ask for, that share the common
    end; what lies between their other ends is free, so that each may have a length of its own.
    """
    units = (units,) if isinstance(units, MotorUnit) else tuple(units)
    loft = loft or Loft()
    _sized(units[0].name, width)
    section, triangles = _section(loft)
    count, stations = len(section), np.linspace(0.0, 1.0, loft.slabs + 1)
    share, sector = _sectors(units, loft, triangles)
    X = np.zeros((len(stations), count, 3))
    length = np.array([unit.optimal for unit in units])
    # Of units of several lengths, vertices between them have the mean of theirs.
    X[:, :, 0] = stations[:, None] * (share @ length)
    X[:, :, 1:] = 0.5 * width * loft.radius(stations)[:, None, None] * section
    prisms = [slab * count + triangles for slab in range(loft.slabs)]
    T = np.concatenate([_tets(prism, prism + count) for prism in prisms])
    tet_unit = np.tile(np.repeat(sector, 3), loft.slabs)
    held = np.full(len(stations) * count, FREE)
    held[:count] = COMMON
    owned = share.max(axis=1) == 1.0
    held[-count:][owned] = share[owned].argmax(axis=1) + 1
    mesh = TetMesh(X.reshape(-1, 3), T).oriented()
    return _belly(mesh, held, tet_unit, units, matrix)


def _belly(
    mesh: TetMesh, held: Ints, unit: Ints, units: tuple[MotorUnit, ...], matrix: Matrix | None
) -> Belly:
    strength = strengths(mesh, held, unit, units)
    return Belly(mesh, held, unit, units, strength, np.ones(mesh.n_tets), matrix or Matrix())


def _sized(name: str, width: float) -> None:
    if not (np.isfinite(width) and width > 0):
        raise ModelError(f"belly '{name}': its width is {width:g} m; it must be above 0")


def _section(loft: Loft) -> tuple[Floats, Ints]:
    """(k, 2) vertices of a disk of radius 1, and (t, 3) its triangles, sector by sector."""
    n = loft.around
    angle = 2 * np.pi * np.arange(n) / n
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = [np.zeros((1, 2)), *(r / loft.rings * ring for r in range(1, loft.rings + 1))]
    triangles = []
    for i in range(n):
        j = (i + 1) % n
        triangles.append([0, 1 + i, 1 + j])
        for r in range(loft.rings - 1):
            a, b = 1 + r * n + i, 1 + r * n + j
            triangles += [[a, a + n, b], [a + n, b + n, b]]
    return np.concatenate(points), np.array(triangles)


def _sectors(units: tuple[MotorUnit, ...], loft: Loft, triangles: Ints) -> tuple[Floats, Ints]:
    """(k, units) the share of units in each vertex of a section, and (t,) the unit of triangles."""
    vertices = 1 + loft.around * loft.rings
    if len(units) == 1:
        return np.ones((vertices, 1)), np.zeros(len(triangles), np.int64)
    force = np.array([unit.force for unit in units])
    borders = np.round(loft.around * np.cumsum(force) / force.sum()).astype(int)
    if np.diff([0, *borders]).min() < 2:
        raise ModelError(
            f"a tube of {loft.around} sectors is shared by {len(units)} units, of which one would"
            " have fewer than 2; give the loft more `around`"
        )
    per = len(triangles) // loft.around
    unit = np.repeat(np.searchsorted(borders, np.arange(loft.around), side="right"), per)
    share = np.zeros((vertices, len(units)))
    np.add.at(share, (triangles.ravel(), np.repeat(unit, 3)), 1.0)
    share = (share > 0).astype(float)
    return share / share.sum(axis=1, keepdims=True), unit


def _tets(near: Ints, far: Ints) -> Ints:
    """(3t, 4) prisms (t, 3) and (t, 3), each cut in three by the order of its vertices."""
    order = np.argsort(near, axis=1)
    (a, b, c), (d, e, f) = (np.take_along_axis(p, order, axis=1).T for p in (near, far))
    cut = np.stack(
        [np.stack(t, axis=1) for t in ((a, b, c, f), (a, b, e, f), (a, d, e, f))], axis=1
    )
    return cut.reshape(-1, 4)
