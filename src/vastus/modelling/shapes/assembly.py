"""Several tubes meshed with a requested number of tets, and solids put together in one mesh."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.cache import Store
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.shapes.tube import Disc, Solid, SweptSolid, Tube, even, sweep
from vastus.numerics.types import Ints

MIN_TETS, MAX_TETS = 1_000, 5_000_000
KEPT = Store(rooms=("geometry", "modelling", "numerics"))  # of assemblies

Fit = tuple[Sequence[Disc], float]  # the section of each part, and the density of slabs


@dataclass(frozen=True, eq=False)
class TubePart:
    """A tube and how to mesh it: a family of discs by ring number, and how coarse to be."""

    tube: Tube
    disc: Callable[[int], Disc] = even
    rings: float = 1.0  # rings for each edge length that fits in the radius
    slab: float = 1.0  # slab length over edge length
    size: float = 0.0  # [m] the radius that decides the rings, unless it is the tube's own

    def section(self, h: float) -> Disc:
        """The section for edges of about `h` [m]."""
        return self.disc(max(1, round(self.rings * self.radius / h)))

    @property
    def radius(self) -> float:
        """The radius [m] that decides the rings."""
        return self.size or self.tube.size

    def slabs(self, disc: Disc, density: float) -> list[int]:
        """The slabs of each segment, `density` times as many as are well shaped."""
        return self.tube.slabs(disc.edge * self.slab / density)


def meshed(parts: Sequence[TubePart], tets: float) -> list[SweptSolid]:
    """Meshes of all parts, about `tets` tets together and of about the same edge length.

    Rings come in whole numbers, so the edge length is the one for which the number of slabs needs
    the least correction.
    """
    check_tets(tets)
    # Most edge lengths have the sections of another.
    sections = dict.fromkeys(tuple(part.section(h) for part in parts) for h in _edges(parts))
    discs, density = min((_fit(parts, discs, tets) for discs in sections), key=_correction)
    return [
        sweep(part.tube, disc, part.slabs(disc, density))
        for part, disc in zip(parts, discs, strict=True)
    ]


def check_tets(tets: float) -> None:
    """Refuse a number of tets that no shape can have."""
    if not MIN_TETS <= tets <= MAX_TETS:
        raise ModelError(f"cannot build a shape of {tets} tets; ask for {MIN_TETS} to {MAX_TETS}")


def _edges(parts: Sequence[TubePart]) -> list[float]:
    largest = max(part.radius for part in parts)
    return np.geomspace(largest / 60, largest, 120).tolist()


def _fit(parts: Sequence[TubePart], discs: Sequence[Disc], tets: float) -> Fit:
    """The sections and the density of slabs that gives `tets`."""
    density = 1.0
    for _ in range(4):  # few slabs are rounded much, so once is not enough
        density *= tets / _count(parts, discs, density)
    return discs, density


def _correction(fit: Fit) -> float:
    return abs(float(np.log(fit[1])))


def _count(parts: Sequence[TubePart], discs: Sequence[Disc], density: float) -> int:
    return sum(
        3 * len(disc.triangles) * sum(part.slabs(disc, density))
        for part, disc in zip(parts, discs, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Assembly:
    """A mesh of solids that share no vertices, and where each of them is."""

    mesh: TetMesh
    part: Ints  # (m,) the solid of each tet
    segment: Ints  # (m,) its segment there
    ends: dict[str, tuple[Ints, ...]]  # the vertices of the ends of each solid

    @property
    def names(self) -> list[str]:
        """The solids in order."""
        return list(self.ends)

    def tets(self, name: str, segments: Sequence[int] | None = None) -> Ints:
        """The tets of a solid, or of some segments of it."""
        mine = self.part == self.names.index(name)
        return np.flatnonzero(mine if segments is None else mine & np.isin(self.segment, segments))

    def vertices(self, name: str, segments: Sequence[int] | None = None) -> Ints:
        """The vertices of these tets."""
        return np.unique(self.mesh.T[self.tets(name, segments)])


def assembled(solids: Mapping[str, Solid]) -> Assembly:
    """One mesh of all solids."""
    whole = stacked(list(solids.values()))
    part = np.repeat(np.arange(len(solids)), [len(s.T) for s in solids.values()])
    ends = iter(whole.ends)
    named = {name: tuple(next(ends) for _ in solid.ends) for name, solid in solids.items()}
    return Assembly(TetMesh(whole.X, whole.T), part, whole.segment, named)


def stacked(solids: Sequence[Solid]) -> Solid:
    """The solids as one, each with vertices of its own."""
    starts = np.cumsum([0, *(len(s.X) for s in solids[:-1])]).tolist()
    return Solid(
        np.concatenate([s.X for s in solids]),
        np.concatenate([s.T + start for s, start in zip(solids, starts, strict=True)]),
        np.concatenate([s.segment for s in solids]),
        tuple(e + start for s, start in zip(solids, starts, strict=True) for e in s.ends),
    )
